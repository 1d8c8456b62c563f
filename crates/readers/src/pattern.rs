//! Patterns for lines.
//!
//! A pattern knows the bytes that a matching line can begin and end with, so that most lines are rejected by a look at
//! their ends. It is parsed when a line first passes.

use std::borrow::Cow;
use std::sync::OnceLock;

use self::ends::Ends;
pub(crate) use self::expression::{Expression, Groups};

mod backtrack;
mod bytes;
pub(crate) mod ends;
pub(crate) mod expression;
mod literal;
mod program;

/// A pattern written in this crate. Its character classes are those of ASCII, in which tools print numbers and white
/// space; `\w` also matches every character beyond ASCII.
///
/// Groups have names. Where alternatives mean the same, their groups are numbered from 2: `line`, `line2`.
pub(crate) struct Pattern {
    written: Cow<'static, str>,
    ends: OnceLock<Ends>,
    expression: OnceLock<Expression>,
}

impl Pattern {
    pub(crate) const fn new(written: &'static str) -> Self {
        Self::of(Cow::Borrowed(written))
    }

    pub(crate) const fn of(written: Cow<'static, str>) -> Self {
        Self { written, ends: OnceLock::new(), expression: OnceLock::new() }
    }

    /// Returns whether this pattern is another row's, written once.
    pub(crate) fn is(&self, other: &Self) -> bool {
        std::ptr::eq(&raw const *self.written, &raw const *other.written)
    }

    pub(crate) fn find<'p, 't>(&'p self, text: &'t str) -> Option<Groups<'p, 't>> {
        if self.ends().admit(text) { self.expression().find(text) } else { None }
    }

    /// Returns all matches in a text.
    pub(crate) fn find_iter<'p, 't>(&'p self, text: &'t str) -> impl Iterator<Item = Groups<'p, 't>> {
        self.expression().find_iter(text)
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// Returns the bytes that a matching text can begin and end with.
    pub(crate) fn ends(&self) -> &Ends {
        self.ends.get_or_init(|| Ends::of(&with_ascii_classes(&self.written)))
    }

    /// # Panics
    /// Panics on an invalid pattern; every pattern is a literal that the tests of its reader parse.
    fn expression(&self) -> &Expression {
        self.expression.get_or_init(|| {
            let written = with_ascii_classes(&self.written);
            Expression::new(&written, false).expect("patterns are literals of this crate")
        })
    }
}

/// Returns a pattern with the classes of ASCII: those of Unicode are large.
fn with_ascii_classes(pattern: &str) -> String {
    let mut plain = String::with_capacity(2 * pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('d') => plain.push_str("[0-9]"),
            Some('D') => plain.push_str("[^0-9]"),
            Some('s') => plain.push_str(r"[\t-\r ]"),
            Some('S') => plain.push_str(r"[^\t-\r ]"),
            Some('w') => plain.push_str(r"[0-9A-Za-z_\x{80}-\x{10ffff}]"),
            Some('b') => plain.push_str(r"(?-u:\b)"),
            Some(escaped) => plain.extend(['\\', escaped]),
            None => plain.push('\\'),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_alternatives_are_one_group() {
        static PLACE: Pattern = Pattern::new(r"^(?<file>\S+)(?::(?<line>\d+)|\((?<line2>\d+)\)): (?<count>\d+|no)$");
        for (text, line, count) in [("a:3: 4", 3, 4), ("a(5): no", 5, 0)] {
            let found = PLACE.find(text).unwrap();
            assert_eq!((found.text("file"), found.position("line"), found.number("count")), ("a", Some(line), count));
        }
        assert!(PLACE.find("a: 3").is_none() && !PLACE.is_match(""));
    }

    #[test]
    fn the_last_group_takes_the_rest_of_a_line() {
        static SAID: Pattern = Pattern::new(r"^(?<code>[A-Z]+)(?:: (?<level>\w+))?: (?<message>\S.*)$");
        let message = |text| SAID.find(text).map(|found| (found.text("message").to_owned(), found.whole()));
        assert_eq!(message("A: error: no "), Some(("no ".to_owned(), 0..13)));
        assert_eq!(message("A: no: no"), Some(("no".to_owned(), 0..9)));
        assert_eq!((message("A:  no"), message("A: n\no")), (None, None));
    }

    #[test]
    fn classes_are_those_of_ascii() {
        for (pattern, text, matches) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "١٢", false),
            (r"^[\d.]+$", "1.2", true),
            (r"^\w+$", "größe_1", true),
            (r"^[^\s:]+$", "a b", false),
            (r"^a\\d$", r"a\d", true),
            (r"^\S+\s\D$", "ü x", true),
            (r"\bfoo\b", "a foo.", true),
        ] {
            assert_eq!(Pattern::new(pattern).is_match(text), matches, "{pattern} {text}");
        }
    }
}
