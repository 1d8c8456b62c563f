//! Translates one format string to a regular expression.
//!
//! | format     | matches                           | format        | matches                            |
//! |------------|-----------------------------------|---------------|------------------------------------|
//! | `%f`       | a file                            | `%p`          | a pointer, `----^` without the `^` |
//! | `%l`, `%e` | a line, the last line             | `%s`          | a line of source                   |
//! | `%c`, `%k` | a column, the last column         | `%r`          | the rest                           |
//! | `%v`       | a column on the screen            | `%o`, `%b`    | a module, a buffer: discarded      |
//! | `%t`, `%n` | one letter for the kind, a number | `%*[a-z]`     | one or more characters: discarded  |
//! | `%m`       | the message                       | `%.%#`, `%\s` | anything; other Vim expressions    |

mod vim;

use std::iter::Peekable;
use std::str::Chars;

use referee_model::reading::Level;

use crate::custom::javascript::{self, Refusal};
use crate::pattern::Expression;

const FORMAT_BYTES: usize = 4 * 1024;

/// The items: letter, name of the group, matched expression.
const ITEMS: &[(char, &str, &str)] = &[
    // Blanks would let the words of any sentence match as a file; an escaped blank is allowed.
    ('f', "file", "(?:[A-Za-z]:)?(?:\\\\ |[^ ])+?"),
    ('l', "line", "[0-9]+"),
    ('e', "end_line", "[0-9]+"),
    ('c', "column", "[0-9]+"),
    ('k', "end_column", "[0-9]+"),
    ('v', "screen_column", "[0-9]+"),
    ('t', "kind", "."),
    ('n', "code", "[0-9]+"),
    ('m', "message", ".+"),
    ('r', "rest", ".*"),
    ('p', "pointer", "[- \t.]*"),
    ('s', "source", ".+"),
    ('o', "module", ".+?"),
    ('b', "buffer", "[0-9]+"),
];

/// The role of a line that a format matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefix {
    None,
    Error,
    Warning,
    Info,
    Note,
    Any,
    Continue,
    End,
    General,
    EnterDirectory,
    LeaveDirectory,
    OneFile,
    EnterFile,
    LeaveFile,
}

impl Prefix {
    fn of(letter: char) -> Option<Self> {
        Some(match letter {
            'E' => Self::Error,
            'W' => Self::Warning,
            'I' => Self::Info,
            'N' => Self::Note,
            'A' => Self::Any,
            'C' => Self::Continue,
            'Z' => Self::End,
            'G' => Self::General,
            'D' => Self::EnterDirectory,
            'X' => Self::LeaveDirectory,
            'O' => Self::OneFile,
            'P' => Self::EnterFile,
            'Q' => Self::LeaveFile,
            _ => return None,
        })
    }

    /// Returns whether further lines may follow.
    pub(super) fn begins(self) -> bool {
        matches!(self, Self::Error | Self::Warning | Self::Info | Self::Note | Self::Any)
    }

