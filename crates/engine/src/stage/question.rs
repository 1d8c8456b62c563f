//! A question of a stage's executor as a message file, which also takes the answer.

use referee_ledger::stages::{HeldRun, RunLog, StageRun};
use referee_model::handback::{HANDBACK, Handback, read as read_handback};
use referee_model::id::Digest;
use referee_model::stage::id::StageId;
use referee_model::stage::log::StageChange;
use referee_model::stage::message::{self, MESSAGES, MessageDocument};
use referee_model::stage::path::StagePath;

use super::change::output_data;
use super::history::StageHistory;
use super::{Opened, StageError, Workshop};

/// Returns the path for the next question of a stage. Questions are counted by the log, regardless of other files.
pub(super) fn place(opened: &Opened, log: &RunLog) -> Result<StagePath, StageError> {
    let of_stage = log.lines.iter().filter(|line| line.stage_id.as_ref() == Some(&opened.stage));
    let asked = of_stage.filter(|line| matches!(line.operation, StageChange::Questioned { .. })).count();
    let number = u32::try_from(asked).unwrap_or(u32::MAX).saturating_add(1);
    Ok(StagePath::parse(&format!("{MESSAGES}/{}", message::name(number)))?)
}

/// Builds the message of a question.
pub(super) fn message(
    workshop: &Workshop<'_>,
    opened: &Opened,
    before: &StageHistory,
    handback: &Handback,
) -> MessageDocument {
    let question = workshop.redactor.text_strictly(&handback.description);
    MessageDocument::question(opened.stage.clone(), before.attempt, workshop.now, question)
}

pub(super) fn write(
    held: &HeldRun<'_>,
    opened: &Opened,
    place: &StagePath,
    message: &MessageDocument,
) -> Result<(), StageError> {
    let bytes = referee_model::document::to_bytes(message)?;
    Ok(held.write(&opened.stage, place, &bytes)?)
}

/// Returns the handback that asked a question. `None` if it is gone or was replaced.
pub(super) fn asking(run: &StageRun, stage: &StageId, past: &StageHistory) -> Result<Option<Handback>, StageError> {
    let asked = past.handbacks.last().map(|(_, digest)| *digest);
    let lying = run.read(stage, &output_data(HANDBACK)?)?.bytes().filter(|bytes| Some(Digest::of(bytes)) == asked);
    Ok(lying.and_then(|bytes| read_handback(&bytes).ok()))
}

/// Returns the question that a stage is blocked by, and notes on it. It is taken from the handback that asked it,
/// if that is still the one in the log; the message file could have been changed.
pub(super) fn waiting(
    workshop: &Workshop<'_>,
    opened: &Opened,
    before: &StageHistory,
    place: &StagePath,
) -> Result<(MessageDocument, Option<String>), StageError> {
    let lying = opened.run.read(&opened.stage, place)?.bytes().and_then(|bytes| message::read(&bytes).ok());
    let lying = lying.filter(|lying| lying.stage_id == opened.stage && lying.attempt == before.attempt);
    if let Some(handback) = asking(&opened.run, &opened.stage, before)? {
        let mut message = message(workshop, opened, before, &handback);
        if let Some(lying) = lying {
            message.asked_at = lying.asked_at;
        }
        return Ok((message, None));
    }
    let warning =
        Some(format!("{HANDBACK} is not the one that asked: whether this was its question cannot be determined"));
    if let Some(lying) = lying {
        return Ok((MessageDocument { answer: None, ..lying }, warning));
    }
    Err(StageError::Refused(vec![format!(
        "the question is lost: neither {place} nor {HANDBACK} of stage {} has it; begin another attempt by accept --again",
        opened.stage
    )]))
}
