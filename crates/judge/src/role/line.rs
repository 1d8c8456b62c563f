//! A shell line, taken apart into the simple commands that it runs.
//!
//! This is no shell: it knows quoting, separators and redirections, which is what it takes to tell which programs a
//! line names. What it cannot know (substitutions, variables) stays in the words as it is written.

use std::iter::Peekable;
use std::str::Chars;

/// A simple command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple {
    /// Its words, unquoted, without redirections; never empty.
    pub(super) words: Vec<String>,
    /// Whether it reads what the command before it prints.
    pub(super) piped: bool,
    /// Whether it reads from or writes to a file of its own: opening that may fail.
    pub(super) redirected: bool,
}

/// Returns the simple commands of a line, in the order in which they are written.
pub(super) fn commands(line: &str) -> Vec<Simple> {
    let mut taker = Taker {
        rest: line.chars().peekable(),
        word: None,
        words: Vec::new(),
        redirecting: None,
        redirected: false,
        piped: false,
        done: Vec::new(),
    };
    while let Some(next) = taker.rest.next() {
        taker.take(next);
    }
    taker.end_command(false);
    taker.done
}

struct Taker<'a> {
    rest: Peekable<Chars<'a>>,
    /// The word being written. None between words, so that `""` is a word and a blank is none.
    word: Option<String>,
    words: Vec<String>,
    /// Set where the next word is the target of a redirection.
    redirecting: Option<Target>,
    redirected: bool,
    piped: bool,
    done: Vec<Simple>,
}

/// What a redirection leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    File,
    /// Another descriptor, where the word is a number (`2>&1`); a file, where it is a name.
    Descriptor,
}

impl Taker<'_> {
    fn take(&mut self, next: char) {
        match next {
            '\'' => self.quoted_plainly(),
            '"' => self.quoted(),
            '\\' => match self.rest.next() {
                Some('\n') | None => {}
                Some(escaped) => self.push(escaped),
            },
            '$' if self.rest.peek() == Some(&'(') => self.substitution(),
            '`' => {
                self.push('`');
                while let Some(inner) = self.rest.next() {
                    self.push(inner);
                    if inner == '`' {
                        break;
                    }
                }
            }
            '#' if self.word.is_none() => while self.rest.next_if(|skipped| *skipped != '\n').is_some() {},
            '\n' | ';' | '(' | ')' => self.end_command(false),
            '&' if self.rest.peek() == Some(&'>') => {}
            '&' => {
                self.rest.next_if_eq(&'&');
                self.end_command(false);
            }
            '|' => {
                let either = self.rest.next_if_eq(&'|').is_some();
                self.rest.next_if_eq(&'&');
                self.end_command(!either);
            }
            '>' | '<' => self.redirection(),
            blank if blank.is_whitespace() => self.end_word(),
            other => self.push(other),
        }
    }

    fn push(&mut self, character: char) {
        self.word.get_or_insert_default().push(character);
    }

    fn quoted_plainly(&mut self) {
        self.word.get_or_insert_default();
        while let Some(inner) = self.rest.next() {
            if inner == '\'' {
                break;
            }
            self.push(inner);
        }
    }

    fn quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(inner) = self.rest.next() {
            match inner {
                '"' => break,
                '\\' => match self.rest.next() {
                    Some(escaped @ ('"' | '\\' | '$' | '`')) => self.push(escaped),
                    Some('\n') | None => {}
                    Some(other) => {
                        self.push('\\');
                        self.push(other);
                    }
                },
                other => self.push(other),
            }
        }
    }

    /// Keeps `$(…)` in the word as it is written: what it comes to is not known here.
    fn substitution(&mut self) {
        self.push('$');
        let mut depth = 0_usize;
        while let Some(inner) = self.rest.next() {
            self.push(inner);
            match inner {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }

    fn redirection(&mut self) {
        // The digits right before `>` are a file descriptor, not a word.
        if self.word.as_ref().is_some_and(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        let mut target = Target::File;
        while let Some(next) = self.rest.next_if(|next| matches!(next, '>' | '<' | '&' | '|')) {
            if next == '&' {
                target = Target::Descriptor;
            }
        }
        self.redirecting = Some(target);
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            match self.redirecting.take() {
                Some(Target::Descriptor) if word.bytes().all(|byte| byte.is_ascii_digit()) => {}
                Some(_) => self.redirected |= word != "/dev/null",
                None => self.words.push(word),
            }
        }
    }

    fn end_command(&mut self, pipe_follows: bool) {
        self.end_word();
        self.redirecting = None;
        let redirected = std::mem::take(&mut self.redirected);
        if !self.words.is_empty() {
            self.done.push(Simple { words: std::mem::take(&mut self.words), piped: self.piped, redirected });
        }
        self.piped = pipe_follows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(line: &str) -> String {
        commands(line)
            .iter()
            .map(|simple| {
                let piped = if simple.piped { "| " } else { "" };
                let redirected = if simple.redirected { " >" } else { "" };
                format!("{piped}{}{redirected}", simple.words.join("·"))
            })
            .collect::<Vec<_>>()
            .join(" / ")
    }

    #[test]
    fn lines_fall_into_their_simple_commands() {
        for (line, expected) in [
            ("npx jest --ci", "npx·jest·--ci"),
            ("a && b || c; d & e\nf", "a / b / c / d / e / f"),
            ("a | b |& c", "a / | b / | c"),
            ("say 'a && b' \"c \\\" d\" e\\ f ''", "say·a && b·c \" d·e f·"),
            ("a > out.txt 2>&1 b", "a·b >"),
            ("a 2>&1 > /dev/null; b >&log; c >&2", "a / b > / c"),
            ("a &> out.txt", "a >"),
            ("a 2> err", "a >"),
            ("(cd x && a)", "cd·x / a"),
            ("a # comment && b", "a"),
            ("a b#c", "a·b#c"),
            ("echo $(jest && b) `c | d`", "echo·$(jest && b)·`c | d`"),
            ("a \\\n b", "a·b"),
            ("", ""),
            ("'open", "open"),
            ("\"open \\", "open "),
            ("$(", "$("),
        ] {
            assert_eq!(written(line), expected, "{line}");
        }
    }
}
