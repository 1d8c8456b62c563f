//! Reuse of the run of a worker by whoever orders the same later. The rules are those for recorded verdicts, but that what
//! only the worker could look at again is not known here: such a run is not reused.

use referee_model::report::Report;

use super::{is_reusable, named, never};

/// Returns why the run of a worker answers nobody who asks later, by its report, as the end of a sentence. `None`: it may
/// answer.
pub(crate) fn never_shared(report: &Report) -> Option<String> {
    if let Some(reason) = never(&report.plan) {
        return Some(format!("no verdict of this specification is reused: {reason}"));
    }
    if !is_reusable(report) {
        return Some("it came out in a way that need not come again, or changed its inputs".to_owned());
    }
    if report.run.run_context.tree.as_ref().is_some_and(|tree| !tree.rewritten.is_empty()) {
        return Some("inputs were written while it ran".to_owned());
    }
    let mut outside = named::outside(&report.plan).into_iter().map(|path| path.display().to_string());
    let outside = outside.find(|path| !super::keep::is_program(report, path))?;
    Some(format!("a command names {outside}, outside the workspace"))
}
