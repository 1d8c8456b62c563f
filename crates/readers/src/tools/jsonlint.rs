//! jsonlint: a parse error with a mark, or with `--compact` one line.
//!
//! ```text
//! Error: Parse error on line 3:
//! ...a": 1,}
//! ---------^
//! Expecting 'STRING', got '}'
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate;
use crate::rows::{Rows, finding, heading, lead, part, rest};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "jsonlint",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &["Parse error on line ", ", found: "],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "jsonlint",
        "text",
        [
            // `a.json: line 3, col 5, found: '}' - expected: 'STRING'.`
            finding(r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<message>found: .*)$")
                .rule("jsonlint/compact"),
            heading(r"^File: (?<file>\S.*):$"),
            lead(r"^(?:Error: )?(?<message>Parse error on line (?<line>\d+)):$"),
            rest(r"^(?<message>Expecting .*)$").last(),
            part(r"^.*\^$"),
            part(r"^(?<source>.*)$").check(|made, _| made.source.is_none()),
            part(""),
        ],
    )
    .spans_blank_lines()
});
