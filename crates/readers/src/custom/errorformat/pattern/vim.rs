//! The parts of Vim's own expressions that a format may contain: character classes and backslash sequences.

use std::iter::Peekable;
use std::str::Chars;

use super::Writer;
use crate::custom::javascript::Refusal;

impl Writer {
    /// Parses a class after its opening bracket.
    pub(super) fn class(&mut self, rest: &mut Peekable<Chars<'_>>) -> Result<(), Refusal> {
        self.expression.push('[');
        if rest.peek() == Some(&'%') && rest.clone().nth(1) == Some('^') {
            rest.next();
        }
        if rest.next_if_eq(&'^').is_some() {
            self.expression.push('^');
        }
        let mut is_first = true;
        loop {
            match rest.next() {
                None => return Err(("a class is not closed".to_owned(), "close it with `]`")),
                Some(']') if !is_first => break,
                Some('-') if !is_first => self.expression.push('-'),
                Some('%') => {
                    let escaped = rest.next().unwrap_or('%');
                    self.literal(escaped);
                }
                Some('\\') => match rest.next() {
                    Some('t') => self.expression.push_str("\\t"),
                    Some(escaped) => self.literal(escaped),
                    None => {}
                },
                Some(other) => self.literal(other),
            }
            is_first = false;
        }
        self.expression.push(']');
        Ok(())
    }

    /// Parses a Vim backslash sequence after its backslash.
    pub(super) fn vim(&mut self, rest: &mut Peekable<Chars<'_>>) -> Result<(), Refusal> {
        let Some(letter) = rest.next() else {
            self.literal('\\');
            return Ok(());
        };
        let written = match letter {
            'd' => "[0-9]",
            'D' => "[^0-9]",
            's' => "[ \\t]",
            'S' => "[^ \\t]",
            'w' | 'i' | 'k' => "[0-9A-Za-z_]",
            'W' => "[^0-9A-Za-z_]",
            'a' => "[A-Za-z]",
            'A' => "[^A-Za-z]",
            'x' => "[0-9A-Fa-f]",
            'X' => "[^0-9A-Fa-f]",
            'u' => "[A-Z]",
            'l' => "[a-z]",
            'f' => "[0-9A-Za-z/._+,#$%~=@\\\\-]",
            'p' => "[^\\x00-\\x1f]",
            't' => "\\t",
            '+' => "+",
            '=' | '?' => "?",
            '|' => "|",
            '<' | '>' => "\\b",
            ')' => ")",
            '(' => "(?:",
            'c' | 'C' => "",
            '%' if rest.next_if_eq(&'(').is_some() => "(?:",
            '{' => return self.count(rest),
            '1'..='9' | 'z' => {
                return Err(("it refers back to a group".to_owned(), "write the text out that it is to match again"));
            }
            '@' | '&' | 'v' | 'V' | 'm' | 'M' | '_' => {
                return Err((
                    format!("`\\{letter}` of Vim's expressions is not known"),
                    "write it without looking around",
                ));
            }
            other => {
                self.literal(other);
                return Ok(());
            }
        };
        self.expression.push_str(written);
        Ok(())
    }

    /// Parses `-}`, `-1,}` or `2,3}` after `\{`.
    fn count(&mut self, rest: &mut Peekable<Chars<'_>>) -> Result<(), Refusal> {
        let inner: String = rest.by_ref().take_while(|character| *character != '}').take(16).collect();
        let inner = inner.trim_end_matches('\\');
        let (inner, lazy) = inner.strip_prefix('-').map_or((inner, ""), |inner| (inner, "?"));
        let (least, most) = inner.split_once(',').map_or((inner, None), |(least, most)| (least, Some(most)));
        let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        if !is_number(least) || !most.is_none_or(is_number) {
            return Err(("a count is none".to_owned(), "write it as `\\{1,3}`"));
        }
        let least_or_none = if least.is_empty() { "0" } else { least };
        let count = match (least, most) {
            ("", None) => "*".to_owned(),
            (_, None) => format!("{{{least}}}"),
            (_, Some(most)) => format!("{{{least_or_none},{most}}}"),
        };
        self.expression.push_str(&count);
        self.expression.push_str(lazy);
        Ok(())
    }
}
