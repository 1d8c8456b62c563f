//! The longest text that every match of a pattern contains; most lines are rejected by that text alone.

use aho_corasick::packed::Searcher;
use memchr::memmem::Finder;
use regex_syntax::hir::{Hir, HirKind};

/// Minimum length of a text worth searching for, in bytes.
const SHORTEST: usize = 2;

/// A text to search for.
#[derive(Debug)]
pub(super) enum Literal {
    Exact(Box<Finder<'static>>),
    /// Several texts, one of which is in every match, where no text is in all of them.
    Any(Box<Searcher>),
}

impl Literal {
    /// Returns the longest text that every match of a pattern contains, or `None` if there is none that is rare enough.
    pub(super) fn of(pattern: &Hir) -> Option<Self> {
        let mut runs = Runs::default();
        runs.take(pattern);
        runs.end();
        if runs.longest.len() < SHORTEST && SHORTEST <= shortest(&runs.any) {
            return Some(Self::Any(Box::new(Searcher::new(&runs.any)?)));
        }
        // A single byte is worth it if it is rare.
        let is_rare = |text: &[u8]| matches!(text, [sign] if sign.is_ascii_punctuation());
        let text = Some(runs.longest).filter(|text| SHORTEST <= text.len() || is_rare(text))?;
        Some(Self::Exact(Box::new(Finder::new(&text).into_owned())))
    }

    pub(super) fn is_in(&self, line: &[u8]) -> bool {
        match self {
            Self::Exact(finder) => finder.find(line).is_some(),
            Self::Any(searcher) => searcher.find(line).is_some(),
        }
    }

    #[cfg(test)]
    fn text(&self) -> &[u8] {
        match self {
            Self::Exact(finder) => finder.needle(),
            Self::Any(_) => b"",
        }
    }
}

/// Collects the literal texts that every match of a pattern contains.
#[derive(Default)]
struct Runs {
    open: Vec<u8>,
    longest: Vec<u8>,
    /// The longest text of each part of an alternation.
    any: Vec<Vec<u8>>,
}

impl Runs {
    fn take(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Literal(literal) => self.open.extend_from_slice(&literal.0),
            HirKind::Class(_) => self.end(),
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
                let any: Vec<_> = parts.iter().map(Self::longest_of).collect();
                if shortest(&self.any) < shortest(&any) {
                    self.any = any;
                }
            }
            HirKind::Empty | HirKind::Look(_) => {}
        }
    }

    fn longest_of(part: &Hir) -> Vec<u8> {
        let mut runs = Self::default();
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    fn required(written: &str) -> Option<Literal> {
        Literal::of(&regex_syntax::parse(written).ok()?)
    }

    #[test]
    fn the_longest_text_that_all_matches_hold_is_found() {
        for (pattern, literal) in [
            (r"^(?<file>[^:]+): error (?<code>TS[0-9]+): .*$", Some(": error TS")),
            (r"^warning(?:s)?: x$", Some("warning")),
            (r"^(?:error|warning): (?<message>.*)$", Some(": ")),
            (r"^(?:error: .*|[^ ].*Error: .*)$", Some("")),
            (r"^(?:ab)+c$", Some("ab")),
            (r"^(?:ab)*c$", None),
            (r"^.*[0-9]/[0-9]+$", Some("/")),
            (r"(?i)error", None),
            (r"^[0-9]+$", None),
            (r"(", None),
            ("(?i)^(?:ab)+: Error(x|yz)$", Some(": ")),
            (r"^größe \(", Some("größe (")),
        ] {
            let found = required(pattern);
            assert_eq!(found.as_ref().map(Literal::text), literal.map(str::as_bytes), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn no_match_is_lost(
            written in "(\\(\\?i\\))?[a-cA-C :.*+?|()k]{0,12}",
            lines in proptest::collection::vec("[a-cA-C :kK\u{212a}]{0,12}", 0..20),
        ) {
            if let Ok(regex) = Regex::new(&written) {
                let literal = required(&written);
                for line in lines {
                    let is_told = literal.as_ref().is_none_or(|literal| literal.is_in(line.as_bytes()));
                    prop_assert!(is_told || !regex.is_match(&line), "{written} {line}");
                }
            }
        }
    }
}
