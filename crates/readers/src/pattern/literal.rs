//! The longest text that every match of a pattern holds.

use regex_syntax::hir::{Hir, HirKind};

/// Shortest text that is worth a search of its own.
const SHORTEST: usize = 2;

/// Returns the longest text that every match holds; none where there is no such text, or it is hardly longer than nothing.
pub(crate) fn required(pattern: &str) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut texts = Texts::default();
    texts.take(&hir);
    texts.end();
    String::from_utf8(texts.longest).ok().filter(|text| SHORTEST <= text.len())
}

/// Texts that a match holds, in their order.
#[derive(Default)]
struct Texts {
    /// What stands directly before what comes next.
    open: Vec<u8>,
    longest: Vec<u8>,
}

impl Texts {
    fn take(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Literal(literal) => self.open.extend_from_slice(&literal.0),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.take(part)),
            HirKind::Capture(capture) => self.take(&capture.sub),
            HirKind::Repetition(repetition) if 0 < repetition.min => {
                self.end();
                self.take(&repetition.sub);
                self.end();
            }
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Class(_) | HirKind::Repetition(_) | HirKind::Alternation(_) => self.end(),
        }
    }

    /// Ends the open text: what follows may be anything.
    fn end(&mut self) {
        let open = std::mem::take(&mut self.open);
        if self.longest.len() < open.len() {
            self.longest = open;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_every_match_holds_is_required() {
        for (pattern, literal) in [
            (r"^(?<file>[^:]+): error (?<code>TS[0-9]+): .*$", Some(": error TS")),
            (r"^warning(?:s)?: x$", Some("warning")),
            (r"^(?:error|warning): (?<message>.*)$", Some(": ")),
            (r"^(?:ab)+c$", Some("ab")),
            (r"^(?:ab)*c$", None),
            (r"(?i)error", None),
            (r"^[0-9]+$", None),
            (r"(", None),
        ] {
            assert_eq!(required(pattern).as_deref(), literal, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn a_match_holds_what_is_required(text in "[abc: ]{0,12}") {
            for pattern in [r"^a+(?:bc)? ?b", r"(?:ab|ac): (?<x>c)", r"a(?:b(?:ca)+)", r"(?-u:\b)ab(?: |$)c?"] {
                let is_match = regex::Regex::new(pattern).unwrap().is_match(&text);
                let literal = required(pattern);
                prop_assert!(!is_match || literal.is_none_or(|literal| text.contains(&literal)), "{pattern} {text}");
            }
        }
    }
}
