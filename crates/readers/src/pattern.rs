//! Patterns for lines, and the meaning of their groups.
//!
//! A pattern knows the bytes that a matching line can begin and end with, and the longest text that every such
//! line must contain, so that most lines are rejected by a look at their ends or by a search for that text; it is
//! compiled when a line first contains it.

use std::sync::OnceLock;

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, TestFailure};
use referee_syntax::cut;
use regex::{Captures, Regex};

use self::ends::Ends;
use self::literal::Literal;
use crate::candidate::{diagnostic, name, origin};
use crate::level::level;
use crate::scan::Line;
use crate::text;

mod ends;
pub(crate) mod literal;

/// A pattern written in this crate. Its character classes are those of ASCII ([`text::pattern`]).
///
/// Groups have names. Where alternatives mean the same, their groups are numbered from 2: `line`, `line2`.
pub(crate) struct Pattern {
    written: &'static str,
    required: OnceLock<(Ends, Option<Literal>)>,
    compiled: OnceLock<Compiled>,
}

struct Compiled {
    regex: Regex,
    /// Group names without the closing digit, in the order of the digits, each with the number of the group.
    groups: Vec<(String, usize)>,
}

impl Pattern {
    pub(crate) const fn new(written: &'static str) -> Self {
        Self { written, required: OnceLock::new(), compiled: OnceLock::new() }
    }

    pub(crate) fn find<'p, 't>(&'p self, text: &'t str) -> Option<Groups<'p, 't>> {
        if !self.may_match(text) {
            return None;
        }
        let Compiled { regex, groups } = self.compiled();
        regex.captures(text).map(|captures| Groups { captures, groups })
    }

    /// Matches a text, for a reader that handles the groups itself.
    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        if self.may_match(text) { self.compiled().regex.captures(text) } else { None }
    }

    /// Returns all matches in a text.
    pub(crate) fn find_iter<'p, 't>(&'p self, text: &'t str) -> impl Iterator<Item = Groups<'p, 't>> {
        let Compiled { regex, groups } = self.compiled();
        regex.captures_iter(text).map(move |captures| Groups { captures, groups })
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.may_match(text) && self.compiled().regex.is_match(text)
    }

    fn may_match(&self, text: &str) -> bool {
        let (ends, literal) = self.required.get_or_init(|| {
            let pattern = text::with_ascii_classes(self.written);
            (Ends::of(&pattern), Literal::of(&pattern, false))
        });
        ends.admit(text) && literal.as_ref().is_none_or(|literal| literal.is_in(text.as_bytes()))
    }

    fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            let regex = text::pattern(self.written);
            let names = regex.capture_names().enumerate();
            let mut names: Vec<_> = names.filter_map(|(number, name)| Some((name?, number))).collect();
            names.sort_unstable();
            let groups = names.into_iter().map(|(name, number)| (base(name).to_owned(), number)).collect();
            Compiled { regex, groups }
        })
    }
}

/// Returns a group's name without the closing digit (2 to 9) that distinguishes alternatives.
fn base(group: &str) -> &str {
    group.trim_end_matches(|last| matches!(last, '2'..='9'))
}

pub(crate) struct Groups<'p, 't> {
    captures: Captures<'t>,
    groups: &'p [(String, usize)],
}

