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
use crate::test_rows::{TestRows, sum, test};

pub(crate) static TOOL: Tool = Tool::new("unity", &["ceedling"], Role::Test)
    .lines(&[LineFormat::tests(&[":FAIL: ", ":PASS", ":IGNORE", " Failures ", ":FAIL"], &TEXT)]);

static TEXT: TestRows = TestRows::new("unity", "text").rows(&[
    test(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<name>[A-Za-z_]\w*(?:\([^)]*\))?):(?<status>PASS|FAIL|IGNORE)(?:: ?(?<message>.*))?$",
    )
    .names_tool(),
    sum(r"^(?<total>\d+) Tests (?<failed>\d+) Failures (?<skipped>\d+) Ignored$").last(),
]);
