//! jsonlint: a parse error with a mark below, or one line with `--compact`.
//!
//! ```text
//! Error: Parse error on line 3:
//! ...a": 1,}
//! ---------^
//! Expecting 'STRING', got '}'
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("jsonlint", &[], Role::Lint).lines(&[LineFormat::rows(&["Parse error on line ", ", found: "], &TEXT)]);

static TEXT: Rows = Rows::new("jsonlint", "text").spans_blank_lines().rows(&[
    // `a.json: line 3, col 5, found: '}' - expected: 'STRING'.`
    finding(r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<message>found: .*)$").rule("jsonlint/compact"),
    heading(r"^File: (?<file>\S.*):$"),
    lead(r"^(?:Error: )?(?<message>Parse error on line (?<line>\d+)):$"),
    rest(r"^(?<message>Expecting .*)$").last(),
    part(r"^.*\^$"),
    part(r"^(?<source>.*)$").check(|made, _| made.source.is_none()),
    part(""),
]);
