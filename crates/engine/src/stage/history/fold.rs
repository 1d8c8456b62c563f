//! Folds a log into the state of every stage.

use std::collections::BTreeMap;

use referee_judge::stage::transition::next;
use referee_ledger::stages::{LogTrust, RunLog};
use referee_model::id::Digest;
use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::life::{StageEvent, StageState};
use referee_model::stage::log::{StageChange, StageLogLine, StageVerdict};
use referee_model::stage::message::MessageDocument;
use referee_model::time::Timestamp;

/// The content of a run's log.
#[derive(Debug, Clone)]
pub struct History {
    /// Trust in the log.
    pub trust: LogTrust,
    /// The first illegal step in the log: its line and the reason. `None` if there is none.
    pub illegal: Option<String>,
    /// The composition. `None` if the log does not have it.
    pub composed: Option<Composed>,
    /// State of each stage; a stage that is not listed is pending.
    pub stages: BTreeMap<StageId, StageHistory>,
}

/// The composition of a run.
#[derive(Debug, Clone)]
pub struct Composed {
    /// Id of the run.
    pub run_id: StageRunId,
    /// Time of the composition.
    pub at: Timestamp,
    /// Workspace of the stages' specifications.
    pub workspace: String,
    /// The stages, in their declared order.
    pub stages: Vec<StageId>,
    /// Digests of the files that must not change afterwards, by path in the run's directory.
    pub files: BTreeMap<String, Digest>,
}

/// The history of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageHistory {
    /// State of the stage.
    pub state: StageState,
    /// Number of the current or last attempt, from 1. 0: there was none.
    pub attempt: u32,
    /// Time at which an executor first got control.
    pub started_at: Option<Timestamp>,
    /// Time at which the current or last attempt began.
    pub accepted_at: Option<Timestamp>,
    /// Time of completion. `None` if it is not completed now.
    pub completed_at: Option<Timestamp>,
    /// Digests of the inputs at the start of the attempt, by path.
    pub inputs: BTreeMap<String, Digest>,
    /// The stages that it was prepared from, with their attempts.
    pub sources: BTreeMap<StageId, u32>,
    /// Digests of the published outputs, by path. Empty if none are published.
    pub published: BTreeMap<String, Digest>,
    /// Result of the last validation of its outputs in this attempt.
    pub validated: Option<Validated>,
    /// Handbacks that took effect, in order, with the attempt that each ended.
    pub handbacks: Vec<(u32, Digest)>,
    /// Path of the message that waits for an answer.
    pub question: Option<String>,
    /// Answered questions by path, with their answers.
    pub answers: BTreeMap<String, MessageDocument>,
    /// Id of the incident that the last error was captured as.
    pub incident: Option<String>,
}

/// The result of a validation of outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validated {
    /// Time of the validation.
    pub at: Timestamp,
    /// Whether the outputs passed.
    pub passed: bool,
    /// Digests of the outputs, by path.
    pub outputs: BTreeMap<String, Digest>,
    /// Verdict of the stage's specification.
    pub verdict: Option<StageVerdict>,
}

impl Default for StageHistory {
    fn default() -> Self {
        Self {
            state: StageState::Pending,
            attempt: 0,
            started_at: None,
            accepted_at: None,
            completed_at: None,
            inputs: BTreeMap::new(),
            sources: BTreeMap::new(),
            published: BTreeMap::new(),
            validated: None,
            handbacks: Vec::new(),
            question: None,
            answers: BTreeMap::new(),
            incident: None,
        }
    }
}

impl History {
    /// Folds a log.
    pub fn of(log: &RunLog) -> Self {
        let mut history = Self { trust: log.trust.clone(), illegal: None, composed: None, stages: BTreeMap::new() };
        for line in &log.lines {
            if let Err(problem) = history.take(line) {
                history.illegal = Some(format!("line {}: {problem}", line.sequence));
                break;
            }
        }
        history
    }

    /// Returns the history of a stage.
    pub fn stage(&self, id: &StageId) -> StageHistory {
        self.stages.get(id).cloned().unwrap_or_default()
    }

