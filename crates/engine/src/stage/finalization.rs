//! Ends a stage: publishes its outputs, records its question, or captures its error as an incident; or reports the
//! objections to that (seed 5; ruling 28).
//!
//! Everything is inspected again, with the run locked from the first inspection to the last line of the log. The
//! log's line takes effect and is written last, except for `wf-run.json`, which is derived from the log: after a
//! crash the stage is in the state that the log has, and repeating the command completes it.

use std::collections::{BTreeMap, BTreeSet};

use referee_judge::stage::ending::Ending;
use referee_ledger::stages::{HeldRun, RunLog};
use referee_model::exit_code;
use referee_model::handback::HANDBACK;
use referee_model::id::Digest;
use referee_model::stage::life::StageState;
use referee_model::stage::log::StageChange;
use referee_model::stage::standing::{Objection, StandingName};
use referee_report::stage::changes::{StageFinalizedDocument, StageOutcome};
use referee_syntax::count::list;

use self::failure::Kept;
use self::finalization_document::FinalizationFacts;
use super::history::{self, History, StageHistory};
use super::judgement::{self, Judged};
use super::standing::{HandbackFound, Verdict};
use super::{Opened, StageError, Workshop, change, question, run_record, sources};
use crate::incident::IncidentService;

mod failure;
mod finalization_document;
mod publication;

/// Maximum number of files listed that changed in the meantime.
const CHANGED_NAMED: usize = 5;

/// Options of ending a stage.
#[derive(Debug, Clone, Copy, Default)]
pub struct FinalizeOptions {
    /// Whether to only report the result, without writing anything or running the specification.
    pub dry_run: bool,
    /// Whether a person accepts that there is no handback.
    pub without_handback: bool,
    /// Whether a run that was moved or copied here is adopted.
    pub adopt: bool,
}

/// The result of ending a stage.
#[derive(Debug, Clone)]
pub struct Finalized {
    /// The full result.
    pub document: StageFinalizedDocument,
    /// Whether an error could not be captured as an incident.
    pub is_incident_lost: bool,
}

impl Finalized {
    /// Returns the exit code of the result, or that of the specification's verdict if that decides.
    pub fn exit(&self) -> u8 {
        match self.document.outcome {
            StageOutcome::Published | StageOutcome::AlreadyPublished => exit_code::PASSED,
            StageOutcome::Error if self.is_incident_lost => exit_code::EVIDENCE,
            StageOutcome::Question | StageOutcome::Error => exit_code::FAILED,
            StageOutcome::Refused => refused(&self.document),
        }
    }
}

/// Returns the more severe of the specification's exit code and that of the other objections (design, "Exit codes").
fn refused(document: &StageFinalizedDocument) -> u8 {
    let of_verdict = document.verdict.as_ref().map(|verdict| verdict.exit).filter(|exit| *exit != exit_code::PASSED);
    let Some(exit) = of_verdict else { return exit_code::FAILED };
    let is_all = document.objections.iter().all(|objection| objection.name == StandingName::VerdictContradicts);
    let is_less = exit_code::gravity(exit) < exit_code::gravity(exit_code::FAILED);
    if is_less && !is_all { exit_code::FAILED } else { exit }
}

/// The result, before it is put into a document.
enum Ended {
    Published { params: serde_json::Map<String, serde_json::Value>, files: BTreeMap<String, Digest> },
    Already { files: BTreeMap<String, Digest> },
    Questioned { message: String },
    Failed(Kept),
    Refused(Vec<Objection>),
}

/// Inspects a stage for a judgement, with the new verdict, if any.
type Look<'look> = &'look dyn Fn(&Opened, Option<Verdict>) -> Result<Judged, StageError>;

