//! `referee incident approve` and `reject`.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::incident::approval::{self, ApprovalRequest, Credential};
use referee_engine::incident::{self, IncidentService};
use referee_engine::keys;
use referee_ledger::attest::Signer;
use referee_ledger::key::file;
use referee_model::exit_code;
use referee_model::incident::approval::summary;
use referee_model::incident::id::IncidentId;
use referee_model::limit;
use referee_report::human;

use crate::args::PlainFormat;
use crate::args::incident::approval::{Approve, Reject};
use crate::command::person::{is_at_a_terminal, user};
use crate::{input, output};

pub(super) fn approve(context: &Context, arguments: &Approve) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let service = super::service(context, &arguments.root)?;
    // Checked before anything is requested from a person.
    service.context("cli").needs_a_person(approval::APPROVE)?;
    let signer = signer(context, arguments)?;
    let envelope = arguments.envelope.as_deref().map(|file| input::read(context, file, limit::ENVELOPE_BYTES));
    let envelope = envelope.transpose()?;
    let credential = match (&signer, &envelope) {
        (Some(signer), _) => Credential::Key(signer),
        (None, Some(envelope)) => Credential::Envelope(envelope),
        (None, None) => at_a_terminal()?,
    };
    let person = person(context, arguments)?;
    let (note, commands) = (arguments.note.as_str(), arguments.commands.as_slice());
    let request = ApprovalRequest { person: &person, note, commands, credential, expected: None };
    if arguments.sign_only {
        output::answer(&approval::sign(service.context(&person), &id, &request)?)?;
        return Ok(exit_code::PASSED);
    }
    let approval = approval::approve(service.context(&person), &id, &request)?;
    answer(context, arguments.format, &service, &id, &summary(&approval))
}

fn answer(
    context: &Context,
    format: PlainFormat,
    service: &IncidentService,
    id: &IncidentId,
    summary: &referee_model::incident::approval::ApprovalSummary,
) -> Result<u8, EngineError> {
    output::document(
        format,
        || referee_model::document::to_bytes(summary),
        |out| {
            let plan = approval::plan(service.context(&summary.person), id)?;
            Ok::<_, EngineError>(human::approval::approved(id, summary, &plan, &context.terminal.stdout, out)?)
        },
    )?;
    Ok(exit_code::PASSED)
}

pub(super) fn reject(context: &Context, arguments: &Reject) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let service = super::service(context, &arguments.root)?;
    let person = user(context).unwrap_or_else(|| "somebody".to_owned());
    approval::reject(service.context(&person), &id, &arguments.reason)?;
    output::answer(format!("{id} is new again: its plan was refused\n").as_bytes())?;
    Ok(exit_code::PASSED)
}

/// Requires a terminal, because an approval without a key must be typed.
fn at_a_terminal() -> Result<Credential<'static>, EngineError> {
    if is_at_a_terminal() {
        return Ok(Credential::Terminal);
    }
    Err(EngineError::refused(
        "no approval given: pass an approver's key (`--key`), pass an approval that was signed elsewhere (`--envelope`), \
         or type this at a terminal of your own"
            .to_owned(),
    ))
}

/// Returns the signer. None: none was named. The variable for the key of runs does not apply to approvers.
fn signer(context: &Context, arguments: &Approve) -> Result<Option<Signer>, EngineError> {
    if let Some(number) = arguments.key_fd {
        return Ok(Some(file::read_descriptor(number)?.into()));
    }
    let Some(key) = &arguments.key else { return Ok(None) };
    let root = incident::root(context, arguments.root.root.as_deref());
    let project = root.parent().filter(|parent| parent.ends_with(incident::ROOT[0])).and_then(Path::parent);
    let in_reach: Vec<&Path> = [Some(root.as_path()), project].into_iter().flatten().collect();
    keys::named(context, key, &in_reach).map(Some)
}

/// Returns the name of the approver: as given, else the name of the key's file, else the user's name.
fn person(context: &Context, arguments: &Approve) -> Result<String, EngineError> {
    let of_key = || {
        let key = arguments.key.as_ref().filter(|key| !keys::is_of_agent(key))?;
        Some(key.file_stem()?.to_string_lossy().into_owned())
    };
    let named = arguments.by.clone().or_else(of_key).or_else(|| user(context));
    let is_said_elsewhere = arguments.envelope.is_some();
    named
        .or_else(|| is_said_elsewhere.then(|| "somebody".to_owned()))
        .ok_or_else(|| EngineError::usage("who approves? say --by NAME".to_owned()))
}
