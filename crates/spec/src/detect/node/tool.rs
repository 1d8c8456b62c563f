//! Programs for Node: their roles and packages.

use referee_model::plan::Role;

use super::super::TOOLS;
use super::super::command::{Command, Word, spelled};

pub(super) fn role(command: &Command) -> Option<Role> {
    let name = command.program();
    let first = command.arguments().find(|word| !word.starts_with('-')).unwrap_or_default();
    if matches!(name, "node" | "tsx") && command.arguments().any(|word| word == "--test") {
        return Some(Role::Test);
    }
    TOOLS.list_of("roles", name, first).and_then(Role::parse)
}

/// Returns the package that provides a program, if known.
pub(super) fn package_of(program: &str) -> Option<&'static str> {
    TOOLS.row("packages", program)?.text()
}

pub(super) fn is_system(program: &str) -> bool {
    TOOLS.holds("programs.system", program)
}

pub(super) fn is_housekeeping(program: &str) -> bool {
    TOOLS.holds("programs.housekeeping", program)
}

/// Returns the line of a tool that is not a dependency, as CI runs it; launchers must not download it.
pub(super) fn as_it_is(command: &Command) -> String {
    let mut words: Vec<Word> = command.prefix.iter().chain(&command.words).cloned().collect();
    let keeps = |word: &Word| matches!(word.text.as_str(), "--no-install" | "--no" | "--offline");
    if let Some(at) = words.iter().position(|word| word.text == "npx").filter(|_| !words.iter().any(keeps)) {
        let asks = |word: &Word| !matches!(word.text.as_str(), "-y" | "--yes");
        let rest = words.split_off(at + 1);
        words.push(Word::plain("--no-install"));
        words.extend(rest.into_iter().filter(asks));
    }
    spelled(&words)
}
