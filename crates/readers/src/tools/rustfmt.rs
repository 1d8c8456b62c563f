//! rustfmt and `cargo fmt --check`: `Diff in /project/src/lib.rs:1:` (before 1.7: `… at line 1:`) and below it
//! the lines to remove and to add. Parse errors have the format of rustc.

use super::rustc;
use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("rustfmt", &["cargo-fmt"], Role::Format)
    .lines(&[LineFormat::rows(&["Diff in "], &TEXT), rustc::HUMAN_BESIDE_TESTS])
    .merge(rustc::merge);

static TEXT: Rows = Rows::new("rustfmt", "check").level(Level::Warning).spans_blank_lines().rows(&[
    head(r"^Diff in (?<file>.+?\.rs)(?: at line |:)(?<line>\d+):$").then(is_unformatted),
    part(r"^\+(?<suggestion>.*)$"),
    part(r"^[- ]"),
    // `--check -l` prints only the file names.
    finding(r"^(?<file>[^\s:]+\.rs)$").then(is_unformatted).hinted(),
]);

fn is_unformatted(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    "not formatted".clone_into(&mut made.message);
    made.fixable = true;
}
