//! Plays the run of a worker into the recorder of this machine, which judges it as if it had run here.
//!
//! The worker's journal gives the order, its records and logs the facts. Before each action the recorder is asked, as before
//! one that is to run here: what it would not have run does not count, whatever the worker did. What this machine cannot
//! have decided otherwise than the worker, or what has no record, makes the run a failed one.

use std::collections::{BTreeMap, BTreeSet};

use referee_exec::{Answer, Observer};
use referee_model::event::EventKind;
use referee_model::event::journal::{self, JournalLine};
use referee_model::evidence_name;
use referee_model::id::ActionId;
use referee_model::plan::{Action, Phase, Plan};
use referee_model::record::{Facts, Log, Record, RunEnding, SkipReason};
use referee_model::seal::SealedFile;
use referee_model::time::Timestamp;

use super::WorkerRun;
use crate::error::EngineError;
use crate::recorder::{RunRecorder, Stage};

/// Plays a run, and returns how it ended.
///
/// # Errors
/// Fails if evidence cannot be stored.
pub(crate) fn play(
    worker: &WorkerRun,
    plan: &Plan,
    stage: &Stage,
    recorder: &mut RunRecorder<'_>,
) -> Result<RunEnding, EngineError> {
    match Play::new(worker, plan, stage, recorder).all() {
        Ok(()) => Ok(match &worker.run.ending {
            RunEnding::Failed { message } => RunEnding::Failed { message: format!("on the worker: {message}") },
            ending => ending.clone(),
        }),
        Err(fault) => fault.ending(),
    }
}

/// Kinds of lines of a journal that tell what became of an action.
pub(super) const STARTED: &str = "action-started";
pub(super) const FINISHED: &str = "action-finished";
pub(super) const SKIPPED: &str = "action-skipped";

/// Why a run cannot be played to its end.
pub(super) enum Fault {
    /// The run contradicts itself, or decisions of this machine.
    Contradiction(String),
    Engine(EngineError),
}

impl Fault {
    /// Returns how a run ended that could not be played.
    ///
    /// # Errors
    /// Fails if it was for a failure of this machine.
    pub(super) fn ending(self) -> Result<RunEnding, EngineError> {
        match self {
            Self::Contradiction(why) => Ok(RunEnding::Failed {
                message: format!("the run of the worker is not one that this machine can judge: {why}"),
            }),
            Self::Engine(error) => Err(error),
        }
    }
}

impl<Error: Into<EngineError>> From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Engine(error.into())
    }
}

pub(super) fn contradiction<T>(why: String) -> Result<T, Fault> {
    Err(Fault::Contradiction(why))
}

/// What was played of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ActionState {
    /// An attempt has begun.
    Running { attempt: u32 },
    /// An attempt has ended.
    Ran { attempt: u32 },
    /// No further attempt counts.
    Settled,
    /// It was skipped, on the worker and here.
    Skipped,
    /// It was skipped here, whatever the worker did.
    Ignored,
}

pub(super) struct Play<'play, 'run> {
    /// The run that is played from.
    pub(super) worker: &'play WorkerRun,
    pub(super) plan: &'play Plan,
    stage: &'play Stage,
    pub(super) recorder: &'play mut RunRecorder<'run>,
    /// Index in the plan from which on prerequisites and steps are skipped, with the reason.
    stopped: Option<(usize, SkipReason)>,
    states: BTreeMap<ActionId, ActionState>,
    /// Attempts that count.
    taken: BTreeSet<(ActionId, u32)>,
}

/// Returns the lines of a run's journal.
pub(super) fn lines(worker: &WorkerRun) -> Result<Vec<JournalLine>, Fault> {
    let unreadable = |why: &dyn std::fmt::Display| Fault::Contradiction(format!("its journal cannot be read: {why}"));
    let journal = worker.evidence.read(evidence_name::JOURNAL)?;
    let text = String::from_utf8(journal).map_err(|error| unreadable(&error))?;
    text.lines().map(|line| journal::read_line(line).map_err(|error| unreadable(&error))).collect()
}

impl<'play, 'run> Play<'play, 'run> {
    pub(super) fn new(
        worker: &'play WorkerRun,
        plan: &'play Plan,
        stage: &'play Stage,
        recorder: &'play mut RunRecorder<'run>,
    ) -> Self {
        Self { worker, plan, stage, recorder, stopped: None, states: BTreeMap::new(), taken: BTreeSet::new() }
    }

    fn all(&mut self) -> Result<(), Fault> {
        lines(self.worker)?.iter().try_for_each(|line| self.line(line))?;
        self.plan.actions.iter().try_for_each(|action| self.check_end(action))
    }

