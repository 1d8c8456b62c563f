//! The text formats.

use crate::prelude::*;
use crate::rows::at_line;
use crate::shapes::coded::{LOCATED, RUFF_CLOSING, is_coded, is_of_ruff};

/// A line of a code frame or of a suggested change.
const FRAME: &str = r"^ *\d* *(?:\||[-+](?: |$)|\.\.\.|::: |= )";

/// ruff's message about a file that it could not read.
const FAILED: &str = r"^error: (?<message>Failed to (?:parse|format|check|lint|read) (?<file>\S.*?)(?::(?<line>\d+):(?<column>\d+))?: .*)$";

pub(super) static TEXT: Rows = Rows::new("ruff", "text").rule("ruff/check").in_batches().spans_blank_lines().lists().rows(&[
    // `full`: the location, which for a notebook includes the cell, is below the message.
    rest(r"^ *--> (?<file>\S.*?)(?::cell \d+)?(?::(?<line>\d+):(?<column>\d+))?$").enters("frame"),
    // `concise`, which other tools share.
    head(LOCATED).check(is_of_ruff).enters("frame"),
    head(LOCATED).check(|made, _| is_coded(made)).common().enters("frame"),
    sum(RUFF_CLOSING).clean(),
    lead(r"^(?<code>[A-Z]{1,6}\d{1,5}|invalid-syntax|unformatted|io-error):? (?<fix>\[\*\] )?(?<message>\S.*)$")
        .tentative()
        .enters("head")
        .then(|made, _| made.fixable |= made.code.as_deref() == Some("unformatted")),
    part(r"^\s*(?:= )?help: (?<suggestion>.*)$").inside("frame"),
    part(r"^\s*(?:info|note): ").inside("frame"),
    part(r"^ *(?<number>\d+) *\| ?(?<source>.*)$").inside("frame").check(at_line),
    part(FRAME).inside("frame"),
    part(r"^ *\d+$").inside("frame"),
    finding(r"^Would reformat: (?<file>.*)$").rule("ruff/format").then(unformatted),
    finding(FAILED).check(|made, _| made.file.as_deref().is_some_and(|file| file.contains(".py"))),
    finding(FAILED).common(),
    // The differences of `ruff format --diff`.
    finding(r"^--- (?<file>.*)$").rule("ruff/format").code("unformatted").then(unformatted).hinted().awaits_sum().tentative(),
    finding(r"^ {2,}(?<line>\d+):(?<column>\d+) +(?<code>[A-Z]{1,6}\d{1,5}|invalid-syntax|unformatted):? (?<fix>\[\*\] )?(?<message>\S.*)$")
        .check(|made, _| made.file.is_some()),
    sum(r"^(?<all>\d+) files? would be reformatted(?:, \d+ files? (?:already formatted|left unchanged))?$").names_tool(),
    known(r"^\d+ files? (?:already formatted|left unchanged)$").common(),
    known(r"^All checks passed!$").common(),
    within(r"^\[\*\] .* fixable with |^No fixes available \("),
    // `grouped`: the findings of a file are below it.
    heading(r"^(?<file>\S(?:[^:]|:[^ ])*):$").tentative(),
]);

fn unformatted(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    "Would reformat".clone_into(&mut made.message);
    made.fixable |= made.code.is_none();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;

    fn read(text: &str, is_hinted: bool) -> Option<Candidate> {
        claimed(TEXT.reader(is_hinted), text)
    }

    #[test]
    fn findings_of_older_versions_stand_above_their_source() {
        let text = "a.py:1:8: F401 [*] `os` imported but unused\n  |\n1 | import os\n  |        ^^ F401\n  |\n  = help: Remove unused import: `os`\n\nFound 1 error.\n[*] 1 fixable with the `--fix` option.\n";
        let candidate = read(text, false).unwrap();
        assert_eq!((candidate.findings.counts.errors, candidate.findings.counts.fixable), (1, 1));
    }

    #[test]
    fn what_ruff_sums_up_is_its_own() {
        assert_eq!(
            read("a.py:1:8: F401 x\na.py:2:1: E501 y\nFound 2 errors.", false).unwrap().findings.counts.errors,
            2
        );
        assert!(read("a.py:1:8: F401 x\na.py:2:1: E501 y\nFound 3 errors.", false).is_none());
        assert!(read("Found 3 errors.", false).is_none());
        assert_eq!(read("Found 3 errors.", true).unwrap().findings.counts.errors, 3);
        assert_eq!(
            read("2 files would be reformatted, 1 file already formatted", true).unwrap().findings.counts.errors,
            2
        );
    }
}
