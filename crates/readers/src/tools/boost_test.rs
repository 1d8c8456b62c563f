//! Boost.Test.
//!
//! ```text
//! Running 3 test cases...
//! t.cpp(10): error: in "suite/adds": check add(1, 2) == 4 has failed [3 != 4]
//!
//! *** 1 failure is detected in the test module "Adding"
//! ```
//!
//! The summary counts failed checks rather than failed tests: those are taken from the names in the failures.

use std::collections::BTreeSet;

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("boost-test", &["boost.test", "boost"], Role::Test).lines(&[LineFormat::new(
    &[" test cases...", " test case...", "in the test module \"", "*** No errors detected"],
    |_| Box::new(Boost::default()),
)]);

static BEGIN: Pattern = Pattern::new(r"^Running (?<total>\d+) test cases?\.\.\.$");

static FAILED: Pattern = Pattern::new(
    r#"^(?:unknown location(?:\(0\)|:0): |(?<file>(?:[A-Za-z]:)?[^\s:(][^:(]*)(?:\((?<line>\d+)\)|:(?<line2>\d+)): )(?:fatal )?error: in "(?<name>[^"]+)": (?<message>.*)$"#,
);

static END: Pattern = Pattern::new(
    r#"^\*\*\* (?:(?<failures>\d+) failures? (?:is|are) detected|No errors detected|Errors where detected)(?: \(.*\))?(?: in (?:the )?test (?:module|suite) "[^"]*")?;?.*$"#,
);

#[derive(Default)]
struct Boost {
    runs: Runs,
    total: Option<u64>,
    failed: BTreeSet<String>,
}

impl LineReader for Boost {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if let Some(found) = BEGIN.find(&line.text) {
            self.runs.start();
            self.failed.clear();
            self.total = found.count("total");
            return Use::Line;
        }
        let Some(total) = self.total else { return Use::None };
        if let Some(found) = END.find(&line.text) {
            // Failures that were not printed count as one failed test, because their tests are unknown.
            let unnamed = u64::from(found.has("failures"));
            let failed = (self.failed.len() as u64).max(unnamed);
            self.runs.end_at(line, results::out_of(total, failed, 0));
            self.total = None;
            return Use::Line;
        }
        let Some(found) = FAILED.find(&line.text) else { return Use::None };
        if self.failed.len() < limit::FINDINGS_KEPT && self.failed.insert(name(found.text("name"))) {
            self.runs.count(TestStatus::Failed, 1);
            self.runs.failure(found.failure("boost-test/text", line));
        }
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let is_told = self.runs.end.is_some() || 0 < self.runs.failures();
        is_told.then(|| self.runs.candidate("boost-test", "text"))
    }
}
