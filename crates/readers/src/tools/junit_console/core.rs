//! JUnit 4's own runner, `java org.junit.runner.JUnitCore`:
//!
//! ```text
//! JUnit version 4.13.2
//! ..E.
//! There was 1 failure:
//! 1) addsWrong(demo.CalcTest)
//! java.lang.AssertionError: expected:<4> but was:<3>
//!
//! FAILURES!!!
//! Tests run: 3,  Failures: 1
//! ```
//!
//! It does not count the tests that it ignores.

use referee_model::reading::{CountAuthority, TestFailure};

use crate::candidate::{Candidate, LineReader, Use, name, origin};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::jvm::failure::Body;
use crate::shapes::results::{self, Results};
use crate::text;

pub(super) const OPENING: &str = "JUnit version 4";

/// A failed test; a class alone where its tests never ran.
static FAILED: Pattern = Pattern::new(r"^\d+\) (?:(?<method>\S.*)\((?<class>[\w.$]+)\)|(?<suite>[\w.$]+))$");

static COUNT: Pattern =
    Pattern::new(r"^(?:OK \((?<passed>\d+) tests?\)|Tests run: (?<run>\d+),  Failures: (?<failed>\d+))$");

/// Reads what the runner prints.
#[derive(Default)]
pub(super) struct Core {
    is_open: bool,
    results: Results,
    open: Option<(TestFailure, String, String, Body)>,
    summary_end: Option<u64>,
}

impl Core {
    fn close(&mut self) {
        if let Some((mut failure, class, method, body)) = self.open.take() {
            body.fill(&mut failure, &class, &method);
            self.results.failure(failure);
        }
    }
}

impl LineReader for Core {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.starts_with(OPENING) {
            self.close();
            self.is_open = true;
            return Use::Line;
        }
        if !self.is_open {
            return Use::None;
        }
        let is_count = text.starts_with("OK (") || text.starts_with("Tests run: ");
        if let Some(captures) = is_count.then(|| COUNT.captures(text)).flatten() {
            let number =
                |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str())).unwrap_or(0);
            self.close();
            let passed = number("passed") + number("run").saturating_sub(number("failed"));
            self.results.sum_up(results::counts(passed, number("failed"), 0));
            self.summary_end = Some(line.end);
            self.is_open = false;
            return Use::Line;
        }
        if let Some(captures) = text.contains(") ").then(|| FAILED.captures(text)).flatten() {
            self.close();
            let group = |group: &str| captures.name(group).map_or("", |found| found.as_str()).to_owned();
            let (class, method, suite) = (group("class"), group("method"), group("suite"));
            let is_suite = !suite.is_empty();
            let full = if is_suite { suite.clone() } else { format!("{class}.{method}") };
            let failure = TestFailure {
                name: name(&full),
                suite: is_suite,
                origin: Some(origin("junit-console/core", line)),
                ..TestFailure::default()
            };
            self.open = Some((failure, if is_suite { suite } else { class }, method, Body::default()));
            return Use::Line;
        }
        let Some((failure, _, _, body)) = &mut self.open else {
            return Use::None;
        };
        if text == "FAILURES!!!" || (text.is_empty() && body.has_stack()) || !body.line(text) {
            self.close();
            return Use::None;
        }
        if let Some(origin) = failure.origin.as_mut().filter(|_| !text.is_empty()) {
            origin.end = line.end;
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        self.results.summary?;
        let tests = self.results.finish("junit", CountAuthority::Summary);
        Some(Candidate { format: "core", tests: Some(tests), summary_end: self.summary_end, ..Candidate::default() })
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn failures_and_counts_are_read() {
        let mut reader = Box::new(Core::default());
        let text = "JUnit version 4.13.2\n..E.\nTime: 0.01\nThere was 1 failure:\n1) addsWrong(demo.CalcTest)\njava.lang.AssertionError: expected:<4> but was:<3>\n\tat org.junit.Assert.fail(Assert.java:89)\n\tat demo.CalcTest.addsWrong(CalcTest.java:7)\n\nFAILURES!!!\nTests run: 3,  Failures: 1\n";
        for line in text.lines() {
            reader.line(&Line {
                text: line.into(),
                text_start: None,
                stream: Stream::Stdout,
                start: 0,
                end: 9,
                is_cut: false,
            });
        }
        let tests = reader.finish().and_then(|candidate| candidate.tests).unwrap();
        assert_eq!(tests.counts, results::counts(2, 1, 0));
        let failure = &tests.failures[0];
        assert_eq!((failure.name.as_str(), failure.line), ("demo.CalcTest.addsWrong", Some(7)));
        assert_eq!(failure.message, "expected:<4> but was:<3>");
    }
}
