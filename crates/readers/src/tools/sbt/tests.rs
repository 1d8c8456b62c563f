//! Tests under sbt: its own count of a project's tests, and the failures as `ScalaTest`, `MUnit`, specs2 and JUnit word them.
//!
//! ```text
//! [info] CalcSpec:
//! [info] - adds wrong *** FAILED ***
//! [info]   3 did not equal 4 (CalcSpec.scala:7)
//! [error] Failed: Total 3, Failed 1, Errors 0, Passed 2
//! ```
//!
//! Where `ScalaTest` runs without sbt, its own count (`Tests: succeeded 2, failed 1, …`) is the last word.

use referee_model::reading::{CountAuthority, TestCounts, TestFailure, TestStatus};

use crate::candidate::{Candidate, LineReader, Use, add_counts, name, origin};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::jvm::failure::Body;
use crate::shapes::results::{self, Results};
use crate::text;

pub(super) const PREFILTER: &[&str] = &[
    "*** FAILED ***",
    "==> X ",
    ": Total ",
    "Tests: succeeded ",
    " failed: ",
    "[error]   x ",
    "Run starting. Expected test count",
    "No tests were executed",
    "No tests to run for ",
];

/// sbt's count of one project.
static TOTAL: Pattern = Pattern::new(
    r"^(?:Passed|Failed|Error): Total (?<total>\d+), Failed (?<failed>\d+), Errors (?<errors>\d+), Passed (?<passed>\d+)(?:, Skipped (?<skipped>\d+))?(?:, Ignored (?<ignored>\d+))?(?:, Canceled (?<canceled>\d+))?(?:, Pending (?<pending>\d+))?$",
);

/// ScalaTest's count of one run.
static RUN: Pattern = Pattern::new(
    r"^Tests: succeeded (?<passed>\d+), failed (?<failed>\d+), canceled (?<canceled>\d+), ignored (?<ignored>\d+), pending (?<pending>\d+)$",
);

/// A failed test, in the words of each framework.
static FAILED: Pattern = Pattern::new(
    r"^(?:- (?<scalatest>.+?) \*\*\* FAILED \*\*\*(?: \(.*\))?|==> X (?<munit>\S.*?)(?:  \d[\d.]*m?s)(?: (?<why>.*))?|Test (?<junit>\S+) failed: (?<said>.*?)(?:, took [\d.]+ (?:sec|s))?|x (?<specs>\S.*?))$",
);

/// The place behind what ScalaTest and specs2 say, and MUnit's before it.
static PLACE: Pattern = Pattern::new(
    r"(?:\((?<file>[\w$./-]+\.(?:scala|java)):(?<line>\d+)\)$|(?:^|[ :])(?<file2>[\w$./\\:-]+\.scala):(?<line2>\d+)\b)",
);

/// Reads the tests of all projects.
#[derive(Default)]
pub(super) struct Tests {
    results: Results,
    of_scalatest: Option<TestCounts>,
    /// The suite whose tests are being listed.
    suite: String,
    open: Option<Open>,
    summary_end: Option<u64>,
}

/// A failed test whose lines are being read.
struct Open {
    failure: TestFailure,
    class: String,
    method: String,
    body: Body,
    indent: usize,
}

impl Tests {
    fn close(&mut self) {
        let Some(Open { mut failure, class, method, body, .. }) = self.open.take() else {
            return;
        };
        body.fill(&mut failure, &class, &method);
        if failure.file.is_none()
            && let Some(captures) = failure.message.lines().find_map(|line| PLACE.captures(line))
        {
            let group =
                |one: &str, other: &str| captures.name(one).or_else(|| captures.name(other)).map(|it| it.as_str());
            failure.file = group("file", "file2").map(|file| name(&text::path(file)));
            failure.line = group("line", "line2").and_then(text::position);
        }
        self.results.failure(failure);
    }

    fn sum_up(&mut self, text: &str, line: &Line<'_>) -> bool {
        let (captures, is_total) = if text.contains(": Total ") {
            (TOTAL.captures(text), true)
        } else if text.starts_with("Tests: succeeded ") {
            (RUN.captures(text), false)
        } else if text == "No tests were executed." || text.starts_with("No tests to run for ") {
            self.results.sum_up(TestCounts::default());
            return true;
        } else {
            return false;
        };
        let Some(captures) = captures else {
            return false;
        };
        let number = |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str())).unwrap_or(0);
        let skipped = number("skipped") + number("ignored") + number("canceled") + number("pending");
        let counted = results::counts(number("passed"), number("failed") + number("errors"), skipped);
        self.close();
        if is_total {
            self.results.sum_up(counted);
        } else {
            add_counts(self.of_scalatest.get_or_insert_default(), counted);
        }
        self.summary_end = Some(line.end);
        true
    }

    fn fail(&mut self, text: &str, line: &Line<'_>) -> bool {
        let trimmed = text.trim_start();
        if !["- ", "==> X ", "Test ", "x "].iter().any(|start| trimmed.starts_with(start)) {
            return false;
        }
        let Some(captures) = FAILED.captures(trimmed) else {
            return false;
        };
        let group = |group: &str| captures.name(group).map(|found| found.as_str());
        self.close();
        let mut body = Body::default();
        let (class, method, is_whole) = if let Some(title) = group("scalatest").or_else(|| group("specs")) {
            (self.suite.clone(), title.to_owned(), false)
        } else {
            let full = group("munit").or_else(|| group("junit")).unwrap_or_default();
            let full = full.trim_end_matches("()");
            let bare = full.split(' ').next().unwrap_or(full);
            let dot = if group("junit").is_some() { full.rfind('.') } else { bare.rfind('.') };
            let (class, method) = dot.map_or(("", full), |dot| (&full[..dot], &full[dot + 1..]));
            (class.to_owned(), method.to_owned(), true)
        };
        if let Some(said) = group("why").or_else(|| group("said")) {
            body.line(said);
        }
        let full = match (class.is_empty(), is_whole) {
            (true, _) => method.clone(),
            (false, true) => format!("{class}.{method}"),
            (false, false) => format!("{class} {method}"),
        };
        let failure =
            TestFailure { name: name(&full), origin: Some(origin("sbt/tests", line)), ..TestFailure::default() };
        self.results.count(TestStatus::Failed, 1);
        self.open = Some(Open { failure, class, method, body, indent: text::indent(text) });
        true
    }
}

impl LineReader for Tests {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let levels = ["[info] ", "[error] ", "[warn] "];
        let prefixed = levels.iter().find_map(|level| line.text.strip_prefix(level));
        let text = prefixed.unwrap_or(&line.text).trim_end();
        if self.sum_up(text, line) || self.fail(text, line) {
            return Use::Line;
        }
        if let Some(open) = &mut self.open {
            let goes_on = open.indent < text::indent(text) || text.starts_with("    at ");
            if goes_on && open.body.line(text.trim()) {
                if let Some(origin) = &mut open.failure.origin {
                    origin.end = line.end;
                }
                return Use::Line;
            }
            self.close();
        }
        if let Some(suite) = text.strip_suffix(':').filter(|suite| !suite.contains([' ', ':', '/', '*'])) {
            self.suite = name(suite);
        }
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        if self.results.summary.is_none() {
            self.results.summary = self.of_scalatest;
        }
        // What looks like a failure is one only where sbt or its framework counts.
        self.results.summary?;
        let tests = self.results.finish("sbt", CountAuthority::Summary);
        Some(Candidate { format: "tests", tests: Some(tests), summary_end: self.summary_end, ..Candidate::default() })
    }
}
