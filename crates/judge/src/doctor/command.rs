//! Parses the command of a hook.

use referee_model::hook::AgentHost;
use referee_syntax::duration;

/// Maximum length of a command that is examined, in characters.
const CHARACTERS: usize = 64 * 1024;

/// Characters that end a word of a shell.
const ENDS: &str = ";|&()<>`{}=";

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Program {
    /// A name to be found in the search path, or a path.
    Named(String),
    /// Unknown, for example because it is a variable.
    Unknown,
}

/// A call of Referee's hook within a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) program: Program,
    /// Deadline that the call sets, in milliseconds. None: it sets none; an error: its value is not a duration.
    pub(super) deadline_ms: Result<Option<u64>, ()>,
    /// Signing key that the call names.
    pub(super) key: Option<String>,
    /// Whether the command certainly calls Referee directly.
    pub(super) is_certain: bool,
    /// Whether it is the command that Referee writes, which blocks if the call does not answer.
    pub(super) is_written: bool,
}

/// A command that certainly calls Referee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Certain {
    pub(super) program: String,
    /// Whether it is the line that Referee writes, which answers if the program does not.
    pub(super) is_written: bool,
}

/// Finds the call in a line for a shell. None: it does not call a hook of this host.
///
/// The last occurrence of `hook HOST` counts: the fallback answer for a failed call may contain it, too.
pub(super) fn in_line(host: AgentHost, line: &str) -> Option<Call> {
    let line: String = line.chars().take(CHARACTERS).collect();
    let (start, end) = last_call(&line, host.as_str())?;
    let before = line.get(..start)?.trim_end();
    let after = line.get(end..)?;
    let word = last_word(before);
    let options: Vec<&str> = after.split_whitespace().map(unquoted).collect();
    Some(Call {
        program: program(&word),
        deadline_ms: deadline(&options),
        key: option(&options, "--key").map(str::to_owned),
        is_certain: false,
        is_written: false,
    })
}

/// Finds the call in a program with its arguments. The line of a shell is parsed as well.
pub(super) fn in_words(host: AgentHost, words: &[&str]) -> Option<Call> {
    let place = words.windows(2).rposition(|pair| matches!(pair, ["hook", named] if *named == host.as_str()));
    let Some(place) = place else { return words.iter().rev().find_map(|word| in_line(host, word)) };
    let options = words.get(place + 2..)?;
    let named = words.get(..place)?.iter().rev().find(|word| is_referee(word)).or(words.first())?;
    Some(Call {
        program: program(named),
        deadline_ms: deadline(options),
        key: option(options, "--key").map(str::to_owned),
        is_certain: false,
        is_written: false,
    })
}

impl Call {
    pub(super) fn sure(self, certain: Option<Certain>) -> Self {
        match certain {
            Some(Certain { program, is_written }) => {
                Self { program: Program::Named(program), is_certain: true, is_written, ..self }
            }
            None => self,
        }
    }
}

/// Returns where the last `hook HOST` begins and ends, as words.
fn last_call(line: &str, host: &str) -> Option<(usize, usize)> {
    let is_edge = |character: Option<char>| {
        character.is_none_or(|character| !(character.is_alphanumeric() || "-_./".contains(character)))
    };
    line.rmatch_indices("hook").find_map(|(start, word)| {
        let after = line.get(start + word.len()..)?;
        let behind = after.trim_start().trim_start_matches(['"', '\'']);
        let end = line.len() - behind.strip_prefix(host)?.len();
        let is_word = after.starts_with(char::is_whitespace)
            && line.get(..start)?.ends_with(char::is_whitespace)
            && is_edge(line.get(end..)?.chars().next());
        is_word.then_some((start, end))
    })
}

/// Returns the last word of a shell's line, without its quotes.
fn last_word(line: &str) -> String {
    if let Some(quote) = line.chars().next_back().filter(|character| matches!(character, '"' | '\'')) {
        let inner = line.get(..line.len() - 1).unwrap_or_default();
        let open = inner.rfind(quote).unwrap_or(inner.len());
        return inner.get(open + 1..).unwrap_or_default().to_owned();
    }
    let mut start = line.len();
    let mut signs = line.char_indices().rev().peekable();
    while let Some((index, character)) = signs.next() {
        let is_escaped = signs.peek().is_some_and(|(_, before)| *before == '\\');
        if !is_escaped && (character.is_whitespace() || ENDS.contains(character) || matches!(character, '"' | '\'')) {
            break;
        }
        start = index;
    }
    line.get(start..).unwrap_or_default().replace('\\', "")
}

fn program(word: &str) -> Program {
    if word.is_empty() || word.contains(['$', '`', '%', '*']) || !is_referee(word) {
        return Program::Unknown;
    }
    Program::Named(word.to_owned())
}

pub(super) fn is_referee(word: &str) -> bool {
    word.rsplit('/').next().is_some_and(|name| name.starts_with("referee"))
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\'', ')', ';', '`'])
}

fn option<'words>(words: &[&'words str], name: &str) -> Option<&'words str> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == name {
            return words.next().copied();
        }
        if let Some(value) = word.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value);
        }
    }
    None
}

pub(super) fn deadline(words: &[&str]) -> Result<Option<u64>, ()> {
    let Some(text) = option(words, "--deadline") else { return Ok(None) };
    duration::parse(text).map(Some).ok_or(())
}
