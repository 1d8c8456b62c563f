//! Unity, the testing framework for C.
//!
//! ```text
//! test/test_foo.c:15:test_bar:FAIL: Expected 1 Was 2
//! test/test_foo.c:19:test_baz:PASS
//! -----------------------
//! 2 Tests 1 Failures 0 Ignored
//! FAIL
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("unity", &["ceedling"], Role::Test)
    .lines(&[LineFormat::new(&[":FAIL: ", ":PASS", ":IGNORE", " Failures ", ":FAIL"], |_| Box::new(Unity::default()))]);

static TEST: Pattern = Pattern::new(
    r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<name>[A-Za-z_]\w*(?:\([^)]*\))?):(?<status>PASS|FAIL|IGNORE)(?:: ?(?<message>.*))?$",
);

static SUM: Pattern = Pattern::new(r"^(?<total>\d+) Tests (?<failed>\d+) Failures (?<skipped>\d+) Ignored ?$");

#[derive(Default)]
struct Unity {
    runs: Runs,
}

impl LineReader for Unity {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if let Some(counts) = SUM.find(&line.text).and_then(|found| found.tests()) {
            self.runs.end_at(line, counts);
            return Use::Line;
        }
        let Some(found) = TEST.find(&line.text) else { return Use::None };
        let case = found.case(found.file("file").as_deref());
        if case.status == TestStatus::Failed {
            self.runs.failure(found.failure("unity/text", line));
        }
        self.runs.case(case);
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        (!self.runs.is_empty()).then(|| self.runs.candidate("unity", "text"))
    }
}
