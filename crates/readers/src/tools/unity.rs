//! Unity, the testing framework for C.
//!
//! ```text
//! test/test_foo.c:15:test_bar:FAIL: Expected 1 Was 2
//! test/test_foo.c:19:test_baz:PASS
//! -----------------------
//! 2 Tests 1 Failures 0 Ignored
//! FAIL
//! ```

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure, TestResults, TestStatus};
use referee_syntax::cut;

use crate::claim::{Claim, LineReader, Use, gravest, name, origin};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::text;
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
        let text = &*line.text;
        if let Some(captures) = SUM.find(text) {
            let mut results = std::mem::take(&mut self.results);
            let [total, failed, skipped] = ["total", "failed", "skipped"].map(|group| captures.number(group));
            results.sum_up(results::out_of(total, failed, skipped));
            results::join(&mut self.done, results.finish("unity", CountAuthority::Summary));
            return Use::Line;
        }
        let Some(captures) = TEST.find(text) else {
            return Use::None;
        };
        let status = match captures.text("status") {
            "PASS" => TestStatus::Passed,
            "FAIL" => TestStatus::Failed,
            _ => TestStatus::Skipped,
        };
        let file = text::path(captures.text("file"));
        self.results.case(results::case(&[], captures.text("name"), Some(&file), status));
        if status == TestStatus::Failed {
            let message = captures.text("message");
            self.results.failure(TestFailure {
                name: name(captures.text("name")),
                file: Some(name(&file)),
                line: captures.position("line"),
                message: cut::head(message, limit::MESSAGE_BYTES).to_owned(),
                origin: Some(origin("unity/text", line)),
                ..TestFailure::default()
            });
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
