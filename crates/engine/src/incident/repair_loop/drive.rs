//! The loop: the order of its steps, and where an interrupted loop resumes.

use referee_judge::agent_loop::{Leaving, spent};
use referee_judge::incident::transition;
use referee_ledger::redness::Redness;
use referee_model::agent_checkpoint::AgentLoopId;
use referee_model::incident::attempt::{AgentTurnDocument, FinalStatus, LoopPhase, RunResultDocument};
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::{IncidentEvent, IncidentStatus};
use referee_model::limit;
use referee_model::loop_guard::LoopBudget;
use referee_model::time::Timestamp;

use super::agent::Worked;
use super::incident_takeover::put_incident;
use super::loop_record::{lock, name};
use super::publication::Publishing;
use super::{Drive, LoopOptions, LoopRequest, Verify, approved_plan};
use crate::agent_loop::{self, AgentRunner, LoopRecord, RepairLoop, Step};
use crate::incident::{IncidentContext, IncidentError};

/// Runs the loop until it is decided. An interrupted loop resumes where it stopped. If this one is interrupted,
/// the incident keeps its status and the result says `running`.
///
/// # Errors
/// Fails if the incident is not approved or running, if its plan has no verification commands, if it is locked by
/// another process, if the agent cannot be started, or if the result cannot be stored.
pub fn run<'run>(
    context: IncidentContext<'run>,
    id: &'run IncidentId,
    request: &'run LoopRequest<'run>,
    verify: &'run mut Verify<'_>,
) -> Result<RunResultDocument, IncidentError> {
    let _hold = context.hold(id)?;
    let status = context.find(id)?.incident.status;
    let kept = super::loop_record::kept(context, id)?;
    let is_closing =
        status == IncidentStatus::Resolved && kept.as_ref().is_some_and(|kept| kept.phase == LoopPhase::Checks);
    if !is_closing {
        transition::next(status, IncidentEvent::RunBegan)?;
    }
    let (plan, verifications) = approved_plan::approved(context, id, &request.plan.checks)?;
    let publishing = Publishing::prepared(context, request)?;
    let workspace = request.plan.workspace.as_path();
    let _lock = request.agent.as_ref().map(|_| lock(context, workspace)).transpose()?;
    let (world, redactor) = ((context.host, context.state), context.redactor.clone());
    let mut runner = AgentRunner::new(name(context, id), workspace, world, redactor, request.cancellation)
        .map_err(IncidentError::Internal)?;
    let workers = request.agent.as_ref().and_then(|agent| agent.workers.as_ref());
    if let (Some(workers), Some(specification)) = (workers, &request.specification) {
        let record = LoopRecord {
            of: AgentLoopId::Incident(id.clone()),
            specification: specification.clone(),
            documents: Box::new(move |workers| put_incident(context, id, workers)),
        };
        runner.take_checkpoints(workers, record, kept.is_none())?;
    }
    let redness = Redness::read(context.state, context.incidents.root(), id)?;
    if !is_closing {
        context.change_redness(id, |redness| redness.set_resolved(false))?;
    }
    let now = runner.now();
    let is_fresh = status == IncidentStatus::Approved;
    let file = super::loop_record::taken_up(context, (id, &plan.plan), kept.filter(|_| !is_fresh), now)?;
    runner.earlier_ms = file.spent_ms;
    let was_red = super::first_look::was_red(&redness, &verifications);
    let mut drive = Drive {
        context,
        id,
        request,
        verify,
        plan,
        verifications,
        budget: budget(&request.options),
        state: super::loop_record::counters(&file, now),
        file,
        runner,
        results: Vec::new(),
        was_red,
        edited: Vec::new(),
        reasons: Vec::new(),
        publishing,
    };
    let result = if is_closing {
        drive.close_again()?
    } else {
        drive.begin()?;
        match drive.first_look()? {
            Some(ended) => ended,
            None => agent_loop::drive(&mut drive)?,
        }
    };
    drive.end_checkpoints()?;
    Ok(result)
}

impl Drive<'_, '_> {
    /// Runs the agent's part of a new turn.
    fn turn(&mut self) -> Result<Option<RunResultDocument>, IncidentError> {
        if let Some(leaving) = spent(&self.state, &self.budget, self.now()) {
            return self.leave_without_turn(leaving).map(Some);
        }
        let before = self.file.clone();
        self.file.iteration = self.file.iteration.saturating_add(1);
        self.file.turn_started_at = Some(self.now());
        (self.file.agent, self.file.actions_applied) = (None, Vec::new());
        let Some(agent) = &self.request.agent else {
            self.file.phase = LoopPhase::Checks;
            return Ok(None);
        };
        self.file.phase = LoopPhase::Agent;
        self.save("turn", &format!("turn {} begins", self.file.iteration))?;
        match self.work(agent, before.agent.as_ref())? {
            Worked::Done(left, applied) => {
                self.worked(left, applied)?;
                Ok(None)
            }
            Worked::Canceled => self.given_up().map(Some),
            Worked::NotStarted(reason) => {
                // This was no turn.
                self.file = before;
                self.save("turn", "the agent could not be started")?;
                Err(IncidentError::Refused(format!("the agent could not be started: {reason}")))
            }
        }
    }

