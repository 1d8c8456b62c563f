//! Tests under sbt: its own count of a project's tests, and the failures in the formats of `ScalaTest`,
//! `MUnit`, specs2 and JUnit.
//!
//! ```text
//! [info] CalcSpec:
//! [info] - adds wrong *** FAILED ***
//! [info]   3 did not equal 4 (CalcSpec.scala:7)
//! [error] Failed: Total 3, Failed 1, Errors 0, Passed 2
//! ```
//!
//! If `ScalaTest` runs without sbt, its own count (`Tests: succeeded 2, failed 1, …`) is used.

use crate::candidate::add_counts;
use crate::prelude::*;
use crate::shapes::jvm::{self, JVM};

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

/// A failed test, in the format of each framework.
static FAILED: Pattern = Pattern::new(
    r"^(?:- (?<title>.+?) \*\*\* FAILED \*\*\*(?: \(.*\))?|==> X (?<munit>\S.*?)(?:  \d[\d.]*m?s)(?: (?<message>.*))?|Test (?<junit>\S+) failed: (?<message2>.*?)(?:, took [\d.]+ (?:sec|s))?|x (?<title2>\S.*?))$",
);

/// The location, after the message of ScalaTest and specs2, or before that of MUnit.
static PLACE: Pattern = Pattern::new(
    r"(?:\((?<file>[\w$./-]+\.(?:scala|java)):(?<line>\d+)\)$|(?:^|[ :])(?<file2>[\w$./\\:-]+\.scala):(?<line2>\d+)\b)",
);

const SCALA: Language = Language { complete, ..JVM };

fn complete(failing: &mut Failing) {
    jvm::complete(failing);
    let failure = &mut failing.failure;
    let place = failure.message.lines().find_map(|line| PLACE.find(line)).filter(|_| failure.file.is_none());
    if let Some((file, line)) = place.map(|found| (found.file("file"), found.position("line"))) {
        (failure.file, failure.line) = (file, line);
    }
}

/// Reads the tests of all projects.
#[derive(Default)]
pub(super) struct Tests {
    runs: Runs,
    of_scalatest: Option<TestCounts>,
    /// The suite whose tests are being listed.
    suite: String,
    /// Indentation of the heading of the open failure.
    indent: usize,
}

impl Tests {
    fn sum_up(&mut self, text: &str, line: &Line<'_>) -> bool {
        if text == "No tests were executed." || text.starts_with("No tests to run for ") {
            self.runs.sum_up_at(line, TestCounts::default());
            return true;
        }
        let total = TOTAL.find(text);
        let is_total = total.is_some();
        let Some(found) = total.or_else(|| RUN.find(text)) else { return false };
        let skipped = ["skipped", "ignored", "canceled", "pending"].map(|group| found.number(group)).iter().sum();
        let counts = results::counts(found.number("passed"), found.number("failed") + found.number("errors"), skipped);
        if is_total {
            self.runs.sum_up_at(line, counts);
        } else {
            self.runs.close();
            add_counts(self.of_scalatest.get_or_insert_default(), counts);
            self.runs.end = Some(line.end);
        }
        true
    }

    fn fail(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(found) = FAILED.find(text.trim_start()) else { return false };
        let (class, method, joint) = if let Some(title) = found.get("title") {
            (&*self.suite, title, " ")
        } else {
            let full = found.get("munit").unwrap_or(found.text("junit")).trim_end_matches("()");
            // After the class, the title of a test may contain dots.
            let named = if found.has("junit") { full } else { full.split(' ').next().unwrap_or(full) };
            let (class, method) = named.rfind('.').map_or(("", full), |dot| (&full[..dot], &full[dot + 1..]));
            (class, method, ".")
        };
        let full = if class.is_empty() { method.to_owned() } else { format!("{class}{joint}{method}") };
        let mut failing = found.failing("sbt/tests", line).told_in(&SCALA);
        failing.failure.name = name(&full);
        (failing.class, failing.method) = (class.to_owned(), method.to_owned());
        self.indent = text::indent(text);
        self.runs.count(TestStatus::Failed, 1);
        self.runs.open(failing);
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
        if text::indent(text) <= self.indent && !text.starts_with("    at ") {
            self.runs.close();
        }
        if self.runs.add(line, text.trim()) {
            return Use::Line;
        }
        if let Some(suite) = text.strip_suffix(':').filter(|suite| !suite.contains([' ', ':', '/', '*'])) {
            self.suite = name(suite);
        }
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.runs.close();
        if let Some(counts) = self.of_scalatest.filter(|_| !self.runs.is_summed_up()) {
            self.runs.sum_up(counts);
        }
        self.runs.is_summed_up().then(|| self.runs.candidate("sbt", "tests"))
    }
}
