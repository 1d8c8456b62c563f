//! `referee __complete`: tells the scripts of `referee completions` which words may come next.
//!
//! Its arguments are the words of the command line after the program, up to the one at the cursor. Each line of the
//! answer is a word, or a word, a tab and its meaning; the line `:files` asks the shell to complete file names, which
//! it quotes as it needs them. Nothing is run or written, and whatever goes wrong gives no word and exits with 0.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Arg, Command, CommandFactory as _, ValueHint};
use clap_complete::engine::{self, ArgValueCompleter, CompletionCandidate};
use referee_report::style;

use self::values::Project;
use crate::args::Arguments;
use crate::output;

mod values;

/// Line that asks the shell to complete file names itself.
const FILES: &str = ":files";

/// Writes which words may stand in place of the last one.
pub(crate) fn answer(words: &[OsString]) {
    // A message would garble the line that is being typed.
    panic::set_hook(Box::new(|_| {}));
    let lines = panic::catch_unwind(AssertUnwindSafe(|| lines(words))).unwrap_or_default();
    drop(output::answer(lines.as_bytes()));
}

fn lines(words: &[OsString]) -> String {
    let Some((word, before)) = words.split_last() else { return String::new() };
    let project = Arc::new(Project::at(directory(before)));
    let mut command = Arguments::command();
    command.build();
    let mut command = with_values(command, "", &project);
    let typed: Vec<OsString> = std::iter::once("referee".into()).chain(words.iter().cloned()).collect();
    let index = words.len();
    let Ok(found) = engine::complete(&mut command, typed, index, None) else { return String::new() };
    let (files, mut found): (Vec<_>, Vec<_>) = found.into_iter().partition(is_files);
    let mut seen = BTreeSet::new();
    found.retain(|candidate| is_plain(candidate) && seen.insert(candidate.get_value().to_owned()));
    let is_option = |candidate: &CompletionCandidate| candidate.get_value().to_string_lossy().starts_with('-');
    if word.is_empty() && (!files.is_empty() || !found.iter().all(is_option)) {
        found.retain(|candidate| !is_option(candidate));
    }
    let files = files.first().map(|_| format!("{FILES}\n"));
    found.iter().map(line).chain(files).collect()
}

fn line(candidate: &CompletionCandidate) -> String {
    let value = candidate.get_value().to_string_lossy();
    let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
    match help.lines().next() {
        Some(help) => format!("{value}\t{}\n", style::plain(help)),
        None => format!("{value}\n"),
    }
}

/// Returns whether a candidate stands for file names, whatever the option before it.
fn is_files(candidate: &CompletionCandidate) -> bool {
    candidate.get_value().to_string_lossy().ends_with(FILES)
}

/// Returns whether a word means itself in every shell. Names in a specification are not trusted, and a word is put into
/// the command line as it is.
fn is_plain(candidate: &CompletionCandidate) -> bool {
    let is_harmless = |character: char| character.is_ascii_alphanumeric() || "-_./=+@,".contains(character);
    candidate.get_value().to_str().is_some_and(|value| !value.is_empty() && value.chars().all(is_harmless))
}

/// Returns the directory that the words change to.
fn directory(words: &[OsString]) -> Option<PathBuf> {
    let named = words.iter().zip(words.iter().skip(1)).rev();
    let apart =
        named.filter(|(option, _)| *option == "-C" || *option == "--cd").map(|(_, directory)| PathBuf::from(directory));
    let joined = words.iter().rev().filter_map(|word| word.to_str()?.strip_prefix("--cd=").map(PathBuf::from));
    apart.chain(joined).next()
}

/// Adds to every argument, of this command and those below it, what may be typed for it. `group` is the first word of
/// the command.
fn with_values(command: Command, group: &str, project: &Arc<Project>) -> Command {
    let command = command.mut_args(|argument| with_value(argument, group, project));
    command.mut_subcommands(|below| {
        let name = below.get_name().to_owned();
        with_values(below, if group.is_empty() { &name } else { group }, project)
    })
}

fn with_value(argument: Arg, group: &str, project: &Arc<Project>) -> Arg {
    let values = values::values_of(group, &argument);
    let is_path = matches!(
        argument.get_value_hint(),
        ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath | ValueHint::ExecutablePath
    );
    if values.is_none() && !is_path {
        return argument;
    }
    let project = Arc::clone(project);
    argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
        let typed = typed.to_string_lossy();
        let mut found = values.map(|values| values(&project)).unwrap_or_default();
        found.retain(|candidate| candidate.get_value().to_string_lossy().starts_with(&*typed));
        found.extend(is_path.then(|| CompletionCandidate::new(FILES)));
        found
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_directory_is_the_one_that_the_words_change_to() {
        for (line, expected) in [
            ("run", None),
            ("-C service run", Some("service")),
            ("run --cd service --task", Some("service")),
            ("--cd=service run", Some("service")),
            ("run -C", None),
        ] {
            assert_eq!(directory(&words(line)), expected.map(PathBuf::from), "{line}");
        }
    }

    #[test]
    fn words_that_a_shell_would_read_otherwise_are_not_offered() {
        for (word, expected) in [
            ("STEP.1", true),
            ("validation/findings", true),
            ("--report", true),
            ("", false),
            ("two words", false),
            ("$(reboot)", false),
            ("a;b", false),
            ("`a`", false),
            ("\u{1b}[2J", false),
        ] {
            assert_eq!(is_plain(&CompletionCandidate::new(word)), expected, "{word}");
        }
    }
}
