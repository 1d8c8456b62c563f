//! Findings with a head, a place below it, and the source in a frame, as rustc made them common; here those of ty and
//! pyrefly:
//!
//! ```text
//! error[unresolved-reference]: Name `x` used when not defined
//!  --> app.py:36:15
//!   |
//! 36 |     print(x)
//! ```
//!
//! Both print a finding on one line, too, where they are told to be short.

use referee_model::reading::Diagnostic;

use crate::pattern::Groups;
use crate::rows::{Row, at_line, finding, lead, part, related, rest};
use crate::shapes::python::is_source;

const PLACE: &str = r"^ *(?:-->|:::) (?<file>\S.*?):(?<line>\d+)(?::(?<column>\d+))?$";

/// Makes the rows of a format with such a head, and such a finding on one line; `closing` are those that close a run.
pub(crate) fn rows(head: &'static str, short: &'static str, closing: impl IntoIterator<Item = Row>) -> Vec<Row> {
    let mut rows: Vec<Row> = closing.into_iter().collect();
    rows.extend([
        rest(PLACE).check(|made, found| made.file.is_none() && is_source(found.text("file"))),
        rest(PLACE).check(|made, _| made.file.is_none()).hinted(),
        finding(short).check(is_python),
        finding(short).hinted(),
        lead(head).tentative(),
        related(r"^(?:info|help|note): (?<message>.*)$").check(|made, _| made.file.is_some()),
        related(PLACE).check(|made, _| made.file.is_some()),
        // What is said of a part of the source, behind the carets that mark it.
        part(r"^ *\| *\^+ (?<message>\S.*)$").check(|made, _| {
            made.file.is_some() && made.related.iter().all(|note| note.file.is_none()) && !made.message.contains('\n')
        }),
        part(r"^ *(?<number>\d+) *\| ?(?<source>.*)$").check(at_line),
        part(r"^(?:[ \t]|\d+ *(?:\||\.\.\.)|\|)").check(|made, _| made.file.is_some()),
    ]);
    rows
}

fn is_python(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    made.file.as_deref().is_some_and(is_source)
}

/// Completes a finding: what was said of no place is no note.
pub(crate) fn complete(found: &mut Diagnostic) -> bool {
    found.related.retain(|note| note.file.is_some());
    true
}
