//! Checkers of Python, as CI or a script runs them.

use referee_model::plan::Strategy;
use referee_model::selection::Level;
use referee_syntax::toml;
use referee_syntax::tree::Node;

use super::super::ci::Line;
use super::super::command::{commands, spelled};
use super::super::form::{Form, form};
use super::super::project::{Draft, PolicyChoice};
use super::Manifests;
use super::runs::Hook;

/// Maximum number of proposed lines per tool.
const LINES: usize = 3;

struct Checker<'a> {
    name: &'static str,
    /// Default line.
    tool: &'static str,
    level: Level,
    configured: Option<&'a str>,
    /// Pattern by which its commands are recognized.
    runs: &'static str,
    hooks: &'static [&'static str],
    /// Whether its hook has the same findings as the tool itself.
    is_plain_hook: bool,
}

pub(super) fn checkers(manifests: &Manifests<'_>, draft: &mut Draft) {
    let place = manifests.place;
    let (pyproject, setup, tox) = (&manifests.pyproject, &manifests.setup, &manifests.tox_ini);
    let of = |table: &str, said: &'static str| pyproject.at(table).map(|_| said);
    let ruff = of("tool.ruff", "[tool.ruff] of pyproject.toml").or(place.first(&["ruff.toml", ".ruff.toml"]));
    let flake8 = place
        .first(&[".flake8"])
        .or(setup.get("flake8").map(|_| "[flake8] of setup.cfg"))
        .or(tox.get("flake8").map(|_| "[flake8] of tox.ini"));
    let pylint = place.first(&[".pylintrc", "pylintrc"]).or(of("tool.pylint", "[tool.pylint] of pyproject.toml"));
    let mypy = of("tool.mypy", "[tool.mypy] of pyproject.toml")
        .or(place.first(&["mypy.ini", ".mypy.ini"]))
        .or(setup.get("mypy").map(|_| "[mypy] of setup.cfg"));
    let files =
        ["files", "packages"].iter().any(|key| pyproject.at("tool.mypy").is_some_and(|mypy| mypy.get(key).is_some()));
    let target = match (files, place.has_directory("src")) {
        (true, _) => "mypy",
        (false, true) => "mypy src",
        (false, false) => "mypy .",
    };
    let pyright = place.first(&["pyrightconfig.json"]).or(of("tool.pyright", "[tool.pyright] of pyproject.toml"));
    let formats = of("tool.ruff.format", "[tool.ruff.format] of pyproject.toml").or(ruff);
    let isort = of("tool.isort", "[tool.isort] of pyproject.toml").or(place.first(&[".isort.cfg"]));
    // Hooks of type checkers see other installed packages.
    let checker = |name, tool, level, configured, runs, hooks| {
        let is_plain_hook = level != Level::Smoke && runs != "pylint";
        Checker { name, tool, level, configured, runs, hooks, is_plain_hook }
    };
    let mut format: Option<String> = None;
    for each in [
        checker("lint", "ruff check", Level::Fast, ruff, "ruff check", &["ruff", "ruff-check"][..]),
        checker("format", "ruff format --check", Level::Strict, formats, "ruff format", &["ruff-format"]),
        checker("flake8", "flake8", Level::Fast, flake8, "flake8", &["flake8"]),
        checker("pylint", "pylint .", Level::Fast, pylint, "pylint", &["pylint"]),
        checker("types", target, Level::Smoke, mypy, "mypy", &["mypy"]),
        checker("pyright", "pyright", Level::Smoke, pyright, "pyright", &["pyright"]),
        checker(
            "black",
            "black --check .",
            Level::Strict,
            of("tool.black", "[tool.black] of pyproject.toml"),
            "black",
            &["black"],
        ),
        checker("isort", "isort --check-only .", Level::Strict, isort, "isort", &["isort"]),
    ] {
        let rejecting = propose(manifests, &each, draft).filter(|_| each.level == Level::Strict);
        format = format.or(rejecting);
    }
    policies(manifests, format, draft);
}