    /// Returns the level of a finding that begins with this prefix.
    pub(super) fn level(self) -> Option<Level> {
        match self {
            Self::Error => Some(Level::Error),
            Self::Warning => Some(Level::Warning),
            Self::Info | Self::Note | Self::General => Some(Level::Info),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Format {
    pub(super) prefix: Prefix,
    /// `%+`: the whole line is the message.
    pub(super) is_whole: bool,
    /// `%-`: matching lines are left out.
    pub(super) is_left_out: bool,
    pub(super) regexp: Expression,
}

impl Format {
    /// Parses a format like Vim, which ignores the case of letters.
    pub(super) fn parse(written: &str) -> Result<Self, Refusal> {
        if FORMAT_BYTES < written.len() {
            return Err((format!("it is longer than {FORMAT_BYTES} bytes"), "shorten it"));
        }
        let (prefix, sign, body) = split_prefix(written)?;
        let Writer { expression, items, prefix: late } = Writer::write(body)?;
        let prefix = late.unwrap_or(prefix);
        let (is_whole, is_left_out) = (sign == Some('+'), sign == Some('-'));
        let needs_nothing = is_left_out || is_whole || prefix != Prefix::None;
        if !needs_nothing && !items.iter().any(|item| matches!(*item, "file" | "message")) {
            return Err(("it captures neither a file nor a message".to_owned(), "add `%f` or `%m`"));
        }
        Ok(Self { prefix, is_whole, is_left_out, regexp: javascript::build(&expression, true)? })
    }
}

/// Splits off the text before the pattern: `%E`, `%-G`, `%+C`, `%>%Z`.
fn split_prefix(written: &str) -> Result<(Prefix, Option<char>, &str), Refusal> {
    // With `%>`, Vim starts with this format at the next line; which is tried first matters only if two formats
    // match.
    let written = written.strip_prefix("%>").unwrap_or(written);
    let Some(rest) = written.strip_prefix('%') else { return Ok((Prefix::None, None, written)) };
    let sign = rest.chars().next().filter(|sign| matches!(sign, '+' | '-'));
    let letters = if sign.is_some() { &rest[1..] } else { rest };
    match letters.chars().next().and_then(Prefix::of) {
        Some(prefix) => Ok((prefix, sign, &letters[1..])),
        None if sign.is_some() => {
            Err(("a sign stands before no prefix".to_owned(), "write a prefix behind it, as in `%-G` or `%+C`"))
        }
        None => Ok((Prefix::None, None, written)),
    }
}

/// Builds the expression of a format.
#[derive(Default)]
struct Writer {
    expression: String,
    /// Groups of the items so far.
    items: Vec<&'static str>,
    /// A prefix within the pattern, which reviewdog allows.
    prefix: Option<Prefix>,
}

impl Writer {
    fn write(body: &str) -> Result<Self, Refusal> {
        let mut writer = Self { expression: "^".to_owned(), ..Self::default() };
        let mut rest = body.chars().peekable();
        while let Some(character) = rest.next() {
            match character {
                '%' => writer.item(&mut rest)?,
                '\\' => writer.escaped(&mut rest)?,
                other => writer.literal(other),
            }
        }
        writer.expression.push('$');
        Ok(writer)
    }

    /// Handles the characters after a backslash: `\,` and similar escapes are literal, and sequences with a
    /// meaning in expressions keep it. Two backslashes stand for the single backslash of an expression.
    fn escaped(&mut self, rest: &mut Peekable<Chars<'_>>) -> Result<(), Refusal> {
        match rest.next() {
            Some('\\') => {
                if rest.peek() == Some(&'\\') && rest.clone().nth(1).is_some() {
                    rest.next();
                }
                self.vim(rest)?;
            }
            Some(active @ ('.' | '*' | '+' | '?' | '^' | '$')) => self.expression.push(active),
            Some('[') => self.class(rest)?,
            other => self.literal(other.unwrap_or('\\')),
        }
        Ok(())
    }

    fn literal(&mut self, character: char) {
        javascript::literal(character, &mut self.expression);
    }

    /// Handles the characters after a percent sign.
    fn item(&mut self, rest: &mut Peekable<Chars<'_>>) -> Result<(), Refusal> {
        let Some(letter) = rest.next() else {
            return Err(("it ends in `%`".to_owned(), "write `%%` for a per cent sign"));
        };
        if let Some((_, group, matches)) = ITEMS.iter().find(|(known, ..)| *known == letter) {
            if self.items.contains(group) {
                return Err((format!("`%{letter}` stands twice"), "match the second with `%*` or `%.%#`"));
            }
            self.items.push(group);
            self.expression.extend(["(?P<", group, ">", matches, ")"]);
            return Ok(());
        }
        match letter {
            '%' => self.literal('%'),
            '.' => self.expression.push('.'),
            '#' => self.expression.push('*'),
            '+' | '?' | '^' | '$' => self.expression.push(letter),
            '~' => self.literal('~'),
            '[' => self.class(rest)?,
            '\\' => self.vim(rest)?,
            '*' => {
                match rest.next() {
                    Some('[') => self.class(rest)?,
                    Some('\\') => self.vim(rest)?,
                    _ => return Err(("`%*` is followed by no class".to_owned(), "write `%*[^:]` or `%*\\d`")),
                }
                self.expression.push('+');
            }
            other => {
                let meant = Prefix::of(other);
                let refusal = || (format!("`%{other}` means nothing"), "write `%%` for a per cent sign");
                self.prefix = Some(meant.ok_or_else(refusal)?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_written_as_expressions() {
        for (format, line, matches) in [
            ("%f:%l:%m", "a.c:3:x", true),
            ("%f:%l:%m", "a.c:x", false),
            ("%f(%l)%.%#", "a.c(3) x", true),
            ("%trror: %m", "Error: x", true),
            ("%*[^:]: %m", "abc: x", true),
            ("%*\\d %m", "123 x", true),
            ("%\\d%\\+ %m", "123 x", true),
            ("%\\s%#%m", "   x", true),
            ("%m %[0-9]%#", "x 12", true),
            ("100%% %m", "100% x", true),
            ("%m\\, %l", "x, 3", true),
            ("%\\%(a%\\|b%\\) %m", "b x", true),
            ("%m.", "xy", false),
            ("%\\d\\+ file%.%#%m", "12 files x", true),
            ("\\ %#%f(%l\\\\\\,%c):\\ %m", "  a.cs(2,3): x", true),
            ("%f\\\\\\\\%m", "a\\b", true),
            ("%m%Z", "x", true),
            (" --> %f<%m>", " --> a<x>", true),
            ("%m%\\{-} ", "x ", true),
        ] {
            let parsed = Format::parse(format).unwrap_or_else(|refusal| panic!("{format}: {refusal:?}"));
            assert_eq!(parsed.regexp.find(line).is_some(), matches, "{format} is {:?}", parsed.regexp);
        }
    }

    #[test]
    fn prefixes_are_taken_off() {
        for (format, prefix, is_whole, is_left_out) in [
            ("%E%m", Prefix::Error, false, false),
            ("%-G%.%#", Prefix::General, false, true),
            ("%+C%m", Prefix::Continue, true, false),
            ("%>%Z%m", Prefix::End, false, false),
            ("%m", Prefix::None, false, false),
        ] {
            let parsed = Format::parse(format).unwrap();
            assert_eq!(
                (parsed.prefix, parsed.is_whole, parsed.is_left_out),
                (prefix, is_whole, is_left_out),
                "{format}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn no_format_panics(format in "[%\\\\\\[\\](){}a-zA-Z0-9#.*+^$-]{0,40}") {
            let _ = Format::parse(&format);
        }
    }
}
