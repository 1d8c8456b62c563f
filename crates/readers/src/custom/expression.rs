//! A regular expression, and a text that every line which it matches holds: most lines are told from it by that alone.

use regex::{Captures, Regex};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Deepest nesting of an expression.
pub(super) const NESTING: u32 = 64;

/// An expression.
#[derive(Debug)]
pub(super) struct Expression {
    regex: Regex,
    required: Option<Literal>,
}

impl Expression {
    /// Adds to a compiled expression what it requires.
    pub(super) fn new(regex: Regex, ignores_case: bool) -> Self {
        let mut parser = ParserBuilder::new().case_insensitive(ignores_case).nest_limit(NESTING).build();
        let mut runs = Runs::default();
        if let Ok(hir) = parser.parse(regex.as_str()) {
            runs.take(&hir);
            runs.end();
        }
        Self { regex, required: Literal::new(runs.longest) }
    }

    /// Returns what is captured of a line that matches.
    pub(super) fn captures<'t>(&self, line: &'t str) -> Option<Captures<'t>> {
        if self.required.as_ref().is_some_and(|required| !required.is_in(line.as_bytes())) {
            return None;
        }
        self.regex.captures(line)
    }

    /// Returns how many groups it has, the match as a whole among them.
    pub(super) fn groups(&self) -> usize {
        self.regex.captures_len()
    }
}

/// A text that is looked for in any case of ASCII letters.
#[derive(Debug)]
struct Literal {
    /// In small letters.
    text: Vec<u8>,
    /// Where in it the byte stands that is looked for first.
    sign: usize,
}

impl Literal {
    /// Takes a text in small letters; none where it is empty.
    fn new(text: Vec<u8>) -> Option<Self> {
        // Signs are less common than letters, and letters less than blanks.
        let rank = |byte: u8| (byte.is_ascii_whitespace(), byte.is_ascii_alphanumeric());
        let (sign, _) = text.iter().enumerate().min_by_key(|(_, byte)| rank(**byte))?;
        Some(Self { text, sign })
    }

    fn is_in(&self, line: &[u8]) -> bool {
        let sign = self.text[self.sign];
        memchr::memchr2_iter(sign, sign.to_ascii_uppercase(), line).any(|at| {
            let found = at.checked_sub(self.sign).and_then(|start| line.get(start..start + self.text.len()));
            found.is_some_and(|found| found.eq_ignore_ascii_case(&self.text))
        })
    }
}

/// The literal texts of an expression that every match holds.
#[derive(Default)]
struct Runs {
    /// The one that may go on.
    open: Vec<u8>,
    longest: Vec<u8>,
}

impl Runs {
    fn take(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Literal(literal) => self.open.extend(literal.0.iter().map(u8::to_ascii_lowercase)),
            HirKind::Class(class) => match letter(class) {
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
            HirKind::Alternation(_) => self.end(),
            HirKind::Empty | HirKind::Look(_) => {}
        }
    }

    fn end(&mut self) {
        if self.longest.len() < self.open.len() {
            self.longest = std::mem::take(&mut self.open);
        }
        self.open.clear();
    }
}

/// Returns the small letter of a class that holds a letter in both cases and nothing else.
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
    use regex::RegexBuilder;

    use super::*;

    fn expression(written: &str, ignores_case: bool) -> Expression {
        Expression::new(RegexBuilder::new(written).case_insensitive(ignores_case).build().unwrap(), ignores_case)
    }

    #[test]
    fn the_longest_text_that_all_matches_hold_is_found() {
        for (written, ignores_case, required) in [
            (r"^(.*):(\d+): (.*)$", false, Some(": ")),
            ("^(?:ab)+: Error(x|yz)$", false, Some(": error")),
            ("^(?P<f>.+) error TS[0-9]+$", true, Some(" error t")),
            ("^warning: (.*)$", true, Some("warning: ")),
            ("^(a|b)*[xy]?.{0,3}$", false, None),
            (r"^größe \(", false, Some("größe (")),
        ] {
            let required = required.map(|text| text.as_bytes().to_vec());
            assert_eq!(expression(written, ignores_case).required.map(|literal| literal.text), required, "{written}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_match_is_lost(
            written in "[a-cA-C :.*+?|()k]{0,12}",
            lines in proptest::collection::vec("[a-cA-C :kK\u{212a}]{0,12}", 0..20),
            ignores_case: bool,
        ) {
            if let Ok(regex) = RegexBuilder::new(&written).case_insensitive(ignores_case).build() {
                let expression = Expression::new(regex.clone(), ignores_case);
                for line in lines {
                    proptest::prop_assert_eq!(expression.captures(&line).is_some(), regex.is_match(&line));
                }
            }
        }
    }
}
