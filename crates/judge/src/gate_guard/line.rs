//! A line of a shell, taken apart as far as it is plain: simple commands, their words, and the files that they write to.

/// Most characters that are looked at.
const CHARACTERS: usize = 64 * 1024;

/// A simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) parts: Vec<Part>,
}

/// A part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// A word, without its quotes.
    Word(String),
    /// A file that its output goes to.
    Written(String),
}

impl Simple {
    pub(super) fn words(&self) -> Vec<&str> {
        let words = self.parts.iter().filter_map(|part| match part {
            Part::Word(word) => Some(word.as_str()),
            Part::Written(_) => None,
        });
        words.collect()
    }

    /// The name of what it runs.
    pub(super) fn program(&self) -> &str {
        self.words().first().and_then(|word| word.rsplit('/').next()).unwrap_or_default()
    }
}

/// Takes a text apart. What is no plain shell gives words and commands all the same: nobody runs them.
pub(super) fn commands(text: &str) -> Vec<Simple> {
    let mut reading = Reading::default();
    let mut signs = text.chars().take(CHARACTERS).peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\'' | '"' => {
                let word = reading.word.get_or_insert_default();
                while let Some(inner) = signs.next().filter(|inner| *inner != sign) {
                    let escaped = (inner == '\\' && sign == '"').then(|| signs.next()).flatten();
                    word.push(escaped.unwrap_or(inner));
                }
            }
            '\\' => reading.word.get_or_insert_default().extend(signs.next().filter(|next| *next != '\n')),
            ' ' | '\t' => reading.end_word(),
            '>' => {
                // Numbers before it name what is sent there; `>&1` sends it nowhere new.
                reading.word = reading.word.take().filter(|word| !word.bytes().all(|digit| digit.is_ascii_digit()));
                reading.end_word();
                while signs.next_if(|next| matches!(next, '>' | '|')).is_some() {}
                reading.is_target = signs.next_if_eq(&'&').is_none();
            }
            '&' if signs.peek() == Some(&'>') => reading.end_word(),
            '\n' | ';' | '&' | '|' | '(' | ')' | '`' => reading.end_command(),
            '{' | '}' if reading.word.is_none() => reading.end_command(),
            sign => reading.word.get_or_insert_default().push(sign),
        }
    }
    reading.end_command();
    reading.commands
}

#[derive(Default)]
struct Reading {
    commands: Vec<Simple>,
    command: Simple,
    word: Option<String>,
    /// Whether the next word is the file that output goes to.
    is_target: bool,
}

impl Reading {
    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            let is_target = std::mem::take(&mut self.is_target);
            self.command.parts.push(if is_target { Part::Written(word) } else { Part::Word(word) });
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.is_target = false;
        if !self.command.parts.is_empty() {
            self.commands.push(std::mem::take(&mut self.command));
        }
    }
}
