//! Environments of tox, and which of them CI runs.

use referee_syntax::ini;
use referee_syntax::tree::{Entry, Node};

use super::super::ProjectDirectory;
use super::super::ci::{Line, lines_of};
use super::selection::{Selection, names};

/// Section that all environments inherit.
const COMMON: &str = "testenv";

/// Environments of tox, from whichever file defines them.
#[derive(Debug, Default)]
pub(super) struct Tox {
    pub(super) file: &'static str,
    environments: Vec<Environment>,
    /// Default environments.
    listed: Vec<String>,
}

/// One environment, or several of one section.
#[derive(Debug, Default)]
struct Environment {
    names: Vec<String>,
    commands: Vec<Run>,
}

#[derive(Debug, PartialEq, Eq)]
struct Run {
    /// Condition of the command (`tests: pytest`).
    factor: Option<String>,
    line: String,
}

/// Commands of the environments.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Commands that CI runs, or may run.
    pub(super) taken: Vec<Line>,
    /// Commands that CI does not run, because it selects other environments.
    pub(super) passed_over: Vec<Line>,
    /// Environment in which CI runs the tests, for the Python on this machine.
    pub(super) tests: Option<String>,
}

impl Tox {
    /// Reads `tox.ini`, else `setup.cfg`, else `pyproject.toml`, as tox does.
    pub(super) fn read(place: &ProjectDirectory<'_>, pyproject: &Node) -> Option<Self> {
        let text = |name: &str| place.text(name).unwrap_or_default();
        let legacy = pyproject.at("tool.tox.legacy_tox_ini").and_then(Node::text).unwrap_or_default();
        let ini = [
            ("tox.ini", text("tox.ini"), "tox"),
            ("setup.cfg", text("setup.cfg"), "tox:tox"),
            ("pyproject.toml", legacy, "tox"),
        ];
        let of_ini = ini.into_iter().find_map(|(file, text, section)| {
            let tables = ini::read(text);
            let is_it = |table: &Entry| table.key == section || table.key.split(':').next() == Some(COMMON);
            tables.entries().iter().any(is_it).then(|| Self {
                file,
                environments: common_first(of_ini(&tables)),
                listed: listed(&tables, section),
            })
        });
        of_ini.or_else(|| {
            let tox = pyproject.at("tool.tox")?;
            let listed = tox.get("env_list").map(Node::elements).unwrap_or_default().iter().filter_map(Node::text);
            Some(Self {
                file: "pyproject.toml",
                environments: common_first(of_toml(tox)),
                listed: listed.map(str::to_owned).collect(),
            })
        })
    }

    /// Returns the commands of the environments. Those that CI runs by name, or as all of them, count as CI's.
    pub(super) fn lines(&self, place: &ProjectDirectory<'_>) -> Lines {
        let asked = Selection::of(place, &self.listed);
        let mut lines = Lines::default();
        for environment in &self.environments {
            for run in &environment.commands {
                let asking = asked.names.iter().find(|(name, _)| self.runs(environment, run, name));
                self.add(environment, run, asking, &asked, place.directory, &mut lines);
            }
        }
        lines
    }

    fn add(
        &self,
        environment: &Environment,
        run: &Run,
        asking: Option<&(String, String)>,
        asked: &Selection,
        directory: &str,
        lines: &mut Lines,
    ) {
        let who = match environment.names.first().map(String::as_str) {
            Some(name) if name != COMMON => format!("tox -e {name} ({})", self.file),
            _ => format!("tox ({})", self.file),
        };
        let read = lines_of(&who, &without_substitutions(&run.line), directory);
        match asking {
            Some((name, workflow)) => {
                let is_test = |line: &Line| ["pytest", "py.test", "unittest"].contains(&line.command.program());
                if lines.tests.is_none() && read.iter().any(is_test) {
                    lines.tests = Some(of_this_python(name));
                }
                let file = format!("{workflow} (tox -e {name})");
                lines.taken.extend(read.into_iter().map(|line| Line { file: file.clone(), is_of_ci: true, ..line }));
            }
            None if asked.is_known() => lines.passed_over.extend(read),
            None => lines.taken.extend(read),
        }
    }

