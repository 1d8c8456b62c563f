//! `referee incident capture`.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::incident::capture::{self as engine, CaptureRequest, CaptureResult, CapturedFile};
use referee_engine::problem::{Kind, Problem};
use referee_engine::recorded::Unreliable;
use referee_engine::request::Answer;
use referee_model::id::TaskId;
use referee_model::limit;
use referee_model::plan::Plan;
use referee_report::style;
use referee_wire::incident::seconds;
use referee_wire::incident_captured::{IncidentCaptureDocument, IncidentCapturesDocument};
use referee_wire::{evidence_name, exit_code};
use serde_json::{Value, json};

use crate::args::incident::Root;
use crate::args::incident::capture::Capture;
use crate::args::{PlainFormat, Specification};
use crate::resolve;
use crate::{input, output};

mod running;

/// The program that captures, as contexts say it.
const SCRIPT: &str = "referee incident capture";

/// Bytes of a report that is no sealed evidence.
const REPORT_BYTES: u64 = 64 * 1024 * 1024;

/// Captures what was named, or the last sealed run.
pub(super) fn capture(context: &Context, arguments: &Capture) -> Result<u8, Problem> {
    let given = given(context, arguments)?;
    if !arguments.command.is_empty() {
        return running::execute(context, arguments, given);
    }
    let service = super::service(context, &arguments.root)?;
    let mut requests = Vec::new();
    if let Some(path) = &arguments.report {
        requests.push(with_report(of_path(context, path)?, &given));
    } else if arguments.log.is_some() || (arguments.message.is_some() && arguments.tasks.is_empty()) {
        requests.push(given);
    } else {
        for folder in folders(context, &arguments.tasks)? {
            requests.push(with_report(of_folder(context, &folder)?, &given));
        }
    }
    let incidents = service.context("cli");
    let captured: Result<Vec<CaptureResult>, _> =
        requests.iter().map(|request| engine::capture(incidents, request)).collect();
    answer(arguments.format, &captured?)?;
    Ok(exit_code::PASSED)
}

/// What was typed of a failure, whatever it is taken from.
fn given(context: &Context, arguments: &Capture) -> Result<CaptureRequest, Problem> {
    let id = arguments.id.as_deref().map(super::id).transpose()?;
    let file = |path: &Option<PathBuf>, bytes: u64| path.as_ref().map(|path| end(context, path, bytes)).transpose();
    let log_bytes = match arguments.log_bytes {
        None => limit::INCIDENT_LOG_BYTES as u64,
        Some(0) => limit::INCIDENT_FILE_BYTES,
        Some(bytes) => (bytes as u64).min(limit::INCIDENT_FILE_BYTES),
    };
    let log_bytes = log_bytes + limit::INCIDENT_LOG_MARGIN_BYTES as u64;
    Ok(CaptureRequest {
        id,
        force: arguments.force,
        run_id: arguments.run_id.clone(),
        step: arguments.step.clone(),
        failure_class: arguments.failure_class.clone(),
        message: arguments.message.clone(),
        year: arguments.year,
        month: arguments.month,
        log: file(&arguments.log, log_bytes)?,
        log_bytes: arguments.log_bytes,
        // One byte more tells that the first line is cut.
        audit: file(&arguments.audit, limit::INCIDENT_AUDIT_BYTES as u64 + 1)?,
        audit_lines: arguments.audit_lines,
        // One byte more than may be there is refused.
        context: file(&arguments.context, limit::INCIDENT_CONTEXT_BYTES as u64 + 1)?,
        inline_context: arguments.context_json.clone(),
        script: SCRIPT.to_owned(),
        ..CaptureRequest::default()
    })
}

/// Puts what was typed to what a run left. A log that was named goes before the one of the run.
fn with_report(run: CaptureRequest, given: &CaptureRequest) -> CaptureRequest {
    CaptureRequest { report: run.report, log: given.log.clone().or(run.log), red: run.red, ..given.clone() }
}

/// The folders of the last sealed runs of the tasks that are meant, or of all of the nearest specification.
fn folders(context: &Context, asked: &[TaskId]) -> Result<Vec<PathBuf>, Problem> {
    let nearest = Specification { files: Vec::new(), workspace: None };
    let mut plans: Vec<Plan> = Vec::new();
    for loaded in resolve::load(context, &nearest)? {
        plans.extend(loaded?.suite.tasks);
    }
    if let Some(unknown) = asked.iter().find(|task| plans.iter().all(|plan| plan.task != **task)) {
        let known: Vec<&str> = plans.iter().map(|plan| plan.task.as_str()).collect();
        return Err(Problem::usage(format!("there is no task {unknown}; there is {}", known.join(", "))));
    }
    let meant = plans.iter().filter(|plan| asked.is_empty() || asked.contains(&plan.task));
    let folders: Vec<PathBuf> = meant.map(|plan| plan.evidence_root.join(plan.task.as_str())).collect();
    let sealed: Vec<PathBuf> = folders.iter().filter(|folder| folder.is_dir()).cloned().collect();
    if sealed.is_empty() || (!asked.is_empty() && sealed.len() < folders.len()) {
        let missing = folders.iter().find(|folder| !folder.is_dir());
        let shown = missing.map(|folder| context.shown(folder).display().to_string()).unwrap_or_default();
        let shown = style::plain(&shown);
        return Err(Problem::usage(format!("there is no sealed run in {shown}: `referee run` makes one")));
    }
    Ok(sealed)
}

