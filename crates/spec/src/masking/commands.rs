//! Commands of a line, and which of their failures are lost.
//!
//! Conditions, loops and functions are skipped: the exit codes of their commands are often used on purpose.

use std::sync::LazyLock;

use referee_syntax::shell::{self, Kind, Operator, Token};
use regex::Regex;

use super::masked_argv;
use super::risk::{Masking, Way};

/// An action of a trap that ends with success.
static TRAP: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[\s;&{])exit\s+0\s*[;}]?\s*$").expect("the form above is a regular expression"));

#[derive(Debug, Clone, Copy)]
pub(super) struct Flags {
    /// Whether the line ends at the first failure (`set -e`).
    pub(super) errexit: bool,
    /// Whether a failure inside a pipe fails the pipe (`pipefail`).
    pub(super) pipefail: bool,
}

/// One command, or a group of them.
#[derive(Debug)]
struct Command {
    start: usize,
    /// Offset after its last token.
    end: usize,
    words: Vec<String>,
    /// Operator after it: `&&`, `||`, `|`, `&`, or `;` for any other. None: it is the last of its group.
    after: Option<Operator>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// The line, or a group that runs as if it were written there.
    Plain,
    /// A compound command that is skipped.
    Compound,
}

/// A group that is still being read.
struct Reading {
    frame: Frame,
    done: Vec<Command>,
    current: Option<Command>,
}

/// Finds the first command whose failure is lost.
pub(super) fn find(tokens: &[Token], line: &str, mut flags: Flags) -> Option<Masking> {
    let mut frames = vec![Reading { frame: Frame::Plain, done: Vec::new(), current: None }];
    let mut function = false;
    for Token { kind, place } in tokens {
        let (start, end) = (place.start, place.end);
        let top = frames.last_mut()?;
        let begins = top.current.is_none();
        let begun = |word: &str| Command { start, end, words: vec![word.to_owned()], after: None };
        match kind {
            Kind::Word(word) if begins && !word.is_quoted && closes(&word.text) => {
                if let Some(found) = close(&mut frames, end, line, &mut flags) {
                    return Some(found);
                }
            }
            Kind::Word(word) => {
                let named = top.current.as_ref().is_some_and(|command| command.words[0] == "function");
                let may_open = (begins || named) && !word.is_quoted;
                let opened = may_open.then(|| opens(&word.text, function || named)).flatten();
                // The name before the body of a function identifies it.
                let text = if begins && function { "function" } else { &word.text };
                match &mut top.current {
                    Some(command) => {
                        command.end = end;
                        command.words.push(text.to_owned());
                    }
                    none => *none = Some(begun(text)),
                }
                function = false;
                if let Some(frame) = opened {
                    let frame = if top.frame == Frame::Compound { Frame::Compound } else { frame };
                    frames.push(Reading { frame, done: Vec::new(), current: None });
                }
            }
            Kind::Redirection(_) => top.current.get_or_insert_with(|| begun(">")).end = end,
            Kind::Operator(Operator::Open) if begins => {
                top.current = Some(begun("("));
                let frame = top.frame;
                frames.push(Reading { frame, done: Vec::new(), current: None });
            }
            Kind::Operator(Operator::Open) => {
                // `name()` begins a function; its body is the next group.
                function = true;
                top.current = None;
            }
            // The end of `name()`.
            Kind::Operator(Operator::Close) if function => {}
            Kind::Operator(Operator::Close) => {
                if let Some(found) = close(&mut frames, end, line, &mut flags) {
                    return Some(found);
                }
            }
            Kind::Operator(Operator::Pattern) => top.current = None,
            Kind::Operator(operator) => {
                if let Some(mut command) = top.current.take() {
                    let joins =
                        matches!(operator, Operator::And | Operator::Or | Operator::Pipe | Operator::Background);
                    command.after = Some(if joins { *operator } else { Operator::Next });
                    top.done.push(command);
                }
            }
        }
    }
    let Reading { frame, mut done, current } = frames.swap_remove(0);
    done.extend(current);
    if frame == Frame::Plain { lost(&done, line, &mut flags) } else { None }
}

/// Returns whether a word closes a construct that [`opens`] opened.
fn closes(word: &str) -> bool {
    matches!(word, "}" | "fi" | "done" | "esac")
}

/// Ends the innermost group and checks its commands. A closing word without a group is ignored.
fn close(frames: &mut Vec<Reading>, end: usize, line: &str, flags: &mut Flags) -> Option<Masking> {
    if frames.len() < 2 {
        return None;
    }
    let Reading { frame, mut done, current } = frames.pop()?;
    done.extend(current);
    if let Some(command) = frames.last_mut().and_then(|outer| outer.current.as_mut()) {
        command.end = end;
    }
    if frame == Frame::Plain { lost(&done, line, flags) } else { None }
}

/// Returns the construct that a word opens at the beginning of a command.
fn opens(word: &str, function: bool) -> Option<Frame> {
    match word {
        "{" if function => Some(Frame::Compound),
        "{" => Some(Frame::Plain),
        "if" | "for" | "while" | "until" | "case" | "select" => Some(Frame::Compound),
        _ => None,
    }
}

