//! Boost.Test.
//!
//! ```text
//! Running 3 test cases...
//! t.cpp(10): error: in "suite/adds": check add(1, 2) == 4 has failed [3 != 4]
//!
//! *** 1 failure is detected in the test module "Adding"
//! ```
//!
//! It sums up failed checks, not failed tests: those are the tests that its failures name.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure, TestResults};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, LineReader, Use, gravest, name, origin};
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Boost.Test.
pub(crate) const TOOL: Tool = Tool {
    name: "boost-test",
    aliases: &["boost.test", "boost"],
    role: Role::Test,
    lines: &[LineFormat {
        wakes: &[" test cases...", " test case...", "in the test module \"", "*** No errors detected"],
        reader: |_| Box::new(Boost::default()),
    }],
    documents: &[],
    settle: gravest,
};

static BEGIN: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^Running (?<total>\d+) test cases?\.\.\.$"));

static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r#"^(?:unknown location(?:\(0\)|:0): |(?<file>(?:[A-Za-z]:)?[^\s:(][^:(]*)(?:\((?<line>\d+)\)|:(?<line2>\d+)): )(?:fatal )?error: in "(?<name>[^"]+)": (?<message>.*)$"#,
    )
});

static END: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r#"^\*\*\* (?:(?<failures>\d+) failures? (?:is|are) detected|No errors detected|Errors where detected)(?: \(.*\))?(?: in (?:the )?test (?:module|suite) "[^"]*")?;?.*$"#,
    )
});

#[derive(Default)]
struct Boost {
    results: Results,
    /// Tests that run.
    total: Option<u64>,
    failed: BTreeSet<String>,
    done: Option<TestResults>,
    has_end: bool,
}

impl Boost {
    fn close(&mut self, is_end: bool) {
        let mut results = std::mem::take(&mut self.results);
        let failed = std::mem::take(&mut self.failed).len() as u64;
        match self.total.take() {
            Some(total) if is_end => results.sum_up(results::counts(total.saturating_sub(failed), failed, 0)),
            Some(_) => results.seen = results::counts(0, failed, 0),
            None => return,
        }
        results::join(&mut self.done, results.finish("boost-test", CountAuthority::Summary));
    }
}

impl LineReader for Boost {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if let Some(captures) = text.starts_with("Running ").then(|| BEGIN.captures(text)).flatten() {
            self.close(false);
            self.total = text::count(&captures["total"]);
            return Use::Line;
        }
        if self.total.is_none() {
            return Use::None;
        }
        if let Some(captures) = text.starts_with("*** ").then(|| END.captures(text)).flatten() {
            // Failures that were not printed are counted, though not whose they are.
            if captures.name("failures").is_some() && self.failed.is_empty() {
                self.failed.insert(String::new());
            }
            self.has_end = true;
            self.close(true);
            return Use::Line;
        }
        let Some(captures) = text.contains("error: in \"").then(|| FAILED.captures(text)).flatten() else {
            return Use::None;
        };
        if self.failed.len() < limit::FINDINGS_KEPT && self.failed.insert(name(&captures["name"])) {
            let number = captures.name("line").or_else(|| captures.name("line2"));
            self.results.failure(TestFailure {
                name: name(&captures["name"]),
                file: captures.name("file").map(|file| name(&text::path(file.as_str()))),
                line: number.and_then(|line| text::position(line.as_str())),
                message: cut::head(&captures["message"], limit::MESSAGE_BYTES).to_owned(),
                origin: Some(origin("boost-test/text", line)),
                ..TestFailure::default()
            });
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close(false);
        let tests = self.done.filter(|tests| self.has_end || 0 < tests.counts.failed)?;
        Some(Claim { format: "text", tests: Some(tests), ..Claim::default() })
    }
}
