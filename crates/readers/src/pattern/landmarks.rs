//! The texts that every match of a pattern contains, in their order, with the bytes that can stand beside them. A
//! text in which one of them is missing cannot match, which is found out faster than by the automaton.

use memchr::memmem::Finder;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use super::ends::{Bytes, Side};
use super::literal::NESTING;

#[derive(Debug)]
pub(super) struct Landmarks(Vec<Landmark>);

#[derive(Debug)]
struct Landmark {
    text: Text,
    /// The bytes that can stand before it and behind it; `None` where there may be none.
    before: Option<Bytes>,
    behind: Option<Bytes>,
}

/// A text to search for; most are single bytes, which are found without the setup of a search.
#[derive(Debug)]
enum Text {
    Byte(u8),
    Bytes(Box<Finder<'static>>),
}

impl Landmarks {
    pub(super) fn of(pattern: &str) -> Self {
        let Ok(hir) = ParserBuilder::new().nest_limit(NESTING).build().parse(pattern) else { return Self(Vec::new()) };
        let mut parts = Vec::new();
        flatten(&hir, &mut parts);
        let landmark = |(at, part): (usize, &&Hir)| {
            let HirKind::Literal(literal) = part.kind() else { return None };
            Some(Landmark {
                text: match &literal.0[..] {
                    [byte] => Text::Byte(*byte),
                    bytes => Text::Bytes(Box::new(Finder::new(bytes).into_owned())),
                },
                before: beside(parts[..at].iter().rev(), Side::Last),
                behind: beside(parts[at + 1..].iter(), Side::First),
            })
        };
        Self(parts.iter().enumerate().filter_map(landmark).collect())
    }

    /// Returns whether a text contains all of them in their order.
    pub(super) fn are_in(&self, text: &[u8]) -> bool {
        let mut from = 0;
        self.0.iter().all(|landmark| {
            let end = landmark.end(text, from);
            from = end.unwrap_or(from);
            end.is_some()
        })
    }
}

impl Landmark {
    /// Returns where the first one at or after an offset ends.
    fn end(&self, text: &[u8], mut from: usize) -> Option<usize> {
        let holds = |bytes: &Option<Bytes>, at: Option<usize>| {
            bytes.as_ref().is_none_or(|bytes| at.and_then(|at| text.get(at)).is_some_and(|byte| bytes.has(*byte)))
        };
        loop {
            let rest = text.get(from..)?;
            let (at, length) = match &self.text {
                Text::Byte(byte) => (memchr::memchr(*byte, rest)?, 1),
                Text::Bytes(finder) => (finder.find(rest)?, finder.needle().len()),
            };
            let (start, end) = (from + at, from + at + length);
            if holds(&self.before, start.checked_sub(1)) && holds(&self.behind, Some(end)) {
                return Some(end);
            }
            from = start + 1;
        }
    }
}

/// Collects the parts of a pattern that follow one another.
fn flatten<'h>(hir: &'h Hir, parts: &mut Vec<&'h Hir>) {
    match hir.kind() {
        HirKind::Concat(inner) => inner.iter().for_each(|part| flatten(part, parts)),
        HirKind::Capture(capture) => flatten(&capture.sub, parts),
        _ => parts.push(hir),
    }
}

/// Returns the bytes on one side of a part, given the parts there, nearest first; `None` if all of them can match
/// nothing.
fn beside<'h>(mut parts: impl Iterator<Item = &'h &'h Hir>, side: Side) -> Option<Bytes> {
    let mut bytes = Bytes::default();
    parts.any(|part| !bytes.take(part, side)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    #[test]
    fn texts_are_missed_that_are_out_of_order_or_beside_other_bytes() {
        let landmarks =
            Landmarks::of(r"^(?<file>.*?)\((?<line>[0-9]+),[0-9]+\): (?:error|warning) (?<code>[a-z]+): .*$");
        assert!(landmarks.are_in(b"a(b)(1,2): error semi: no"));
        for text in ["a(1,2): note semi: no", "a(1,2): error TS2: no", "): error semi: a(1,2", "a(x,2): error semi: "] {
            assert!(!landmarks.are_in(text.as_bytes()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_match_is_lost(
            written in "\\^?[a-cü :.*+?|()\\[\\]-]{0,16}\\$?",
            lines in proptest::collection::vec("[a-cü :€]{0,8}", 0..20),
        ) {
            if let Ok(regex) = Regex::new(&written) {
                let landmarks = Landmarks::of(&written);
                for line in lines {
                    prop_assert!(landmarks.are_in(line.as_bytes()) || !regex.is_match(&line), "{written} {line}");
                }
            }
        }
    }
}