    /// Checks that a run that was not cut off tells what became of an action.
    pub(super) fn check_end(&self, action: &Action) -> Result<(), Fault> {
        let state = self.state(action);
        let is_over = state.is_some_and(|state| !matches!(state, ActionState::Running { .. }));
        if !is_over && self.worker.run.ending == RunEnding::Finished {
            return contradiction(format!("it has no record of {}", action.id));
        }
        Ok(())
    }

    pub(super) fn line(&mut self, line: &JournalLine) -> Result<(), Fault> {
        match line.kind.as_str() {
            // Judgements are made here.
            "run-started" | "action-judged" | "run-finished" => Ok(()),
            "interrupting" => match self.worker.run.ending {
                RunEnding::Interrupted { signal } => {
                    Ok(self.recorder.take(line.at, EventKind::Interrupting { signal })?)
                }
                _ => contradiction("it was interrupted, and ended by itself".to_owned()),
            },
            STARTED => self.started(line.at, self.action(line)?, line.attempt.unwrap_or(0)),
            FINISHED => self.finished(line.at, self.action(line)?, line.attempt.unwrap_or(0)),
            SKIPPED => self.skipped(line.at, self.action(line)?),
            "service-stopped" => self.service(line.at, self.action(line)?, line.attempt.unwrap_or(0)),
            other => contradiction(format!("its journal tells of {other:?}")),
        }
    }

