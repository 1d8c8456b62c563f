//! Sources of a capture: sealed runs, an unsealed report, or only the caller's data.

use std::path::{Path, PathBuf};

use referee_model::evidence_name;
use referee_model::id::TaskId;
use referee_report::style;

use super::{Automatic, CaptureRequest, CaptureResult, CapturedFile, capture, of_answer, of_directory};
use crate::context::{Context, SpecificationNames};
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::incident::{IncidentContext, IncidentService};
use crate::request::Answer;

/// The source of a capture.
pub enum CaptureSource {
    /// Only the caller's data.
    Given,
    /// A report that is not sealed evidence.
    Report(CapturedFile),
    /// The directory of a sealed run.
    Directory(PathBuf),
    /// The last sealed runs of these tasks of the nearest specification. Empty: of all its tasks.
    LastRuns(Vec<TaskId>),
}

/// Returns the directory of the sealed run that a path stands for: itself, or the one whose report it is. `None`
/// for any other file.
pub fn sealed_directory(path: &Path) -> Option<&Path> {
    if path.is_dir() {
        return Some(path);
    }
    let is_report = path.file_name().is_some_and(|name| name == evidence_name::EXECUTION_REPORT);
    path.parent().filter(|directory| is_report && directory.join(evidence_name::SEAL).is_file())
}

/// Captures the failures of a source, together with the caller's data. A log from the caller takes precedence over
/// that of a run.
///
/// # Errors
/// Fails if there is no sealed run, if one is not as it was sealed, and as [`capture`].
pub fn capture_from(
    context: &Context,
    incidents: IncidentContext<'_>,
    source: CaptureSource,
    given: &CaptureRequest,
    events: &mut dyn EventSink,
) -> Result<Vec<CaptureResult>, EngineError> {
    let runs = match source {
        CaptureSource::Given => return Ok(vec![capture(incidents, given)?]),
        CaptureSource::Report(report) => vec![CaptureRequest { report: Some(report), ..CaptureRequest::default() }],
        CaptureSource::Directory(directory) => vec![run_in(context, &directory)?],
        CaptureSource::LastRuns(tasks) => {
            let directories = directories(context, &tasks, events)?;
            directories.iter().map(|directory| run_in(context, directory)).collect::<Result<_, _>>()?
        }
    };
    let one = |run: CaptureRequest| {
        let log = given.log.clone().or(run.log);
        capture(incidents, &CaptureRequest { report: run.report, log, red: run.red, ..given.clone() })
    };
    Ok(runs.into_iter().map(one).collect::<Result<_, _>>()?)
}

/// Captures a failed run without a request.
///
/// # Errors
/// As [`capture`].
pub fn automatic(context: &Context, service: &IncidentService, answer: &Answer) -> Result<CaptureResult, EngineError> {
    let run = of_answer(answer, &context.shown(&answer.directory).display().to_string())?;
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let paths = vec![path(&answer.report.plan.workspace), path(&answer.directory)];
    let automatic = Some(Automatic { paths, in_a_test: context.variable("PYTEST_CURRENT_TEST").is_some() });
    let request = CaptureRequest { script: "referee run".to_owned(), automatic, ..run };
    Ok(capture(service.context("run"), &request)?)
}

/// Returns the directories of the last sealed runs of the requested tasks.
fn directories(context: &Context, asked: &[TaskId], events: &mut dyn EventSink) -> Result<Vec<PathBuf>, EngineError> {
    let suites = context.load_all(&SpecificationNames::default(), events)?;
    let plans = || suites.iter().flat_map(|suite| &suite.tasks);
    if let Some(unknown) = asked.iter().find(|task| plans().all(|plan| plan.task != **task)) {
        let known: Vec<&str> = plans().map(|plan| plan.task.as_str()).collect();
        return Err(EngineError::usage(format!("task not found: {unknown} (tasks: {})", known.join(", "))));
    }
    let meant = plans().filter(|plan| asked.is_empty() || asked.contains(&plan.task));
    let directories = meant.map(|plan| plan.evidence_root.join(plan.task.as_str()));
    let (sealed, missing): (Vec<PathBuf>, Vec<PathBuf>) = directories.partition(|directory| directory.is_dir());
    if sealed.is_empty() || (!asked.is_empty() && !missing.is_empty()) {
        let shown = missing.first().map(|directory| context.shown(directory).display().to_string()).unwrap_or_default();
        let shown = style::plain(&shown);
        return Err(EngineError::usage(format!("no sealed run in {shown}: run `referee run` first")));
    }
    Ok(sealed)
}

fn run_in(context: &Context, directory: &Path) -> Result<CaptureRequest, EngineError> {
    let shown = context.shown(directory).display().to_string();
    let run = of_directory(directory, &shown, context.state_if_any()?.as_ref());
    run.map_err(|unreliable| unreliable.problem(&format!("{shown} is not captured")))
}