    /// Returns whether a line is run in the environment of a name. One without commands of its own inherits the
    /// common ones.
    fn runs(&self, environment: &Environment, run: &Run, name: &str) -> bool {
        let is_own = |environment: &Environment| environment.names.iter().any(|own| own == name);
        let is_common = environment.names.iter().any(|own| own == COMMON);
        (is_own(environment) || is_common && !self.environments.iter().any(is_own)) && run.fits(name)
    }

    /// Returns the commands that all environments have in common.
    pub(super) fn common(&self) -> impl Iterator<Item = &str> {
        let common = self.environments.iter().filter(|environment| environment.names.iter().any(|name| name == COMMON));
        common.flat_map(|environment| &environment.commands).map(|run| run.line.as_str())
    }
}

impl Run {
    /// Splits off the condition of a command (`tests: pytest`).
    fn read(line: &str) -> Self {
        let plain = |character: char| character.is_ascii_alphanumeric() || "_.,!-{}".contains(character);
        match line.split_once(": ") {
            Some((factor, rest)) if !factor.is_empty() && factor.chars().all(plain) => {
                Self { factor: Some(factor.to_owned()), line: rest.trim().to_owned() }
            }
            _ => Self { factor: None, line: line.to_owned() },
        }
    }

    /// Returns whether its condition matches an environment: one of its alternatives, with all its parts.
    fn fits(&self, environment: &str) -> bool {
        let has = |part: &str| match part.strip_prefix('!') {
            Some(part) => !environment.split('-').any(|factor| factor == part),
            None => environment.split('-').any(|factor| factor == part),
        };
        let holds = |one: &String| one == environment || one.split('-').all(has);
        self.factor.as_ref().is_none_or(|factor| names(factor).iter().any(holds))
    }
}

fn common_first(mut environments: Vec<Environment>) -> Vec<Environment> {
    environments.sort_by_key(|environment| environment.names.first().is_none_or(|name| name != COMMON));
    environments
}

fn of_ini(tables: &Node) -> Vec<Environment> {
    let named = tables.entries().iter().filter_map(|Entry { key, value, .. }| {
        let name = if key == COMMON { COMMON } else { key.strip_prefix("testenv:")? };
        let commands = value.get("commands")?.text()?.replace("\\\n", " ");
        Some(Environment {
            names: names(name),
            commands: commands.lines().map(|line| Run::read(line.trim())).collect(),
        })
    });
    named.collect()
}

/// Returns the environments that plain `tox` runs: as the plugins for GitHub select them, else those of the list.
fn listed(tables: &Node, section: &str) -> Vec<String> {
    let value = |table: &str, key: &str| tables.get(table)?.get(key)?.text();
    let list = ["envlist", "env_list"].iter().find_map(|key| value(section, key));
    let all: Vec<String> = list.map(|list| list.lines().flat_map(names).collect()).unwrap_or_default();
    let Some(by_version) = ["gh-actions", "gh"].iter().find_map(|table| value(table, "python")) else {
        return all;
    };
    let chosen = by_version.lines().filter_map(|line| line.split_once([':', '=']));
    let chosen: Vec<String> = chosen.flat_map(|(_, list)| names(list)).collect();
    let has_all = |name: &str, factors: &str| factors.split('-').all(|one| name.split('-').any(|factor| factor == one));
    all.into_iter().filter(|name| chosen.iter().any(|factors| has_all(name, factors))).collect()
}

