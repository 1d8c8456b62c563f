//! Detects the kind of a project, and proposes checks for it (`referee init`; seed 4, "command detection"; seed
//! 1, "Agent Guidance for Setting Policies").
//!
//! [`Tree::look`] reads the few files that identify a directory; everything after it is a pure function of that
//! tree. The rule of all proposals: a project that is green by its own tools must pass. So the project's own
//! scripts have priority, and a checker that is configured but run neither by a script nor by CI is reported
//! and left to people.

mod ci;
pub(crate) mod command;
mod dotnet;
mod form;
mod go;
mod java;
mod launcher;
mod licence;
mod manifest_document;
mod native;
mod node;
mod php;
mod project;
mod python;
mod ruby;
mod rust;
mod scripts;
mod shell;
mod silent;
mod text;
mod tree;
mod uncovered;
mod written;

pub use self::licence::header;
pub use self::project::{
    Ecosystem, OutputProposal, Part, PolicyChoice, PolicyProposal, Project, Proposal, ReadySign, ServiceProposal,
};
pub use self::tree::Tree;
pub use self::written::{shown, written};

use std::sync::LazyLock;

use self::ci::{Ci, Line};
use self::command::{Command, commands};
use self::project::Draft;
use referee_syntax::table::Table;

/// Detector of one ecosystem in a directory. None: the directory does not use it.
type Detector = fn(&ProjectDirectory<'_>) -> Option<Draft>;

/// All detectors, in the order in which checks are proposed.
const DETECTORS: &[Detector] = &[
    node::detect,
    python::detect,
    rust::detect,
    go::detect,
    java::detect,
    dotnet::detect,
    php::detect,
    ruby::detect,
    shell::detect,
    native::detect,
];

/// What is known of tools, and of the names of files.
static TOOLS: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("detect/tools.toml")));

/// Maximum number of projects with proposals in one directory.
const PARTS: usize = 12;

/// One directory of the tree, as detectors see it.
struct ProjectDirectory<'a> {
    tree: &'a Tree,
    /// Path relative to the root; empty for the root itself.
    directory: &'a str,
    ci: &'a Ci,
    /// Commands of its scripts.
    scripts: Vec<Line>,
}

impl ProjectDirectory<'_> {
    /// Returns the path of a file of this directory, relative to the root.
    fn path(&self, name: &str) -> String {
        if self.directory.is_empty() { name.to_owned() } else { format!("{}/{name}", self.directory) }
    }

    /// Returns the text of a file of this directory, if it is one of the files that are read.
    fn text(&self, name: &str) -> Option<&str> {
        self.tree.text(&self.path(name))
    }

    /// Returns whether this directory has such a file.
    fn has(&self, name: &str) -> bool {
        self.tree.has_file(&self.path(name))
    }

    /// Returns whether this directory has such a subdirectory.
    fn has_directory(&self, name: &str) -> bool {
        self.tree.has_directory(&self.path(name))
    }

    /// Returns the first of these files that exists.
    fn first<'name>(&self, names: &[&'name str]) -> Option<&'name str> {
        names.iter().copied().find(|name| self.has(name))
    }

    /// Returns the files below this directory, relative to it.
    fn files(&self) -> impl Iterator<Item = &str> {
        self.tree.files().filter_map(|path| below(path, self.directory))
    }

    /// Returns the files below this directory that are neither documents nor samples, relative to it.
    fn own_files(&self) -> impl Iterator<Item = &str> {
        let is_sample = |part: &str| is_material(part) && !TOOLS.holds("directories.tests", part);
        self.files().filter(move |path| {
            let mut directories = path.split('/').rev().skip(1);
            !directories.any(is_sample)
        })
    }

    /// Returns the commands that CI runs in this directory.
    fn ci_lines(&self) -> impl Iterator<Item = &Line> {
        self.ci.lines().filter(|line| line.directory == self.directory)
    }

    /// Returns the commands that CI and scripts run in this directory, CI's first.
    fn lines(&self) -> impl Iterator<Item = &Line> {
        let of = |is_of_ci: bool| self.scripts.iter().filter(move |line| line.is_of_ci == is_of_ci);
        self.ci_lines().chain(of(true)).chain(of(false))
    }

    /// Returns the first command that matches one of these patterns, those of CI first.
    fn run_by(&self, patterns: &[&str]) -> Option<&Line> {
        self.lines().find(|line| patterns.iter().any(|pattern| line.command.runs(pattern)))
    }

    /// Returns the texts of the files below this directory, with their paths relative to it.
    fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tree.texts().filter_map(|(path, text)| Some((below(path, self.directory)?, text)))
    }
}

