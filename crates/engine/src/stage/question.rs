//! A question of a stage's executor as a message file, which also takes the answer.

use referee_ledger::stages::{FileContent, HeldRun, RunLog};
use referee_model::handback::{HANDBACK, Handback, read as read_handback};
use referee_model::id::Digest;
use referee_model::stage::log::StageChange;
use referee_model::stage::message::{self, MESSAGES, MessageDocument};
use referee_model::stage::path::StagePath;

use super::file_path::{output_data, path};
use super::history::StageHistory;
use super::{Opened, StageError, Workshop};

/// Returns the path for the next question of a stage. Questions are counted by the log, regardless of other files.
pub(super) fn place(opened: &Opened, log: &RunLog) -> Result<StagePath, StageError> {
    let of_stage = log.lines.iter().filter(|line| line.stage_id.as_ref() == Some(&opened.stage));
    let asked = of_stage.filter(|line| matches!(line.operation, StageChange::Questioned { .. })).count();
    let number = u32::try_from(asked).unwrap_or(u32::MAX).saturating_add(1);
    path(&format!("{MESSAGES}/{}", message::name(number)))
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
    let bytes = referee_model::document::to_bytes(message).map_err(|error| StageError::Internal(error.to_string()))?;
    Ok(held.write(&opened.stage, place, &bytes)?)
}

/// Returns the question that a stage is blocked by, and notes on it. It is taken from the handback that asked it,
/// if that is still the one in the log; the message file could have been changed.
pub(super) fn waiting(
    workshop: &Workshop<'_>,
    opened: &Opened,
    before: &StageHistory,
    place: &StagePath,
) -> Result<(MessageDocument, Option<String>), StageError> {
    let lying = match opened.run.read(&opened.stage, place)? {
        FileContent::Bytes(bytes) => message::read(&bytes).ok(),
        FileContent::Absent | FileContent::NotAFile | FileContent::TooLarge => None,
    };
    let lying = lying.filter(|lying| lying.stage_id == opened.stage && lying.attempt == before.attempt);
    let asked = before.handbacks.last().map(|(_, digest)| *digest);
    if let FileContent::Bytes(bytes) = opened.run.read(&opened.stage, &output_data(HANDBACK)?)?
        && Some(Digest::of(&bytes)) == asked
        && let Ok(handback) = read_handback(&bytes)
    {
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
