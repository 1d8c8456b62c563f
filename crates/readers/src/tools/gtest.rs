//! GoogleTest.
//!
//! ```text
//! [ RUN      ] Add.Fails
//! t.cpp:4: Failure
//! Expected equality of these values: …
//! [  FAILED  ] Add.Fails (0 ms)
//! [==========] 8 tests from 4 test suites ran. (0 ms total)
//! [  PASSED  ] 1 test.
//! [  FAILED  ] 6 tests, listed below:
//! ```

use std::collections::BTreeSet;
use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure, TestResults, TestStatus};
use regex::Regex;

use crate::claim::{Claim, LineReader, Standing, Use, gravest, name, origin};
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};
use crate::tools::ctest;

/// GoogleTest.
pub(crate) const TOOL: Tool = Tool {
    name: "gtest",
    aliases: &["googletest"],
    role: Role::Test,
    lines: &[LineFormat { wakes: &["[==========] ", "[  FAILED  ] "], reader: |_| Box::new(Gtest::default()) }],
    documents: &[],
    settle: gravest,
};

static BEGIN: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^\[==========\] Running \d+ tests? from \d+ test (?:suite|case)s?\.$"));

static END: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^\[==========\] (?<total>\d+) tests? from \d+ test (?:suite|case)s? ran\.(?: \(\d+ ms total\))?$")
});

/// How one test went.
static ENDED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^\[ +(?<status>OK|FAILED|SKIPPED) +\] (?<name>[^\s,]+\.[^\s,]+)(?:, where .*)? \((?<time>\d+) ms\)$",
    )
});

/// A row of the summing-up.
static SUM: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^\[  (?<status>PASSED|FAILED|SKIPPED)  ?\] (?<number>\d+) tests?(?:\.|, listed below:)$")
});

/// A failed test in the list below the summing-up.
static LISTED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^\[  FAILED  \] (?<name>[^\s,:]+)(?<suite>: SetUpTest(?:Suite|Case) or .*)?(?:, where .*)?$")
});

static DISABLED: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^  YOU HAVE (?<number>\d+) DISABLED TESTS?$"));

/// Where a test failed.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:(?<file>(?:[A-Za-z]:)?[^:(]+)(?::(?<line>\d+): |\((?<line2>\d+)\): )(?:Failure|error: ?(?<rest>.*))|unknown file: (?:Failure|error: .*))$",
    )
});

/// Whether a line says where a test failed.
fn is_failure(text: &str) -> bool {
    text.ends_with(": Failure") && PLACE.is_match(text)
}

#[derive(Default)]
struct Gtest {
    run: Option<Run>,
    done: Option<TestResults>,
    /// Whether CTest ran it: then the tests are CTest's.
    is_in_ctest: bool,
    was_cut: bool,
}

/// One run of a program.
#[derive(Default)]
struct Run {
    results: Results,
    /// The test that is running.
    open: Option<Open>,
    names: BTreeSet<String>,
    /// All tests, once they ran.
    total: Option<u64>,
    passed: Option<u64>,
    failed: u64,
    skipped: u64,
    disabled: u64,
}

struct Open {
    name: String,
    failure: TestFailure,
    is_failing: bool,
}

impl Run {
    fn begin(&mut self, line: &Line<'_>) -> bool {
        let Some(title) = line.text.strip_prefix("[ RUN      ] ") else {
            return false;
        };
        if !title.contains('.') {
            return false;
        }
        self.crash();
        let failure =
            TestFailure { name: name(title), origin: Some(origin("gtest/text", line)), ..TestFailure::default() };
        self.open = Some(Open { name: name(title), failure, is_failing: false });
        true
    }

    /// Ends a test that never said how it went: its process died.
    fn crash(&mut self) {
        if let Some(mut open) = self.open.take().filter(|open| !open.name.is_empty()) {
            text::append_line(&mut open.failure.message, "the test did not end", limit::MESSAGE_BYTES);
            self.results.case(results::case(&[], &open.name, None, TestStatus::Failed));
            self.fail(open.failure);
        }
    }

    fn fail(&mut self, failure: TestFailure) {
        if self.names.len() < limit::FINDINGS_KEPT && self.names.insert(failure.name.clone()) {
            self.results.failure(failure);
        }
    }

    fn end(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = line.text.ends_with(" ms)").then(|| ENDED.captures(&line.text)).flatten() else {
            return false;
        };
        let title = &captures["name"];
        // With `--gtest_brief` nobody said that the test began.
        let Some(open) = self.open.take_if(|open| open.name == title || open.name.is_empty()) else {
            return false;
        };
        let status = match &captures["status"] {
            "OK" => TestStatus::Passed,
            "SKIPPED" => TestStatus::Skipped,
            _ => TestStatus::Failed,
        };
        let mut case = results::case(&[], title, None, status);
        case.duration_ms = text::count(&captures["time"]);
        if status == TestStatus::Failed {
            let mut failure = open.failure;
            failure.name = name(title);
            failure.duration_ms = case.duration_ms;
            if let Some(origin) = &mut failure.origin {
                origin.end = line.end;
            }
            self.fail(failure);
        }
        self.results.case(case);
        true
    }