/// Finds the first of some commands whose failure is lost.
fn lost(commands: &[Command], line: &str, flags: &mut Flags) -> Option<Masking> {
    let ends = |command: &Command| !matches!(command.after, Some(Operator::And | Operator::Or | Operator::Pipe));
    let lists: Vec<&[Command]> = commands.split_inclusive(ends).collect();
    let refuses = lists.last().and_then(|list| list.first()).is_some_and(fails);
    for (index, list) in lists.iter().enumerate() {
        if list.iter().any(is_compound) {
            continue;
        }
        if let Some(masking) = list.iter().find_map(|command| trapped(command, line).or_else(|| inner(command))) {
            return Some(masking);
        }
        if let [command] = list
            && is_success(command)
            && lists[index + 1..].iter().any(|list| !list.iter().all(|command| is_harmless(command, line)))
        {
            return Some(Masking { way: Way::Ended, part: text(line, command.start, command.end) });
        }
        if let Some(command) = list.iter().find(|command| is_negated(command)) {
            let part = text(line, command.start, command.end).trim_start_matches(['!', ' ', '\t']).to_owned();
            return Some(Masking { way: Way::Negated, part });
        }
        flags.learn(list);
        let piped = |command: &&Command| command.after == Some(Operator::Pipe) && !is_harmless(command, line);
        if let Some(command) = list.iter().find(piped)
            && !flags.pipefail
        {
            return Some(Masking { way: Way::Piped, part: text(line, command.start, command.end) });
        }
        let Some((first, last)) = list.first().zip(list.last()) else { continue };
        let part = || text(line, first.start, last.end);
        let harmless = list.iter().all(|command| is_harmless(command, line));
        match lists.get(index + 1).and_then(|next| next.first().zip(next.last())) {
            None if last.after == Some(Operator::Background) => {
                return Some(Masking { way: Way::Background, part: part() });
            }
            Some(_)
                if last.after == Some(Operator::Background) && !harmless && only_waits(&lists[index + 1..], line) =>
            {
                return Some(Masking { way: Way::Awaited, part: part() });
            }
            Some((next, next_last)) if last.after == Some(Operator::Next) => {
                let asked =
                    ["$?", "PIPESTATUS"].iter().any(|word| text(line, next.start, next_last.end).contains(word));
                let asked = asked && !matches!(next.words[0].as_str(), "echo" | "printf");
                if !harmless && !flags.errexit && !refuses && !asked && !is_guarded(list) {
                    return Some(Masking { way: Way::Overtaken, part: part() });
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns whether commands only wait for all background jobs: such a `wait` always succeeds.
fn only_waits(lists: &[&[Command]], line: &str) -> bool {
    let is_wait = |list: &&[Command]| matches!(list, [command] if command.words == ["wait"]);
    let idle = |list: &&[Command]| {
        list.iter().all(|command| is_harmless(command, line))
            || list.last().is_some_and(|last| last.after == Some(Operator::Background))
    };
    lists.last().is_some_and(is_wait) && lists.iter().all(idle)
}

/// Returns whether a command ends the line with success.
fn is_success(command: &Command) -> bool {
    matches!(command.words.as_slice(), [exit, code] if exit == "exit" && code == "0")
}

/// Finds a trap that turns every exit code of the line into success.
fn trapped(command: &Command, line: &str) -> Option<Masking> {
    let [name, action, signals @ ..] = command.words.as_slice() else { return None };
    let turns = signals.iter().any(|signal| matches!(signal.as_str(), "EXIT" | "0" | "ERR")) && TRAP.is_match(action);
    (name == "trap" && turns).then(|| Masking { way: Way::Turned, part: text(line, command.start, command.end) })
}

/// Checks the line that a command passes to a shell of its own.
fn inner(command: &Command) -> Option<Masking> {
    let before = |word: &String| matches!(word.as_str(), "exec" | "env" | "time") || word.contains('=');
    let shell = command.words.iter().position(|word| !before(word))?;
    masked_argv(&command.words[shell..])
}

impl Flags {
    /// Applies the options of a `set` command.
    fn learn(&mut self, list: &[Command]) {
        for command in list.iter().filter(|command| command.words[0] == "set") {
            for option in &command.words[1..] {
                self.errexit |= option == "errexit" || (option.starts_with('-') && option.contains('e'));
            }
            for option in command.words.windows(2).filter(|pair| pair[1] == "pipefail") {
                self.pipefail = !option[0].starts_with('+');
            }
        }
    }
}

fn text(line: &str, start: usize, end: usize) -> String {
    line.get(start..end).unwrap_or_default().trim().to_owned()
}

fn is_compound(command: &Command) -> bool {
    opens(&command.words[0], false) == Some(Frame::Compound) || command.words[0] == "function"
}

/// Returns whether a command negates its exit code. Tests of conditions do not fail otherwise.
fn is_negated(command: &Command) -> bool {
    command.words[0] == "!" && !command.words.get(1).is_none_or(|word| word == "test" || word.starts_with('['))
}

/// Returns whether the failure of a command is irrelevant.
fn is_harmless(command: &Command, line: &str) -> bool {
    let names = [
        "export", "trap", "echo", "printf", "true", ":", "set", "unset", "readonly", "declare", "local", "alias",
        "shopt", "umask", "ulimit", "sleep", "wait", "yes",
    ];
    let assigns = |word: &String| shell::is_assignment(word);
    let written = text(line, command.start, command.end);
    let substitutes = written.contains("$(") || written.contains('`');
    names.contains(&command.words[0].as_str()) || (command.words.iter().all(assigns) && !substitutes)
}

/// Returns whether a command returns a failure, or a status that was kept.
fn fails(command: &Command) -> bool {
    match command.words.as_slice() {
        [exit, code, ..] => matches!(exit.as_str(), "exit" | "return") && code != "0",
        [word] => word == "false",
        [] => false,
    }
}

/// Returns whether a list itself handles its failure.
fn is_guarded(list: &[Command]) -> bool {
    let mut pairs = list.iter().zip(list.iter().skip(1));
    pairs.any(|(before, then)| {
        before.after == Some(Operator::Or) && matches!(then.words[0].as_str(), "exit" | "return" | "{" | "(")
    })
}