    /// Returns the history as it is after the run is adopted, if it can be, for a dry run.
    pub(crate) fn adopted(mut self) -> Self {
        if self.trust == LogTrust::Unknown {
            self.trust = LogTrust::Kept;
        }
        self
    }

    /// Whether the log is reliable: it is the one that was written here, and has no illegal step.
    pub fn is_sound(&self) -> bool {
        self.trust == LogTrust::Kept && self.illegal.is_none() && self.composed.is_some()
    }

    fn take(&mut self, line: &StageLogLine) -> Result<(), String> {
        if let StageChange::Composed { workspace, stages, files, .. } = &line.operation {
            if self.composed.is_some() || line.sequence != 1 {
                return Err("a run is composed once, before anything else".to_owned());
            }
            self.composed = Some(Composed {
                run_id: line.run_id.clone(),
                at: line.at,
                workspace: workspace.clone(),
                stages: stages.clone(),
                files: files.clone(),
            });
            return Ok(());
        }
        let Some(composed) = &self.composed else {
            return Err("nothing was composed before it".to_owned());
        };
        if line.operation == StageChange::Adopted {
            return Ok(());
        }
        let id = line.stage_id.clone().ok_or("it names no stage")?;
        if !composed.stages.contains(&id) {
            return Err(format!("it is about {id}, and the run was composed without it"));
        }
        let stage = self.stages.entry(id).or_default();
        stage.take(line)
    }
}

impl StageHistory {
    fn step(&mut self, event: StageEvent) -> Result<(), String> {
        self.state = next(self.state, event).map_err(|illegal| illegal.to_string())?;
        Ok(())
    }

    /// Verifies that a line that ends an attempt is about the current one.
    fn ends(&self, line: &StageLogLine) -> Result<(), String> {
        if line.attempt == self.attempt {
            return Ok(());
        }
        Err(format!("it is about attempt {}, and attempt {} is on", line.attempt, self.attempt))
    }

    fn take(&mut self, line: &StageLogLine) -> Result<(), String> {
        match &line.operation {
            StageChange::Composed { .. } | StageChange::Adopted => {}
            StageChange::Prepared { sources, .. } => {
                self.step(StageEvent::Prepared)?;
                self.sources.clone_from(sources);
                self.completed_at = None;
                self.published.clear();
                self.question = None;
            }
            StageChange::Accepted { inputs, repeated } => {
                self.step(if *repeated { StageEvent::Repeated } else { StageEvent::Accepted })?;
                if Some(line.attempt) != self.attempt.checked_add(1) {
                    return Err("attempts are counted one by one".to_owned());
                }
                self.attempt = line.attempt;
                self.started_at.get_or_insert(line.at);
                self.accepted_at = Some(line.at);
                self.completed_at = None;
                self.inputs.clone_from(inputs);
                self.published.clear();
                self.validated = None;
                self.question = None;
            }
            // The result of another attempt says nothing about this one.
            StageChange::Validated { .. } if line.attempt != self.attempt => {}
            StageChange::Validated { passed, outputs, verdict } => {
                self.validated = Some(Validated {
                    at: line.at,
                    passed: *passed,
                    outputs: outputs.clone(),
                    verdict: verdict.clone(),
                });
            }
            StageChange::Questioned { message, handback } => {
                self.ends(line)?;
                self.step(StageEvent::Questioned)?;
                self.question = Some(message.clone());
                self.handbacks.push((self.attempt, *handback));
            }
            StageChange::Answered { message, content } => {
                self.step(StageEvent::Answered)?;
                self.answers.insert(message.clone(), content.clone());
                self.question = None;
            }
            StageChange::Failed { handback, incident } => {
                self.ends(line)?;
                self.step(StageEvent::Failed)?;
                self.handbacks.push((self.attempt, *handback));
                self.incident.clone_from(incident);
            }
            StageChange::Finalized { handback, outputs } => {
                self.ends(line)?;
                self.step(StageEvent::Finalized)?;
                self.handbacks.extend(handback.map(|handback| (self.attempt, handback)));
                self.completed_at = Some(line.at);
                self.published.clone_from(outputs);
            }
        }
        Ok(())
    }
}
