//! `referee incident capture`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_engine::agent_loop::Live;
use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::incident::IncidentService;
use referee_engine::incident::capture::{self as engine, CaptureRequest, CaptureResult, CaptureSource, CapturedFile};
use referee_engine::request::Answer;
use referee_model::exit_code;
use referee_model::incident::seconds;
use referee_model::limit;
use referee_model::record::Stream;
use referee_report::incident_captured::{IncidentCaptureDocument, IncidentCapturesDocument};
use referee_report::style;
use serde_json::{Value, json};

use crate::args::PlainFormat;
use crate::args::incident::Root;
use crate::args::incident::capture::Capture;
use crate::follower::notes;
use crate::{input, output, resolve};

/// Name of the capturing program, as contexts record it.
const SCRIPT: &str = "referee incident capture";

/// Maximum size of a report that is not sealed evidence, in bytes.
const REPORT_BYTES: u64 = 64 * 1024 * 1024;

/// Captures the named source, or the last sealed run.
pub(super) fn capture(context: &Context, arguments: &Capture) -> Result<u8, EngineError> {
    let given = given(context, arguments)?;
    let service = super::service(context, &arguments.root)?;
    if !arguments.command.is_empty() {
        return run(context, arguments, &service, given);
    }
    let source = match &arguments.report {
        Some(path) => of_path(context, path)?,
        None if arguments.log.is_some() => CaptureSource::Given,
        None if arguments.message.is_some() && arguments.tasks.is_empty() => CaptureSource::Given,
        None => CaptureSource::LastRuns(arguments.tasks.clone()),
    };
    let captured = engine::capture_from(context, service.context("cli"), source, &given, &mut notes(context))?;
    let text = match arguments.format {
        PlainFormat::Json => {
            let captures = captured.iter().map(document).collect();
            referee_model::document::to_bytes(&IncidentCapturesDocument::of(captures))?
        }
        PlainFormat::Human => {
            let sentences: Vec<String> = captured.iter().map(|captured| captured.sentence() + "\n").collect();
            sentences.concat().into_bytes()
        }
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

/// Runs the command, and captures it if it failed. Exits with the code of the command. If the answer is for a
/// program, the answer has standard output to itself.
fn run(
    context: &Context,
    arguments: &Capture,
    service: &IncidentService,
    given: CaptureRequest,
) -> Result<u8, EngineError> {
    let (incidents, is_human) = (service.context("cli"), arguments.format == PlainFormat::Human);
    let show: Live = Arc::new(move |stream, bytes: &[u8]| {
        // A closed reader does not stop the command.
        let _ = if is_human && stream == Stream::Stdout { output::answer(bytes) } else { output::aside(bytes) };
    });
    let request = (CaptureRequest { command: arguments.command.clone(), ..given }, arguments.timeout);
    let ended = engine::command(context, incidents, request, show, &resolve::signals()?)?;
    let document = ended.captured.map(|captured| match captured {
        Ok(captured) => document(&captured),
        Err(error) => IncidentCaptureDocument {
            captured: "failed",
            message: format!("could not be captured: {}", style::plain(&error.to_string())),
            ..IncidentCaptureDocument::default()
        },
    });
    match document {
        document if !is_human => {
            let captures = IncidentCapturesDocument::of(document.into_iter().collect());
            output::answer(&referee_model::document::to_bytes(&captures)?)?;
        }
        Some(document) => output::aside(format!("referee: {}\n", document.message).as_bytes())?,
        None => {}
    }
    Ok(ended.code)
}

/// Returns the arguments about a failure, whatever its source.
fn given(context: &Context, arguments: &Capture) -> Result<CaptureRequest, EngineError> {
    let id = arguments.id.as_deref().map(super::id).transpose()?;
    let file = |path: &Option<PathBuf>, bytes: u64| path.as_ref().map(|path| end(context, path, bytes)).transpose();
    Ok(CaptureRequest {
        id,
        force: arguments.force,
        run_id: arguments.run_id.clone(),
        step: arguments.step.clone(),
        failure_class: arguments.failure_class.clone(),
        message: arguments.message.clone(),
        year: arguments.year,
        month: arguments.month,
        log: file(&arguments.log, engine::log_limit(arguments.log_bytes))?,
        log_bytes: arguments.log_bytes,
        // One more byte shows that the first line is cut.
        audit: file(&arguments.audit, limit::INCIDENT_AUDIT_BYTES as u64 + 1)?,
        audit_lines: arguments.audit_lines,
        // One byte over the limit is refused.
        context: file(&arguments.context, limit::INCIDENT_CONTEXT_BYTES as u64 + 1)?,
        inline_context: arguments.context_json.clone(),
        script: SCRIPT.to_owned(),
        ..CaptureRequest::default()
    })
}

/// Returns the source at a path: a directory is sealed evidence, and so is the report in one; any other file is
/// an unverified report.
fn of_path(context: &Context, path: &Path) -> Result<CaptureSource, EngineError> {
    let path = context.directory.join(path);
    if let Some(directory) = engine::sealed_directory(&path) {
        return Ok(CaptureSource::Directory(directory.to_path_buf()));
    }
    let bytes = input::read(context, &path, REPORT_BYTES)?;
    output::notes(["the report is not sealed evidence: it is taken as it says it is"])?;
    Ok(CaptureSource::Report(CapturedFile { path: context.shown(&path).display().to_string(), bytes }))
}

fn document(captured: &CaptureResult) -> IncidentCaptureDocument {
    let (word, regression_of, reason) = match captured {
        CaptureResult::New(_) => ("new", None, None),
        CaptureResult::Occurrence(_) => ("occurrence", None, None),
        CaptureResult::Known(_) => ("known", None, None),
        CaptureResult::Regression { of, .. } => ("regression", Some(of.clone()), None),
        CaptureResult::Skipped(reason) => ("skipped", None, Some(reason.clone())),
    };
    IncidentCaptureDocument {
        captured: word,
        incident_id: captured.id().cloned(),
        regression_of,
        reason,
        message: captured.sentence(),
    }
}

/// Result of capturing a failed run automatically.
pub(in crate::command) struct RunCapture {
    pub(in crate::command) sentence: String,
    /// Result for programs, in the seed's terms: `error_incident_id`, or the reason why there is none.
    pub(in crate::command) document: Value,
}

/// Captures a failed run automatically. The result never changes the outcome of the run, so a failure to store
/// it is only reported.
pub(in crate::command) fn of_run(context: &Context, root: &Root, answer: &Answer) -> RunCapture {
    let at = seconds::text(resolve::now());
    match super::service(context, root).and_then(|service| engine::automatic(context, &service, answer)) {
        Ok(captured) => {
            let document = match &captured {
                CaptureResult::Skipped(reason) => {
                    json!({ "error_capture_skipped_at": at, "error_capture_skipped_reason": reason })
                }
                CaptureResult::New(id)
                | CaptureResult::Occurrence(id)
                | CaptureResult::Known(id)
                | CaptureResult::Regression { id, .. } => {
                    json!({ "error_incident_id": id, "error_capture_attempted_at": at })
                }
            };
            RunCapture { sentence: captured.sentence(), document }
        }
        Err(problem) => {
            let message = style::plain(&problem.message);
            let document = json!({ "error_capture_attempted_at": at, "error_capture_error": message });
            RunCapture { sentence: format!("not captured as an incident: {message}"), document }
        }
    }
}

/// Reads the end of a file, or of standard input.
fn end(context: &Context, path: &Path, bytes: u64) -> Result<CapturedFile, EngineError> {
    let is_stdin = path.as_os_str() == input::STANDARD_INPUT;
    let shown = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
    Ok(CapturedFile { path: shown, bytes: input::end(context, path, bytes)? })
}
