//! cmocka's default output.
//!
//! ```text
//! [ RUN      ] bad
//! [  ERROR   ] --- 0x1 != 0x2
//! [   LINE   ] --- cm.c:7: error: Failure!
//! [  FAILED  ] bad
//! [==========] 3 test(s) run.
//! [  PASSED  ] 1 test(s).
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure, TestResults, TestStatus};
use referee_model::record::Stream;
use regex::Regex;

use crate::claim::{Claim, LineReader, Use, gravest, name, origin};
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// cmocka.
pub(crate) const TOOL: Tool = Tool {
    name: "cmocka",
    aliases: &[],
    role: Role::Test,
    lines: &[LineFormat { wakes: &[" test(s)"], reader: |_| Box::new(Cmocka::default()) }],
    documents: &[],
    settle: one_claim,
};

/// A line of the runner: its mark, and what stands behind.
static MARKED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^\[ *(?<mark>==========|RUN|OK|ERROR|LINE|FAILED|SKIPPED|PASSED) *\] (?<rest>.*)$")
});

/// What is summed up, with the name of the group before it in newer versions.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?:.*: )?(?:(?<runs>Running) )?(?<number>\d+) test\(s\)(?:\.| run\.|, listed below:)$")
});

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^--- (?<file>(?:[A-Za-z]:)?[^:]+):(?<line>\d+): error: (?<message>.*)$"));

#[derive(Default)]
struct Cmocka {
    results: Results,
    open: Option<TestFailure>,
    /// All tests of the group that ran, then how many passed, failed and were skipped.
    total: Option<u64>,
    failed: u64,
    skipped: u64,
    /// None: that is said on the other stream.
    passed: Option<u64>,
    is_recognized: bool,
    done: Option<TestResults>,
    /// What standard error says of failures, where it says it apart: without their names.
    nameless: Vec<TestFailure>,
    /// Names of failed tests, in the order in which they failed.
    listed: Vec<String>,
}

/// Puts what standard error says of failures to the failures of standard output.
fn one_claim(claims: Vec<(Stream, Claim)>) -> Option<Claim> {
    let (whole, parts): (Vec<_>, Vec<_>) = claims.into_iter().partition(|(_, claim)| !claim.is_tentative);
    let mut claim = gravest(whole)?;
    let told = parts.into_iter().filter_map(|(_, claim)| claim.tests).flat_map(|tests| tests.failures);
    for told in told {
        let failures = claim.tests.iter_mut().flat_map(|tests| &mut tests.failures);
        if let Some(failure) = failures.into_iter().find(|failure| failure.name == told.name && failure.file.is_none())
        {
            (failure.file, failure.line, failure.message) = (told.file, told.line, told.message);
        }
    }
    Some(claim)
}

impl Cmocka {
    fn ended(&mut self, status: TestStatus, title: &str) {
        let Some(failure) = self.open.take_if(|open| open.name == title) else {
            return;
        };
        self.results.case(results::case(&[], title, None, status));
        if status == TestStatus::Failed {
            self.results.failure(failure);
        }
    }

    /// Ends a group of tests.
    fn close(&mut self) {
        let mut results = std::mem::take(&mut self.results);
        if let Some(mut failure) = self.open.take() {
            text::append_line(&mut failure.message, "the test did not end", limit::MESSAGE_BYTES);
            results.case(results::case(&[], &failure.name, None, TestStatus::Failed));
            results.failure(failure);
        }
        if self.total.take().is_some() {
            let failed = self.failed.max(results.seen.failed);
            let skipped = self.skipped.max(results.seen.skipped);
            results.sum_up(results::counts(self.passed.unwrap_or(results.seen.passed), failed, skipped));
        }
        (self.passed, self.failed, self.skipped) = (None, 0, 0);
        if !results.is_empty() {
            results::join(&mut self.done, results.finish("cmocka", CountAuthority::Summary));
        }
    }

    fn heading(&mut self, rest: &str) {
        let Some(captures) = NUMBER.captures(rest) else {
            return;
        };
        self.is_recognized = true;
        if captures.name("runs").is_some() {
            self.close();
        } else {
            self.total = text::count(&captures["number"]);
        }
    }

    /// Takes a name of the list at the end, where the tests themselves are told of on the other stream.
    fn list(&mut self, title: &str) {
        if !NUMBER.is_match(title) && self.listed.len() < limit::FINDINGS_KEPT {
            self.listed.push(name(title));
        }
    }

    fn mark(&mut self, mark: &str, rest: &str, line: &Line<'_>) {
        let number = || NUMBER.captures(rest).and_then(|captures| text::count(&captures["number"]));
        match (mark, self.total) {
            ("==========", _) => self.heading(rest),
            ("PASSED", Some(_)) => self.passed = number(),
            ("FAILED", Some(_)) => self.failed = number().unwrap_or(self.failed),
            ("SKIPPED", Some(_)) => self.skipped = number().unwrap_or(self.skipped),
            ("RUN", None) => {
                let origin = Some(origin("cmocka/text", line));
                self.open = Some(TestFailure { name: name(rest), origin, ..TestFailure::default() });
            }
            ("OK", None) => self.ended(TestStatus::Passed, rest),
            ("FAILED", None) if self.open.is_none() => self.list(rest),
            ("FAILED", None) => self.ended(TestStatus::Failed, rest),
            ("SKIPPED", None) => self.ended(TestStatus::Skipped, rest),
            ("ERROR", None) => {
                if self.open.is_none() && self.nameless.len() < limit::FINDINGS_KEPT {
                    self.nameless.push(TestFailure::default());
                }
                if let Some(failure) = self.open.as_mut().or(self.nameless.last_mut()) {
                    text::append_line(&mut failure.message, rest.trim_start_matches("--- "), limit::MESSAGE_BYTES);
                }
            }
            ("LINE", None) => {
                let failure = self.open.as_mut().or(self.nameless.last_mut());
                if let (Some(failure), Some(captures)) = (failure, PLACE.captures(rest)) {
                    failure.file = Some(name(&text::path(&captures["file"])));
                    failure.line = text::position(&captures["line"]);
                }
            }
            _ => {}
        }
    }
}

impl LineReader for Cmocka {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let captures = if line.text.starts_with('[') { MARKED.captures(&line.text) } else { None };
        let Some(captures) = captures else {
            return Use::None;
        };
        self.mark(&captures["mark"], &captures["rest"], line);
        if self.is_recognized { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        if let Some(tests) = self.done.filter(|_| self.is_recognized) {
            return Some(Claim { format: "text", tests: Some(tests), ..Claim::default() });
        }
        if self.nameless.is_empty() || self.nameless.len() != self.listed.len() {
            return None;
        }
        let mut failures = self.nameless;
        for (failure, title) in failures.iter_mut().zip(self.listed) {
            failure.name = title;
        }
        let tests = TestResults { framework: "cmocka".to_owned(), failures, ..TestResults::default() };
        Some(Claim { format: "text", tests: Some(tests), is_tentative: true, ..Claim::default() })
    }
}
