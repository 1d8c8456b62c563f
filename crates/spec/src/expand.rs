//! Resolves npm scripts and make targets, so that the role of a command can be inferred (ruling 9).
//!
//! Only a line with one plain command, after any `cd DIRECTORY &&`, is resolved: with several commands the role
//! would be ambiguous. Scripts that cannot be read are not resolved; that is never an error.

mod packages;
mod project_file;
mod runner;
mod words;

use std::path::{Path, PathBuf};

use crate::project_file::makefile::{self, Makefile};
use referee_model::plan::Invocation;

use packages::{script, selected};
use project_file::text;

pub(crate) use referee_syntax::shell::is_name as is_variable;
pub(crate) use runner::{Packages, Target, own_script, target};
pub(crate) use words::{commands, join};

/// Maximum depth of nested scripts.
const DEEPEST: usize = 8;

/// A resolved command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenThrough {
    /// Command lines, outermost first.
    pub lines: Vec<String>,
    /// A line of a make target whose failure make ignores.
    pub ignored: Option<String>,
}

/// A line with its working directory.
struct Placed {
    directory: PathBuf,
    line: String,
}

/// Resolves a command that is run in a directory.
pub fn see_through(invocation: &Invocation, directory: &Path) -> SeenThrough {
    let mut seen = SeenThrough::default();
    let line = match invocation {
        Invocation::Argv(argv) => words::join(argv),
        Invocation::Container(container) => words::join(&container.argv()),
        Invocation::Shell { line, .. } => line.clone(),
    };
    let mut outer = vec![Placed { directory: directory.to_owned(), line }];
    while seen.lines.len() < DEEPEST {
        let inner: Vec<Placed> = outer.iter().flat_map(|placed| behind(placed, &mut seen.ignored)).collect();
        let mut lines: Vec<String> = Vec::new();
        for placed in &inner {
            if !lines.contains(&placed.line) {
                lines.push(placed.line.clone());
            }
        }
        if lines.is_empty() || lines.iter().any(|line| seen.lines.contains(line)) {
            break;
        }
        // A line that is the same in several packages is resolved in each of them; different lines are not
        // resolved further.
        outer = if lines.len() == 1 { inner } else { Vec::new() };
        seen.lines.extend(lines);
    }
    seen
}

/// Returns the lines of the scripts and targets that one line runs.
fn behind(placed: &Placed, ignored: &mut Option<String>) -> Vec<Placed> {
    let Some(mut commands) = words::commands(&placed.line) else { return Vec::new() };
    let Some(command) = commands.pop() else { return Vec::new() };
    let mut directory = placed.directory.clone();
    for entered in commands {
        match entered.as_slice() {
            [cd, inner] if cd == "cd" && !inner.is_empty() && !inner.starts_with('-') => directory.push(inner),
            _ => return Vec::new(),
        }
    }
    match target(&command) {
        Some(Target::Make { name }) => {
            let lines = recipe(&directory, name, ignored).into_iter();
            lines.map(|line| Placed { directory: directory.clone(), line }).collect()
        }
        Some(Target::Script(call)) => {
            if let Some(inner) = &call.directory {
                directory.push(inner);
            }
            let directories = selected(&directory, &call.packages).into_iter();
            directories
                .filter_map(|directory| {
                    let line = script(&directory, &call.name, &call.arguments)?;
                    Some(Placed { directory, line })
                })
                .collect()
        }
        None => Vec::new(),
    }
}

/// Returns the lines of a target.
fn recipe(directory: &Path, target: Option<&str>, ignored: &mut Option<String>) -> Vec<String> {
    let text = makefile::FILES.iter().find_map(|name| text(&directory.join(name)));
    let lines = text.map(|text| Makefile::read(&text).recipe(target)).unwrap_or_default();
    if let Some(line) = lines.iter().find(|line| line.failure_ignored) {
        ignored.get_or_insert_with(|| line.command.clone());
    }
    lines.into_iter().map(|line| line.command).collect()
}
