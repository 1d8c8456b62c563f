//! Lines of a POSIX shell or bash, as tokens with their places, and the simple commands that they are.
//!
//! Why this is not a crate: `brush-parser` (MIT) is the only one whose licence fits (`yash-syntax` is under the GPL). Its
//! tokenizer answers an error and no token where a quote or `$(` stands open, and texts of agents, prompts and scripts of
//! others are often cut. It keeps quotes in its words, so that unquoting would be ours all the same; and it brings a PEG
//! grammar with its macros under `judge`, whose crates are few on purpose.
//!
//! Nothing is run or expanded: what only a shell could tell stays in the words as it is written. Any text gives tokens; whether
//! it is whole is said beside them. Left out: aliases, extended patterns (`@(a|b)`), `{name}>file`, and what arithmetic and the
//! texts of here-documents run.

mod lexer;

use std::ops::Range;

pub use lexer::lex;

/// Reserved words behind which a command begins.
pub const RESERVED: [&str; 11] = ["if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "for"];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// What it consists of, without blanks, comments and the texts of here-documents.
    pub tokens: Vec<Token>,
    /// Whether each quote, substitution and redirection in it has its end.
    pub is_whole: bool,
}

/// One piece of a text, and the bytes at which it stands. Inside backquotes, places count from the quote's own text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub place: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A word; `((…))` and `[[…]]` are one, as they are written.
    Word(Word),
    /// What ends or groups commands.
    Operator(Operator),
    /// Where input or output of a command leads.
    Redirection(Redirection),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// Without quotes and escapes. What would be expanded is as it is written.
    pub text: String,
    /// Whether something is quoted or escaped, so that it is no reserved word.
    pub is_quoted: bool,
    /// Whether a variable, a substitution or arithmetic stands in it.
    pub is_expanded: bool,
    /// Whether one of `*?[]{}~!#` stands in it, and is not quoted.
    pub is_special: bool,
    /// What its substitutions run.
    pub nested: Vec<Script>,
}

/// What ends or groups commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `;` or the end of a line.
    Next,
    /// `;;`, `;&` and `;;&` of a `case`.
    CaseEnd,
    /// `&`.
    Background,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `|` and `|&`.
    Pipe,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// The `)` behind a pattern of a `case`.
    Pattern,
}

/// Where input or output of a command leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    pub way: Way,
    /// The file, the descriptor, or the end of a here-document.
    pub target: Word,
}

/// The kinds of redirections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Read,
    Write,
    /// To or from where another descriptor leads: `2>&1`, `<&-`.
    Descriptor,
    /// A text in the script: `<<END`, `<<<text`.
    Text,
}

/// A simple command. One of its lists is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// What stands before it, parentheses aside. None: it is the first, or follows `;` or the end of a line.
    pub before: Option<Operator>,
    /// Its words, assignments and reserved words before it among them.
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
}

impl Command {
    pub fn texts(&self) -> Vec<String> {
        self.words.iter().map(|word| word.text.clone()).collect()
    }
}

impl Script {
    /// Returns its simple commands in the order in which they are written, without those of substitutions.
    pub fn commands(self) -> Vec<Command> {
        let mut commands = Vec::new();
        let mut command = Command { before: None, words: Vec::new(), redirections: Vec::new() };
        for token in self.tokens {
            match token.kind {
                Kind::Word(word) => command.words.push(word),
                Kind::Redirection(redirection) => command.redirections.push(redirection),
                Kind::Operator(operator) => {
                    let joins = match operator {
                        Operator::And | Operator::Or | Operator::Pipe | Operator::Background => Some(operator),
                        _ => None,
                    };
                    let is_empty = command.words.is_empty() && command.redirections.is_empty();
                    // `( a` and a line break behind `|` begin nothing new: what stands before it stays.
                    let before = if is_empty { joins.or(command.before) } else { joins };
                    let next = Command { before, words: Vec::new(), redirections: Vec::new() };
                    let done = std::mem::replace(&mut command, next);
                    commands.extend((!is_empty).then_some(done));
                }
            }
        }
        commands.extend((!command.words.is_empty() || !command.redirections.is_empty()).then_some(command));
        commands
    }

    /// Returns its simple commands, each behind those that its substitutions run.
    pub fn all_commands(self) -> Vec<Command> {
        let mut all = Vec::new();
        for mut command in self.commands() {
            let targets = command.redirections.iter_mut().map(|redirection| &mut redirection.target);
            for word in command.words.iter_mut().chain(targets) {
                all.extend(std::mem::take(&mut word.nested).into_iter().flat_map(Script::all_commands));
            }
            all.push(command);
        }
        all
    }
}

/// Returns the words of a line that holds nothing but words, none of which a shell would change. None: there is more.
pub fn plain_words(line: &str) -> Option<Vec<String>> {
    let script = lex(line);
    let words = script.tokens.into_iter().map(|token| match token.kind {
        Kind::Word(word) if !word.is_expanded && !word.is_special => Some(word.text),
        _ => None,
    });
    words.collect::<Option<Vec<_>>>().filter(|_| script.is_whole)
}

/// Returns a word as a shell reads it: as it is where nothing in it means something, else in single quotes.
pub fn quote(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./:=@%+,".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Returns whether a text sets a variable: `NAME=value`, `NAME+=value`.
pub fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| is_name(name.strip_suffix('+').unwrap_or(name)))
}

/// Returns whether a text can be a variable's name.
pub fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
