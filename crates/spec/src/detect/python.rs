//! Python: who runs the tools, which tests there are, which checkers are run.

mod arguments;
mod checkers;
mod runner;
mod runs;
mod selection;
mod tox;

use self::runs::Hook;
use self::tox::Tox;
use super::Place;
use super::ci::Line;
use super::document::Tables;
use super::project::{Draft, Ecosystem};
use super::text::has_extension;

const MANIFESTS: &[&str] = &[
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "requirements.txt",
    "requirements-dev.txt",
    "Pipfile",
    "manage.py",
    "pytest.ini",
    "noxfile.py",
];

/// What the manifests of a folder hold.
struct Manifests<'a> {
    place: &'a Place<'a>,
    pyproject: Tables,
    setup: Tables,
    tox: Option<Tox>,
    tox_ini: Tables,
    /// What is run: by CI first, then by scripts, tox and nox.
    lines: Vec<Line>,
    /// What tox runs in environments that CI does not choose.
    passed_over: Vec<Line>,
    /// The environment of tox in which CI runs the tests.
    tests_of_tox: Option<String>,
    hooks: Vec<Hook>,
    launcher: Launcher,
}

/// What stands before a tool's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Launcher {
    /// A manager of environments, by its name.
    Manager(&'static str),
    /// Python itself, with the programs of this folder's environment first where there is one.
    Python(&'static str),
}

/// Looks for a project.
pub(super) fn detect(place: &Place<'_>) -> Option<Draft> {
    let manifest = place.first(MANIFESTS);
    let near = |path: &str| !path.contains('/') || path.starts_with("test/") || path.starts_with("tests/");
    if manifest.is_none() && !test_files(place).any(near) {
        return None;
    }
    let tables = |name: &str| Tables::read(place.text(name).unwrap_or_default());
    let pyproject = tables("pyproject.toml");
    let (launcher, sign) = launcher(place, &pyproject);
    let tox = Tox::read(place, &pyproject);
    let mut lines: Vec<Line> = place.lines().cloned().collect();
    let of_tox = tox.as_ref().map(|tox| tox.lines(place)).unwrap_or_default();
    lines.extend(of_tox.taken);
    lines.extend(runs::of_nox(place));
    // What CI demands goes before what a script offers.
    lines.sort_by_key(|line| !line.is_of_ci);
    let manifests = Manifests {
        place,
        setup: tables("setup.cfg"),
        tox_ini: tables("tox.ini"),
        tox,
        hooks: runs::hooks(place, &lines),
        lines,
        passed_over: of_tox.passed_over,
        tests_of_tox: of_tox.tests,
        launcher,
        pyproject,
    };
    let mut draft = Draft::new(Ecosystem::Python, place.folder, manifest.unwrap_or("files of tests"));
    draft.signs.push(sign);
    let tables = ["project", "tool.poetry"];
    draft.title = tables.iter().find_map(|table| manifests.pyproject.value(table, "name")).map(str::to_owned);
    runner::tests(&manifests, &mut draft);
    checkers::checkers(&manifests, &mut draft);
    Some(draft)
}

/// Files of tests, relative to the folder.
fn test_files<'a>(place: &'a Place<'_>) -> impl Iterator<Item = &'a str> {
    place.own_files().filter(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let at_top = !path.contains('/') && name == "test.py";
        let by_name = name.starts_with("test_") || name.ends_with("_test.py") || name == "tests.py";
        has_extension(name, "py") && (by_name || at_top)
    })
}

/// What runs the tools of the project.
fn launcher(place: &Place<'_>, pyproject: &Tables) -> (Launcher, String) {
    let known = [
        (place.has("uv.lock") || pyproject.has("tool.uv"), "uv", "uv, by uv.lock or [tool.uv]"),
        (place.has("poetry.lock") || pyproject.has("tool.poetry"), "poetry", "poetry, by poetry.lock or [tool.poetry]"),
        (place.has("pdm.lock") || pyproject.has("tool.pdm"), "pdm", "pdm, by pdm.lock or [tool.pdm]"),
        (place.has("Pipfile"), "pipenv", "pipenv, by Pipfile"),
    ];
    if let Some((_, manager, sign)) = known.into_iter().find(|(is, ..)| *is) {
        return (Launcher::Manager(manager), sign.to_owned());
    }
    let folder =
        ["venv", "env"].into_iter().find(|folder| place.has(&format!("{folder}/bin/python"))).unwrap_or(".venv");
    (Launcher::Python(folder), format!("the Python of {folder} where there is one, else python3"))
}