/// Proposes a checker. Returns the CI file that rejects its findings, if there is one.
fn propose(manifests: &Manifests<'_>, checker: &Checker<'_>, draft: &mut Draft) -> Option<String> {
    let lines: Vec<&Line> = manifests.lines.iter().filter(|line| line.command.runs(checker.runs)).collect();
    let demanded: Vec<&Line> = lines.iter().copied().filter(|line| line.is_of_ci).take(LINES).collect();
    let taken = if demanded.is_empty() { lines.into_iter().take(1).collect() } else { demanded };
    let hook = manifests.hooks.iter().find(|hook| checker.hooks.contains(&hook.id.as_str()));
    let by_hook = hook.filter(|hook| hook.by_ci.is_some() || taken.is_empty());
    let mut rejecting = None;
    for line in taken {
        if as_run(manifests, checker, line, draft) {
            rejecting.get_or_insert_with(|| line.file.clone());
        }
    }
    match by_hook {
        // A line of CI runs it already.
        Some(_) if rejecting.is_some() => {}
        Some(hook) => rejecting = rejecting.or(as_hook(manifests, checker, hook, draft)),
        None => as_configured(manifests, checker, draft),
    }
    rejecting
}

/// Proposes a checker as a line runs it. Returns whether CI rejects its findings.
fn as_run(manifests: &Manifests<'_>, checker: &Checker<'_>, line: &Line, draft: &mut Draft) -> bool {
    let is_here = manifests.is_dependency(checker.program());
    let (default, plain) = checker.plain(manifests);
    let (words, changed) = match form(&line.command) {
        Form::Same => (line.command.words.clone(), String::new()),
        Form::Changed { command, because } => (command.words, format!("; asked here {because}")),
        Form::Unfit(_) => return false,
    };
    let (tool, edits) = without_edits(manifests, &spelled(&words));
    let run = manifests.line_as(line, &tool);
    let because = format!("{} runs it so{changed}{edits}", line.file);
    let absent = "it is not a dependency, so it may not be there";
    if !line.is_of_ci && !changed.is_empty() && checker.level == Level::Strict {
        let because = format!("{plain}: {} formats with it, and CI does not look at the format", line.file);
        draft.leave(checker.name, manifests.line(&default), checker.level, because);
    } else if !line.command.is_fixed() {
        let because = format!("{} runs {}, with words that only it knows", line.file, checker.runs);
        draft.leave(checker.name, manifests.line(&default), checker.level, because);
    } else if !is_here && !line.is_of_ci {
        let because = format!("{because}, but {absent}: declare it, then move this up");
        draft.leave(checker.name, run, checker.level, because);
    } else {
        if draft.checks.iter().all(|check| check.line != run) {
            let because = if is_here { because } else { format!("{because}; {absent}") };
            draft.check(checker.name, run, checker.level, because);
        }
        return line.is_of_ci && (changed.is_empty() || has_diff(manifests));
    }
    false
}

/// Proposes a checker as pre-commit runs it. Returns the workflow that runs it.
fn as_hook(manifests: &Manifests<'_>, checker: &Checker<'_>, hook: &Hook, draft: &mut Draft) -> Option<String> {
    let (default, plain) = checker.plain(manifests);
    let is_here = manifests.is_dependency(checker.program());
    let because = match &hook.by_ci {
        Some(workflow) => format!("{plain}, and {workflow} has pre-commit run it"),
        None => format!("{plain}, and .pre-commit-config.yaml runs it"),
    };
    let with_arguments = checker.with(&hook.arguments).map(|tool| without_edits(manifests, &tool).0);
    match with_arguments.filter(|_| !hook.is_narrowed) {
        Some(tool) if is_here || hook.by_ci.is_some() && checker.is_plain_hook => {
            let line = manifests.line(&tool);
            if draft.checks.iter().all(|check| check.line != line) {
                let absent = if is_here { "" } else { "; it is not a dependency, so it may not be there" };
                draft.check(checker.name, line, checker.level, format!("{because}{absent}"));
            }
            hook.by_ci.clone()
        }
        _ => {
            let because = format!("{because}, with a version, options and files of its own");
            draft.leave(checker.name, manifests.line(&default), checker.level, because);
            None
        }
    }
}

