//! The commands of a line, and which of their failures nobody sees.
//!
//! Conditions, loops and functions are left alone: what their commands give is often asked for on purpose.

use std::sync::LazyLock;

use regex::Regex;

use super::masked_argv;
use super::risk::{Masking, Way};

/// A trap whose action ends with success.
static TRAP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^trap\s+(?:'(?:[^']*[\s;&{])?exit\s+0\s*[;}]?\s*'|"(?:[^"]*[\s;&{])?exit\s+0\s*[;}]?\s*")"#)
        .expect("the form above is a regular expression")
});

/// What the shell is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flags {
    /// Whether it ends at the first failure.
    pub(super) errexit: bool,
    /// Whether a failure inside a pipe fails the pipe.
    pub(super) pipefail: bool,
}

/// What stands after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// Nothing more in its group.
    End,
    /// `;` or the end of a line.
    Next,
    /// `&`.
    Background,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `|`.
    Pipe,
}

/// One command, or a group of them.
#[derive(Debug)]
struct Command {
    /// Its first character.
    start: usize,
    /// The place after its last one.
    end: usize,
    words: Vec<String>,
    after: After,
}

/// What commands stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// The line, or a group that runs as if it were written there.
    Plain,
    /// Something that is left alone.
    Compound,
}

/// A frame that is still being read.
struct Reading {
    frame: Frame,
    done: Vec<Command>,
    current: Option<Command>,
}

/// Finds the first command whose failure is lost. `bare` is the line without what is quoted, `line` as it is written.
pub(super) fn find(bare: &str, line: &[char], mut flags: Flags) -> Option<Masking> {
    if bare.contains("<<") {
        // The lines of a here-document are no commands.
        return None;
    }
    let bare: Vec<char> = bare.chars().collect();
    let mut frames = vec![Reading { frame: Frame::Plain, done: Vec::new(), current: None }];
    let mut place = 0;
    let mut function = false;
    while place < bare.len() {
        let (token, length) = token(&bare[place..]);
        let (start, end) = (place, place + length);
        place = end;
        let in_parentheses = is_group(&frames);
        let top = frames.last_mut()?;
        let begins = top.current.is_none();
        match token {
            Token::Blank => {}
            Token::After(after) => {
                if let Some(mut command) = top.current.take() {
                    command.after = after;
                    top.done.push(command);
                }
            }
            Token::Word(word) => {
                if begins && matches!(word.as_str(), "}" | "fi" | "done" | "esac") {
                    if let Some(found) = close(&mut frames, end, line, &mut flags) {
                        return Some(found);
                    }
                    continue;
                }
                let named = top.current.as_ref().is_some_and(|command| command.words[0] == "function");
                let opened = if begins || named { opens(&word, function || named) } else { None };
                let command =
                    top.current.get_or_insert_with(|| Command { start, end, words: Vec::new(), after: After::End });
                command.end = end;
                // The body of a function is called by a name that says what it is.
                command.words.push(if begins && function { "function".to_owned() } else { word });
                function = false;
                if let Some(frame) = opened {
                    let frame = if top.frame == Frame::Compound { Frame::Compound } else { frame };
                    frames.push(Reading { frame, done: Vec::new(), current: None });
                }
            }
            Token::Open if begins => {
                let words = vec!["(".to_owned()];
                top.current = Some(Command { start, end, words, after: After::End });
                let frame = top.frame;
                frames.push(Reading { frame, done: Vec::new(), current: None });
            }
            Token::Open => {
                // `name()` begins a function; its body is a group that comes next.
                function = true;
                top.current = None;
            }
            // The end of `name()`.
            Token::Close if function => {}
            // The pattern of a `case`.
            Token::Close if top.frame == Frame::Compound && !in_parentheses => top.current = None,
            Token::Close => {
                if let Some(found) = close(&mut frames, end, line, &mut flags) {
                    return Some(found);
                }
            }
        }
    }
    let Reading { frame, mut done, current } = frames.swap_remove(0);
    done.extend(current);
    if frame == Frame::Plain { lost(&done, line, &mut flags) } else { None }
}

