//! CTest: `ctest`, with and without `-V` and `--output-on-failure`.
//!
//! ```text
//! 4/8 Test #4: missing_bin ......................***Not Run   0.00 sec
//! 29% tests passed, 5 tests failed out of 7
//! The following tests FAILED:
//!       1 - gtest_all (Failed)
//! ```
//!
//! Here a test is a program. Its output, including its own test counts, is part of its failure.

use std::collections::BTreeMap;

use crate::candidate::NAME_BYTES;
use crate::prelude::*;
use crate::shapes::ctest_lines::TEST;

pub(crate) static TOOL: Tool = Tool::new("ctest", &[], Role::Test).lines(&[LineFormat::new(
    &["Test project ", " Test #", " Test  #", " Test   #", "% tests passed, ", "No tests were found!!!"],
    |_| Box::new(Ctest::default()),
)]);

/// The summary, which does not include disabled tests.
static SUM: Pattern = Pattern::new(r"^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$");

/// A row of the lists at the end.
static ROW: Pattern = Pattern::new(r"^\s+(?<number>\d+) - (?<name>.*?) \((?<status>[^()]*)\)(?: {2,}\S.*)?$");

/// `4: text`, the format in which `-V` shows the output of the fourth test while it runs.
static PRINTED: Pattern = Pattern::new(r"^(?<number>\d+):(?: (?<printed>.*))?$");

static PROGRESS: Pattern =
    Pattern::new(r"^(?:(?<verbose>test \d+)|    Start .*|Total Test time \(real\) =.*|Errors while running CTest)$");

/// Maximum number of failed tests whose output is kept.
const OUTPUTS_KEPT: usize = limit::FINDINGS_KEPT;

/// Maximum output kept per failed test, in bytes.
const OUTPUT_BYTES: usize = limit::MESSAGE_BYTES / 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    NotRun,
    Failed,
}

#[derive(Default)]
struct Ctest {
    runs: Runs,
    run: Run,
    /// Whether a run reported that there are no tests.
    ran_none: bool,
}

#[derive(Default)]
struct Run {
    /// Failed tests that were read, by number.
    failed: BTreeMap<u32, TestFailure>,
    /// The failed test whose output may follow.
    last: Option<u32>,
    /// Output of running tests, by number, as shown with `-V`.
    outputs: BTreeMap<u32, String>,
    list: Option<List>,
    /// Whether output of tests is shown while they run.
    is_verbose: bool,
    /// Number of failed tests and of all tests in the summary.
    sum: Option<(u64, u64)>,
    skipped: u64,
    disabled: u64,
    /// Number of failed tests in the list at the end.
    listed: u64,
}

impl Ctest {
    fn test(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = TEST.find(&line.text) else { return false };
        let status = match found.text("message").trim() {
            _ if found.has("passed") => TestStatus::Passed,
            "Skipped" | "Not Run (Disabled)" => TestStatus::Skipped,
            _ => TestStatus::Failed,
        };
        self.runs.case(results::case(&[], found.text("name"), None, status));
        let run = &mut self.run;
        let number = found.position("number");
        let output = number.and_then(|number| run.outputs.remove(&number));
        run.last = number.filter(|_| status == TestStatus::Failed && run.failed.len() < OUTPUTS_KEPT);
        if let Some(number) = run.last {
            let mut failure = found.failure("ctest/text", line);
            cut::head(found.text("message").trim(), NAME_BYTES).clone_into(&mut failure.message);
            if let Some(output) = output {
                text::append_line(&mut failure.message, &output, OUTPUT_BYTES);
            }
            run.failed.insert(number, failure);
        }
        true
    }

    /// Handles a row of a list at the end.
    fn row(&mut self, line: &Line<'_>, list: List) -> bool {
        let Some(found) = ROW.find(&line.text) else { return false };
        let status = found.text("status");
        if list == List::NotRun {
            self.run.skipped += 1;
            self.run.disabled += u64::from(status == "Disabled");
            return true;
        }
        let number = found.position("number").unwrap_or_default();
        let known = self.run.failed.remove(&number);
        let mut failure = known.unwrap_or_else(|| found.failure("ctest/text", line));
        if failure.message.is_empty() {
            cut::head(status, NAME_BYTES).clone_into(&mut failure.message);
        }
        self.run.listed += 1;
        self.runs.failure(failure);
        true
    }

    /// Ends the run, if there is one.
    fn close(&mut self) {
        let run = std::mem::take(&mut self.run);
        run.failed.into_values().for_each(|failure| self.runs.failure(failure));
        if let Some((failed, total)) = run.sum {
            let failed = failed.max(run.listed);
            let total = (total + run.disabled).max(failed + run.skipped);
            self.runs.sum_up(results::out_of(total, failed, run.skipped));
        }
        self.runs.begin();
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let Some(found) = SUM.find(text) else { return false };
        // A test may print a summary too: the last one is the runner's, and none reduces the number of failures
        // that were read.
        self.run.sum = Some((found.number("failed").max(self.runs.seen.failed), found.number("total")));
        self.run.last = None;
        true
    }

    /// Handles a line of the lists at the end.
    fn list(&mut self, line: &Line<'_>) -> bool {
        let list = match &*line.text {
            "The following tests FAILED:" => Some(List::Failed),
            "The following tests did not run:" => Some(List::NotRun),
            _ => None,
        };
        if list.is_some() && self.run.sum.is_some() {
            self.run.list = list;
            return true;
        }
        let is_row = self.run.list.is_some_and(|list| self.row(line, list));
        if !is_row {
            self.run.list = None;
        }
        is_row
    }
}

impl Run {
    /// Handles output that is shown while tests run.
    fn verbose(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = PRINTED.find(&line.text).filter(|_| self.is_verbose) else { return false };
        let Some(number) = found.position("number") else { return false };
        let printed = found.text("printed").trim_end();
        if self.outputs.len() < OUTPUTS_KEPT && !printed.trim().is_empty() {
            text::append_line(self.outputs.entry(number).or_default(), printed, OUTPUT_BYTES);
        }
        true
    }

    /// Handles output of a failed test, which follows the line with its result.
    fn output(&mut self, line: &Line<'_>) -> bool {
        let Some(failure) = self.last.and_then(|number| self.failed.get_mut(&number)) else { return false };
        if !line.is_blank {
            text::append_line(&mut failure.message, line.text.trim_end(), OUTPUT_BYTES);
        }
        true
    }

    /// Handles progress lines, which end the output of a test.
    fn talk(&mut self, text: &str) -> bool {
        let found = PROGRESS.find(text);
        if let Some(found) = &found {
            self.is_verbose |= found.has("verbose");
            self.last = None;
        }
        found.is_some()
    }
}

impl LineReader for Ctest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        let is_running = self.run.sum.is_some() || 0 < self.runs.seen.total;
        if text == "No tests were found!!!" && !is_running {
            self.ran_none = true;
            return Use::Line;
        }
        if text.starts_with("Test project ") && self.run.last.is_none() {
            self.close();
            return Use::Line;
        }
        let is_read = self.sum_up(text) || self.test(line) || self.list(line) || self.run.talk(text);
        (is_read || self.run.verbose(line) || self.run.output(line)).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        if self.ran_none {
            self.runs.sum_up(results::counts(0, 0, 0));
        }
        (!self.runs.is_empty()).then(|| self.runs.candidate("ctest", "text"))
    }
}
