//! Findings with a head, a location below it, and the source in a frame, in the style of rustc; here those of
//! ty and pyrefly:
//!
//! ```text
//! error[unresolved-reference]: Name `x` used when not defined
//!  --> app.py:36:15
//!   |
//! 36 |     print(x)
//! ```
//!
//! In their short formats, both print a finding on one line.

use referee_model::reading::Diagnostic;

use crate::pattern::Groups;
use crate::rows::{Row, at_line, finding, lead, part, related, rest};
use crate::shapes::python::is_source;

const PLACE: &str = r"^ *(?:-->|:::) (?<file>\S.*?):(?<line>\d+)(?::(?<column>\d+))?$";

/// Creates the rows of a format with such a head and a one-line form of the finding.
pub(crate) const fn rows(head: &'static str, short: &'static str) -> [Row; 10] {
    [
        rest(PLACE).check(|made, found| made.file.is_none() && is_source(found.text("file"))),
        rest(PLACE).check(|made, _| made.file.is_none()).hinted(),
        finding(short).check(is_python),
        finding(short).hinted(),
        lead(head).tentative(),
        related(r"^(?:info|help|note): (?<message>.*)$").check(|made, _| made.file.is_some()),
        related(PLACE).check(|made, _| made.file.is_some()),
        // The comment on a part of the source, after the carets that mark it.
        part(r"^ *\| *\^+ (?<message>\S.*)$").check(|made, _| {
            made.file.is_some() && made.related.iter().all(|note| note.file.is_none()) && !made.message.contains('\n')
        }),
        part(r"^ *(?<number>\d+) *\| ?(?<source>.*)$").check(at_line),
        part(r"^(?:[ \t]|\d+ *(?:\||\.\.\.)|\|)").check(|made, _| made.file.is_some()),
    ]
}

fn is_python(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    made.file.as_deref().is_some_and(is_source)
}

/// Completes a finding: notes without a location are dropped.
pub(crate) fn complete(found: &mut Diagnostic) -> bool {
    found.related.retain(|note| note.file.is_some());
    true
}