/// Returns whether a directory of this name holds samples or test data.
fn is_material(name: &str) -> bool {
    TOOLS.holds("directories.material", name)
}

/// Returns the path of a name in a directory; the root is empty.
fn under(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Returns a path relative to a directory that contains it.
fn below<'path>(path: &'path str, directory: &str) -> Option<&'path str> {
    if directory.is_empty() { Some(path) } else { path.strip_prefix(directory)?.strip_prefix('/') }
}

/// Detects the kind of a project, and proposes its checks. Without a check in it there is nothing to write.
pub fn detect(tree: &Tree) -> Project {
    let ci = Ci::read(tree);
    let mut project = Project::new(tree.notes().to_vec());
    let mut found: Vec<Draft> = Vec::new();
    for directory in tree.directories() {
        let covered: Vec<Ecosystem> =
            found.iter().filter(|draft| covers(draft, directory)).map(|draft| draft.ecosystem).collect();
        let is_material = !directory.is_empty() && directory.split('/').any(is_material);
        if is_material && !ci.runs_in(directory) {
            continue;
        }
        let place = ProjectDirectory { tree, directory, ci: &ci, scripts: scripts::read(tree, directory, &ci) };
        for mut draft in DETECTORS.iter().filter_map(|detector| detector(&place)) {
            if !covered.contains(&draft.ecosystem) {
                set_variables(&place, &mut draft);
                found.push(draft);
            }
        }
    }
    if found.len() > PARTS {
        project.notes.push(format!("there are {} projects in here; the first {PARTS} are looked at", found.len()));
        found.truncate(PARTS);
    }
    // Projects beside the one in the root may be green only in their own CI, if at all.
    let root_is_project = found.iter().any(|draft| draft.directory.is_empty() && !draft.checks.is_empty());
    for mut draft in found {
        if root_is_project && !draft.directory.is_empty() && !ci.names_directory(&draft.directory) {
            draft.leave_to_people("the root is a project of its own, and no CI workflow names this directory");
        }
        project.add(draft);
    }
    project.finish(&ci);
    let notes = uncovered::notes(tree, &ci, &project);
    project.notes.extend(notes);
    project
}

/// Sets the variables that CI sets for the command from which a check is made.
fn set_variables(place: &ProjectDirectory<'_>, draft: &mut Draft) {
    let is_made_of = |own: &Command, line: &Line| {
        let has = |word: &str| line.command.arguments().any(|argument| argument == word);
        line.is_of_ci && own.program() == line.command.program() && own.arguments().all(has)
    };
    let all = draft.checks.iter_mut().chain(&mut draft.left_to_people);
    // Variables do not affect how files are laid out.
    for check in all.filter(|check| check.name != "format") {
        let own = commands(&check.line);
        let [own] = own.as_slice() else { continue };
        let set: Vec<String> = place
            .lines()
            .filter(|line| is_made_of(own, line))
            .map(|line| line.command.with_assignments(&check.line))
            .collect();
        // If CI runs it unchanged as well, it is that run.
        if !set.contains(&check.line) {
            check.line = set.into_iter().next().unwrap_or_else(|| check.line.clone());
        }
    }
}

/// Returns whether a draft covers its ecosystem in a directory, too: a subdirectory of a project of the same
/// kind is part of it, or test data.
fn covers(draft: &Draft, directory: &str) -> bool {
    !draft.checks.is_empty() && (draft.directory.is_empty() || below(directory, &draft.directory).is_some())
}

#[cfg(test)]
mod tests;
