//! CTest: `ctest`, also with `-V` and `--output-on-failure`.
//!
//! ```text
//! 4/8 Test #4: missing_bin ......................***Not Run   0.00 sec
//! 29% tests passed, 5 tests failed out of 7
//! The following tests FAILED:
//!       1 - gtest_all (Failed)
//! ```
//!
//! A test is a program here. What it prints, its own count of tests among it, is part of its failure.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure, TestResults, TestStatus};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, LineReader, NAME_BYTES, Use, gravest, name, origin};
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// CTest.
pub(crate) const TOOL: Tool = Tool {
    name: "ctest",
    aliases: &[],
    role: Role::Test,
    lines: &[LineFormat {
        wakes: &["Test project ", " Test #", " Test  #", " Test   #", "% tests passed, ", "No tests were found!!!"],
        reader: |_| Box::new(Ctest::default()),
    }],
    documents: &[],
    settle: gravest,
};

/// How one test went.
static TEST: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ *\d+/\d+ (?:Test|MemCheck) +#(?<number>\d+): (?<name>.*?) \.*(?:(?: +(?<passed>Passed))|(?<before>[^*.]*)\*\*\*(?<status>.*?)) +\d+\.\d+ sec",
    )
});

/// The sum. Tests that are disabled are not in it.
static SUM: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$"));

/// A row of the lists at the end.
static ROW: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^\s+(?<number>\d+) - (?<name>.*?) \((?<status>[^()]*)\)(?: {2,}\S.*)?$"));

/// Failed tests whose output is kept for the list at the end.
const OUTPUTS_KEPT: usize = limit::FINDINGS_KEPT;

/// Whether a line says how a test of CTest went: what stands around it is the output of a test.
pub(crate) fn is_test_line(text: &str) -> bool {
    text.contains(" Test ") && text.contains('#') && text.contains("***") && TEST.is_match(text)
}

/// Which list is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    NotRun,
    Failed,
}

#[derive(Default)]
struct Ctest {
    run: Run,
    /// Whether a run said that there are no tests.
    ran_none: bool,
    done: Option<TestResults>,
}

/// One run, so far.
#[derive(Default)]
struct Run {
    results: Results,
    /// How tests went that were seen, by their number.
    failed: BTreeMap<u32, TestFailure>,
    /// The failed test whose output may follow.
    last: Option<u32>,
    /// What tests printed that run, by their number, where `-V` shows it.
    outputs: BTreeMap<u32, String>,
    list: Option<List>,
    /// Whether tests are shown while they run.
    is_verbose: bool,
    /// Failed and all, as summed up.
    sum: Option<(u64, u64)>,
    skipped: u64,
    disabled: u64,
    /// Tests that the list at the end calls failed.
    listed: u64,
}

impl Run {
    fn test(&mut self, line: &Line<'_>) -> bool {
        let may_be = line.text.contains(" Test ") && line.text.contains('#') || line.text.contains("MemCheck");
        let Some(captures) = may_be.then(|| TEST.captures(&line.text)).flatten() else {
            return false;
        };
        let title = &captures["name"];
        let said = captures.name("status").map_or("", |status| status.as_str().trim());
        let status = match said {
            _ if captures.name("passed").is_some() => TestStatus::Passed,
            "Skipped" | "Not Run (Disabled)" => TestStatus::Skipped,
            _ => TestStatus::Failed,
        };
        self.results.case(results::case(&[], title, None, status));
        self.last = None;
        let number = text::position(&captures["number"]);
        let output = number.and_then(|number| self.outputs.remove(&number));
        let number = number.filter(|_| status == TestStatus::Failed);
        if let Some(number) = number
            && self.failed.len() < OUTPUTS_KEPT
        {
            let mut failure = TestFailure {
                name: name(title),
                message: cut::head(said, NAME_BYTES).to_owned(),
                origin: Some(origin("ctest/text", line)),
                ..TestFailure::default()
            };
            if let Some(output) = output {
                text::append_line(&mut failure.message, &output, limit::MESSAGE_BYTES / 4);
            }
            self.failed.insert(number, failure);
            self.last = Some(number);
        }
        true
    }