impl Manifests<'_> {
    /// Who runs a command like one of these, where CI does not pass it over, else who offers it.
    fn run_or_offered_by(&self, patterns: &[&str]) -> Option<&Line> {
        let fits = |line: &&Line| patterns.iter().any(|pattern| line.command.runs(pattern));
        self.lines.iter().chain(&self.passed_over).find(fits)
    }

    /// The line that runs a tool.
    fn line(&self, tool: &str) -> String {
        let name = tool.split(' ').next().unwrap_or(tool);
        match self.launcher {
            Launcher::Manager(manager) => format!("{manager} run {}{tool}", self.group_of(manager, name)),
            Launcher::Python(_) => self.python(&format!("-m {tool}")),
        }
    }

    /// The line that runs a tool, in the environment that a command is run in.
    fn line_as(&self, run: &Line, tool: &str) -> String {
        format!("{}{}", variables(run), self.line(tool))
    }

    /// The line that gives Python these arguments.
    fn python(&self, arguments: &str) -> String {
        match self.launcher {
            Launcher::Manager(manager) => format!("{manager} run python {arguments}"),
            Launcher::Python(folder) => format!("PATH=\"$PWD/{folder}/bin:$PATH\" python3 {arguments}"),
        }
    }

    /// The option with which uv takes the group of dependencies that a tool is in.
    fn group_of(&self, manager: &str, tool: &str) -> String {
        let (groups, extras) = ("dependency-groups", "project.optional-dependencies");
        let declared =
            |table: &str, key: &str| self.pyproject.value(table, key).is_some_and(|list| declares(list, tool));
        let named = |table: &'static str| self.pyproject.keys(table).find(|key| declared(table, key));
        let always = declared("project", "dependencies") || declared("tool.uv", "dev-dependencies");
        if manager != "uv" || always {
            return String::new();
        }
        let default = self.pyproject.value("tool.uv", "default-groups").unwrap_or("[\"dev\"]");
        let dev = self.pyproject.value(groups, "dev").filter(|_| default.contains("dev")).unwrap_or_default();
        match named(groups) {
            Some(group) if default.contains(group) || default == "all" || declares(dev, group) => String::new(),
            Some(_) if declared(groups, "dev") && default.contains("dev") => String::new(),
            Some(group) => format!("--group {group} "),
            None => named(extras).map(|extra| format!("--extra {extra} ")).unwrap_or_default(),
        }
    }

    /// Whether a manifest declares a dependency.
    fn is_dependency(&self, name: &str) -> bool {
        let texts = ["setup.py", "Pipfile"].into_iter().filter_map(|file| self.place.text(file));
        let requirements = self.place.texts().filter(|(path, _)| {
            path.matches('/').count() <= 1
                && path.rsplit('/').next().is_some_and(|file| file.starts_with("requirements"))
        });
        let of_tox: Vec<&str> = self.tox_ini.names().filter_map(|table| self.tox_ini.value(table, "deps")).collect();
        // Elsewhere in these files the name of a tool may be the value of a setting.
        let holds = |tables: &Tables| {
            tables.names().any(|table| {
                let is_list = table.ends_with("dependencies")
                    || table.starts_with("options.extras_require")
                    || table == "dependency-groups";
                tables.keys(table).any(|key| {
                    let says = is_list
                        || key.ends_with("dependencies")
                        || matches!(key, "install_requires" | "tests_require" | "test_require");
                    says && (is_list && key == name
                        || tables.value(table, key).is_some_and(|value| declares(value, name)))
                })
            })
        };
        if holds(&self.pyproject) || holds(&self.setup) {
            return true;
        }
        let session = self.place.text("noxfile.py").into_iter().flat_map(|text| text.split("session.install(").skip(1));
        let installed = session.filter_map(|rest| rest.split(')').next());
        texts.chain(requirements.map(|(_, text)| text)).chain(of_tox).chain(installed).any(|text| declares(text, name))
    }
}

/// The variables that a command is given, but those that choose what is run.
fn variables(line: &Line) -> String {
    let is_choice = |word: &str| ["TOXENV=", "SKIP=", "PATH="].iter().any(|choice| word.starts_with(choice));
    let chosen = line.command.assignments().filter(|word| !is_choice(&word.text));
    chosen.flat_map(|word| [word.spelled.as_str(), " "]).collect()
}

/// Whether a text declares a dependency: at the beginning of a line, or of a quoted text.
fn declares(text: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || "-_.".contains(next));
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        let begins = before.is_empty() || before.ends_with(['\n', '"', '\'', '=']);
        begins && ends(&text[at + name.len()..])
    })
}
