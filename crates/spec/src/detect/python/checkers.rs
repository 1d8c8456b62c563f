//! Checkers of Python: those that CI or a script runs, as it runs them.

use referee_model::plan::Strategy;
use referee_model::selection::Level;

use super::super::ci::Line;
use super::super::command::spelled;
use super::super::form::{Form, form};
use super::super::project::{Draft, Wanted};
use super::Manifests;

/// Most lines of one tool that are proposed.
const LINES: usize = 3;

/// One checker.
struct Checker<'a> {
    name: &'static str,
    /// The line that runs it where nobody says how.
    tool: &'static str,
    level: Level,
    /// Where it is configured.
    configured: Option<&'a str>,
    /// What a command that runs it is told by.
    runs: &'static str,
    /// Its hooks of pre-commit.
    hooks: &'static [&'static str],
}

pub(super) fn checkers(manifests: &Manifests<'_>, draft: &mut Draft) {
    let place = manifests.place;
    let (pyproject, setup, tox) = (&manifests.pyproject, &manifests.setup, &manifests.tox_ini);
    let of = |table: &str, said: &'static str| pyproject.has(table).then_some(said);
    let ruff = of("tool.ruff", "[tool.ruff] of pyproject.toml").or(place.first(&["ruff.toml", ".ruff.toml"]));
    let flake8 = place
        .first(&[".flake8"])
        .or(setup.has("flake8").then_some("[flake8] of setup.cfg"))
        .or(tox.has("flake8").then_some("[flake8] of tox.ini"));
    let pylint = place.first(&[".pylintrc", "pylintrc"]).or(of("tool.pylint", "[tool.pylint] of pyproject.toml"));
    let mypy = of("tool.mypy", "[tool.mypy] of pyproject.toml")
        .or(place.first(&["mypy.ini", ".mypy.ini"]))
        .or(setup.has("mypy").then_some("[mypy] of setup.cfg"));
    let files = ["files", "packages"].iter().any(|key| pyproject.value("tool.mypy", key).is_some());
    let target = match (files, place.has_folder("src")) {
        (true, _) => "mypy",
        (false, true) => "mypy src",
        (false, false) => "mypy .",
    };
    let pyright = place.first(&["pyrightconfig.json"]).or(of("tool.pyright", "[tool.pyright] of pyproject.toml"));
    let formats = of("tool.ruff.format", "[tool.ruff.format] of pyproject.toml").or(ruff);
    let isort = of("tool.isort", "[tool.isort] of pyproject.toml").or(place.first(&[".isort.cfg"]));
    let checker = |name, tool, level, configured, runs, hooks| Checker { name, tool, level, configured, runs, hooks };
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
        propose(manifests, &each, draft);
    }
}

fn propose(manifests: &Manifests<'_>, checker: &Checker<'_>, draft: &mut Draft) {
    let is_here = manifests.is_dependency(checker.runs.split(' ').next().unwrap_or_default());
    let (default, edits) = without_edits(manifests, checker.tool);
    let plain = format!("{}{edits}", checker.configured.unwrap_or(checker.runs));
    let lines: Vec<&Line> = manifests.lines.iter().filter(|line| line.command.runs(checker.runs)).collect();
    let demanded: Vec<&Line> = lines.iter().copied().filter(|line| line.is_of_ci).take(LINES).collect();
    let taken = if demanded.is_empty() { lines.into_iter().take(1).collect() } else { demanded };
    let hook = manifests.hooks.iter().find(|(hook, _)| checker.hooks.contains(&hook.as_str()));
    let absent = "but it is no dependency, so it may not be there: declare it, then move this up";
    if taken.is_empty() {
        match (hook, checker.configured) {
            (Some((_, true)), _) if is_here => {
                let because = format!("{plain}, and .pre-commit-config.yaml runs it");
                draft.check(checker.name, manifests.line(&default), checker.level, because);
            }
            (Some(_), _) => {
                let because = format!("{plain}: pre-commit runs it, with a version, options and files of its own");
                draft.leave(checker.name, manifests.line(&default), checker.level, because);
            }
            (None, Some(_)) => {
                let because = format!("{plain}, but neither a script nor CI runs it");
                draft.leave(checker.name, manifests.line(&default), checker.level, because);
            }
            (None, None) => {}
        }
    }
    for line in taken {
        let (words, changed) = match form(&line.command) {
            Form::Same => (line.command.words.clone(), String::new()),
            Form::Changed { command, because } => (command.words, format!("; asked here {because}")),
            Form::Unfit(_) => continue,
        };
        let (tool, edits) = without_edits(manifests, &spelled(&words));
        let because = format!("{} runs it so{changed}{edits}", line.file);
        if !line.is_of_ci && !changed.is_empty() && checker.level == Level::Strict {
            let because = format!("{plain}: {} formats with it, and CI does not look at the format", line.file);
            draft.leave(checker.name, manifests.line(&default), checker.level, because);
        } else if !line.command.is_fixed() {
            let because = format!("{} runs {}, with words that only it knows", line.file, checker.runs);
            draft.leave(checker.name, manifests.line(&default), checker.level, because);
        } else if !is_here {
            draft.leave(checker.name, manifests.line(&tool), checker.level, format!("{because}, {absent}"));
        } else if draft.checks.iter().all(|check| check.line != manifests.line(&tool)) {
            draft.check(checker.name, manifests.line(&tool), checker.level, because);
        }
    }
}

/// ruff edits where its configuration says so.
fn without_edits(manifests: &Manifests<'_>, tool: &str) -> (String, &'static str) {
    let Some(rest) = tool.strip_prefix("ruff check").filter(|_| !tool.contains("--no-fix")) else {
        return (tool.to_owned(), "");
    };
    let says =
        |table: &str, key: &str| manifests.pyproject.value(table, key).is_some_and(|value| value.starts_with("true"));
    let of_file = |name: &str| {
        let tables = super::super::document::Tables::read(manifests.place.text(name).unwrap_or_default());
        ["fix", "fix-only"].iter().any(|key| tables.value("", key).is_some_and(|value| value.starts_with("true")))
    };
    let fixes =
        ["fix", "fix-only"].iter().any(|key| says("tool.ruff", key)) || of_file("ruff.toml") || of_file(".ruff.toml");
    if fixes {
        (format!("ruff check --no-fix{rest}"), "; its configuration says `fix`, and a check edits nothing")
    } else {
        (tool.to_owned(), "")
    }
}

/// The policies that strictness asks for.
pub(super) fn policies(manifests: &Manifests<'_>, draft: &mut Draft) {
    let strict =
        manifests.pyproject.value("tool.mypy", "strict").is_some_and(|strict| strict.eq_ignore_ascii_case("true"));
    if strict && draft.checks.iter().any(|check| check.name == "types") {
        draft.policy("mypy", Wanted::BlockOn(Strategy::ErrorsAlways), "[tool.mypy] says `strict`");
    }
    let formatters = [
        "ruff format --check",
        "ruff format --diff",
        "black --check",
        "isort --check",
        "isort --check-only",
        "isort -c",
    ];
    let demanded = manifests.run_by(&formatters).filter(|line| line.is_of_ci);
    let checked = draft.checks.iter().any(|check| check.level == Level::Strict);
    if let Some(line) = demanded.filter(|_| checked) {
        let because = format!("{} checks the format", line.file);
        draft.policy("formatting", Wanted::BlockOn(Strategy::ErrorsAndWarnings), because);
    }
}