    /// Takes a row of a list at the end.
    fn row(&mut self, line: &Line<'_>, list: List) -> bool {
        let Some(captures) = ROW.captures(&line.text) else {
            return false;
        };
        let status = &captures["status"];
        if list == List::NotRun {
            self.skipped += 1;
            self.disabled += u64::from(status == "Disabled");
            return true;
        }
        let number = text::position(&captures["number"]).unwrap_or_default();
        let mut failure = self.failed.remove(&number).unwrap_or_else(|| TestFailure {
            name: name(&captures["name"]),
            origin: Some(origin("ctest/text", line)),
            ..TestFailure::default()
        });
        if failure.message.is_empty() {
            cut::head(status, NAME_BYTES).clone_into(&mut failure.message);
        }
        self.listed += 1;
        self.results.failure(failure);
        true
    }

    /// Takes `4: text`, as `-V` shows what the fourth test prints while it runs.
    fn verbose(&mut self, line: &Line<'_>) -> bool {
        let split = line.text.split_once(": ").or_else(|| line.text.strip_suffix(':').map(|number| (number, "")));
        let Some((number, text)) = split.filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit())) else {
            return false;
        };
        let Some(number) = text::position(number).filter(|_| self.is_verbose) else {
            return false;
        };
        if self.outputs.len() < OUTPUTS_KEPT && !text.trim().is_empty() {
            text::append_line(self.outputs.entry(number).or_default(), text.trim_end(), limit::MESSAGE_BYTES / 4);
        }
        true
    }

    /// Takes output of a failed test, which stands below the line that says that it failed.
    fn output(&mut self, line: &Line<'_>) -> bool {
        let failure = self.last.and_then(|number| self.failed.get_mut(&number));
        let Some(failure) = failure else {
            return false;
        };
        if !line.is_blank() && failure.message.len() < limit::MESSAGE_BYTES / 4 {
            text::append_line(&mut failure.message, line.text.trim_end(), limit::MESSAGE_BYTES / 4);
        }
        true
    }

    fn is_empty(&self) -> bool {
        self.sum.is_none() && self.results.is_empty()
    }

    fn into_results(mut self) -> TestResults {
        for (_, failure) in std::mem::take(&mut self.failed) {
            self.results.failure(failure);
        }
        if let Some((failed, total)) = self.sum {
            let failed = failed.max(self.listed);
            let total = (total + self.disabled).max(failed + self.skipped);
            self.results.sum_up(results::counts(total - failed - self.skipped, failed, self.skipped));
        }
        self.results.finish("ctest", CountAuthority::Summary)
    }
}

impl Ctest {
    /// Ends the run, where one was read.
    fn close(&mut self) {
        let run = std::mem::take(&mut self.run);
        if !run.is_empty() {
            results::join(&mut self.done, run.into_results());
        }
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let Some(captures) = text.contains("% tests passed, ").then(|| SUM.captures(text)).flatten() else {
            return false;
        };
        let number = |group: &str| text::count(&captures[group]).unwrap_or_default();
        // A test may print one, too: the last is the runner's, and none makes less of what was seen.
        self.run.sum = Some((number("failed").max(self.run.results.seen.failed), number("total")));
        self.run.last = None;
        true
    }

    /// Takes what stands in one of the lists at the end.
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
        let is_row = self.run.list.is_some_and(|list| self.run.row(line, list));
        if !is_row {
            self.run.list = None;
        }
        is_row
    }

    /// Takes lines that say what is done, and that end the output of a test.
    fn talk(&mut self, text: &str) -> bool {
        let is_talk = text.starts_with("    Start ")
            || text.starts_with("Total Test time (real) =")
            || text == "Errors while running CTest";
        let starts = text.strip_prefix("test ").and_then(text::position).is_some();
        self.run.is_verbose |= starts;
        if is_talk || starts {
            self.run.last = None;
        }
        is_talk || starts
    }
}

impl LineReader for Ctest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text == "No tests were found!!!" && self.run.is_empty() {
            self.ran_none = true;
            return Use::Line;
        }
        if text.starts_with("Test project ") && self.run.last.is_none() {
            self.close();
            return Use::Line;
        }
        if self.sum_up(text) || self.run.test(line) || self.list(line) || self.talk(text) {
            return Use::Line;
        }
        if self.run.verbose(line) || self.run.output(line) {
            return Use::Line;
        }
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        if self.ran_none {
            let mut none = Results::default();
            none.sum_up(results::counts(0, 0, 0));
            results::join(&mut self.done, none.finish("ctest", CountAuthority::Summary));
        }
        let tests = self.done?;
        Some(Claim { format: "text", tests: Some(tests), ..Claim::default() })
    }
}
