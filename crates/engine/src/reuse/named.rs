//! Files outside the workspace that the commands of a plan name, which no tree digest covers.

use std::path::{Path, PathBuf};

use referee_model::plan::{Command, Invocation, Plan, Work};

use crate::path::straight;

/// Characters that end a path in an argument or a shell line.
const ENDS: &[char] = &[';', '|', '&', '(', ')', '<', '>', '=', ':', ',', '"', '\'', '`', '{', '}'];

/// Directories in which the system has no regular files.
const NO_FILES: [&str; 3] = ["/dev", "/proc", "/sys"];

/// Files in memory, in a subdirectory of the device directory.
const FILES_IN_MEMORY: &str = "/dev/shm";

/// Returns these files, sorted, each once. Programs are recorded separately. Paths that a shell computes are not
/// found.
pub(super) fn outside(plan: &Plan) -> Vec<PathBuf> {
    let commands = plan.actions.iter().filter_map(|action| match &action.work {
        Work::Command(command) => Some(command),
        Work::File(_) | Work::Http(_) | Work::Service(_) | Work::Interaction(_) => None,
    });
    let mut found: Vec<PathBuf> = commands.flat_map(|command| of_command(plan, command)).collect();
    found.sort();
    found.dedup();
    found
}

fn of_command(plan: &Plan, command: &Command) -> Vec<PathBuf> {
    let texts: Vec<&str> = match &command.invocation {
        Invocation::Argv(words) => words.iter().skip(1).map(String::as_str).collect(),
        Invocation::Shell { line, .. } => vec![line],
        Invocation::Container(container) => {
            container.global_options.iter().chain(&container.arguments).map(String::as_str).collect()
        }
    };
    let texts = texts.into_iter().chain(command.environment.values().map(String::as_str));
    let words = texts.flat_map(|text| text.split(|sign: char| sign.is_whitespace() || ENDS.contains(&sign)));
    let from = plan.workspace.join(command.directory.as_str());
    let paths = words.filter(|word| word.starts_with('/') || word.starts_with("../") || word.contains("/../"));
    let paths = paths.map(|word| straight(&from.join(word)));
    paths.filter(|path| !path.starts_with(&plan.workspace) && is_file(path)).collect()
}

/// Whether a path can name a regular file, as opposed to a device or a view of the system.
fn is_file(path: &Path) -> bool {
    path.starts_with(FILES_IN_MEMORY) || !NO_FILES.iter().any(|directory| path.starts_with(directory))
}
