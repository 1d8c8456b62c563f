//! Catch2's console reporter, versions 2 and 3.
//!
//! ```text
//! vectors can be sized
//!   resizing bigger
//! -------------------------------------------------------------------------------
//! c2.cpp:6
//! ...............................................................................
//!
//! c2.cpp:6: FAILED:
//!   REQUIRE( v.size() == 11 )
//! ===============================================================================
//! test cases: 3 | 1 passed | 2 failed
//! ```

use crate::prelude::*;
use crate::tools::ctest;

pub(crate) static TOOL: Tool = Tool::new("catch2", &["catch"], Role::Test).lines(&[LineFormat::new(
    &[
        "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "test cases: ",
        "All tests passed (",
        " is a Catch",
        "-----------------------------------------------------------",
    ],
    |_| Box::new(Catch::default()),
)]);

/// The summary of a run with failures; it counts test cases, not assertions.
static SUM: Pattern = Pattern::new(
    r"^test cases: +\d+(?: \| +(?<passed>\d+) passed)?(?: \| +(?<skipped>\d+) skipped)?(?: \| +(?<failed>\d+) failed)?(?: \| +(?<pending>\d+) failed as expected)?(?: \| +(?<skipped2>\d+) skipped)?$",
);

static ALL_PASSED: Pattern =
    Pattern::new(r"^All tests passed \((?:\d+ assertions?|no assertions) in (?<passed>\d+) test cases?\)$");

static FAILED: Pattern = Pattern::new(r"^(?<file>(?:[A-Za-z]:)?[^:(]+)(?::(?<line>\d+)|\((?<line2>\d+)\)): FAILED:$");

/// Position within the report.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Before,
    /// Below a ruler: the name of a test case, then those of its sections, indented.
    Names,
    /// Below the ruler under the names.
    Body,
    Failure,
}

#[derive(Default)]
struct Catch {
    runs: Runs,
    part: Part,
    /// The test case, and its sections.
    test: String,
    sections: Vec<String>,
    /// Whether the last line was a ruler: the summary follows one.
    is_below_rule: bool,
}

impl Catch {
    /// Handles a ruler of at least 70 equal characters; the character determines the next part.
    fn rule(&mut self, text: &str) -> bool {
        let Some(first) = text.bytes().next() else { return false };
        if text.len() < 70 || !text.bytes().all(|byte| byte == first) {
            return false;
        }
        match (first, self.part) {
            (b'-', Part::Names) | (b'.', _) => self.part = Part::Body,
            (b'-', _) => {
                self.test.clear();
                self.sections.clear();
                self.part = Part::Names;
            }
            (b'=', _) => self.part = Part::Before,
            _ => return first == b'~',
        }
        true
    }

    fn names(&mut self, text: &str) {
        if !text.starts_with(' ') && self.test.is_empty() {
            self.test = name(text.trim_end());
        } else if self.sections.len() < 32 {
            self.sections.push(name(text.trim()));
        }
    }

    /// Handles the location of a failed check. The first one of a test case counts; the others are part of its
    /// message.
    fn failed(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = FAILED.find(line.text.trim_end()) else { return false };
        self.part = Part::Failure;
        if self.runs.open.as_ref().is_some_and(|open| open.failure.name == self.test) {
            return true;
        }
        let mut failing = found.failing("catch2/text", line);
        failing.failure.name.clone_from(&self.test);
        failing.failure.message = self.sections.join(" / ");
        self.runs.open(failing);
        self.runs.count(TestStatus::Failed, 1);
        true
    }

    fn sum_up(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = ALL_PASSED.find(&line.text).or_else(|| SUM.find(&line.text)) else { return false };
        let skipped = found.number("skipped") + found.number("pending");
        self.runs.end_at(line, results::counts(found.number("passed"), found.number("failed"), skipped));
        self.part = Part::Before;
        true
    }
}

impl LineReader for Catch {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if line.is_blank() {
            return Use::None;
        }
        if self.part == Part::Before {
            ctest::give_way(text, &mut self.runs);
        }
        let is_below_rule = std::mem::replace(&mut self.is_below_rule, false);
        if self.rule(text) {
            self.is_below_rule = true;
            return Use::Line;
        }
        if is_below_rule && self.sum_up(line) {
            return Use::Line;
        }
        let part = self.part;
        match part {
            Part::Names => self.names(text),
            Part::Body | Part::Failure if self.failed(line) => {}
            Part::Failure => {
                self.runs.add(line, text);
            }
            Part::Body => {}
            Part::Before => return text.starts_with("assertions: ").into(),
        }
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        (!self.runs.is_empty()).then(|| self.runs.candidate("catch2", "text"))
    }
}
