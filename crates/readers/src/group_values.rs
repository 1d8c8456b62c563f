//! What the groups of a pattern mean in a finding or a failed test.

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, RelatedPlace, TestFailure};
use referee_syntax::cut;

use crate::candidate::{self, diagnostic, name, path};
use crate::level::level;
use crate::pattern::Groups;
use crate::scan::Line;
use crate::text;

impl Groups<'_, '_> {
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
        self.get(group).filter(|file| !file.is_empty()).map(path)
    }

    /// Returns the level that the group `level` names.
    pub(crate) fn level(&self) -> Option<Level> {
        self.get("level").and_then(level)
    }

    /// Creates a finding; `otherwise` is its level if the pattern does not give one.
    pub(crate) fn diagnostic(&self, tool: &str, rule: &str, line: &Line<'_>, otherwise: Level) -> Diagnostic {
        self.saying(self.text("message").trim_end(), tool, rule, line, otherwise)
    }

    /// Creates a finding with this message.
    pub(crate) fn saying(&self, said: &str, tool: &str, rule: &str, line: &Line<'_>, otherwise: Level) -> Diagnostic {
        let level = self.level().unwrap_or(otherwise);
        let mut made = diagnostic(tool, rule, line, level, said);
        self.locate(&mut made);
        made.code = self.code();
        made.fixable = self.has("fix");
        made
    }

    /// Creates a failed test from its `name`, location and `message`.
    pub(crate) fn failure(&self, rule: &str, line: &Line<'_>) -> TestFailure {
        TestFailure {
            file: self.file("file"),
            line: self.position("line"),
            column: self.position("column"),
            message: cut::head(self.text("message").trim_end(), limit::MESSAGE_BYTES).to_owned(),
            ..candidate::failure(self.text("name"), rule, line)
        }
    }

    /// Creates a related location from a location and a `message`.
    pub(crate) fn related(&self) -> RelatedPlace {
        let column = self.position("column").or_else(|| self.successor("column0"));
        let message = self.text("message").trim().to_owned();
        RelatedPlace { file: self.file("file"), line: self.position("line"), column, message }
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
    use crate::pattern::Pattern;

    #[test]
    fn places_are_counted_from_one_and_end_behind_their_last_column() {
        static PLACE: Pattern = Pattern::new(r"^(?<line0>\d+):(?<column0>\d+)-(?<last_column>\d+)$");
        let line = Line::new("0:4-6", referee_model::record::Stream::Stdout, 0..5);
        let made = PLACE.find(&line.text).unwrap().diagnostic("tool", "tool/text", &line, Level::Error);
        assert_eq!((made.line, made.column, made.end_line, made.end_column), (Some(1), Some(5), Some(1), Some(7)));
    }
}
