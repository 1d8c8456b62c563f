//! black and isort: files that they would reformat.
//!
//! ```text
//! would reformat /project/style.py
//! error: cannot format /project/broken.py: Cannot parse: 1:6: def f(:
//! 1 file would be reformatted, 1 file would fail to reformat, 3 files would be left unchanged.
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("black", &[], Role::Format)
    .lines(&[LineFormat::rows(
        &[
            "would reformat ",
            "error: cannot format ",
            "error: cannot parse: ",
            " would be reformatted",
            " would be left unchanged",
            " left unchanged.",
            " reformatted",
            "Oh no! ",
            " would fail to reformat",
            "No Python files are present to be formatted",
        ],
        &CHECK,
    )])
    .merge(candidate::together);

static CHECK: Rows = Rows::new("black", "check").rows(&[
    finding(r"^(?<message>(?<fix>would) reformat) (?<file>.+)$"),
    // A file that could not be read.
    finding("^error: (?<message>cannot .*)$").unlisted(Level::Error).names_tool(),
    sum(r"^(?:(?:, )?(?:(?<errors>\d+) files? would be reformatted|(?<failed>\d+) files? (?:would fail|failed) to reformat|\d+ files? (?:reformatted|would be left unchanged|left unchanged)))+\.$")
        .names_tool(),
    known("^No Python files are present to be formatted"),
    within("^(?:All done! |Oh no! |reformatted )"),
]);
