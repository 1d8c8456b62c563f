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
//! The runner does not count ignored tests.

use crate::prelude::*;
use crate::shapes::jvm::failing;

pub(super) const OPENING: &str = "JUnit version 4";

/// A failed test; only the class if its tests never ran.
static FAILED: Pattern = Pattern::new(r"^\d+\) (?:(?<method>\S.*)\((?<class>[\w.$]+)\)|(?<class2>[\w.$]+))$");

static COUNT: Pattern =
    Pattern::new(r"^(?:OK \((?<total>\d+) tests?\)|Tests run: (?<total2>\d+),  Failures: (?<failed>\d+))$");

/// Reads the output of the runner.
#[derive(Default)]
pub(super) struct Core {
    is_open: bool,
    runs: Runs,
}

impl LineReader for Core {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.starts_with(OPENING) {
            self.runs.close();
            self.is_open = true;
            return Use::Line;
        }
        if !self.is_open {
            return Use::None;
        }
        if let Some(counts) = COUNT.find(text).and_then(|found| found.tests()) {
            self.runs.sum_up_at(line, counts);
            self.is_open = false;
            return Use::Line;
        }
        if let Some(found) = FAILED.find(text) {
            let mut failing = failing(found.text("class"), found.text("method"), "junit-console/core", line);
            failing.failure.suite = !found.has("method");
            self.runs.open(failing);
            return Use::Line;
        }
        if text == "FAILURES!!!" || (text.is_empty() && self.runs.has_stack()) {
            self.runs.close();
        }
        self.runs.add(line, text).into()
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        self.runs.end?;
        Some(self.runs.candidate("junit", "core"))
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
            reader.line(&Line::new(line, Stream::Stdout, 0..9));
        }
        let tests = reader.finish().and_then(|candidate| candidate.tests).unwrap();
        assert_eq!(tests.counts, results::counts(2, 1, 0));
        let failure = &tests.failures[0];
        assert_eq!((failure.name.as_str(), failure.line), ("demo.CalcTest.addsWrong", Some(7)));
        assert_eq!(failure.message, "expected:<4> but was:<3>");
    }
}
