//! `referee stage compose`: composes a run from a workflow's directory.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::stage::StageError;
use referee_engine::stage::composition::{ComposeRequest, compose_directory};
use referee_ledger::redact::Redactor;
use referee_ledger::stages::ComposedRun;
use referee_model::exit_code;
use referee_model::stage::workflow::Stage;
use referee_report::human::stage::composition::{self as human, Level};
use referee_report::stage::composed::ComposedDocument;
use referee_spec::workflow::keys::WF;
use referee_spec::workflow::{Fault, Template, WorkflowError};
use serde_json::{Value, json};

use crate::args::PlainFormat;
use crate::args::stage::compose::Compose;
use crate::complaints;
use crate::output;

/// Composes a run, and prints its path. Exits with 1 if the workflow is invalid, and lists all errors.
pub(super) fn execute(context: &Context, arguments: &Compose) -> Result<u8, EngineError> {
    let redactor = context.redactor();
    let Compose { workflow, output, workspace, .. } = arguments;
    let request = ComposeRequest { workflow, output, workspace: workspace.as_deref() };
    let (template, run) = match compose_directory(context, request)? {
        Ok(composed) => composed,
        Err(error) => {
            refused(context, arguments, &redactor, &error)?;
            return Ok(exit_code::FAILED);
        }
    };
    answer(context, arguments, &redactor, &template, &run)?;
    Ok(exit_code::PASSED)
}

/// Lists all errors.
fn refused(
    context: &Context,
    arguments: &Compose,
    redactor: &Redactor,
    error: &WorkflowError,
) -> Result<(), EngineError> {
    let WorkflowError { complaints, faults } = error;
    let faults: Vec<Fault> = faults.iter().map(|fault| without_secrets(fault, redactor)).collect();
    let count = |number: usize, what: &str| match number {
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    };
    let errors = complaints.iter().filter(|complaint| complaint.level == referee_spec::Level::Error).count();
    let message = format!(
        "no run can be composed of {}: {} in its files, {} in its directory",
        arguments.workflow.display(),
        count(errors, "error"),
        count(faults.len(), "fault")
    );
    match arguments.format {
        PlainFormat::Json => {
            let mut document = complaints::document(false, &message, complaints);
            if let Some(document) = document.as_object_mut() {
                let fault = |fault: &Fault| json!({ "cause": fault.cause, "action": fault.action, "see": fault.see });
                document.insert("faults".to_owned(), faults.iter().map(fault).collect::<Value>());
            }
            output::answer(&referee_model::document::to_bytes(&document)?)?;
        }
        PlainFormat::Human => {
            let mut text = complaints::rendered(context, complaints)?;
            human::faults(&shown(&faults), Level::Error, &context.terminal.stderr, &mut text)?;
            let action = format!(
                "error: {message}\nAction: fix everything above, and compose again; nothing was composed.\nSee: \
                 `referee schema wf` for the form of {WF}\n"
            );
            text.extend(action.into_bytes());
            output::aside(&text)?;
        }
    }
    Ok(())
}

/// Prints the path of the run, warnings, and the next steps.
fn answer(
    context: &Context,
    arguments: &Compose,
    redactor: &Redactor,
    template: &Template,
    run: &ComposedRun,
) -> Result<(), EngineError> {
    let notices: Vec<Fault> = template.notices.iter().map(|notice| without_secrets(notice, redactor)).collect();
    let stages: Vec<_> = template.workflow.stages.iter().map(|stage| stage.id.clone()).collect();
    let path = run.path.to_str().ok_or_else(|| {
        StageError::Internal(format!(
            "the path of the run is not UTF-8, and cannot be determined: {}",
            run.path.display()
        ))
    });
    match arguments.format {
        PlainFormat::Json => {
            let complaint =
                |one: &referee_spec::Complaint| redactor.text(&format!("{}:{}: {}", one.file, one.line, one.message));
            let notice = |notice: &Fault| format!("{}: {}", notice.cause, notice.action);
            let warnings = template.warnings.iter().map(complaint).chain(notices.iter().map(notice)).collect();
            let document = ComposedDocument::new(run.run_id.clone(), path?.to_owned(), stages, warnings);
            output::answer(&referee_model::document::to_bytes(&document)?)?;
        }
        PlainFormat::Human => {
            let style = &context.terminal.stdout;
            let mut text = Vec::new();
            let shown_path = context.shown(&run.path);
            human::created(&shown_path.display().to_string(), &mut text)?;
            text.extend(complaints::rendered(context, &template.warnings)?);
            human::faults(&shown(&notices), Level::Warning, style, &mut text)?;
            let first = template.workflow.stages.first();
            human::next(&first.map(|stage| steps(stage, template, shown_path)).unwrap_or_default(), style, &mut text)?;
            output::answer(&text)?;
        }
    }
    Ok(())
}

/// Returns the next steps for the first stage.
fn steps(stage: &Stage, template: &Template, run: &Path) -> Vec<String> {
    let (id, typed, run) = (&stage.id, super::typed(run), run.display());
    let is_composed = |path: &str| {
        let path = format!("{}/{id}/{path}", referee_model::stage::STAGES);
        template.files.keys().any(|known| known.as_str() == path)
    };
    let missing = stage.inputs.iter().filter(|input| input.is_required && input.from.is_none());
    let missing = missing.map(|input| input.path.as_str()).filter(|path| !is_composed(path));
    let put = missing.map(|path| format!("put `{path}` into {run}/{}/{id}", referee_model::stage::STAGES));
    put.chain([format!("`referee stage accept {id} --run-dir {typed}` gives an executor control of it")]).collect()
}

fn without_secrets(fault: &Fault, redactor: &Redactor) -> Fault {
    Fault {
        cause: redactor.text(&fault.cause),
        action: redactor.text(&fault.action),
        see: fault.see.as_deref().map(|see| redactor.text(see)),
    }
}

fn shown(faults: &[Fault]) -> Vec<human::Fault<'_>> {
    faults.iter().map(shown_one).collect()
}

fn shown_one(fault: &Fault) -> human::Fault<'_> {
    human::Fault { cause: &fault.cause, action: &fault.action, see: fault.see.as_deref() }
}
