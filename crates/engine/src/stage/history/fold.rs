//! A log, folded to where every stage stands.

use std::collections::BTreeMap;

use referee_judge::stage::transition::next;
use referee_ledger::stages::{LogTrust, RunLog};
use referee_model::id::Digest;
use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::life::{StageEvent, StageState};
use referee_model::stage::log::{StageDeed, StageLogLine, StageVerdict};
use referee_model::stage::message::MessageDocument;
use referee_model::time::Timestamp;

/// What a run's log says.
#[derive(Debug, Clone)]
pub struct History {
    /// What the log is worth.
    pub trust: LogTrust,
    /// The first thing in it that must not happen: its line, and why. None: nothing.
    pub illegal: Option<String>,
    /// What was composed. None: the log does not say.
    pub composed: Option<Composed>,
    /// Where the stages stand; one that is not in it is pending.
    pub stages: BTreeMap<StageId, StageHistory>,
}

/// What a run was composed of.
#[derive(Debug, Clone)]
pub struct Composed {
    /// The run.
    pub run_id: StageRunId,
    /// When.
    pub at: Timestamp,
    /// The directory that specifications of stages are about.
    pub workspace: String,
    /// The stages, in their declared order.
    pub stages: Vec<StageId>,
    /// The files that nobody changes afterwards, by their paths in the run's directory.
    pub files: BTreeMap<String, Digest>,
}

/// What happened to a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageHistory {
    /// Where it stands.
    pub state: StageState,
    /// The attempt that is on, or was the last; 0: there was none.
    pub attempt: u32,
    /// When an executor first got control.
    pub started_at: Option<Timestamp>,
    /// When the attempt that is on, or was the last, began.
    pub accepted_at: Option<Timestamp>,
    /// When it was done. None: it is not done now.
    pub completed_at: Option<Timestamp>,
    /// The inputs as they were when control was given.
    pub inputs: BTreeMap<String, Digest>,
    /// The stages that it was prepared from, with their attempts.
    pub sources: BTreeMap<StageId, u32>,
    /// What is published now, with its digests. Empty: nothing.
    pub published: BTreeMap<String, Digest>,
    /// What was last found when its outputs were judged in this attempt.
    pub validated: Option<Validated>,
    /// Handbacks that had their effect, in order, with the attempt that each ended.
    pub handbacks: Vec<(u32, Digest)>,
    /// The message that waits for an answer.
    pub question: Option<String>,
    /// Questions that were answered, by where they lie, with their answers.
    pub answers: BTreeMap<String, MessageDocument>,
    /// The incident that the last error became.
    pub incident: Option<String>,
}

/// What was found when outputs were judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validated {
    /// When.
    pub at: Timestamp,
    /// Whether they passed.
    pub passed: bool,
    /// The outputs, with their digests.
    pub outputs: BTreeMap<String, Digest>,
    /// What the stage's specification came to.
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

    /// Returns what happened to a stage.
    pub fn stage(&self, id: &StageId) -> StageHistory {
        self.stages.get(id).cloned().unwrap_or_default()
    }

    /// Returns the history as it is once the run is taken on, where it can be: what a dry run goes by.
    pub(crate) fn adopted(mut self) -> Self {
        if self.trust == LogTrust::Unknown {
            self.trust = LogTrust::Kept;
        }
        self
    }

    /// Says whether the log can be gone by: it is the one that was written here, and nothing in it must not happen.
    pub fn is_sound(&self) -> bool {
        self.trust == LogTrust::Kept && self.illegal.is_none() && self.composed.is_some()
    }

    fn take(&mut self, line: &StageLogLine) -> Result<(), String> {
        if let StageDeed::Composed { workspace, stages, files, .. } = &line.deed {
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
        if line.deed == StageDeed::Adopted {
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

    /// Says whether a line that ends an attempt is about the one that is on.
    fn ends(&self, line: &StageLogLine) -> Result<(), String> {
        if line.attempt == self.attempt {
            return Ok(());
        }
        Err(format!("it is about attempt {}, and attempt {} is on", line.attempt, self.attempt))
    }

    fn take(&mut self, line: &StageLogLine) -> Result<(), String> {
        match &line.deed {
            StageDeed::Composed { .. } | StageDeed::Adopted => {}
            StageDeed::Prepared { sources, .. } => {
                self.step(StageEvent::Prepared)?;
                self.sources.clone_from(sources);
                self.completed_at = None;
                self.published.clear();
                self.question = None;
            }
            StageDeed::Accepted { inputs, repeated } => {
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
            // What was found in another attempt says nothing of this one.
            StageDeed::Validated { .. } if line.attempt != self.attempt => {}
            StageDeed::Validated { passed, outputs, verdict } => {
                self.validated = Some(Validated {
                    at: line.at,
                    passed: *passed,
                    outputs: outputs.clone(),
                    verdict: verdict.clone(),
                });
            }
            StageDeed::Questioned { message, handback } => {
                self.ends(line)?;
                self.step(StageEvent::Questioned)?;
                self.question = Some(message.clone());
                self.handbacks.push((self.attempt, *handback));
            }
            StageDeed::Answered { message, content } => {
                self.step(StageEvent::Answered)?;
                self.answers.insert(message.clone(), content.clone());
                self.question = None;
            }
            StageDeed::Failed { handback, incident } => {
                self.ends(line)?;
                self.step(StageEvent::Failed)?;
                self.handbacks.push((self.attempt, *handback));
                self.incident.clone_from(incident);
            }
            StageDeed::Finalized { handback, outputs } => {
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