/// Returns whether the innermost frame is one in parentheses.
fn is_group(frames: &[Reading]) -> bool {
    let outer = frames.len().checked_sub(2).and_then(|outer| frames.get(outer));
    let opened = outer.and_then(|outer| outer.current.as_ref()).and_then(|command| command.words.last());
    opened.is_some_and(|word| word == "(")
}

/// Ends the innermost frame and looks at its commands. What closes nothing is passed over.
fn close(frames: &mut Vec<Reading>, end: usize, line: &[char], flags: &mut Flags) -> Option<Masking> {
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

/// Returns what a word opens at the beginning of a command.
fn opens(word: &str, function: bool) -> Option<Frame> {
    match word {
        "{" if function => Some(Frame::Compound),
        "{" => Some(Frame::Plain),
        "if" | "for" | "while" | "until" | "case" | "select" => Some(Frame::Compound),
        _ => None,
    }
}

enum Token {
    Blank,
    Word(String),
    After(After),
    Open,
    Close,
}

/// Reads one token and its length. There is at least one character.
fn token(rest: &[char]) -> (Token, usize) {
    let next = rest.get(1).copied();
    match (rest[0], next) {
        ('\n' | ';', _) => (Token::After(After::Next), 1),
        ('&', Some('&')) => (Token::After(After::And), 2),
        ('|', Some('|')) => (Token::After(After::Or), 2),
        ('|', Some('&')) => (Token::After(After::Pipe), 2),
        ('|', _) => (Token::After(After::Pipe), 1),
        ('&', next) if next != Some('>') => (Token::After(After::Background), 1),
        ('(', Some('(')) => word(rest, "))"),
        ('[', Some('[')) => word(rest, "]]"),
        ('(', _) => (Token::Open, 1),
        (')', _) => (Token::Close, 1),
        (blank, _) if blank.is_whitespace() => (Token::Blank, 1),
        _ => {
            let mut length = 1;
            while let Some(&character) = rest.get(length) {
                let redirects = matches!(character, '&' | '|') && matches!(rest[length - 1], '>' | '<');
                let both = character == '&' && rest.get(length + 1) == Some(&'>');
                let ends = character.is_whitespace() || ";&|()".contains(character);
                if ends && !redirects && !both {
                    break;
                }
                length += 1;
            }
            (Token::Word(rest[..length].iter().collect()), length)
        }
    }
}

/// Takes everything to a closing mark as one word.
fn word(rest: &[char], closing: &str) -> (Token, usize) {
    let closing: Vec<char> = closing.chars().collect();
    let length = rest.windows(2).skip(2).position(|pair| pair == closing).map_or(rest.len(), |found| found + 4);
    (Token::Word(rest[..length].iter().collect()), length)
}

/// Finds the first of some commands whose failure is lost.
fn lost(commands: &[Command], line: &[char], flags: &mut Flags) -> Option<Masking> {
    let ends = |command: &Command| matches!(command.after, After::Next | After::Background | After::End);
    let lists: Vec<&[Command]> = commands.split_inclusive(ends).collect();
    let refuses = lists.last().and_then(|list| list.first()).is_some_and(fails);
    for (index, list) in lists.iter().enumerate() {
        if list.iter().any(is_compound) {
            continue;
        }
        if let Some(masking) = list.iter().find_map(|command| trapped(command, line).or_else(|| inner(command, line))) {
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
        let piped = |command: &&Command| command.after == After::Pipe && !is_harmless(command, line);
        if let Some(command) = list.iter().find(piped)
            && !flags.pipefail
        {
            return Some(Masking { way: Way::Piped, part: text(line, command.start, command.end) });
        }
        let Some((first, last)) = list.first().zip(list.last()) else { continue };
        let part = || text(line, first.start, last.end);
        let harmless = list.iter().all(|command| is_harmless(command, line));
        match lists.get(index + 1).and_then(|next| next.first().zip(next.last())) {
            None if last.after == After::Background => {
                return Some(Masking { way: Way::Background, part: part() });
            }
            Some(_) if last.after == After::Background && !harmless && only_waits(&lists[index + 1..], line) => {
                return Some(Masking { way: Way::Awaited, part: part() });
            }
            Some((next, next_last)) if last.after == After::Next => {
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

/// Returns whether commands do nothing but wait for everything in the background: such a `wait` always succeeds.
fn only_waits(lists: &[&[Command]], line: &[char]) -> bool {
    let is_wait = |list: &&[Command]| matches!(list, [command] if command.words == ["wait"]);
    let idle = |list: &&[Command]| {
        list.iter().all(|command| is_harmless(command, line))
            || list.last().is_some_and(|last| last.after == After::Background)
    };
    lists.last().is_some_and(is_wait) && lists.iter().all(idle)
}

/// Returns whether a command ends the line with success.
fn is_success(command: &Command) -> bool {
    matches!(command.words.as_slice(), [exit, code] if exit == "exit" && code == "0")
}

/// Finds a trap that turns whatever the line gives into success.
fn trapped(command: &Command, line: &[char]) -> Option<Masking> {
    let [name, _, signals @ ..] = command.words.as_slice() else { return None };
    if name != "trap" || !signals.iter().any(|signal| matches!(signal.as_str(), "EXIT" | "0" | "ERR")) {
        return None;
    }
    let written = text(line, command.start, command.end);
    TRAP.is_match(&written).then_some(Masking { way: Way::Turned, part: written })
}

/// Looks into what a command gives a shell of its own.
fn inner(command: &Command, line: &[char]) -> Option<Masking> {
    let is_shell = |word: &String| super::is_shell(word.rsplit('/').next().unwrap_or_default());
    let before = |word: &&String| matches!(word.as_str(), "exec" | "env" | "time") || word.contains('=');
    command.words.iter().find(|word| !before(word)).filter(|word| is_shell(word))?;
    let words = arguments(&text(line, command.start, command.end));
    let shell = words.iter().position(is_shell)?;
    masked_argv(&words[shell..])
}

/// Splits a command into its arguments as a shell would, but for what it would fill in: that is left as it is written.
fn arguments(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (Some(open), close) if open == close => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            (_, other) => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

impl Flags {
    /// Takes over what a `set` says.
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

fn text(line: &[char], start: usize, end: usize) -> String {
    let text: String = line.get(start..end.min(line.len())).unwrap_or_default().iter().collect();
    text.trim().to_owned()
}

fn is_compound(command: &Command) -> bool {
    opens(&command.words[0], false) == Some(Frame::Compound) || command.words[0] == "function"
}

/// Returns whether a command's failure counts as success. Tests of conditions do not fail otherwise.
fn is_negated(command: &Command) -> bool {
    command.words[0] == "!" && !command.words.get(1).is_none_or(|word| word == "test" || word.starts_with('['))
}

/// Returns whether a command has no failure that matters.
fn is_harmless(command: &Command, line: &[char]) -> bool {
    let names = [
        "export", "trap", "echo", "printf", "true", ":", "set", "unset", "readonly", "declare", "local", "alias",
        "shopt", "umask", "ulimit", "sleep", "wait", "yes",
    ];
    let assigns = |word: &String| word.split_once('=').is_some_and(|(name, _)| is_variable(name));
    let written = text(line, command.start, command.end);
    let substitutes = written.contains("$(") || written.contains('`');
    names.contains(&command.words[0].as_str()) || (command.words.iter().all(assigns) && !substitutes)
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || "_+".contains(character))
}

/// Returns whether a command gives a failure, or a status that was kept.
fn fails(command: &Command) -> bool {
    match command.words.as_slice() {
        [exit, code, ..] => matches!(exit.as_str(), "exit" | "return") && code != "0",
        [word] => word == "false",
        [] => false,
    }
}

/// Returns whether a list says itself what happens after a failure.
fn is_guarded(list: &[Command]) -> bool {
    let mut pairs = list.iter().zip(list.iter().skip(1));
    pairs.any(|(before, then)| {
        before.after == After::Or && matches!(then.words[0].as_str(), "exit" | "return" | "{" | "(")
    })
}