/// Reports a checker that is configured, or that tox offers, but that is run neither by a script nor by CI.
fn as_configured(manifests: &Manifests<'_>, checker: &Checker<'_>, draft: &mut Draft) {
    let is_told = |draft: &Draft| {
        let all = draft.checks.iter().chain(&draft.left_to_people);
        all.into_iter().any(|check| check.line.contains(checker.runs))
    };
    if is_told(draft) {
        return;
    }
    let (default, plain) = checker.plain(manifests);
    if let Some(line) = manifests.passed_over.iter().find(|line| line.command.runs(checker.runs)) {
        let run = if line.command.is_fixed() {
            manifests.line_as(line, &line.command.own_text())
        } else {
            manifests.line(&default)
        };
        let because = format!("{} runs it, and CI runs other environments of tox only", line.file);
        draft.leave(checker.name, run, checker.level, because);
    } else if checker.configured.is_some() {
        let because = format!("{plain}, but neither a script nor CI runs it");
        draft.leave(checker.name, manifests.line(&default), checker.level, because);
    }
}

impl Checker<'_> {
    fn program(&self) -> &str {
        self.runs.split(' ').next().unwrap_or(self.runs)
    }

    /// Returns the default line of the tool, and the file that configures it.
    fn plain(&self, manifests: &Manifests<'_>) -> (String, String) {
        let (tool, edits) = without_edits(manifests, self.tool);
        (tool, format!("{}{edits}", self.configured.unwrap_or(self.runs)))
    }

    /// Returns the tool with these arguments, such that it only checks. None: they are not only options.
    fn with(&self, arguments: &[String]) -> Option<String> {
        if arguments.is_empty() {
            return Some(self.tool.to_owned());
        }
        let rest = self.tool.strip_prefix(self.runs).filter(|_| self.is_plain_hook)?;
        let whole = format!("{} {}{rest}", self.runs, crate::expand::join(arguments));
        let found = commands(&whole);
        let [command] = found.as_slice() else { return None };
        match form(command) {
            Form::Same => Some(whole),
            Form::Changed { command, .. } => Some(spelled(&command.words)),
            Form::Unfit(_) => None,
        }
    }
}

/// Returns whether CI examines the changes of a tool that edits.
fn has_diff(manifests: &Manifests<'_>) -> bool {
    let diffs = ["git diff --exit-code", "git diff --quiet"];
    manifests.lines.iter().any(|line| line.is_of_ci && diffs.iter().any(|diff| line.command.runs(diff)))
}

/// Returns the line without edits; ruff edits if its configuration says so.
fn without_edits(manifests: &Manifests<'_>, tool: &str) -> (String, &'static str) {
    let Some(rest) = tool.strip_prefix("ruff check").filter(|_| !tool.contains("--no-fix")) else {
        return (tool.to_owned(), "");
    };
    let says =
        |settings: &Node| ["fix", "fix-only"].iter().any(|key| settings.get(key).and_then(Node::boolean) == Some(true));
    let of_file = |name: &&str| manifests.place.text(name).is_some_and(|text| says(&toml::read_any(text)));
    let fixes =
        manifests.pyproject.at("tool.ruff").is_some_and(says) || ["ruff.toml", ".ruff.toml"].iter().any(of_file);
    if fixes {
        (format!("ruff check --no-fix{rest}"), "; its configuration says `fix`, and a check edits nothing")
    } else {
        (tool.to_owned(), "")
    }
}

/// Proposes policies by strictness, and for the format if CI rejects unformatted files: `format` is where.
fn policies(manifests: &Manifests<'_>, format: Option<String>, draft: &mut Draft) {
    let strict = manifests.pyproject.at("tool.mypy.strict").and_then(Node::boolean);
    if strict == Some(true) && draft.checks.iter().any(|check| check.name == "types") {
        draft.policy("mypy", PolicyChoice::BlockOn(Strategy::ErrorsAlways), "[tool.mypy] says `strict`");
    }
    if let Some(who) = format {
        draft.block_on_format(&who);
    }
}
