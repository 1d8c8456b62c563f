//! Finds the parts of a check: recipes, package scripts, shell scripts, configurations and the files they load,
//! transitively. The product itself is not included.

use std::collections::{BTreeSet, VecDeque};

use referee_model::plan::{Command, Interaction, Invocation, Plan, Work};
use referee_model::run_context::protection::Mode;
use referee_model::test_file::is_of_tests;

use super::imports::{self, Workspace};
use super::named::Named;
use super::{NAMES, is_named, parent_directory};
use crate::expand;

mod configuration;
mod make;
mod package;
mod words;

/// Maximum number of steps.
const STEPS: usize = 5_000;

/// Maximum number of bytes that are searched.
const BYTES: usize = 16 * 1024 * 1024;

/// File extensions of shell scripts.
const SHELL: [&str; 4] = ["sh", "bash", "zsh", "ksh"];

/// A part that was reached.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// A shell text, run in a directory. `script` is the file that contains it.
    Lines {
        directory: String,
        text: String,
        script: Option<String>,
    },
    /// A target of make, run in a directory. None: the first one.
    Target {
        directory: String,
        file: String,
        name: Option<String>,
    },
    /// A script of a `package.json`.
    Script {
        package: String,
        name: String,
    },
    File {
        path: String,
        directory: String,
        kind: Kind,
    },
}

/// Why a file is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Run,
    /// An option or a key of a configuration loads the file.
    Loaded,
    /// A configuration or program imports the file.
    Imported,
}

/// Where a part is named.
#[derive(Debug, Clone, Copy)]
struct Origin<'s> {
    directory: &'s str,
    /// Script that names it, if any.
    script: Option<&'s str>,
    /// Whether the specification itself names it; such parts are protected elsewhere.
    is_specification: bool,
    by: &'s str,
}

/// Finds the parts of checks, starting from the specification's commands and the configurations of tools.
pub(super) fn of_checks(plans: &[Plan], files: &BTreeSet<&str>, text: &dyn Fn(&str) -> Option<String>) -> Vec<Named> {
    let workspace = Workspace::new(files, text);
    let mut reach = Reach {
        files,
        text,
        workspace,
        seen: BTreeSet::new(),
        queue: VecDeque::new(),
        found: Vec::new(),
        bytes: BYTES,
    };
    for plan in plans {
        for (directory, line) in lines(plan) {
            let by = plan.specification.file.as_str();
            reach.lines(&Origin { directory: &directory, script: None, is_specification: true, by }, &line);
        }
    }
    for path in files.iter().filter(|path| configuration::is_known(path)) {
        reach.configuration(path);
    }
    while let Some((step, by)) = reach.queue.pop_front() {
        reach.follow(step, &by);
    }
    reach.found
}

/// Returns the lines that a plan runs, with their working directories.
fn lines(plan: &Plan) -> Vec<(String, String)> {
    let of = |command: &Command| {
        let line = match &command.invocation {
            Invocation::Argv(argv) => expand::join(argv),
            Invocation::Container(container) => expand::join(&container.argv()),
            Invocation::Shell { line, .. } => line.clone(),
        };
        (command.directory.as_str().to_owned(), line)
    };
    let commands = plan.actions.iter().filter_map(|action| match &action.work {
        Work::Command(command) => Some(of(command)),
        Work::Service(service) => service.command.as_ref().map(of),
        Work::Interaction(interaction) => match interaction.as_ref() {
            Interaction::Browser(browser) => Some((String::new(), expand::join(&browser.server))),
            Interaction::Query(_) => None,
        },
        Work::File(_) | Work::Http(_) => None,
    });
    let setup = plan.guard.setup.iter().map(|setup| (String::new(), setup.command.clone()));
    commands.chain(setup).collect()
}

struct Reach<'a, 'b> {
    files: &'b BTreeSet<&'a str>,
    text: &'b dyn Fn(&str) -> Option<String>,
    workspace: Workspace<'a, 'b>,
    seen: BTreeSet<Step>,
    queue: VecDeque<(Step, String)>,
    found: Vec<Named>,
    /// Remaining number of bytes to search.
    bytes: usize,
}

