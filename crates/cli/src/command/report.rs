//! `referee report`: writes sealed runs in the formats of other programs.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::protection::RuleBook;
use referee_engine::protection::lock_snapshot;
use referee_engine::recorded::{self, Recorded};
use referee_ledger::document;
use referee_ledger::evidence::Evidence;
use referee_ledger::locks::lock_document;
use referee_model::exit_code;
use referee_model::record::Log;
use referee_model::report::Report;
use referee_model::suite::Suite;
use referee_report::formats::{PictureSource, ReportFormat};
use referee_spec::protect;

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

/// Returns the reports that a specification asks for.
///
/// # Errors
/// Fails if one of them would replace a protected file: then nothing may run that ends in it.
pub(super) fn specified(suite: &Suite) -> Result<Vec<ReportFile>, EngineError> {
    let Some(plan) = suite.tasks.first().filter(|_| !suite.reports.is_empty()) else { return Ok(Vec::new()) };
    let listed = lock_snapshot::files(plan)?;
    let names = listed.iter().map(|file| file.path.as_str());
    let rules = protect::rules(&suite.tasks, names, &|path| lock_snapshot::text(plan, path));
    let book = RuleBook::new(&rules).map_err(EngineError::specification)?;
    let mut files = Vec::with_capacity(suite.reports.len());
    for report in &suite.reports {
        let path = report.path.as_str();
        let reason = book.of(path).map(|applied| applied.reason.to_owned());
        if let Some(reason) = reason.or_else(|| (path == lock_document::FILE_NAME).then(|| "it is the lock".to_owned()))
        {
            return Err(EngineError::specification(format!(
                "`report` names {path}, which is protected ({reason}): write the report to another file"
            )));
        }
        let format = ReportFormat::of_name(&report.format)
            .ok_or_else(|| EngineError::internal(format!("no report has the format {}", report.format)))?;
        files.push(ReportFile { format, path: Some(plan.workspace.join(path)) });
    }
    Ok(files)
}

/// Writes the reports that a specification asks for, if no link leads them anywhere else.
pub(super) fn write_specified(
    context: &Context,
    suite: &Suite,
    files: &[ReportFile],
    reports: &[&Report],
) -> Result<(), EngineError> {
    let workspace = suite.tasks.first().and_then(|plan| std::fs::canonicalize(&plan.workspace).ok());
    for (file, report) in files.iter().zip(&suite.reports) {
        let real =
            file.path.as_deref().and_then(Path::parent).and_then(|directory| std::fs::canonicalize(directory).ok());
        let meant = workspace.as_ref().map(|workspace| workspace.join(report.path.as_str()));
        let meant = meant.as_deref().and_then(Path::parent);
        // A directory that is missing is an error of the writing.
        if let Some(real) = real.filter(|real| meant != Some(real.as_path())) {
            return Err(EngineError::specification(format!(
                "the report {} was not written: a link leads it to {}",
                report.path,
                real.display()
            )));
        }
    }
    write(context, files, reports)
}

fn rendered(format: ReportFormat, reports: &[&Report], pictures: PictureSource<'_>) -> Result<Vec<u8>, EngineError> {
    let mut bytes = Vec::new();
    format.write_with(reports, pictures, &mut bytes).map_err(EngineError::internal)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use referee_report::formats::ReportFormat;
    use referee_spec::form::report::FORMATS;

    #[test]
    fn a_specification_knows_the_formats_that_can_be_written() {
        assert_eq!(ReportFormat::ALL.map(ReportFormat::name), FORMATS);
    }
}
