//! Unity, the testing framework for C.
//!
//! ```text
//! test/test_foo.c:15:test_bar:FAIL: Expected 1 Was 2
//! test/test_foo.c:19:test_baz:PASS
//! -----------------------
//! 2 Tests 1 Failures 0 Ignored
//! FAIL
//! ```

use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestResults, TestStatus};

use crate::claim::{Claim, LineReader, Use, gravest};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::tool::{LineFormat, Tool};

/// Unity.
pub(crate) const TOOL: Tool = Tool {
    name: "unity",
    aliases: &["ceedling"],
    role: Role::Test,
    lines: &[LineFormat {
        wakes: &[":FAIL: ", ":PASS", ":IGNORE", " Failures ", ":FAIL"],
        reader: |_| Box::new(Unity::default()),
    }],
    documents: &[],
    settle: gravest,
};

static TEST: Pattern = Pattern::new(
    r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<name>[A-Za-z_]\w*(?:\([^)]*\))?):(?<status>PASS|FAIL|IGNORE)(?:: ?(?<message>.*))?$",
);

static SUM: Pattern = Pattern::new(r"^(?<total>\d+) Tests (?<failed>\d+) Failures (?<skipped>\d+) Ignored ?$");

#[derive(Default)]
struct Unity {
    results: Results,
    done: Option<TestResults>,
}

impl LineReader for Unity {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if let Some(counts) = SUM.find(&line.text).and_then(|found| found.tests()) {
            let mut results = std::mem::take(&mut self.results);
            results.sum_up(counts);
            results::join(&mut self.done, results.finish("unity", CountAuthority::Summary));
            return Use::Line;
        }
        let Some(found) = TEST.find(&line.text) else {
            return Use::None;
        };
        let status = match found.text("status") {
            "PASS" => TestStatus::Passed,
            "FAIL" => TestStatus::Failed,
            _ => TestStatus::Skipped,
        };
        self.results.case(results::case(&[], found.text("name"), found.file("file").as_deref(), status));
        if status == TestStatus::Failed {
            self.results.failure(found.failure("unity/text", line));
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        if !self.results.is_empty() {
            results::join(&mut self.done, self.results.finish("unity", CountAuthority::Summary));
        }
        let tests = self.done?;
        Some(Claim { format: "text", tests: Some(tests), ..Claim::default() })
    }
}
