//! The bytes that a match can begin and end with: a text whose first or last byte is none of them is rejected at
//! once.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::Look;

use super::bytes::{Bytes, Side};
use super::expression::NESTING;

/// The bytes at both ends of a pattern that is anchored there; `None` where any byte is possible.
#[derive(Debug)]
pub(crate) struct Ends {
    first: Option<Bytes>,
    last: Option<Bytes>,
}

impl Ends {
    pub(crate) fn of(pattern: &str) -> Self {
        let parsed = ParserBuilder::new().nest_limit(NESTING).build().parse(pattern);
        let Ok(hir) = parsed else { return Self { first: None, last: None } };
        let properties = hir.properties();
        let begins = properties.look_set_prefix().contains(Look::Start);
        let ends = properties.look_set_suffix().contains(Look::End);
        // A match without any byte says nothing of a text that it does not span.
        let of = |is_anchored: bool, side: Side| {
            let mut bytes = Bytes::default();
            let is_sure = is_anchored && (!bytes.take(&hir, side) || begins && ends);
            is_sure.then_some(bytes)
        };
        Self { first: of(begins, Side::First), last: of(ends, Side::Last) }
    }

    /// Returns whether a text may match.
    pub(crate) fn admit(&self, text: &str) -> bool {
        let holds = |bytes: &Option<Bytes>, end: Option<&u8>| match (bytes, end) {
            (Some(bytes), Some(end)) => bytes.has(*end),
            _ => true,
        };
        let text = text.as_bytes();
        holds(&self.first, text.first()) && holds(&self.last, text.last())
    }
}

/// The patterns of a list that a text may match by its ends, looked up by the two bytes.
#[derive(Debug)]
pub(crate) struct EndTable {
    /// For each byte, one bit for each pattern that admits it.
    first: Box<[u64; 256]>,
    last: Box<[u64; 256]>,
    all: u64,
}

impl EndTable {
    /// # Panics
    /// Panics if there are more than 64 patterns: all lists are tables of this crate.
    pub(crate) fn new<'p>(list: impl IntoIterator<Item = &'p Ends>) -> Self {
        let mut table = Self { first: Box::new([0; 256]), last: Box::new([0; 256]), all: 0 };
        for (pattern, ends) in list.into_iter().enumerate() {
            assert!(pattern < 64, "a format has fewer rows");
            table.all |= 1 << pattern;
            for (side, bytes) in [(&mut table.first, &ends.first), (&mut table.last, &ends.last)] {
                for (byte, patterns) in (0..=u8::MAX).zip(side.iter_mut()) {
                    *patterns |= u64::from(bytes.as_ref().is_none_or(|bytes| bytes.has(byte))) << pattern;
                }
            }
        }
        table
    }

    /// Returns the indexes of the patterns that a text may match, in order.
    pub(crate) fn admitted(&self, text: &str) -> impl Iterator<Item = usize> + use<> {
        let bytes = text.as_bytes();
        let mut left = match (bytes.first(), bytes.last()) {
            (Some(first), Some(last)) => self.first[usize::from(*first)] & self.last[usize::from(*last)],
            _ => self.all,
        };
        std::iter::from_fn(move || {
            let next = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (next < u64::BITS).then_some(next as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    #[test]
    fn anchored_patterns_reject_by_their_ends() {
        for (pattern, admitted, rejected) in [
            (r"^(?:error|warning): .*$", "warning: x", "note: x"),
            (r"^[A-Z][0-9]+(?: \[\*\])? .* \[[a-z-]+\]$", "F401 no [a]", "F401 no"),
            (r"^(?:[0-9]+ files)?(?:, )?(?:[0-9]+ more)?$", ", 3 more", "a.c:1: no"),
            (r"^ *(?:-->|:::) x", ":::", "a"),
            (r"^größe ü$", "größe ü", "grün a"),
        ] {
            let ends = Ends::of(pattern);
            assert!(ends.admit(admitted) && ends.admit("") && !ends.admit(rejected), "{pattern}");
        }
        for pattern in ["error", "^(?:error)?", "(", "(?m)^error"] {
            assert!(Ends::of(pattern).admit("x"), "{pattern}");
        }
    }

    #[test]
    fn a_table_lists_the_patterns_that_admit_a_text() {
        let ends = [r"^[a-c]: .*$", r"^.*[0-9]$", r"^a.*$", "b", r"^$"].map(Ends::of);
        let table = EndTable::new(&ends);
        for (text, expected) in [("a: 1", &[0, 1, 2, 3][..]), ("b", &[0, 3]), ("x", &[3]), ("", &[0, 1, 2, 3, 4])] {
            assert_eq!(table.admitted(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_match_is_lost(
            written in "\\^?[a-cü :.*+?|()\\[\\]-]{0,12}\\$?",
            lines in proptest::collection::vec("[a-cü :€]{0,8}", 0..20),
        ) {
            if let Ok(regex) = Regex::new(&written) {
                let ends = Ends::of(&written);
                for line in lines {
                    prop_assert!(ends.admit(&line) || !regex.is_match(&line), "{written} {line}");
                }
            }
        }
    }
}