/// A folder is sealed evidence, and so is the report in one; any other file is a report that only says what it says.
fn of_path(context: &Context, path: &Path) -> Result<CaptureRequest, Problem> {
    let path = context.directory.join(path);
    if path.is_dir() {
        return of_folder(context, &path);
    }
    let is_report = path.file_name().is_some_and(|name| name == evidence_name::EXECUTION_REPORT);
    let sealed = path.parent().filter(|folder| is_report && folder.join(evidence_name::SEAL).is_file());
    if let Some(folder) = sealed {
        return of_folder(context, folder);
    }
    let report = CapturedFile {
        path: context.shown(&path).display().to_string(),
        bytes: input::read(context, &path, REPORT_BYTES)?,
    };
    output::aside(b"note: the report is no sealed evidence: it is taken as it says it is\n")?;
    Ok(CaptureRequest { report: Some(report), ..CaptureRequest::default() })
}

fn of_folder(context: &Context, folder: &Path) -> Result<CaptureRequest, Problem> {
    let shown = context.shown(folder).display().to_string();
    engine::of_folder(folder, &shown, context.state_if_any()?.as_ref()).map_err(|unreliable| {
        let kind = match &unreliable {
            Unreliable::Tampered(_) => Kind::Evidence,
            Unreliable::Unreadable(_) => Kind::Internal,
        };
        let message = style::plain(&format!("{shown} is not captured: {unreliable}"));
        Problem { kind, message, complaints: Vec::new() }
    })
}

/// Says what became of it.
fn answer(format: PlainFormat, captured: &[CaptureResult]) -> Result<(), Problem> {
    let text = match format {
        PlainFormat::Json => {
            let captures = captured.iter().map(document).collect();
            referee_wire::to_bytes(&IncidentCapturesDocument::of(captures))?
        }
        PlainFormat::Human => {
            let sentences: Vec<String> = captured.iter().map(|captured| captured.sentence() + "\n").collect();
            sentences.concat().into_bytes()
        }
    };
    Ok(output::answer(&text)?)
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

/// What became of a failed run that nobody asked to capture.
pub(in crate::command) struct Told {
    /// As a sentence.
    pub(in crate::command) sentence: String,
    /// For programs, in the seed's words: `error_incident_id`, or why there is none.
    pub(in crate::command) document: Value,
}

/// Captures a failed run that nobody asked to capture. What it comes to never changes how the run came out, so a failure to
/// keep it is told like anything else.
pub(in crate::command) fn of_run(context: &Context, root: &Root, answer: &Answer) -> Told {
    let at = seconds::text(resolve::now());
    match automatic(context, root, answer) {
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
            Told { sentence: captured.sentence(), document }
        }
        Err(problem) => {
            let message = style::plain(&problem.message);
            let document = json!({ "error_capture_attempted_at": at, "error_capture_error": message });
            Told { sentence: format!("not captured as an incident: {message}"), document }
        }
    }
}

fn automatic(context: &Context, root: &Root, answer: &Answer) -> Result<CaptureResult, Problem> {
    let service = super::service(context, root)?;
    let shown = context.shown(&answer.folder).display().to_string();
    let run = engine::of_answer(answer, &shown)?;
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let in_a_test = context.environment.iter().any(|(name, value)| name == "PYTEST_CURRENT_TEST" && !value.is_empty());
    let paths = vec![path(&answer.report.plan.workspace), path(&answer.folder)];
    let automatic = Some(engine::Automatic { paths, in_a_test });
    let request = CaptureRequest { script: "referee run".to_owned(), automatic, ..run };
    Ok(engine::capture(service.context("run"), &request)?)
}

/// The end of a file, or of standard input.
fn end(context: &Context, path: &Path, bytes: u64) -> Result<CapturedFile, Problem> {
    let is_stdin = path.as_os_str() == input::STANDARD_INPUT;
    let shown = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
    Ok(CapturedFile { path: shown, bytes: input::end(context, path, bytes)? })
}