/// Ends a stage, or returns the objections to it. `verify` runs the specification if that decides; in a dry run
/// `verify` returns what the recorded verdict is worth. `incidents` opens the store in which an error is captured.
///
/// # Errors
/// Fails if the run is locked, if the specification could not run at all, or on an I/O error. Objections to the
/// stage are no error but the result.
pub fn finalize<Error: From<StageError>>(
    workshop: &Workshop<'_>,
    opened: &mut Opened,
    wishes: FinalizeOptions,
    verify: impl FnOnce(&Opened) -> Result<Verdict, Error>,
    incidents: impl FnOnce() -> Result<IncidentService, String>,
) -> Result<Finalized, Error> {
    end(workshop, opened, wishes, (verify, incidents), &judgement::look)
}

fn end<Error: From<StageError>>(
    workshop: &Workshop<'_>,
    opened: &mut Opened,
    wishes: FinalizeOptions,
    (verify, incidents): (
        impl FnOnce(&Opened) -> Result<Verdict, Error>,
        impl FnOnce() -> Result<IncidentService, String>,
    ),
    look: Look<'_>,
) -> Result<Finalized, Error> {
    let held = change::hold(workshop, &opened.run)?;
    let log = change::log(&held, workshop, wishes.adopt && !wishes.dry_run)?;
    opened.history = History::of(&log);
    if wishes.dry_run && wishes.adopt {
        opened.history = opened.history.clone().adopted();
    }
    let is_sound = opened.history.is_sound();
    if !wishes.dry_run {
        run_record::catch_up(&held, &opened.run, &log)?;
    }
    let before = opened.history.stage(&opened.stage);
    let mut judged = look(opened, None)?;
    let mut against = Vec::from_iter(outdated(opened, before.state));
    let counts = before.state == StageState::Active && is_sound && judged.claims_success(wishes.without_handback);
    if counts && judged.verdict != Verdict::NotAsked {
        let verdict = verify(opened)?;
        let again = look(opened, Some(verdict))?;
        against.extend(changed_meanwhile(&judged, &again));
        judged = again;
    }
    let ending = with(judged.ending(before.state, wishes.without_handback), against);
    let turn = Turn { workshop, opened, held, log, before, judged, dry_run: wishes.dry_run };
    if counts && !wishes.dry_run {
        turn.keep_judgement()?;
    }
    Ok(turn.carry_out(ending, incidents)?)
}

/// Returns the objection that a completed stage was made from inputs that are no longer published.
fn outdated(opened: &Opened, state: StageState) -> Option<Objection> {
    let is_done = state == StageState::Completed && opened.history.is_sound();
    let reasons = if is_done { history::outdated(&opened.history, &opened.stage) } else { Vec::new() };
    let again = change::command(opened, "stage prepare", &opened.stage, "--again");
    (!reasons.is_empty()).then(|| Objection {
        name: StandingName::InputsChanged,
        message: format!("it is done, and out of date: {}", reasons.join("; ")),
        action: format!("have it done again from what is published now: `{again}`"),
    })
}

/// Returns the objection that the judged outputs differ from those that the specification ran over.
fn changed_meanwhile(first: &Judged, second: &Judged) -> Option<Objection> {
    let (before, after) = (&first.outputs.found, &second.outputs.found);
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut others: Vec<&str> =
        paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).map(String::as_str).collect();
    if first.handback() != second.handback() {
        others.push(HANDBACK);
    }
    let named = list(&others, CHANGED_NAMED);
    (!others.is_empty()).then(|| Objection {
        action: "let whatever writes them end, and finalize again; a check that writes an output has to write the same each time"
            .to_owned(),
        ..changed(&format!("changed while the stage's specification ran: {named}"))
    })
}

fn changed(message: &str) -> Objection {
    Objection {
        name: StandingName::OutputsContradict,
        message: message.to_owned(),
        action: "let whatever writes them end, and finalize again".to_owned(),
    }
}

/// Adds objections to an ending.
fn with(ending: Ending, more: Vec<Objection>) -> Ending {
    match ending {
        Ending::Refuse(mut objections) => {
            objections.extend(more.into_iter().filter(|objection| !objections.contains(objection)).collect::<Vec<_>>());
            Ending::Refuse(objections)
        }
        ending if more.is_empty() => ending,
        _ => Ending::Refuse(more),
    }
}