impl<'t> Groups<'_, 't> {
    fn group(&self, name: &str) -> Option<regex::Match<'t>> {
        let mut named = self.groups.iter().filter(|(known, _)| known == name);
        named.find_map(|(_, number)| self.captures.get(*number))
    }

    /// Returns the text that a group matched, or that of the alternative which took part.
    pub(crate) fn get(&self, group: &str) -> Option<&'t str> {
        self.group(group).map(|found| found.as_str())
    }

    /// Returns the offset at which a group begins.
    pub(crate) fn start(&self, group: &str) -> Option<usize> {
        self.group(group).map(|found| found.start())
    }

    /// Returns whether a group took part in the match.
    pub(crate) fn has(&self, group: &str) -> bool {
        self.group(group).is_some()
    }

    /// Returns the text that a group matched, or an empty string.
    pub(crate) fn text(&self, group: &str) -> &'t str {
        self.get(group).unwrap_or_default()
    }

    /// Returns the whole match.
    pub(crate) fn whole(&self) -> regex::Match<'t> {
        self.captures.get_match()
    }

    /// Parses a 1-based number.
    pub(crate) fn position(&self, group: &str) -> Option<u32> {
        text::position(self.get(group)?)
    }

    /// Parses a 0-based number and returns it 1-based. For an inclusive end, this is the position after it.
    pub(crate) fn successor(&self, group: &str) -> Option<u32> {
        self.get(group)?.parse::<u32>().ok()?.checked_add(1)
    }

    /// Parses a number of findings or tests; `no` means 0.
    pub(crate) fn count(&self, group: &str) -> Option<u64> {
        let digits = self.get(group)?;
        if digits.eq_ignore_ascii_case("no") { Some(0) } else { text::count(digits) }
    }

    /// Parses a number of findings or tests; 0 if the group took no part.
    pub(crate) fn number(&self, group: &str) -> u64 {
        self.count(group).unwrap_or_default()
    }

    /// Returns a path in its stored form.
    pub(crate) fn file(&self, group: &str) -> Option<String> {
        self.get(group).filter(|file| !file.is_empty()).map(|file| name(&text::path(file)))
    }

    /// Returns the level that the group `level` names.
    pub(crate) fn level(&self) -> Option<Level> {
        self.get("level").and_then(level)
    }

    /// Creates a finding; `otherwise` is its level if the pattern does not give one.
    pub(crate) fn diagnostic(&self, tool: &str, rule: &str, line: &Line<'_>, otherwise: Level) -> Diagnostic {
        let level = self.level().unwrap_or(otherwise);
        let mut made = diagnostic(tool, rule, line, level, self.text("message").trim_end());
        self.locate(&mut made);
        made.code = self.code();
        made.fixable = self.has("fix");
        made
    }

    /// Creates a failed test from its `name`, location and `message`.
    pub(crate) fn failure(&self, rule: &str, line: &Line<'_>) -> TestFailure {
        TestFailure {
            name: name(self.text("name").trim()),
            file: self.file("file"),
            line: self.position("line"),
            column: self.position("column"),
            message: cut::head(self.text("message").trim_end(), limit::MESSAGE_BYTES).to_owned(),
            origin: Some(origin(rule, line)),
            ..TestFailure::default()
        }
    }

    pub(crate) fn code(&self) -> Option<String> {
        self.get("code").filter(|code| !code.is_empty()).map(name)
    }

    /// Fills in those parts of a finding's location that are not set yet and that the pattern gives.
    pub(crate) fn locate(&self, made: &mut Diagnostic) {
        made.file = made.file.take().or_else(|| self.file("file"));
        made.line = made.line.or_else(|| self.position("line")).or_else(|| self.successor("line0"));
        let column = made.column.or_else(|| self.position("column")).or_else(|| self.successor("column0"));
        made.column = column.filter(|_| made.line.is_some());
        let last = self.successor("last_column");
        made.end_column = made.end_column.or_else(|| self.position("end_column")).or(last);
        made.end_line = made.end_line.or_else(|| self.position("end_line")).or(made.line.filter(|_| last.is_some()));
    }
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
    fn places_are_counted_from_one_and_end_behind_their_last_column() {
        static PLACE: Pattern = Pattern::new(r"^(?<line0>\d+):(?<column0>\d+)-(?<last_column>\d+)$");
        let line = Line::new("0:4-6", referee_model::record::Stream::Stdout, 0..5);
        let made = PLACE.find(&line.text).unwrap().diagnostic("tool", "tool/text", &line, Level::Error);
        assert_eq!((made.line, made.column, made.end_line, made.end_column), (Some(1), Some(5), Some(1), Some(7)));
    }
}
