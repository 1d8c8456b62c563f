//! `dart test`, compact and expanded: `00:01 +3 ~1 -1: group adds [E]` with the failure indented below, and
//! `00:01 +3 ~1 -1: Some tests failed.` at the end.

use crate::prelude::*;

/// `🎉 12 tests passed, 1 skipped.`, the last line of the `github` reporter.
static OF_GITHUB: Pattern = Pattern::new(r"^🎉 (?<passed>\d+) tests? passed(?:, (?<skipped>\d+) skipped)?\.$");

/// `00:01 +3 ~1 -1: group adds [E]`.
static STATUS: Pattern = Pattern::new(
    r"^\d\d:\d\d \+(?<passed>\d+)(?: ~(?<skipped>\d+))?(?: -(?<failed>\d+))?: (?:(?:(?<file>\S+_test\.dart): )?(?<test>\S.*?)(?<error> \[E\])?)$",
);

/// `  test/a_test.dart 5:7  main.<fn>`.
static FRAME: Pattern = Pattern::new(r"^ +(?<file>\S+\.dart) (?<line>\d+)(?::(?<column>\d+))? +\S");

#[derive(Default)]
pub(super) struct Text {
    results: Results,
    open: Option<TestFailure>,
    last: Option<TestCounts>,
    summaries: u64,
}

impl Text {
    fn close(&mut self) {
        if let Some(failure) = self.open.take() {
            self.results.failure(failure);
        }
    }

    fn status(&mut self, found: &Groups<'_, '_>, line: &Line<'_>) {
        self.close();
        self.last = Some(counts(found));
        let test = found.text("test");
        if matches!(test, "All tests passed!" | "Some tests failed." | "All tests skipped.") {
            self.results.sum_up(counts(found));
            self.last = None;
            self.summaries += 1;
        } else if found.has("error") {
            let suite = test.strip_prefix("loading ");
            self.open = Some(TestFailure {
                name: name(suite.unwrap_or(test)),
                suite: suite.is_some(),
                file: suite.map(name).or_else(|| found.file("file")),
                origin: Some(origin("dart-test/text", line)),
                ..TestFailure::default()
            });
        }
    }
}

fn counts(found: &Groups<'_, '_>) -> TestCounts {
    results::counts(found.number("passed"), found.number("failed"), found.number("skipped"))
}

impl LineReader for Text {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if let Some(found) = STATUS.find(text) {
            self.status(&found, line);
            return Use::Line;
        }
        if let Some(found) = OF_GITHUB.find(text) {
            self.results.sum_up(counts(&found));
            self.summaries += 1;
            return Use::Line;
        }
        let Some(failure) = &mut self.open else { return Use::None };
        if line.is_blank() {
            return Use::None;
        }
        if !text.starts_with("  ") {
            self.close();
            return Use::None;
        }
        if let Some(origin) = &mut failure.origin {
            origin.end = line.end;
        }
        if let Some(found) = FRAME.find(text).filter(|found| !found.text("file").starts_with("package:")) {
            if failure.line.is_none() && !found.text("file").starts_with("dart:") {
                failure.file = found.file("file");
                (failure.line, failure.column) = (found.position("line"), found.position("column"));
            }
        } else if failure.line.is_none() && !text.trim_start().starts_with("package:") {
            let said = text.trim();
            if let Some(value) = said.strip_prefix("Expected: ") {
                failure.expected.get_or_insert_with(|| value.to_owned());
            } else if let Some(value) = said.strip_prefix("Actual: ") {
                failure.received.get_or_insert_with(|| value.to_owned());
            }
            text::append_line(&mut failure.message, said, limit::MESSAGE_BYTES);
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let mut notes = Vec::new();
        if let Some(counts) = self.last.filter(|counts| 0 < counts.total) {
            notes.push("a run was cut short: it has no closing line".to_owned());
            self.results.sum_up(counts);
        }
        if self.summaries == 0 && self.results.is_empty() {
            return None;
        }
        let is_cut = !notes.is_empty();
        let mut tests = self.results.finish("dart-test", CountAuthority::Summary);
        if is_cut {
            tests.authority = CountAuthority::Lines;
        }
        Some(Candidate { format: "text", tests: Some(tests), notes, ..Candidate::default() })
    }
}

#[cfg(test)]
mod unit {
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn failures_have_values_and_places() {
        let text = "00:00 +0: loading test/a_test.dart\n00:00 +0: adds\n00:00 +0 -1: test/a_test.dart: adds [E]\n  Expected: <4>\n    Actual: <3>\n  \n  package:matcher               expect\n  test/a_test.dart 5:7          main.<fn>\n  \n00:00 +1 ~1 -1: Some tests failed.\n";
        let mut reader = Box::new(Text::default());
        for text in text.lines() {
            let end = text.len() as u64;
            reader.line(&Line::new(text, Stream::Stdout, 0..end));
        }
        let tests = reader.finish().and_then(|candidate| candidate.tests).unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed, tests.counts.skipped), (1, 1, 1));
        let failure = &tests.failures[0];
        assert_eq!(
            (failure.line, failure.expected.as_deref(), failure.received.as_deref()),
            (Some(5), Some("<4>"), Some("<3>"))
        );
    }
}
