//! Detects Python: launcher of the tools, tests and checkers.

mod arguments;
mod checkers;
mod runner;
mod runs;
mod selection;
mod tox;

use referee_syntax::tree::{Kind, Node};
use referee_syntax::{ini, toml};

use self::runs::Hook;
use self::tox::Tox;
use super::ci::Line;
use super::project::{Draft, Ecosystem};
use super::text::has_extension;
use super::{ProjectDirectory, TOOLS};

/// Contents of the manifests of a directory.
struct Manifests<'a> {
    place: &'a ProjectDirectory<'a>,
    pyproject: Node,
    setup: Node,
    tox: Option<Tox>,
    tox_ini: Node,
    /// Commands: of CI first, then of scripts, tox and nox.
    lines: Vec<Line>,
    /// Commands of tox environments that CI does not select.
    passed_over: Vec<Line>,
    /// Environment of tox in which CI runs the tests.
    tests_of_tox: Option<String>,
    hooks: Vec<Hook>,
    launcher: Launcher,
}

/// Prefix of a tool's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Launcher {
    /// A manager of environments, by its name.
    Manager(&'static str),
    /// Python itself, with the programs of this directory's environment first, if there is one.
    Python(&'static str),
}

pub(super) fn detect(place: &ProjectDirectory<'_>) -> Option<Draft> {
    let manifest = TOOLS.words("files.python").find(|name| place.has(name));
    let near = |path: &str| !path.contains('/') || path.starts_with("test/") || path.starts_with("tests/");
    if manifest.is_none() && !test_files(place).any(near) {
        return None;
    }
    let text = |name: &str| place.text(name).unwrap_or_default();
    let pyproject = toml::read_any(text("pyproject.toml"));
    let (launcher, sign) = launcher(place, &pyproject);
    let tox = Tox::read(place, &pyproject);
    let mut lines: Vec<Line> = place.lines().cloned().collect();
    let of_tox = tox.as_ref().map(|tox| tox.lines(place)).unwrap_or_default();
    lines.extend(of_tox.taken);
    lines.extend(runs::of_nox(place));
    // Commands of CI take precedence over those of scripts.
    lines.sort_by_key(|line| !line.is_of_ci);
    let manifests = Manifests {
        place,
        setup: ini::read(text("setup.cfg")),
        tox_ini: ini::read(text("tox.ini")),
        tox,
        hooks: runs::hooks(place, &lines),
        lines,
        passed_over: of_tox.passed_over,
        tests_of_tox: of_tox.tests,
        launcher,
        pyproject,
    };
    let mut draft = Draft::new(Ecosystem::Python, place.directory, manifest.unwrap_or("files of tests"));
    draft.signs.push(sign);
    let names = ["project.name", "tool.poetry.name"];
    let title = names.iter().find_map(|name| manifests.pyproject.at(name)?.text());
    draft.title = title.map(str::to_owned);
    runner::tests(&manifests, &mut draft);
    checkers::checkers(&manifests, &mut draft);
    Some(draft)
}

/// Returns the test files, relative to the directory.
fn test_files<'a>(place: &'a ProjectDirectory<'_>) -> impl Iterator<Item = &'a str> {
    place.own_files().filter(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let at_top = !path.contains('/') && name == "test.py";
        let by_name = name.starts_with("test_") || name.ends_with("_test.py") || name == "tests.py";
        has_extension(name, "py") && (by_name || at_top)
    })
}

/// Returns the launcher of the project's tools.
fn launcher(place: &ProjectDirectory<'_>, pyproject: &Node) -> (Launcher, String) {
    let has = |table: &str| pyproject.at(table).is_some();
    let known = [
        (place.has("uv.lock") || has("tool.uv"), "uv", "uv, by uv.lock or [tool.uv]"),
        (place.has("poetry.lock") || has("tool.poetry"), "poetry", "poetry, by poetry.lock or [tool.poetry]"),
        (place.has("pdm.lock") || has("tool.pdm"), "pdm", "pdm, by pdm.lock or [tool.pdm]"),
        (place.has("Pipfile"), "pipenv", "pipenv, by Pipfile"),
    ];
    if let Some((_, manager, sign)) = known.into_iter().find(|(is, ..)| *is) {
        return (Launcher::Manager(manager), sign.to_owned());
    }
    let directory =
        ["venv", "env"].into_iter().find(|directory| place.has(&format!("{directory}/bin/python"))).unwrap_or(".venv");
    (Launcher::Python(directory), format!("the Python of {directory} where there is one, else python3"))
}