/// Returns the commands of pyproject's own format: lists of strings. Callers handle the substitutions of tox.
fn of_toml(tox: &Node) -> Vec<Environment> {
    let environments = tox.get("env").map(Node::entries).unwrap_or_default().iter();
    let own = environments.map(|entry| (entry.key.as_str(), &entry.value));
    let common = tox.get("env_run_base").map(|common| (COMMON, common));
    let named = own.chain(common).filter_map(|(name, table)| {
        let words = |line: &Node| line.elements().iter().filter_map(Node::text).map(str::to_owned).collect::<Vec<_>>();
        let lines = table.get("commands")?.elements().iter().map(|line| crate::expand::join(&words(line)));
        let commands = lines.filter(|line| !line.is_empty()).map(|line| Run { factor: None, line });
        Some(Environment { names: vec![name.to_owned()], commands: commands.collect() })
    });
    named.collect()
}

/// Returns the name of an environment for the Python on this machine: `py-django` of `py312-django`.
fn of_this_python(name: &str) -> String {
    let is_python = |factor: &str| {
        let rest = factor.strip_prefix("pypy").or_else(|| factor.strip_prefix("py"));
        rest.is_some_and(|rest| rest.chars().all(|next| next.is_ascii_digit() || next == '.'))
    };
    let factors: Vec<&str> = name.split('-').map(|factor| if is_python(factor) { "py" } else { factor }).collect();
    factors.join("-")
}

/// Fills in the known substitutions of tox; others become variables with unknown values.
fn without_substitutions(command: &str) -> String {
    let mut rest = command.trim_start_matches(['-', '!', ' ']);
    let mut filled = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (inner, after) = after.split_once('}').unwrap_or((after, ""));
        match inner.split_once(':') {
            Some(("posargs", default)) => filled.push_str(default),
            None if inner == "posargs" => {}
            None if matches!(inner, "toxinidir" | "tox_root") => filled.push('.'),
            None if matches!(inner, "envpython" | "env_python") => filled.push_str("python"),
            // The directory contains the package itself, which is the one developed here.
            None if matches!(inner, "envsitepackagesdir" | "env_site_packages_dir") => filled.push_str("$packages"),
            _ => filled.push_str("$tox"),
        }
        rest = after;
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use referee_syntax::toml;

    use super::*;

    #[test]
    fn commands_of_tox_are_found_in_all_its_files_without_its_substitutions() {
        assert_eq!(
            without_substitutions("-pytest {posargs:tests} --basetemp={envtmpdir}"),
            "pytest tests --basetemp=$tox"
        );
        assert_eq!(Run::read("py3,tests: pytest -x").line, "pytest -x");
        assert_eq!(Run::read("sphinx-build -b html: x").line, "sphinx-build -b html: x");
        let tables = ini::read("[testenv]\ncommands =\n  a {posargs} \\\n    b\n  c\n[testenv:lint]\ncommands = d\n");
        let line = |runs: &[Run]| runs.iter().map(|run| run.line.clone()).collect::<Vec<_>>().join("; ");
        let shown: Vec<String> =
            of_ini(&tables).iter().map(|found| format!("{}: {}", found.names[0], line(&found.commands))).collect();
        assert_eq!(shown, ["testenv: a {posargs}  b; c", "lint: d"]);
        let tox = toml::read_any("[env.x]\ncommands = [['a', 'b c', {replace = 'x', default = [], y = 1}], ['d']]");
        assert_eq!(line(&of_toml(&tox)[0].commands), "a 'b c'; d");
    }

    #[test]
    fn patterns_stand_for_names_and_conditions_for_environments() {
        assert_eq!(names("py{38,39}-{a,b}, lint\n docs"), ["py38-a", "py38-b", "py39-a", "py39-b", "lint", "docs"]);
        assert!(names("{").is_empty() || names("{") == ["{"]);
        let fits = |line: &str, name: &str| Run::read(line).fits(name);
        assert!(fits("a", "x") && fits("lint,docs: a", "docs") && fits("py38-cov: a", "py38-cov-x"));
        assert!(!fits("lint: a", "py38") && !fits("!py38: a", "py38") && fits("py{38,39}: a", "py39-x"));
        assert_eq!(of_this_python("py312-django"), "py-django");
        assert_eq!(of_this_python("tests"), "tests");
    }
}
