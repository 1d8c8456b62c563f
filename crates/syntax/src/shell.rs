//! Parses POSIX shell and bash command lines into tokens with positions, and into simple commands.
//!
//! Why this is not a crate: `brush-parser` (MIT) is the only one with a compatible license (`yash-syntax` is
//! under the GPL). Its tokenizer returns an error and no tokens for an unclosed quote or `$(`, but texts of
//! agents, prompts and foreign scripts are often truncated. It keeps quotes in its words, so unquoting would
//! still have to be done here; and it adds a PEG grammar with its macros to the dependencies of `judge`, which
//! are few on purpose.
//!
//! Nothing is executed or expanded: expansions stay in the words as written. Every text yields tokens, with a
//! flag that tells whether it is complete. Not supported: aliases, extended patterns (`@(a|b)`), `{name}>file`,
//! and commands within arithmetic and here-documents.

mod lexer;

use std::ops::Range;

pub use lexer::lex;

/// Reserved words that are followed by a command.
pub const RESERVED: [&str; 11] = ["if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "for"];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// The tokens, without blanks, comments and here-document texts.
    pub tokens: Vec<Token>,
    /// Whether every quote, substitution and redirection is complete.
    pub is_whole: bool,
}

/// A token and its byte range. Within backquotes, the range is relative to the quoted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub place: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A word; `((…))` and `[[…]]` are one word, as written.
    Word(Word),
    /// An operator that ends or groups commands.
    Operator(Operator),
    /// A redirection of input or output.
    Redirection(Redirection),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// The text without quotes and escapes. Expansions are kept as written.
    pub text: String,
    /// Whether part of the word is quoted or escaped, so that it is not a reserved word.
    pub is_quoted: bool,
    /// Whether the word contains a variable, a substitution or arithmetic.
    pub is_expanded: bool,
    /// Whether the word contains one of `*?[]{}~!#` unquoted.
    pub is_special: bool,
    /// The scripts of its substitutions.
    pub nested: Vec<Script>,
}

/// An operator that ends or groups commands.
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
    /// The `)` after a pattern of a `case`.
    Pattern,
}

/// A redirection of a command's input or output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    pub way: Way,
    /// The file, the descriptor, or the delimiter of a here-document.
    pub target: Word,
}

/// Kinds of redirections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Read,
    Write,
    /// To or from another descriptor: `2>&1`, `<&-`.
    Descriptor,
    /// A text within the script: `<<END`, `<<<text`.
    Text,
}

/// A simple command. At least one of its lists is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Operator before the command, apart from parentheses. None: it is the first, or follows `;` or a line break.
    pub before: Option<Operator>,
    /// Words of the command, including assignments and reserved words before it.
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
}

impl Command {
    pub fn texts(&self) -> Vec<String> {
        self.words.iter().map(|word| word.text.clone()).collect()
    }
}

impl Script {
    /// Returns the simple commands in text order, without those of substitutions.
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
                    // `( a` and a line break after `|` do not start a new command: the operator before them is kept.
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

    /// Returns all simple commands, each after those of its substitutions.
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

/// Returns the words of a line that consists only of words without expansions. None: the line contains anything else.
pub fn plain_words(line: &str) -> Option<Vec<String>> {
    let script = lex(line);
    let words = script.tokens.into_iter().map(|token| match token.kind {
        Kind::Word(word) if !word.is_expanded && !word.is_special => Some(word.text),
        _ => None,
    });
    words.collect::<Option<Vec<_>>>().filter(|_| script.is_whole)
}

/// Quotes a word for a shell: in single quotes if it contains special characters, else as it is.
pub fn quote(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./:=@%+,".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Returns whether a text is an assignment to a variable: `NAME=value`, `NAME+=value`.
pub fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| is_name(name.strip_suffix('+').unwrap_or(name)))
}

/// Returns whether a text is a valid variable name.
pub fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
