//! `referee report`: writes sealed runs in the formats of other programs.

use std::io;
use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::protection::RuleBook;
use referee_engine::protection::lock_snapshot;
use referee_engine::recorded::{self, Recorded};
use referee_ledger::document;
use referee_ledger::evidence::Evidence;
use referee_ledger::locks::lock_document;
use referee_model::report::Report;
use referee_model::suite::Suite;
use referee_model::{evidence_name, exit_code, seal};
use referee_report::formats::{FileSource, ReportFormat};
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
    let runs: Vec<ReportSource<'_>> = reports.iter().zip(directories.iter().map(PathBuf::as_path)).collect();
    write(context, &[file], &runs)?;
    Ok(exit_code::PASSED)
}

/// A finished run: its report, and the directory of its evidence.
pub(super) type ReportSource<'run> = (&'run Report, &'run Path);

/// Returns a sealed file of one of these runs.
fn stored(runs: &[ReportSource<'_>], report: &Report, name: &str) -> io::Result<Vec<u8>> {
    let (_, directory) = runs
        .iter()
        .find(|(known, _)| std::ptr::eq(*known, report))
        .ok_or_else(|| io::Error::other("the run has no directory"))?;
    let evidence = Evidence::open(directory).map_err(io::Error::other)?;
    let seal = evidence.read(evidence_name::SEAL).map_err(io::Error::other)?;
    let seal = seal::read(&seal).map_err(io::Error::other)?;
    let file = seal.files.iter().find(|file| file.path == name);
    let file = file.ok_or_else(|| io::Error::other(format!("the seal lists no {name}")))?;
    let mut bytes = Vec::new();
    evidence.sealed(file, &mut |piece| bytes.extend_from_slice(piece)).map_err(io::Error::other)?;
    Ok(bytes)
}

/// Writes reports of finished runs.
pub(super) fn write(context: &Context, files: &[ReportFile], runs: &[ReportSource<'_>]) -> Result<(), EngineError> {
    let reports: Vec<&Report> = runs.iter().map(|(report, _)| *report).collect();
    let stored = |report: &Report, name: &str| stored(runs, report, name);
    for ReportFile { format, path } in files {
        let bytes = rendered(*format, &reports, &stored)?;
        match path {
            None => output::answer(&bytes)?,
            Some(path) => document::write(&context.directory.join(path), &bytes).map_err(|error| {
                EngineError::usage(format!("the report {} was not written: {error}", format.as_str()))
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
        let format = ReportFormat::parse(&report.format)
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
    runs: &[ReportSource<'_>],
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
    write(context, files, runs)
}

fn rendered(format: ReportFormat, reports: &[&Report], files: FileSource<'_>) -> Result<Vec<u8>, EngineError> {
    let mut bytes = Vec::new();
    format.write(reports, files, &mut bytes).map_err(EngineError::internal)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use referee_report::formats::ReportFormat;
    use referee_spec::form::report::FORMATS;

    #[test]
    fn a_specification_knows_the_formats_that_can_be_written() {
        assert_eq!(ReportFormat::ALL.map(ReportFormat::as_str), FORMATS);
    }
}