impl Manifests<'_> {
    /// Returns the first command that matches one of these patterns, preferring commands that CI does not skip.
    fn run_or_offered_by(&self, patterns: &[&str]) -> Option<&Line> {
        let fits = |line: &&Line| patterns.iter().any(|pattern| line.command.runs(pattern));
        self.lines.iter().chain(&self.passed_over).find(fits)
    }

    /// Returns the line that runs a tool.
    fn line(&self, tool: &str) -> String {
        let name = tool.split(' ').next().unwrap_or(tool);
        match self.launcher {
            Launcher::Manager(manager) => format!("{manager} run {}{tool}", self.group_of(manager, name)),
            Launcher::Python(_) => self.python(&format!("-m {tool}")),
        }
    }

    /// Returns the line that runs a tool, in the environment in which a command is run.
    fn line_as(&self, run: &Line, tool: &str) -> String {
        format!("{}{}", variables(run), self.line(tool))
    }

    /// Returns the line that passes these arguments to Python.
    fn python(&self, arguments: &str) -> String {
        match self.launcher {
            Launcher::Manager(manager) => format!("{manager} run python {arguments}"),
            Launcher::Python(directory) => format!("PATH=\"$PWD/{directory}/bin:$PATH\" python3 {arguments}"),
        }
    }

    /// Returns the option by which uv includes the dependency group of a tool.
    fn group_of(&self, manager: &str, tool: &str) -> String {
        let declared = |keys: &str| self.pyproject.at(keys).is_some_and(|list| declares(list, tool));
        let named = |table: &str| {
            let lists = self.pyproject.at(table).map(Node::entries).unwrap_or_default().iter();
            lists.filter(|list| declares(&list.value, tool)).map(|list| list.key.as_str()).next()
        };
        if manager != "uv" || declared("project.dependencies") || declared("tool.uv.dev-dependencies") {
            return String::new();
        }
        let groups = self.pyproject.at("tool.uv.default-groups");
        let is_default = |group: &str| match groups {
            None => group == "dev",
            Some(groups) => groups.one_or_more().iter().filter_map(Node::text).any(|one| one == group || one == "all"),
        };
        let in_dev = |group: &str| {
            let dev = self.pyproject.at("dependency-groups.dev").filter(|_| is_default("dev"));
            dev.is_some_and(|dev| declares(dev, group) || declares(dev, tool))
        };
        match named("dependency-groups") {
            Some(group) if is_default(group) || in_dev(group) => String::new(),
            Some(group) => format!("--group {group} "),
            None => named("project.optional-dependencies").map(|extra| format!("--extra {extra} ")).unwrap_or_default(),
        }
    }

    /// Returns whether a manifest declares a dependency.
    fn is_dependency(&self, name: &str) -> bool {
        let texts = ["setup.py", "Pipfile"].into_iter().filter_map(|file| self.place.text(file));
        let requirements = self.place.texts().filter(|(path, _)| {
            path.matches('/').count() <= 1
                && path.rsplit('/').next().is_some_and(|file| file.starts_with("requirements"))
        });
        let of_tox = self.tox_ini.entries().iter().filter_map(|section| section.value.get("deps")?.text());
        if holds(&self.pyproject, name, false) || holds(&self.setup, name, false) {
            return true;
        }
        let session = self.place.text("noxfile.py").into_iter().flat_map(|text| text.split("session.install(").skip(1));
        let installed = session.filter_map(|rest| rest.split(')').next());
        texts.chain(requirements.map(|(_, text)| text)).chain(of_tox).chain(installed).any(|text| names(text, name))
    }
}

/// Returns the variables of a command, except those that select what is run.
fn variables(line: &Line) -> String {
    let is_choice = |word: &str| ["TOXENV=", "SKIP=", "PATH="].iter().any(|choice| word.starts_with(choice));
    let chosen = line.command.assignments().filter(|word| !is_choice(&word.text));
    chosen.flat_map(|word| [word.spelled.as_str(), " "]).collect()
}

/// Returns whether a table declares a dependency. Outside of dependency `lists`, the name of a tool may be the
/// value of a setting.
fn holds(table: &Node, name: &str, is_list: bool) -> bool {
    table.entries().iter().any(|entry| {
        let key = entry.key.as_str();
        let says = is_list
            || key.ends_with("dependencies")
            || key.starts_with("options.extras_require")
            || matches!(key, "dependency-groups" | "install_requires" | "tests_require" | "test_require");
        is_list && key == name || says && declares(&entry.value, name) || holds(&entry.value, name, says)
    })
}

/// Returns whether a text, or one in a list, declares a dependency.
fn declares(value: &Node, name: &str) -> bool {
    value.one_or_more().iter().any(|one| match &one.kind {
        Kind::Text(text) => names(text, name),
        Kind::Map(entries) => entries.iter().any(|entry| declares(&entry.value, name)),
        _ => false,
    })
}

/// Returns whether a text declares a dependency: at the beginning of a line, or of a quoted text.
fn names(text: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || "-_.".contains(next));
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        let begins = before.is_empty() || before.ends_with(['\n', '"', '\'', '=']);
        begins && ends(&text[at + name.len()..])
    })
}
