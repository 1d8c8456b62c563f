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

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure, TestResults};
use regex::Regex;

use crate::claim::{Claim, LineReader, Standing, Use, gravest, name, origin};
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};
use crate::tools::ctest;

/// Catch2.
pub(crate) const TOOL: Tool = Tool {
    name: "catch2",
    aliases: &["catch"],
    role: Role::Test,
    lines: &[LineFormat {
        wakes: &[
            "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
            "test cases: ",
            "All tests passed (",
            " is a Catch",
            "-----------------------------------------------------------",
        ],
        reader: |_| Box::new(Catch::default()),
    }],
    documents: &[],
    settle: gravest,
};

/// The sum of a run with failures: test cases, not assertions.
static SUM: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^test cases: +(?<total>\d+)(?: \| +(?<passed>\d+) passed)?(?: \| +(?<skipped>\d+) skipped)?(?: \| +(?<failed>\d+) failed)?(?: \| +(?<expected>\d+) failed as expected)?(?: \| +(?<skipped2>\d+) skipped)?$",
    )
});

/// The sum of a run without.
static ALL_PASSED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^All tests passed \((?:\d+ assertions?|no assertions) in (?<total>\d+) test cases?\)$")
});

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>(?:[A-Za-z]:)?[^:(]+)(?::(?<line>\d+)|\((?<line2>\d+)\))(?<failed>: FAILED:)?$")
});

/// Where in the report we are.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Before,
    /// Below a rule: the name of a test case, then of its sections, indented.
    Names,
    /// Below the rule under the names.
    Body,
    /// Below what failed.
    Failure,
}

#[derive(Default)]
struct Catch {
    results: Results,
    part: Part,
    /// The test case, and its sections.
    test: String,
    sections: Vec<String>,
    open: Option<TestFailure>,
    done: Option<TestResults>,
    is_in_ctest: bool,
    /// Whether the last line was a rule: the sum stands below one.
    is_below_rule: bool,
}

impl Catch {
    fn close(&mut self) {
        if let Some(failure) = self.open.take() {
            self.results.failure(failure);
        }
    }

    /// Takes a line of 79 equal signs: what comes next is told by which they are.
    fn rule(&mut self, text: &str) -> bool {
        let Some(first) = text.bytes().next() else {
            return false;
        };
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

    /// Takes the place of something that failed. Of one test case the first counts; the others are in its message.
    fn failed(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let Some(captures) = text.ends_with(": FAILED:").then(|| PLACE.captures(text)).flatten() else {
            return false;
        };
        self.part = Part::Failure;
        if self.open.as_ref().is_some_and(|open| open.name == self.test) {
            return true;
        }
        self.close();
        let number = captures.name("line").or_else(|| captures.name("line2"));
        self.open = Some(TestFailure {
            name: self.test.clone(),
            file: Some(name(&text::path(&captures["file"]))),
            line: number.and_then(|line| text::position(line.as_str())),
            message: self.sections.join(" / "),
            origin: Some(origin("catch2/text", line)),
            ..TestFailure::default()
        });
        true
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let number = |captures: &regex::Captures<'_>, group: &str| {
            captures.name(group).and_then(|digits| text::count(digits.as_str())).unwrap_or(0)
        };
        let counts = if let Some(captures) =
            text.starts_with("All tests passed").then(|| ALL_PASSED.captures(text)).flatten()
        {
            results::counts(number(&captures, "total"), 0, 0)
        } else if let Some(captures) = text.starts_with("test cases: ").then(|| SUM.captures(text)).flatten() {
            let skipped = number(&captures, "skipped") + number(&captures, "skipped2") + number(&captures, "expected");
            results::counts(number(&captures, "passed"), number(&captures, "failed"), skipped)
        } else {
            return false;
        };
        self.close();
        let mut results = std::mem::take(&mut self.results);
        results.sum_up(counts);
        results::join(&mut self.done, results.finish("catch2", CountAuthority::Summary));
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
        self.is_in_ctest |= self.part == Part::Before && ctest::is_test_line(text);
        let is_below_rule = std::mem::replace(&mut self.is_below_rule, false);
        if self.rule(text) {
            self.is_below_rule = true;
            return Use::Line;
        }
        if is_below_rule && self.sum_up(text) {
            return Use::Line;
        }
        let part = self.part;
        match part {
            Part::Names => self.names(text),
            Part::Body | Part::Failure if self.failed(line) => {}
            Part::Failure => {
                if let Some(failure) = &mut self.open {
                    text::append_line(&mut failure.message, text.trim_end(), limit::MESSAGE_BYTES);
                    if let Some(origin) = &mut failure.origin {
                        origin.end = line.end;
                    }
                }
            }
            Part::Body => {}
            Part::Before => return if text.starts_with("assertions: ") { Use::Line } else { Use::None },
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let is_cut = !self.results.is_empty();
        if is_cut {
            let mut results = std::mem::take(&mut self.results);
            let failed = results.failures_mut().len() as u64;
            results.count(referee_model::reading::TestStatus::Failed, failed);
            results::join(&mut self.done, results.finish("catch2", CountAuthority::Summary));
        }
        let tests = self.done?;
        let standing = if self.is_in_ctest { Standing::Likely } else { Standing::Certain };
        let cut = is_cut.then(|| "a run of catch2 was not summed up: it is cut short, or its process died".to_owned());
        Some(Claim {
            format: "text",
            standing,
            tests: Some(tests),
            notes: cut.into_iter().collect(),
            ..Claim::default()
        })
    }
}