    /// Takes what a test prints, and where it failed.
    fn output(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if self.open.is_none() && is_failure(text) {
            let failure = TestFailure { origin: Some(origin("gtest/text", line)), ..TestFailure::default() };
            self.open = Some(Open { name: String::new(), failure, is_failing: false });
        }
        let Some(Open { failure, is_failing, .. }) = &mut self.open else {
            return false;
        };
        let may_be = text.ends_with(": Failure") || text.contains(": error: ") || text.ends_with(": error:");
        if let Some(captures) = may_be.then(|| PLACE.captures(text)).flatten() {
            *is_failing = true;
            if failure.line.is_none()
                && let Some(file) = captures.name("file")
            {
                failure.file = Some(name(&text::path(file.as_str())));
                let line = captures.name("line").or_else(|| captures.name("line2"));
                failure.line = line.and_then(|line| text::position(line.as_str()));
            }
            if let Some(rest) = captures.name("rest").filter(|rest| !rest.is_empty()) {
                text::append_line(&mut failure.message, rest.as_str(), limit::MESSAGE_BYTES);
            }
        } else if *is_failing && !text.is_empty() {
            text::append_line(&mut failure.message, text, limit::MESSAGE_BYTES);
        }
        true
    }

    /// Takes a line of the summing-up.
    fn sum_up(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if let Some(captures) = text.starts_with("[  ").then(|| SUM.captures(text)).flatten() {
            let number = text::count(&captures["number"]).unwrap_or_default();
            match &captures["status"] {
                "PASSED" => self.passed = Some(number),
                "SKIPPED" => self.skipped = number,
                _ => self.failed = number,
            }
            return true;
        }
        if let Some(captures) = text.starts_with("  YOU HAVE ").then(|| DISABLED.captures(text)).flatten() {
            self.disabled = text::count(&captures["number"]).unwrap_or_default();
            return true;
        }
        if let Some(captures) = text.starts_with("[  FAILED  ] ").then(|| LISTED.captures(text)).flatten() {
            let suite = captures.name("suite").is_some();
            let failure = TestFailure {
                name: name(&captures["name"]),
                suite,
                origin: Some(origin("gtest/text", line)),
                ..TestFailure::default()
            };
            self.fail(failure);
            return true;
        }
        text.starts_with("[  SKIPPED ] ") || text.ends_with(" FAILED TESTS") || text.ends_with(" FAILED TEST")
    }

    fn into_results(mut self) -> TestResults {
        self.crash();
        if let (Some(total), Some(passed)) = (self.total, self.passed) {
            let failed = self.failed.max(self.results.seen.failed);
            let skipped = total.saturating_sub(passed + failed) + self.disabled;
            self.results.sum_up(results::counts(passed.min(total - failed.min(total)), failed, skipped));
        }
        self.results.finish("gtest", CountAuthority::Summary)
    }
}

impl Gtest {
    fn close(&mut self) {
        if let Some(run) = self.run.take() {
            self.was_cut |= run.total.is_none();
            results::join(&mut self.done, run.into_results());
        }
    }
}

impl LineReader for Gtest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        self.is_in_ctest |= self.run.is_none() && ctest::is_test_line(text);
        let is_heading = text.starts_with("[==========] ");
        if is_heading
            && BEGIN.is_match(text)
            && self.run.as_ref().is_none_or(|run| run.open.is_none() || run.total.is_some())
        {
            self.close();
            self.run = Some(Run::default());
            return Use::Line;
        }
        // With `--gtest_brief` a run begins with what it says of a failure, or of all.
        if self.run.as_ref().is_none_or(|run| run.total.is_some())
            && (is_failure(text) || self.run.is_none() && is_heading && END.is_match(text))
        {
            self.close();
            self.run = Some(Run::default());
        }
        let Some(run) = &mut self.run else {
            return Use::None;
        };
        if run.open.is_none()
            && is_heading
            && let Some(captures) = END.captures(text)
        {
            run.total = text::count(&captures["total"]);
            return Use::Line;
        }
        let is_used = if run.total.is_some() {
            run.sum_up(line)
        } else {
            run.end(line) || run.begin(line) || run.output(line) || text.starts_with("[----------] ")
        };
        if is_used { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let tests = self.done.filter(|tests| 0 < tests.counts.total)?;
        let standing = if self.is_in_ctest { Standing::Likely } else { Standing::Certain };
        let cut =
            self.was_cut.then(|| "a run of gtest was not summed up: it is cut short, or its process died".to_owned());
        Some(Claim {
            format: "text",
            standing,
            tests: Some(tests),
            notes: cut.into_iter().collect(),
            ..Claim::default()
        })
    }
}
