//! `referee enroll`: a person enables hooks in a project.

use std::io::IsTerminal;
use std::path::PathBuf;

use referee_engine::context::Context;
use referee_engine::enrolment_change::{self, EnrolmentRequest};
use referee_engine::error::EngineError;
use referee_model::enrolment::EnrolmentRecord;
use referee_model::exit_code;
use referee_report::human;

use super::evidence::depot::fleet_settings;
use super::person;
use crate::args::PlainFormat;
use crate::args::enroll::Enroll;
use crate::follower::notes;
use crate::output;

/// Enrolls, lists, or ends an enrolment.
pub(super) fn execute(context: &Context, arguments: &Enroll) -> Result<u8, EngineError> {
    if arguments.list {
        return list(context, arguments.format);
    }
    let notes = &mut notes(context);
    if arguments.remove {
        person::refuse_to_move_the_gate(context, "take a project out of the gate")?;
        if !arguments.yes && !std::io::stdin().is_terminal() {
            return Err(EngineError::usage(
                "a project is taken out of the gate by a person at a terminal; in a script of yours say `--yes`"
                    .to_owned(),
            ));
        }
        let removed = enrolment_change::remove(context, arguments.path.as_deref(), notes)?;
        return answer(context, arguments.format, &removed);
    }
    let Enroll { path, held_out, trusted, workers, depot, project, .. } = arguments;
    let settings = || fleet_settings(context, workers, depot.as_deref(), project);
    let fleet = arguments.fleet.then(settings).transpose()?;
    let request = EnrolmentRequest { path: path.clone(), held_out: held_out.clone(), trusted: trusted.clone(), fleet };
    let record = enrolment_change::enroll(context, &request, notes)?;
    record.map_or(Ok(exit_code::PASSED), |record| answer(context, arguments.format, &record))
}

fn list(context: &Context, format: PlainFormat) -> Result<u8, EngineError> {
    let records = match context.state_if_any()? {
        Some(state) => referee_ledger::enrolment::all(&state)?,
        None => Vec::new(),
    };
    let records: Vec<EnrolmentRecord> = records.into_iter().map(|record| without_place(context, record)).collect();
    output::document(
        format,
        || referee_model::document::to_bytes(&referee_ledger::enrolment::enrolment_document::list(&records)),
        |out| human::enrolment::list(&records, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// Hides the location of held-out checks, unless a person at a terminal asks; their existence is always shown.
fn without_place(context: &Context, mut record: EnrolmentRecord) -> EnrolmentRecord {
    if !person::may_see_places(context) {
        record.enrolment.held_out = record.enrolment.held_out.map(|_| PathBuf::from("yes"));
    }
    record
}

fn answer(context: &Context, format: PlainFormat, record: &EnrolmentRecord) -> Result<u8, EngineError> {
    let record = &without_place(context, record.clone());
    output::document(
        format,
        || {
            let none = || EngineError::internal("a path of the project is not text".to_owned());
            Ok::<_, EngineError>(referee_ledger::enrolment::enrolment_document::render(record).ok_or_else(none)??)
        },
        |out| human::enrolment::told(record, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}