/// A stage that is being ended, with its run locked.
struct Turn<'turn> {
    workshop: &'turn Workshop<'turn>,
    opened: &'turn Opened,
    held: HeldRun<'turn>,
    log: RunLog,
    before: StageHistory,
    judged: Judged,
    dry_run: bool,
}

impl Turn<'_> {
    /// Records the judgement in the log, whatever the result.
    fn keep_judgement(&self) -> Result<(), StageError> {
        let verdict = match &self.judged.verdict {
            Verdict::Known(verdict) => Some(verdict.clone()),
            Verdict::NotAsked | Verdict::Unknown => None,
        };
        self.append(StageChange::Validated {
            passed: self.judged.outputs.checks.is_pass(),
            outputs: self.judged.outputs.found.clone(),
            verdict,
        })
    }

    fn append(&self, operation: StageChange) -> Result<(), StageError> {
        let Workshop { now, by, .. } = *self.workshop;
        self.held.append(now, Some(&self.opened.stage), self.before.attempt, by, operation)?;
        Ok(())
    }

    fn carry_out(
        &self,
        ending: Ending,
        incidents: impl FnOnce() -> Result<IncidentService, String>,
    ) -> Result<Finalized, StageError> {
        let ended = match (ending, &self.judged.handed.document) {
            (Ending::Publish, _) => self.publish()?,
            (Ending::Question, HandbackFound::Valid(handback, digest)) => {
                let place = question::place(self.opened, &self.log)?;
                let message = place.to_string();
                if !self.dry_run {
                    let question = question::message(self.workshop, self.opened, &self.before, handback);
                    question::write(&self.held, self.opened, &place, &question)?;
                    self.append(StageChange::Questioned { message: message.clone(), handback: *digest })?;
                }
                Ended::Questioned { message }
            }
            (Ending::Error, HandbackFound::Valid(handback, digest)) => self.fail(handback, *digest, incidents)?,
            (Ending::Refuse(objections), _) => match self.published_before(&objections)? {
                Some(files) => Ended::Already { files },
                None => Ended::Refused(objections),
            },
            (Ending::Question | Ending::Error, _) => {
                return Err(StageError::Internal("an ending by a handback that is not there".to_owned()));
            }
        };
        let mut warnings = self.judged.outputs.checks.warnings.clone();
        let is_changed = !matches!(ended, Ended::Refused(_) | Ended::Already { .. });
        if is_changed && !self.dry_run {
            warnings.extend(run_record::renew(&self.held, &self.opened.run, &self.log)?);
        }
        let is_incident_lost = matches!(ended, Ended::Failed(Kept::Lost(_)));
        let told = FinalizationFacts {
            workshop: self.workshop,
            opened: self.opened,
            before: &self.before,
            judged: &self.judged,
            dry_run: self.dry_run,
        };
        Ok(Finalized { document: told.document(ended, &warnings), is_incident_lost })
    }

    /// Returns the published files of a completed stage if all of it still holds and the handback is the one that
    /// ended it: ending it again then changes nothing.
    fn published_before(&self, objections: &[Objection]) -> Result<Option<BTreeMap<String, Digest>>, StageError> {
        let Self { before, opened, judged, .. } = self;
        let is_done = before.state == StageState::Completed && opened.history.is_sound() && judged.against.is_empty();
        // By the log the attempt is over, so no executor has control and its handback is an old one.
        let is_expected = |objection: &Objection| {
            use StandingName::{Missing, Stale, WithoutControl};
            matches!(objection.name, WithoutControl | Stale | Missing)
        };
        let ended_by = before.handbacks.last().filter(|(attempt, _)| *attempt == before.attempt);
        if !is_done
            || !objections.iter().all(is_expected)
            || ended_by.map(|(_, digest)| *digest) != judged.handback()
            || matches!(judged.handed.document, HandbackFound::Invalid(_))
        {
            return Ok(None);
        }
        let changed = sources::changed(&opened.run, &opened.stage, &before.published)?;
        Ok(changed.is_empty().then(|| before.published.clone()))
    }
}

#[cfg(test)]
mod tests;