impl<'a> Reach<'a, '_> {
    /// Reads a file, within the limit.
    fn read(&mut self, path: &str) -> Option<String> {
        let text = (self.text)(path)?;
        self.bytes = self.bytes.checked_sub(text.len())?;
        Some(text)
    }

    fn reach(&mut self, step: Step, by: &str) {
        if self.seen.len() < STEPS && self.seen.insert(step.clone()) {
            self.queue.push_back((step, by.to_owned()));
        }
    }

    fn protect(&mut self, path: &str, pointer: Option<String>, mode: Mode, by: &str) {
        let reason = format!("a check is made of it: {by} names it");
        self.found.push(Named { path: super::escaped(path), pointer, mode, reason });
    }

    fn follow(&mut self, step: Step, by: &str) {
        match step {
            Step::Lines { directory, text, script } => {
                let origin = Origin { directory: &directory, script: script.as_deref(), is_specification: false, by };
                self.lines(&origin, &text);
            }
            Step::Target { directory, file, name } => self.target(&directory, &file, name.as_deref(), by),
            Step::Script { package, name } => self.script(&package, &name, by),
            Step::File { path, directory, kind } => self.file(&path, &directory, kind, by),
        }
    }

    /// Protects a file by its kind, and follows what it runs or loads.
    fn file(&mut self, path: &str, directory: &str, kind: Kind, by: &str) {
        let text = self.read(path).unwrap_or_default();
        let is_shell = ends(path, &SHELL) || text.starts_with("#!") && shebang(&text).ends_with("sh");
        let Some(mode) = mode(path, kind, is_shell) else { return };
        self.protect(path, None, mode, by);
        if mode != Mode::Frozen {
            return;
        }
        if is_shell {
            self.reach(Step::Lines { directory: directory.to_owned(), text, script: Some(path.to_owned()) }, path);
        } else if kind == Kind::Run && ends(path, &["py"]) {
            self.imports_of_python(path, &text);
        } else {
            self.loads(path, &text);
        }
    }

    fn imports_of_python(&mut self, path: &str, text: &str) {
        for imported in self.workspace.imported(parent_directory(path), text) {
            self.load(imported, Kind::Imported, path);
        }
    }

    fn load(&mut self, path: &'a str, kind: Kind, by: &str) {
        self.reach(Step::File { path: path.to_owned(), directory: parent_directory(by).to_owned(), kind }, by);
    }
}

/// Returns how a reached file is protected. None: it is protected elsewhere by its kind.
fn mode(path: &str, kind: Kind, is_shell: bool) -> Option<Mode> {
    let is_in = |names: &str| path.split('/').rev().skip(1).any(|part| NAMES.holds(names, part));
    let is_tool = is_in("directories.tools");
    let name = path.rsplit('/').next().unwrap_or(path);
    if matches!(name, "package.json" | "tsconfig.json" | "pyproject.toml" | "Cargo.toml" | "go.mod") {
        return None;
    }
    let is_product = !is_tool && (is_in("directories.products") || path.starts_with("bin/") || path.contains("/bin/"));
    match kind {
        Kind::Loaded => Some(Mode::Frozen),
        _ if is_product => Some(Mode::Review),
        _ if is_shell => Some(Mode::Frozen),
        _ if is_of_tests(path) => None,
        Kind::Imported if imports::is_code(path) && !ends(path, &["py"]) => Some(Mode::Frozen),
        _ if is_tool => Some(Mode::Frozen),
        Kind::Run | Kind::Imported => imports::is_code(path).then_some(Mode::Review),
    }
}

fn ends(path: &str, endings: &[&str]) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

fn shebang(text: &str) -> &str {
    text.lines().next().unwrap_or_default().split_whitespace().find(|word| !word.ends_with("env")).unwrap_or("")
}

#[cfg(test)]
mod tests;