    fn action(&self, line: &JournalLine) -> Result<&'play Action, Fault> {
        let action = line.action.as_ref().and_then(|id| self.recorder.action(id));
        action.ok_or_else(|| {
            Fault::Contradiction(format!("its journal tells of an unknown action in line {}", line.sequence))
        })
    }

    fn state(&self, action: &Action) -> Option<ActionState> {
        self.states.get(&action.id).copied()
    }

    fn set(&mut self, action: &Action, state: ActionState) {
        self.states.insert(action.id.clone(), state);
    }

    /// Returns why this machine would not have run an action, as a run here decides. `None`: it would have.
    fn decide(&mut self, action: &Action) -> Option<SkipReason> {
        let place = self.recorder.place(&action.id);
        let is_cleanup = action.phase == Phase::Cleanup;
        if let Some((from, reason)) = &self.stopped
            && !is_cleanup
            && place >= *from
        {
            return Some(reason.clone());
        }
        match self.recorder.due(action) {
            Answer::GoOn => None,
            Answer::Skip(reason) => Some(reason),
            Answer::Stop(reason) => {
                if !is_cleanup && self.stopped.as_ref().is_none_or(|(from, _)| place < *from) {
                    self.stopped = Some((place, reason.clone()));
                }
                Some(reason)
            }
        }
    }

    fn started(&mut self, at: Timestamp, action: &Action, attempt: u32) -> Result<(), Fault> {
        let is_next = match self.state(action) {
            Some(ActionState::Ignored | ActionState::Settled) => return Ok(()),
            None if attempt == 1 => {
                if let Some(reason) = self.decide(action) {
                    self.set(action, ActionState::Ignored);
                    return self.skip(at, action, reason);
                }
                true
            }
            Some(ActionState::Ran { attempt: before }) if before.checked_add(1) == Some(attempt) => {
                if before > action.retries || !self.recorder.again(action, before) {
                    self.set(action, ActionState::Settled);
                    return Ok(());
                }
                true
            }
            _ => false,
        };
        if !is_next {
            return contradiction(format!("attempt {attempt} of {} is out of order", action.id));
        }
        self.set(action, ActionState::Running { attempt });
        let (id, phase, name) = (action.id.clone(), action.phase, action.name.clone());
        Ok(self.recorder.take(at, EventKind::ActionStarted { action: id, phase, name, attempt })?)
    }

    fn finished(&mut self, at: Timestamp, action: &Action, attempt: u32) -> Result<(), Fault> {
        match self.state(action) {
            Some(ActionState::Ignored | ActionState::Settled) => return Ok(()),
            Some(ActionState::Running { attempt: running }) if running == attempt => {}
            _ => return contradiction(format!("attempt {attempt} of {} ended and never began", action.id)),
        }
        let record = self.record(action, attempt)?;
        for sealed in self.files(action, &record)? {
            self.stage.lock().copy(&self.worker.evidence, sealed)?;
        }
        self.set(action, ActionState::Ran { attempt });
        self.taken.insert((action.id.clone(), attempt));
        Ok(self.recorder.take(at, EventKind::ActionFinished(Box::new(record)))?)
    }

    pub(super) fn record(&self, action: &Action, attempt: u32) -> Result<Record, Fault> {
        let name = evidence_name::record(action, attempt);
        let bytes = self.worker.evidence.find(&name)?;
        let bytes = bytes.ok_or_else(|| Fault::Contradiction(format!("it has no record of {}", action.id)))?;
        let record = referee_model::record::attempt_record::read(&bytes);
        let record = record.map_err(|error| Fault::Contradiction(error.to_string()))?;
        let is_own = record.action == action.id && record.attempt == attempt;
        if !is_own || record.facts == Facts::NotExecuted {
            return contradiction(format!("{name} is not the record of attempt {attempt} of {}", action.id));
        }
        Ok(record)
    }

    /// Returns the files of a record as they were sealed.
    pub(super) fn files(&self, action: &Action, record: &Record) -> Result<Vec<&'play SealedFile>, Fault> {
        let attempt = record.attempt;
        let sealed = record.files().enumerate().map(|(number, log)| {
            let names = [evidence_name::log(action, attempt), evidence_name::picture(action, attempt, number)];
            let after = evidence_name::picture(action, attempt, number + 1);
            self.sealed(log, &[&names[0], &names[1], &after])
        });
        sealed.collect()
    }

    /// Returns a stored file as it was sealed, under one of the names that it may have.
    fn sealed(&self, log: &Log, names: &[&str]) -> Result<&'play SealedFile, Fault> {
        let files = &self.worker.seal.files;
        let sealed = files.binary_search_by(|file| file.path.cmp(&log.file)).ok().and_then(|at| files.get(at));
        let is_same = |file: &&SealedFile| file.bytes == log.bytes && file.sha256 == log.sha256;
        match sealed.filter(is_same) {
            Some(sealed) if names.contains(&log.file.as_str()) => Ok(sealed),
            _ => contradiction(format!("{} is not the file that its record describes", log.file)),
        }
    }

    fn skipped(&mut self, at: Timestamp, action: &Action) -> Result<(), Fault> {
        let Some(reason) = self.worker.run.skipped.get(&action.id).cloned() else {
            return contradiction(format!("it skipped {} without a reason", action.id));
        };
        match (self.state(action), &reason) {
            (Some(ActionState::Ignored), _) => return Ok(()),
            (Some(ActionState::Ran { .. } | ActionState::Settled), SkipReason::Superseded(by)) => {
                let is_stopped_there = self.recorder.stopped_at().as_ref() == Some(by);
                if !is_stopped_there || self.recorder.place(&action.id) <= self.recorder.place(by) {
                    return contradiction(format!("it does not count {}, which counts here", action.id));
                }
            }
            (None, SkipReason::Interrupted) if matches!(self.worker.run.ending, RunEnding::Interrupted { .. }) => {}
            (None, SkipReason::EngineFailed) if matches!(self.worker.run.ending, RunEnding::Failed { .. }) => {}
            // Time passes there; a run in which it did cannot pass.
            (None, SkipReason::DeadlinePassed) => {}
            (None, _) => {
                let Some(own) = self.decide(action) else {
                    let why = reason.sentence();
                    return contradiction(format!("it skipped {}, which runs here ({why})", action.id));
                };
                self.set(action, ActionState::Skipped);
                return self.skip(at, action, own);
            }
            (Some(_), _) => return contradiction(format!("it skipped {}, which had begun", action.id)),
        }
        self.set(action, ActionState::Skipped);
        self.skip(at, action, reason)
    }

    fn skip(&mut self, at: Timestamp, action: &Action, reason: SkipReason) -> Result<(), Fault> {
        Ok(self.recorder.take(at, EventKind::ActionSkipped { action: action.id.clone(), reason })?)
    }

    fn service(&mut self, at: Timestamp, action: &Action, attempt: u32) -> Result<(), Fault> {
        if !self.taken.contains(&(action.id.clone(), attempt)) {
            return match self.state(action) {
                Some(ActionState::Ignored | ActionState::Settled) => Ok(()),
                _ => contradiction(format!("a service of {} ended that never began", action.id)),
            };
        }
        let services = &self.worker.run.services;
        let service = services.iter().find(|service| service.action == action.id && service.attempt == attempt);
        let Some(service) = service else {
            return contradiction(format!("it has no record of the service of {}", action.id));
        };
        if let Some(log) = &service.log {
            let names = [evidence_name::log(action, attempt), evidence_name::container_log(action, attempt)];
            let sealed = self.sealed(log, &[&names[0], &names[1]])?;
            self.stage.lock().copy(&self.worker.evidence, sealed)?;
        }
        Ok(self.recorder.take(at, EventKind::ServiceStopped(Box::new(service.clone())))?)
    }
}