    /// Completes a turn that was interrupted while the agent worked: by what a worker has made of it, if one ran it. Otherwise it
    /// counts as a turn, and its work is checked.
    fn was_cut_off(&mut self) -> Result<Option<RunResultDocument>, IncidentError> {
        let (left, applied) = match self.resume()? {
            Some(Worked::Done(left, applied)) => (left, applied),
            Some(Worked::Canceled) => return self.given_up().map(Some),
            Some(Worked::NotStarted(_)) | None => {
                (AgentTurnDocument { ending: "cut_off".to_owned(), ..AgentTurnDocument::default() }, Vec::new())
            }
        };
        self.worked(left, applied).map(|()| None)
    }

    fn worked(&mut self, left: AgentTurnDocument, applied: Vec<String>) -> Result<(), IncidentError> {
        self.file.agent = Some(left);
        self.file.actions_applied = applied;
        self.file.phase = LoopPhase::Checks;
        self.save("turn", &format!("turn {}: the agent is done", self.file.iteration))
    }

    /// Returns the result after a request to stop while the agent worked: the turn counts, as if it had been cut off.
    fn given_up(&self) -> Result<RunResultDocument, IncidentError> {
        if self.request.agent.as_ref().is_some_and(|agent| agent.workers.is_some()) {
            self.runner.forget_turn()?;
        }
        Ok(self.stopped())
    }

    /// Returns the result after a request to stop: nothing changes, and the next run resumes here.
    pub(super) fn stopped(&self) -> RunResultDocument {
        RunResultDocument {
            reason: "interrupted: the next run goes on".to_owned(),
            ..self.result(FinalStatus::Running)
        }
    }

    /// Tells the depot that this process has ended the loop. Where it cannot be told, the loop has ended all the same.
    fn end_checkpoints(&self) -> Result<(), IncidentError> {
        if let (Some(error), Some(agent)) = (self.runner.end_checkpoints()?, &self.request.agent) {
            agent.tell(&format!("the depot could not be told that the loop has ended: {error}\n"));
        }
        Ok(())
    }

    pub(super) fn leave_without_turn(&mut self, leaving: Leaving) -> Result<RunResultDocument, IncidentError> {
        let why = self.reasons.first().map(|reason| format!(": {reason}")).unwrap_or_default();
        let reason = format!("{}{why}", leaving.sentence());
        let result = RunResultDocument { reason, ..self.result(FinalStatus::Escalated) };
        self.escalate(result, Vec::new())
    }

    pub(super) fn now(&self) -> Timestamp {
        self.runner.now()
    }
}

impl RepairLoop for Drive<'_, '_> {
    type End = RunResultDocument;
    type Error = IncidentError;

    fn runner(&self) -> &AgentRunner<'_> {
        &self.runner
    }

    fn next(&self) -> Step {
        match self.file.phase {
            LoopPhase::Between | LoopPhase::Over => Step::Turn,
            LoopPhase::Agent => Step::CutOff,
            LoopPhase::Checks => Step::Checks,
            LoopPhase::Replan => Step::Close,
        }
    }

    fn take(&mut self, step: Step) -> Result<Option<RunResultDocument>, IncidentError> {
        if step != Step::Close && !approved_plan::holds(self.context, &self.plan)? {
            return self.void().map(Some);
        }
        match step {
            Step::Turn => self.turn(),
            Step::CutOff => self.was_cut_off(),
            Step::Checks => self.check(),
            Step::Close if self.runner.is_canceled() => Ok(Some(self.stopped())),
            Step::Close => self.replan().map(Some),
        }
    }

    fn interrupted(&mut self) -> Result<RunResultDocument, IncidentError> {
        Ok(self.stopped())
    }
}

/// Returns the budget of a plan. If no new plan may be requested, only repeats, turns and time end the loop.
fn budget(options: &LoopOptions) -> LoopBudget {
    LoopBudget {
        loops: options.max_loops.max(1),
        duration_ms: options.max_runtime_ms,
        replans: limit::REPLANS,
        same_errors: options.same_error_limit.max(1),
        without_progress: if options.auto_replan { options.no_progress_limit.max(1) } else { u32::MAX },
    }
}
