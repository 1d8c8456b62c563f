//! Commands of CI that no check covers: they are reported, so that the checks are not mistaken for all of CI.

use std::collections::BTreeSet;

use super::ci::{Ci, Line};
use super::command::{Command, commands};
use super::project::{Project, Proposal};
use super::scripts;
use super::tree::Tree;
use super::{TOOLS, under};
use referee_syntax::table::words;

/// Maximum number of listed commands.
const NAMED: usize = 8;
/// Maximum length of a note with a file and its commands, so that nothing of it is cut.
const LENGTH: usize = 115;
/// Maximum number of listed files.
const FILES: usize = 3;

/// Options that select another build of the same code.
const BUILDS: &[&str] = &["--no-default-features", "--all-features", "--features", "--release", "--target"];

/// Returns notes on the files whose commands are not all covered.
pub(super) fn notes(tree: &Tree, ci: &Ci, project: &Project) -> Vec<String> {
    let known: Vec<(String, Command)> = [&project.checks, &project.prerequisites, &project.left_to_people]
        .into_iter()
        .flatten()
        .flat_map(|proposal: &Proposal| {
            commands(&proposal.line).into_iter().map(|own| (proposal.directory.clone(), own))
        })
        .collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut found: Vec<(&str, Vec<String>)> = Vec::new();
    for line in ci.lines().filter(|line| checks_something(line) && !is_covered(tree, line, &known)) {
        let shown = shown(line);
        if !seen.insert(shown.clone()) {
            continue;
        }
        match found.iter_mut().find(|(file, _)| *file == line.file) {
            Some((_, commands)) => commands.push(shown),
            None => found.push((&line.file, vec![shown])),
        }
    }
    found.into_iter().take(FILES).flat_map(|(file, commands)| told(file, &commands)).collect()
}

fn shown(line: &Line) -> String {
    let directory = if line.directory.is_empty() { String::new() } else { format!(" in {}", line.directory) };
    format!("`{}`{directory}", line.command.own_text())
}

/// Returns notes that fit the length limit of a note: the commands of a file, in as many lines as needed.
fn told(file: &str, commands: &[String]) -> Vec<String> {
    let length = |text: &str| text.chars().count();
    let mut lines: Vec<String> = Vec::new();
    for command in commands.iter().take(NAMED) {
        match lines.last_mut().filter(|named| length(file) + length(named) + length(command) <= LENGTH) {
            Some(named) => *named = format!("{named}, {command}"),
            None => lines.push(command.clone()),
        }
    }
    if let Some(last) = lines.last_mut().filter(|_| commands.len() > NAMED) {
        *last = format!("{last} and {} more", commands.len() - NAMED);
    }
    lines.into_iter().map(|named| format!("{file} also runs {named}, not proposed")).collect()
}

fn first_word(command: &Command) -> &str {
    let of_python = command.prefix.last().is_some_and(|word| word.text == "-m");
    if of_python && matches!(command.program(), "pip" | "build" | "venv" | "ensurepip") {
        return "install";
    }
    command.arguments().find(|word| !word.starts_with(['-', '+'])).unwrap_or_default()
}

/// Returns the parts by which a command is distinguished: program, and subcommand if it has several.
fn kind(command: &Command) -> (&str, &str) {
    let name = command.program();
    let first = first_word(command);
    let first = if matches!((name, first), ("npm" | "pnpm" | "yarn" | "bun", "run" | "run-script")) {
        command.arguments().filter(|word| !word.starts_with('-')).nth(1).unwrap_or_default()
    } else {
        first
    };
    match (name, first) {
        ("cargo", "build") => (name, "check"),
        // Maven's arguments are examined as a whole.
        ("mvn" | "mvnw", _) => ("mvn", ""),
        ("make", _) => {
            (name, command.arguments().rfind(|word| !word.starts_with('-') && !word.contains('=')).unwrap_or(""))
        }
        _ if TOOLS.row("subcommands", name).is_some() => (name, first),
        _ => (name, ""),
    }
}

fn checks_something(line: &Line) -> bool {
    let command = &line.command;
    let (name, first) = (command.program(), first_word(command));
    let asks_only =
        command.words.len() == 2 && command.arguments().any(|word| matches!(word, "--version" | "-v" | "-V"));
    let subcommands = TOOLS.row("subcommands", name).into_iter().flat_map(words);
    let prepares = first == "install" || subcommands.into_iter().any(|word| word == first);
    let is_word = name.starts_with(|start: char| start.is_ascii_alphanumeric()) && !launcher_only(command);
    is_word && !TOOLS.holds("programs.preparing", name) && !prepares && !asks_only && !name.contains('=')
}

/// Returns whether a word is a remainder of a shell construct, not a program.
fn launcher_only(command: &Command) -> bool {
    command.words.first().is_some_and(|word| word.text.contains(['$', '`', '{', '}', '(', ')', '*', '"', '\'']))
}

fn is_covered(tree: &Tree, line: &Line, known: &[(String, Command)]) -> bool {
    let here = |command: &Command, directory: &str| {
        let chooses = |word: &&str| BUILDS.contains(&word.split('=').next().unwrap_or_default());
        known.iter().any(|(place, own)| {
            let has = |word: &str| own.arguments().any(|argument| argument == word);
            place == directory && kind(own) == kind(command) && command.arguments().filter(chooses).all(has)
        })
    };
    let of_node = matches!(line.command.program(), "npm" | "pnpm" | "yarn" | "bun" | "npx");
    let is_environment = matches!(line.command.program(), "tox" | "nox" | "pre-commit" | "prek");
    let has_node = || tree.has_file(&under(&line.directory, "package.json"));
    let has_python = || known.iter().any(|(place, own)| *place == line.directory && own.program() == "pytest");
    if here(&line.command, &line.directory) || of_node && has_node() || is_environment && has_python() {
        return true;
    }
    line.command.program() == "make"
        && scripts::made_by(tree, line).iter().any(|inner| here(&inner.command, &inner.directory))
}
