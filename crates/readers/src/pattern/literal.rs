//! The longest text that every match of a pattern contains; most lines are rejected by that text alone.

use aho_corasick::packed::Searcher;
use memchr::memmem::Finder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Minimum length of a text worth searching for, in bytes.
const SHORTEST: usize = 2;

/// A text to search for.
#[derive(Debug)]
pub(super) enum Literal {
    Exact(Box<Finder<'static>>),
    /// Several texts, one of which is in every match, where no text is in all of them.
    Any(Box<Searcher>),
    /// Matches regardless of the case of ASCII letters.
    AnyCase {
        text: Vec<u8>,
        /// Index of the byte in the text that is searched for first.
        sign: usize,
    },
}

impl Literal {
    /// Returns the longest text that every match of a pattern contains, or `None` if there is none of
    /// sufficient length.
    pub(super) fn of(pattern: &Hir, ignores_case: bool) -> Option<Self> {
        let mut runs = Runs { ignores_case, ..Runs::default() };
        runs.take(pattern);
        runs.end();
        if runs.longest.len() < SHORTEST && !ignores_case && SHORTEST <= shortest(&runs.any) {
            return Some(Self::Any(Box::new(Searcher::new(&runs.any)?)));
        }
        // A single byte is worth it if it is rare.
        let is_rare = |text: &[u8]| matches!(text, [sign] if sign.is_ascii_punctuation());
        let text = Some(runs.longest).filter(|text| SHORTEST <= text.len() || is_rare(text))?;
        if !ignores_case {
            return Some(Self::Exact(Box::new(Finder::new(&text).into_owned())));
        }
        // Symbols are rarer than letters, and letters are rarer than blanks.
        let rank = |byte: u8| (byte.is_ascii_whitespace(), byte.is_ascii_alphanumeric());
        let (sign, _) = text.iter().enumerate().min_by_key(|(_, byte)| rank(**byte))?;
        Some(Self::AnyCase { text, sign })
    }

    pub(super) fn is_in(&self, line: &[u8]) -> bool {
        match self {
            Self::Exact(finder) => finder.find(line).is_some(),
            Self::Any(searcher) => searcher.find(line).is_some(),
            Self::AnyCase { text, sign } => {
                let first = text[*sign];
                memchr::memchr2_iter(first, first.to_ascii_uppercase(), line).any(|at| {
                    let found = at.checked_sub(*sign).and_then(|start| line.get(start..start + text.len()));
                    found.is_some_and(|found| found.eq_ignore_ascii_case(text))
                })
            }
        }
    }

    #[cfg(test)]
    fn text(&self) -> &[u8] {
        match self {
            Self::Exact(finder) => finder.needle(),
            Self::Any(_) => b"",
            Self::AnyCase { text, .. } => text,
        }
    }
}

/// Collects the literal texts that every match of a pattern contains.
#[derive(Default)]
struct Runs {
    ignores_case: bool,
    open: Vec<u8>,
    longest: Vec<u8>,
    /// The longest text of each part of an alternation.
    any: Vec<Vec<u8>>,
}

impl Runs {
    fn take(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Literal(literal) if self.ignores_case => {
                self.open.extend(literal.0.iter().map(u8::to_ascii_lowercase));
            }
            HirKind::Literal(literal) => self.open.extend_from_slice(&literal.0),
            HirKind::Class(class) => match letter(class).filter(|_| self.ignores_case) {
                Some(letter) => self.open.push(letter),
                None => self.end(),
            },
            HirKind::Capture(capture) => self.take(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.take(part)),
            HirKind::Repetition(repetition) => {
                self.end();
                if 0 < repetition.min {
                    self.take(&repetition.sub);
                    self.end();
                }
            }
            HirKind::Alternation(parts) => {
                self.end();
                let any: Vec<_> = parts.iter().map(|part| self.longest_of(part)).collect();
                if shortest(&self.any) < shortest(&any) {
                    self.any = any;
                }
            }
            HirKind::Empty | HirKind::Look(_) => {}
        }
    }

    fn longest_of(&self, part: &Hir) -> Vec<u8> {
        let mut runs = Self { ignores_case: self.ignores_case, ..Self::default() };
        runs.take(part);
        runs.end();
        runs.longest
    }

    /// Ends the open text: anything may follow.
    fn end(&mut self) {
        if self.longest.len() < self.open.len() {
            self.longest = std::mem::take(&mut self.open);
        }
        self.open.clear();
    }
}

fn shortest(texts: &[Vec<u8>]) -> usize {
    texts.iter().map(Vec::len).min().unwrap_or_default()
}

/// Returns the lowercase letter of a class that consists of both cases of one letter.
fn letter(class: &Class) -> Option<u8> {
    let Class::Unicode(class) = class else { return None };
    let [large, small] = class.ranges() else { return None };
    let letter = u8::try_from(small.start()).ok().filter(u8::is_ascii_lowercase)?;
    let large = (large.start(), large.end());
    let is_one = small.end() == small.start() && large == (large.0, large.0);
    (is_one && large.0 == char::from(letter.to_ascii_uppercase())).then_some(letter)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::RegexBuilder;
    use regex_syntax::ParserBuilder;

    use super::*;

    fn required(written: &str, ignores_case: bool) -> Option<Literal> {
        let mut parser = ParserBuilder::new().case_insensitive(ignores_case).build();
        Literal::of(&parser.parse(written).ok()?, ignores_case)
    }

    #[test]
    fn the_longest_text_that_all_matches_hold_is_found() {
        for (pattern, ignores_case, literal) in [
            (r"^(?<file>[^:]+): error (?<code>TS[0-9]+): .*$", false, Some(": error TS")),
            (r"^warning(?:s)?: x$", false, Some("warning")),
            (r"^(?:error|warning): (?<message>.*)$", false, Some(": ")),
            (r"^(?:error: .*|[^ ].*Error: .*)$", false, Some("")),
            (r"^(?:ab)+c$", false, Some("ab")),
            (r"^(?:ab)*c$", false, None),
            (r"^.*[0-9]/[0-9]+$", false, Some("/")),
            (r"(?i)error", false, None),
            (r"^[0-9]+$", false, None),
            (r"(", false, None),
            ("^(?:ab)+: Error(x|yz)$", true, Some(": error")),
            ("^(?P<f>.+) error TS[0-9]+$", true, Some(" error t")),
            (r"^größe \(", false, Some("größe (")),
        ] {
            let found = required(pattern, ignores_case);
            assert_eq!(found.as_ref().map(Literal::text), literal.map(str::as_bytes), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn no_match_is_lost(
            written in "[a-cA-C :.*+?|()k]{0,12}",
            lines in proptest::collection::vec("[a-cA-C :kK\u{212a}]{0,12}", 0..20),
            ignores_case: bool,
        ) {
            if let Ok(regex) = RegexBuilder::new(&written).case_insensitive(ignores_case).build() {
                let literal = required(&written, ignores_case);
                for line in lines {
                    let is_told = literal.as_ref().is_none_or(|literal| literal.is_in(line.as_bytes()));
                    prop_assert!(is_told || !regex.is_match(&line), "{written} {line}");
                }
            }
        }
    }
}
