//! Parses `package.json`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::command::commands;
use super::super::form::{Form, form};
use super::super::manifest_document;
use super::super::text::mentions;
use super::super::{ProjectDirectory, TOOLS};
use super::tool::package_of;

/// Maximum number of scripts that are read, and maximum length of their lines in bytes.
const SCRIPTS: usize = 500;
const LINE_BYTES: usize = 4_096;
/// Maximum depth of scripts that run scripts.
const DEPTH: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Package {
    pub(super) name: Option<String>,
    scripts: BTreeMap<String, String>,
    dependencies: BTreeSet<String>,
    pub(super) has_dependencies: bool,
    pub(super) has_workspaces: bool,
    /// Whether a file looks like a test.
    pub(super) has_tests: bool,
    /// Top-level keys, such as the configuration of eslint.
    keys: BTreeSet<String>,
}

impl Package {
    pub(super) fn read(place: &ProjectDirectory<'_>, text: &str) -> Option<Self> {
        let value = manifest_document::json(text)?;
        let object = value.as_object()?;
        let texts = |key: &str| object.get(key).and_then(Value::as_object).into_iter().flatten();
        let scripts = texts("scripts").filter_map(|(name, line)| Some((name.clone(), line.as_str()?.to_owned())));
        let usable = |(name, line): &(String, String)| {
            !line.trim().is_empty()
                && line.len() <= LINE_BYTES
                && !name.is_empty()
                && !name.chars().any(char::is_control)
        };
        let kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
        let dependencies: BTreeSet<String> = kinds.into_iter().flat_map(texts).map(|(name, _)| name.clone()).collect();
        let installs =
            ["dependencies", "devDependencies", "optionalDependencies"].into_iter().flat_map(texts).next().is_some();
        let has_workspaces = object.get("workspaces").is_some() || place.has("pnpm-workspace.yaml");
        Some(Self {
            name: object.get("name").and_then(Value::as_str).map(str::to_owned),
            scripts: scripts.filter(usable).take(SCRIPTS).collect(),
            has_dependencies: installs || has_workspaces,
            dependencies,
            has_workspaces,
            has_tests: place.files().any(is_test_file),
            keys: object.keys().cloned().collect(),
        })
    }

    pub(super) fn script(&self, name: &str) -> Option<&str> {
        self.scripts.get(name).map(String::as_str)
    }

    /// Returns the names of all scripts.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.scripts.keys().map(String::as_str)
    }

    /// Returns the name of a script that runs, directly or through other scripts, one of these.
    pub(super) fn script_that_reaches(&self, words: &[&'static str]) -> Option<&str> {
        self.names().find(|name| self.reaches(name, words).is_some())
    }

    pub(super) fn depends_on(&self, name: &str) -> bool {
        self.dependencies.contains(name)
    }

    /// Returns whether a dependency provides a program, as far as names reveal it.
    pub(super) fn is_local(&self, program: &str) -> bool {
        let of_name = |name: &String| {
            let name = name.rsplit('/').next().unwrap_or(name);
            name == program || name.strip_suffix("-cli") == Some(program)
        };
        !program.is_empty()
            && (package_of(program).is_some_and(|package| self.depends_on(package))
                || self.dependencies.iter().any(of_name))
    }

    pub(super) fn has_key(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Returns which of these commands a script runs, itself or through other scripts.
    pub(super) fn reaches(&self, name: &str, words: &[&'static str]) -> Option<&'static str> {
        let commands = self.lines(name).into_iter().flat_map(commands);
        let run = commands.filter(|command| !matches!(command.program(), "echo" | "printf"));
        let texts: Vec<String> = run.map(|command| command.text()).collect();
        words.iter().copied().find(|word| texts.iter().any(|text| mentions(text, word)))
    }

    /// Returns the lines of a script and of those that it runs.
    pub(super) fn lines(&self, name: &str) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let mut lines = Vec::new();
        self.collect(name, DEPTH, &mut seen, &mut lines);
        lines
    }

    fn collect<'a>(&'a self, name: &str, depth: usize, seen: &mut BTreeSet<String>, lines: &mut Vec<&'a str>) {
        let Some(line) = self.script(name) else { return };
        if !seen.insert(name.to_owned()) {
            return;
        }
        lines.push(line);
        let runs_scripts = ["run ", "run-s ", "run-p ", "npm-run-all", "pnpm ", "yarn ", "npm test", "npm t"];
        if depth == 0 || !runs_scripts.iter().any(|word| line.contains(word)) {
            return;
        }
        for other in self.names().filter(|other| mentions(line, other)) {
            self.collect(other, depth - 1, seen, lines);
        }
    }

    /// Returns the frameworks of the package, for people.
    pub(super) fn frameworks(&self) -> Vec<&'static str> {
        let known = TOOLS.entries("frameworks").iter().filter(|framework| self.depends_on(&framework.key));
        known.filter_map(|framework| framework.value.text()).collect()
    }
}

/// Returns whether a test script is the placeholder of npm.
pub(super) fn is_placeholder(line: &str) -> bool {
    line.contains("no test specified")
}

/// Returns whether a line keeps running to watch for changes or to serve.
pub(super) fn watches(line: &str) -> bool {
    commands(line).iter().any(|command| match form(command) {
        Form::Changed { because, .. } => because.starts_with("once"),
        Form::Unfit(why) => why.ends_with("never ends"),
        Form::Same => false,
    })
}

pub(super) fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let script =
        [".js", ".ts", ".mjs", ".cjs", ".mts", ".cts", ".jsx", ".tsx"].iter().any(|ending| name.ends_with(ending));
    script
        && (name.contains(".test.")
            || name.contains(".spec.")
            || name.contains("-test.")
            || name.contains("_test.")
            || name.starts_with("test.")
            || name.starts_with("test-")
            || path.split('/').any(|directory| matches!(directory, "test" | "tests" | "__tests__")))
}

/// Returns the lines of a script in the packages below.
pub(super) fn members_scripts(place: &ProjectDirectory<'_>, script: &str) -> Vec<String> {
    let below = place.texts().filter(|(path, _)| path.ends_with("/package.json"));
    let values = below.filter_map(|(_, text)| manifest_document::json(text));
    values.filter_map(|value| value.get("scripts")?.get(script)?.as_str().map(str::to_owned)).collect()
}
