//! `referee compare`: what differs between two sealed runs of a task.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::run_comparison;
use referee_model::exit_code;
use referee_report::human;
use referee_report::run_comparison::{self as document, SlowerThan};
use referee_report::style;

use super::evidence::evidence_list;
use super::sealed_runs;
use crate::args::compare::Compare;
use crate::output;

/// Least difference of durations that counts as slower, in milliseconds: less is noise of the machine.
const SLOWER_MS: u64 = 500;

/// Compares two runs. Exits with 0 whatever differs.
pub(super) fn execute(context: &Context, arguments: &Compare) -> Result<u8, EngineError> {
    let before = directory(context, arguments, &arguments.before)?;
    let earlier = sealed_runs::open(context, &before, "compared")?;
    let after = match &arguments.after {
        Some(run) => directory(context, arguments, run)?,
        None => evidence_list::root_of(&before).join(earlier.report.plan.task.as_str()),
    };
    if before == after {
        let shown = context.shown(&before).display();
        return Err(EngineError::usage(format!("{shown} is the latest run: name the run to compare it with")));
    }
    let later = sealed_runs::open(context, &after, "compared")?;
    let (task, other) = (&earlier.report.plan.task, &later.report.plan.task);
    if task != other {
        return Err(EngineError::usage(format!("these are runs of different tasks: {task} and {other}")));
    }
    for (recorded, directory) in [(&earlier, &before), (&later, &after)] {
        let shown = context.shown(directory).display();
        output::notes(recorded.notes.iter().map(|note| format!("{shown}: {note}")))?;
    }
    let shown = |directory: &Path| context.shown(directory).display().to_string();
    let slower_than = SlowerThan { percent: arguments.slower, milliseconds: SLOWER_MS };
    let compared =
        run_comparison::compare((&earlier.report, shown(&before)), (&later.report, shown(&after)), slower_than);
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&document::document(&compared)),
        |out| human::run_comparison::write(&compared, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// Returns the evidence directory of a run: the one that is named, or that of a stored run with this id.
fn directory(context: &Context, arguments: &Compare, run: &str) -> Result<PathBuf, EngineError> {
    let named = context.directory.join(run);
    let found =
        if named.is_dir() { named } else { evidence_list::find(context, &arguments.root, run)?.directory.into() };
    std::fs::canonicalize(&found)
        .map_err(|error| EngineError::usage(format!("{}: {error}", style::plain(&found.display().to_string()))))
}
