//! Records a person's answer to a question of a stage's executor. The executor of the next attempt finds it.

use referee_judge::stage::ending::Ending;
use referee_judge::stage::transition::next;
use referee_ledger::stages::RunLog;
use referee_model::limit;
use referee_model::stage::life::{StageEvent, StageState};
use referee_model::stage::log::StageChange;
use referee_model::stage::message::{MessageAnswer, MessageDocument};
use referee_model::stage::path::StagePath;
use referee_report::stage::changes::{self, StageAnsweredDocument};

use super::history::{History, StageHistory};
use super::judgement::{self, Judged};
use super::standing::HandbackFound;
use super::{Opened, StageError, Workshop, change, file_path, question, run_record};

/// Inspects a stage for a judgement.
type Look<'look> = &'look dyn Fn(&Opened) -> Result<Judged, StageError>;

/// Returns the question that a stage is blocked by, or that its handback asks. Reads only.
///
/// # Errors
/// Fails if there is none, or on an I/O error.
pub fn show(workshop: &Workshop<'_>, opened: &Opened) -> Result<StageAnsweredDocument, StageError> {
    let log = opened.run.log(workshop.state)?;
    let asked = asked(workshop, opened, &log, &|opened| judgement::look(opened, None))?;
    document(workshop, opened, asked, None)
}

/// Answers the question that a stage is blocked by. A question that is only in a handback is added to the log
/// together with its answer.
///
/// The message is written before the log's lines: without them the stage stays blocked.
///
/// # Errors
/// Fails if there is no question, if the answer is empty or too long, or on an I/O error.
pub fn answer(workshop: &Workshop<'_>, opened: &mut Opened, text: &str) -> Result<StageAnsweredDocument, StageError> {
    answer_what(workshop, opened, text, &|opened| judgement::look(opened, None))
}

fn answer_what(
    workshop: &Workshop<'_>,
    opened: &mut Opened,
    text: &str,
    look: Look<'_>,
) -> Result<StageAnsweredDocument, StageError> {
    let text = taken(workshop, text)?;
    let held = change::hold(workshop, &opened.run)?;
    let log = held.log()?;
    opened.history = History::of(&log);
    run_record::catch_up(&held, &opened.run, &log)?;
    change::refuse_meddled(opened)?;
    let mut asked = asked(workshop, opened, &log, look)?;
    asked.message.answer = Some(MessageAnswer {
        answered_at: workshop.now,
        by: workshop.redactor.text_strictly(workshop.by),
        text: text.clone(),
    });
    question::write(&held, opened, &asked.place, &asked.message)?;
    let attempt = asked.before.attempt;
    let message = asked.place.to_string();
    if let Some(handback) = asked.handback {
        let operation = StageChange::Questioned { message: message.clone(), handback };
        held.append(workshop.now, Some(&opened.stage), attempt, workshop.by, operation)?;
    }
    let operation = StageChange::Answered { message, content: asked.message.clone() };
    held.append(workshop.now, Some(&opened.stage), attempt, workshop.by, operation)?;
    asked.warnings.extend(run_record::renew(&held, &opened.run, &log)?);
    document(workshop, opened, asked, Some(text))
}

/// Returns a person's answer without secrets. Fails if it is empty or too long.
fn taken(workshop: &Workshop<'_>, text: &str) -> Result<String, StageError> {
    let text = text.trim();
    let most = limit::STAGE_ANSWER_CHARACTERS;
    if text.is_empty() {
        return Err(StageError::Invalid("the answer is empty: say something by --text or --file".to_owned()));
    }
    if text.chars().count() > most {
        return Err(StageError::Invalid(format!(
            "the answer is longer than {most} characters: put it into a file and name that"
        )));
    }
    Ok(workshop.redactor.text_strictly(text))
}

/// A question that can be answered.
struct OpenQuestion {
    before: StageHistory,
    place: StagePath,
    message: MessageDocument,
    /// Digest of the handback that asks, if the log does not have the question yet.
    handback: Option<referee_model::id::Digest>,
    warnings: Vec<String>,
}

fn asked(workshop: &Workshop<'_>, opened: &Opened, log: &RunLog, look: Look<'_>) -> Result<OpenQuestion, StageError> {
    let before = opened.history.stage(&opened.stage);
    if let (StageState::Blocked, Some(message)) = (before.state, &before.question) {
        let place = file_path::path(message)?;
        let (message, warning) = question::waiting(workshop, opened, &before, &place)?;
        let warnings = warning.into_iter().collect();
        return Ok(OpenQuestion { before, place, message, handback: None, warnings });
    }
    if before.state != StageState::Active {
        let illegal = next(before.state, StageEvent::Answered).err();
        let advice = "there is no question that waits".to_owned();
        return Err(illegal.map_or_else(
            || StageError::Internal("a stage that waits without a question".to_owned()),
            |illegal| StageError::Illegal(illegal, advice),
        ));
    }
    let judged = look(opened)?;
    match (judged.ending(before.state, false), &judged.handed.document) {
        (Ending::Question, HandbackFound::Valid(handback, digest)) => {
            let message = question::message(workshop, opened, &before, handback);
            let place = question::place(opened, log)?;
            Ok(OpenQuestion { before, place, message, handback: Some(*digest), warnings: Vec::new() })
        }
        (Ending::Refuse(objections), _) => {
            let told = objections.iter().map(change::said);
            let first = format!("stage {} asks nothing that can be answered", opened.stage);
            Err(StageError::Refused(std::iter::once(first).chain(told).collect()))
        }
        _ => {
            Err(StageError::Refused(vec![format!("stage {} asks nothing: its handback is no question", opened.stage)]))
        }
    }
}

fn document(
    workshop: &Workshop<'_>,
    opened: &Opened,
    asked: OpenQuestion,
    answer: Option<String>,
) -> Result<StageAnsweredDocument, StageError> {
    let (state, next) = match &answer {
        Some(_) => (StageState::Prepared, change::command(opened, "stage accept", &opened.stage, "")),
        None => (asked.before.state, change::command(opened, "stage answer", &opened.stage, "--text TEXT")),
    };
    Ok(StageAnsweredDocument {
        stage_answered_version: changes::version(),
        stage_id: opened.stage.clone(),
        run_id: change::run_id(&opened.history)?,
        state,
        attempt: asked.before.attempt,
        message: asked.place.to_string(),
        question: workshop.redactor.text_strictly(&asked.message.question),
        answer,
        warnings: asked.warnings,
        next,
    })
}

#[cfg(test)]
mod tests;
