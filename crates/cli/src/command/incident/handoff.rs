//! `referee incident handoff`, `recall` and `ack`.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::incident::approval;
use referee_engine::incident::handoff::{self, HandoffRequest};
use referee_model::exit_code;
use referee_model::handback::HandbackResultDocument;
use referee_model::incident::handoff::HandoffDocument;
use referee_model::limit;
use referee_report::human;
use serde_json::Value;

use crate::args::PlainFormat;
use crate::args::incident::handoff::{Ack, Handoff, Recall};
use crate::{input, output};

/// Actor in events.
const BY: &str = "cli";

pub(super) fn handoff(context: &Context, arguments: &Handoff) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let service = super::service(context, &arguments.root)?;
    let queue = handoff::queue(context, arguments.queue_dir.as_deref());
    let request = HandoffRequest { executor: arguments.executor.clone(), queue, force: arguments.force };
    let package = handoff::hand_off(service.context(BY), &id, &request)?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&package),
        |out| {
            let package: HandoffDocument = serde_json::from_value(package.clone())?;
            let queued = request.queue.as_ref().map(|queue| queue.join(format!("{id}.json")));
            Ok::<_, EngineError>(human::approval::handed_off(
                &package,
                queued.as_deref(),
                &context.terminal.stdout,
                out,
            )?)
        },
    )?;
    Ok(exit_code::PASSED)
}

pub(super) fn recall(context: &Context, arguments: &Recall) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let service = super::service(context, &arguments.root)?;
    handoff::recall(service.context(BY), &id)?;
    let text = match approval::standing(service.context(BY), &id)? {
        Ok(_) => format!("{id} is approved, and nobody has it\n"),
        Err(reason) => format!("{id} is taken back, and nobody has it; {reason}\n"),
    };
    output::answer(text.as_bytes())?;
    Ok(exit_code::PASSED)
}

pub(super) fn ack(context: &Context, arguments: &Ack) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let service = super::service(context, &arguments.root)?;
    if let Some(file) = &arguments.result {
        let bytes = input::read(context, file, limit::HANDBACK_BYTES as u64)?;
        let result = handoff::hand_back(service.context("executor"), &id, &bytes)?;
        return handed_back(context, arguments.format, &result);
    }
    let executor = arguments.executor.as_deref().unwrap_or_default();
    handoff::acknowledge(service.context(executor.trim()), &id, executor, &arguments.note)?;
    let text = match arguments.format {
        PlainFormat::Json => {
            let taken = serde_json::json!({ "incident_id": id, "status": "running", "executor": executor.trim() });
            referee_model::document::to_bytes(&taken)?
        }
        PlainFormat::Human => {
            format!("{id} is running: hand it back by `referee incident ack {id} --result FILE`\n").into_bytes()
        }
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

fn handed_back(context: &Context, format: PlainFormat, result: &Value) -> Result<u8, EngineError> {
    output::document(
        format,
        || referee_model::document::to_bytes(result),
        |out| {
            let result: HandbackResultDocument = serde_json::from_value(result.clone())?;
            Ok::<_, EngineError>(human::approval::handed_back(&result, &context.terminal.stdout, out)?)
        },
    )?;
    Ok(exit_code::PASSED)
}
