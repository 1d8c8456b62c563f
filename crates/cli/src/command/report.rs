//! `referee report`: writes sealed runs in the formats of other programs.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::recorded::{self, Recorded};
use referee_ledger::document;
use referee_ledger::evidence::Evidence;
use referee_model::exit_code;
use referee_model::record::Log;
use referee_model::report::Report;
use referee_report::formats::{PictureSource, ReportFormat};

use super::sealed_runs;
use crate::args;
use crate::args::report::ReportFile;
use crate::output;

/// Writes one report of the selected runs. Exits with 0 whatever their outcomes are.
pub(super) fn execute(context: &Context, arguments: &args::report::Report) -> Result<u8, EngineError> {
    let directories = sealed_runs::directories(context, &arguments.runs)?;
    let state = context.state_if_any()?;
    let mut reports = Vec::with_capacity(directories.len());
    for directory in &directories {
        let recorded = recorded::open(directory, state.as_ref());
        let shown = context.shown(directory).display().to_string();
        let Recorded { report, notes } =
            recorded.map_err(|problem| problem.problem(&format!("no report of {shown}")))?;
        output::notes(notes)?;
        reports.push(report);
    }
    let file = ReportFile { format: arguments.format, path: arguments.output.clone() };
    let picture = |report: &Report, image: &Log| {
        let at = reports.iter().position(|known| std::ptr::eq(known, report))?;
        stored(directories.get(at)?, image)
    };
    write_with(context, &[file], &reports.iter().collect::<Vec<_>>(), &picture)?;
    Ok(exit_code::PASSED)
}

/// Writes reports of runs that have just finished.
pub(super) fn write(context: &Context, files: &[ReportFile], reports: &[&Report]) -> Result<(), EngineError> {
    let picture =
        |report: &Report, image: &Log| stored(&report.plan.evidence_root.join(report.plan.task.as_str()), image);
    write_with(context, files, reports, &picture)
}

/// Reads a stored picture of a run. `None`: it cannot be read; the report then only names it.
fn stored(directory: &Path, image: &Log) -> Option<Vec<u8>> {
    Evidence::open(directory).ok()?.read(&image.file).ok()
}

fn write_with(
    context: &Context,
    files: &[ReportFile],
    reports: &[&Report],
    pictures: PictureSource<'_>,
) -> Result<(), EngineError> {
    for ReportFile { format, path } in files {
        let bytes = rendered(*format, reports, pictures)?;
        match path {
            None => output::answer(&bytes)?,
            Some(path) => document::write(&context.directory.join(path), &bytes).map_err(|error| {
                EngineError::usage(format!("the report {} was not written: {error}", format.name()))
            })?,
        }
    }
    Ok(())
}

fn rendered(format: ReportFormat, reports: &[&Report], pictures: PictureSource<'_>) -> Result<Vec<u8>, EngineError> {
    let mut bytes = Vec::new();
    format.write_with(reports, pictures, &mut bytes).map_err(EngineError::internal)?;
    Ok(bytes)
}
