//! Runs a coding agent in a loop until its work passes or the budget is spent (seed 2, 1.5; ruling 24).
//!
//! One state machine, [`run_state::next`], defines the transitions; `run.json` is written before and after each
//! of them, so that a run that is killed at any point can be resumed. Whether the work passes is decided by the
//! gate, which knows nothing of this loop.

use referee_foreign::agent_run;
use referee_judge::{repair as rules, run_state};
use referee_ledger::agent_runs::{Handed, RunDirectory};
use referee_model::agent_checkpoint::AgentLoopId;
use referee_model::agent_run::{
    AgentLoop, AgentRun, CI_ITERATIONS, ContinuousIntegration, PullRequest, RunStep, RunWarning,
};
use referee_model::build_error::{BuildError, BuildErrorType};
use referee_model::id::WorkspacePath;
use referee_model::limit;
use referee_model::loop_guard::{LoopBudget, LoopState};
use referee_model::run_file::RunFile;
use referee_model::run_state::{RunEvent, RunState};
use referee_model::time::Timestamp;
use referee_model::verdict::Exit;

use crate::agent_loop::{AgentRunner, LoopRecord, RepairLoop, Step, TurnEnd, drive, put_documents, sweep};
use crate::error::EngineError;
use crate::{inputs, redaction};

mod agent_turn;
mod check;
mod handover;
mod prepared;
mod run_takeover;
mod storage;
mod stored_run;

pub use self::handover::{DIAGNOSTICS, PROMPT};
pub use self::prepared::{Ended, PreparedRepair, RepairOptions, RepairRequest, resume, text};
pub use self::run_takeover::{OrderArguments, TakeoverPlace, TakeoverRequest, take_over};
pub use self::stored_run::{StoredRun, UnfinishedRun, list};

use self::agent_turn::Built;
use self::storage::TurnSoFar;

type StepSink<'run> = &'run mut dyn FnMut(RunStep<'_>);

/// Starts a run with this id.
fn begin(
    repair: &PreparedRepair<'_>,
    directory: &RunDirectory,
    told: StepSink<'_>,
    id: &str,
) -> Result<(AgentRun, Exit), EngineError> {
    let run = AgentRun {
        id: id.to_owned(),
        work_order_id: format!("order-{id}"),
        workspace_id: Some(repair.directory.display().to_string()),
        iteration: 1,
        max_iterations: repair.options.turns,
        state: RunState::Queued,
        snapshot_before: None,
        snapshot_after: None,
        snapshot_ids: Vec::new(),
        started_at: repair.host.clock.now(),
        completed_at: None,
        result: None,
        error: None,
        build_error: None,
        session_id: None,
        pull_request: PullRequest::default(),
        warnings: Vec::new(),
        ci: ContinuousIntegration { max_iterations: CI_ITERATIONS, ..ContinuousIntegration::default() },
    };
    let mut repair = Repair::new(repair, directory, told, run)?;
    repair.save()?;
    repair.end_what_others_left();
    repair.drive()
}

/// Resumes a run that was cut off. A finished turn of the agent is not repeated. A turn that was running at the
/// time counts: its leftover processes are ended, and then its work is checked.
fn go_on(
    repair: &PreparedRepair<'_>,
    directory: &RunDirectory,
    told: StepSink<'_>,
    run: AgentRun,
) -> Result<(AgentRun, Exit), EngineError> {
    let mut repair = Repair::new(repair, directory, told, run)?;
    repair.recall()?;
    repair.end_what_others_left();
    (repair.told)(RunStep::Resumed(&repair.run));
    repair.drive()
}

struct Repair<'run, 'calls> {
    request: &'run PreparedRepair<'run>,
    directory: &'run RunDirectory,
    told: StepSink<'calls>,
    run: AgentRun,
    budget: LoopBudget,
    state: LoopState,
    /// State of the loop after the last counted turn. `None`: no turn has been counted.
    kept: Option<AgentLoop>,
    turn: TurnSoFar,
    runner: AgentRunner<'run>,
    handed: Handed,
    /// Whether the agent may have been running when the run was cut off.
    was_cut_off: bool,
    /// The turn that a worker ran, or still runs, when the run was cut off.
    resumed: Option<TurnEnd>,
    exit: Exit,
}

impl<'run, 'calls> Repair<'run, 'calls> {
    fn new(
        request: &'run PreparedRepair<'run>,
        directory: &'run RunDirectory,
        told: StepSink<'calls>,
        run: AgentRun,
    ) -> Result<Self, EngineError> {
        let first = request.suite.tasks.first();
        let plan = first.ok_or_else(|| EngineError::internal("the specification has no task".to_owned()))?;
        let redactor = redaction::redactor(plan, &request.host.environment);
        let (world, cancellation) = ((&request.host, &request.state), request.cancellation);
        let mut runner = AgentRunner::new(run.id.clone(), &request.directory, world, redactor, cancellation)
            .map_err(EngineError::internal)?;
        // A specification outside of the workspace is on this machine alone.
        let specification = WorkspacePath::parse(&plan.specification.file).ok();
        if let (Some(workers), Some(specification)) = (&request.agent.workers, specification) {
            let record = LoopRecord {
                of: AgentLoopId::Run(run.id.clone()),
                specification: (specification, request.pinned.sha256),
                documents: Box::new(|workers| put_documents(workers, directory.path())),
            };
            runner.take_checkpoints(workers, record, false)?;
        }
        Ok(Self {
            budget: LoopBudget { duration_ms: request.options.timeout, ..LoopBudget::default() },
            state: LoopState::default(),
            kept: None,
            turn: TurnSoFar::begun(runner.now()),
            handed: runner.hand_out()?,
            runner,
            was_cut_off: false,
            resumed: None,
            exit: Exit::Internal,
            request,
            directory,
            told,
            run,
        })
    }

    /// Restores the state that an earlier process left of this run.
    fn recall(&mut self) -> Result<(), EngineError> {
        self.read_turn()?;
        self.was_cut_off = self.run.state == RunState::Building && self.had_begun()?;
        if self.was_cut_off && self.turn.result.is_none() && self.run.build_error.is_none() {
            self.resumed = self.runner.resume(&self.request.agent, self.run.iteration)?;
        }
        self.read_loop()
    }

    /// Ends the agents of other runs that were cut off in this workspace, which is now locked by this run.
    fn end_what_others_left(&mut self) {
        let ids = match referee_ledger::agent_runs::ids(&self.request.state) {
            Ok(ids) => ids,
            Err(error) => return self.warn("orphans", &format!("other runs cannot be listed: {error}")),
        };
        for id in ids {
            let Some(other) = self.unfinished(&id).filter(|other| self.stands_in_for(other)) else {
                continue;
            };
            let left = sweep(&other.id);
            if left > 0 {
                let count = agent_turn::processes(left);
                self.warn("orphans", &format!("{id} was cut off and left {count} running in this workspace: ended"));
            }
        }
    }

    fn stands_in_for(&self, other: &AgentRun) -> bool {
        other.id != self.run.id && other.workspace_id == self.run.workspace_id
    }

    /// Reads a run that has not ended. `None`: it has, or cannot be read.
    fn unfinished(&self, id: &str) -> Option<AgentRun> {
        let directory = RunDirectory::find(&self.request.state, id).ok()??;
        let run = agent_run::read(&directory.read(RunFile::Run).ok()??).ok()?;
        (run.result.is_none() && run.id == id).then_some(run)
    }

    /// Drives the run to its end. Any other error is stored as the run's error, if possible.
    fn drive(mut self) -> Result<(AgentRun, Exit), EngineError> {
        match drive(&mut self) {
            Ok(()) => Ok((self.run, self.exit)),
            Err(failure) => {
                if !self.run.state.is_terminal() {
                    let error = self.system_error(BuildErrorType::SystemError, &failure.to_string());
                    // If that cannot be stored either, the original error is returned.
                    drop(self.fail(RunEvent::SystemError, error, Exit::Internal));
                }
                Err(failure)
            }
        }
    }

    /// Records the state of the workspace before the first turn.
    fn acquire(&mut self) -> Result<(), EngineError> {
        match self.observe() {
            Ok(digest) => {
                self.run.snapshot_before = self.runner.head();
                self.run.snapshot_ids.push(digest);
                self.event(RunEvent::WorkspaceAcquired)
            }
            Err(reason) => {
                let error = self.system_error(BuildErrorType::WorkspaceError, &reason);
                self.fail(RunEvent::SystemError, error, Exit::Internal)
            }
        }
    }

    fn build(&mut self) -> Result<(), EngineError> {
        if !self.was_cut_off {
            (self.told)(RunStep::TurnBegins(&self.run));
        }
        let built = if std::mem::take(&mut self.was_cut_off) { self.finished_before()? } else { self.attempts()? };
        match built {
            Built::Completed => self.event(RunEvent::BuildCompleted),
            Built::Canceled => self.cancel(),
            Built::NotStarted(error) => {
                self.keep_iteration(RunState::Failed, Some(&error));
                self.fail(RunEvent::SystemError, error, Exit::Execution)
            }
            Built::Failed(error) => {
                // The remaining work is checked for the record only: an agent that failed has not handed back.
                self.check_for_the_record();
                self.keep_iteration(RunState::Failed, Some(&error));
                let exit = match error.kind {
                    BuildErrorType::AgentTimeout => Exit::Timeout,
                    BuildErrorType::AgentTaskFailure => Exit::Failed,
                    _ => Exit::Execution,
                };
                self.fail(RunEvent::BuildFailed, error, exit)
            }
        }
    }

    /// Records the state of the workspace after the turn.
    fn snapshot(&mut self) -> Result<(), EngineError> {
        match self.observe() {
            Ok(digest) => {
                self.run.snapshot_after = self.runner.head();
                self.run.snapshot_ids.push(digest);
                self.event(RunEvent::SnapshotCompleted)
            }
            Err(reason) => {
                let error = self.system_error(BuildErrorType::SnapshotError, &reason);
                self.keep_iteration(RunState::Failed, Some(&error));
                self.fail(RunEvent::SnapshotFailed, error, Exit::Internal)
            }
        }
    }

    fn next_turn(&mut self) -> Result<(), EngineError> {
        self.run.iteration = self.run.iteration.saturating_add(1);
        self.turn = TurnSoFar::begun(self.now());
        self.event(RunEvent::FeedbackGenerated)
    }

    fn observe(&self) -> Result<String, String> {
        let Some(plan) = self.request.suite.tasks.first() else { return Err("there is no task".to_owned()) };
        let exclusions = inputs::exclusions(plan, &plan.workspace, Some(&self.request.state))?;
        let mut cache = referee_ledger::tree::Cache::open(Some(&self.request.state), &plan.workspace);
        let (_, snapshot) = inputs::observe(&plan.workspace, &exclusions, &mut cache)?;
        // A cache that cannot be written only costs time.
        let _ = cache.save();
        Ok(format!("sha256:{}", snapshot.state().digest))
    }

    /// Performs one transition of the state machine, and stores it.
    fn event(&mut self, event: RunEvent) -> Result<(), EngineError> {
        let next =
            run_state::next(self.run.state, event).map_err(|illegal| EngineError::internal(illegal.to_string()))?;
        self.run.state = next;
        let kind = self.run.build_error.as_ref().map(|error| error.kind);
        self.run.result = run_state::result(next, event, kind);
        if next.is_terminal() {
            self.run.completed_at = Some(self.now());
        }
        self.save()?;
        if next.is_terminal() { self.end_checkpoints() } else { Ok(()) }
    }

    /// Tells the depot that the run is over. Where it cannot be told, the run is over all the same.
    fn end_checkpoints(&mut self) -> Result<(), EngineError> {
        let Some(error) = self.runner.end_checkpoints()? else { return Ok(()) };
        self.warn("checkpoint", &format!("the depot could not be told that the run is over: {error}"));
        self.save()
    }

    /// Ends the run with an error (ruling 18).
    fn fail(&mut self, event: RunEvent, error: BuildError, exit: Exit) -> Result<(), EngineError> {
        self.set_error(error);
        self.exit = exit;
        self.event(event)
    }

    fn cancel(&mut self) -> Result<(), EngineError> {
        let signal = self.request.cancellation.requests().first().copied().unwrap_or_default();
        self.exit = Exit::Interrupted { signal };
        // The result of a checked turn has already been stored.
        if self.run.state != RunState::Feedback {
            self.keep_iteration(RunState::Canceled, None);
        }
        if self.request.agent.workers.is_some() {
            self.runner.forget_turn()?;
        }
        self.event(RunEvent::UserCanceled)
    }

    fn set_error(&mut self, error: BuildError) {
        self.run.error = Some(error.message.clone());
        self.run.build_error = Some(error);
    }

    fn system_error(&self, kind: BuildErrorType, reason: &str) -> BuildError {
        let reason = self.runner.redactor.text(reason);
        BuildError { kind, ..rules::unanswered(Exit::Internal, &reason, self.now()) }
    }

    /// Records a warning, which does not stop the run.
    fn warn(&mut self, kind: &str, message: &str) {
        let message = self.runner.redactor.text(message);
        let warning = RunWarning { kind: kind.to_owned(), message, iteration: self.run.iteration, at: self.now() };
        (self.told)(RunStep::Warned(&warning));
        if self.run.warnings.len() < limit::AGENT_WARNINGS {
            self.run.warnings.push(warning);
        }
    }

    fn now(&self) -> Timestamp {
        self.runner.now()
    }
}

impl RepairLoop for Repair<'_, '_> {
    type End = ();
    type Error = EngineError;

    fn runner(&self) -> &AgentRunner<'_> {
        &self.runner
    }

    fn next(&self) -> Step {
        match self.run.state {
            RunState::Building if self.was_cut_off => Step::CutOff,
            RunState::Queued | RunState::Leased | RunState::Feedback | RunState::Building => Step::Turn,
            RunState::Snapshotting | RunState::Verifying => Step::Checks,
            RunState::PrCreated | RunState::CiPolling | RunState::Succeeded | RunState::Failed | RunState::Canceled => {
                Step::Close
            }
        }
    }

    fn take(&mut self, _: Step) -> Result<Option<()>, EngineError> {
        match self.run.state {
            RunState::Queued => self.acquire()?,
            RunState::Leased => self.event(RunEvent::BuildStarted)?,
            RunState::Building => self.build()?,
            RunState::Snapshotting => self.snapshot()?,
            RunState::Verifying => self.verify()?,
            RunState::Feedback => self.next_turn()?,
            // Referee never opens pull requests.
            RunState::PrCreated | RunState::CiPolling => {
                let error = rules::unanswered(Exit::Internal, "it waits for what nobody asked for", self.now());
                self.fail(RunEvent::SystemError, error, Exit::Internal)?;
            }
            RunState::Succeeded | RunState::Failed | RunState::Canceled => return Ok(Some(())),
        }
        Ok(None)
    }

    fn interrupted(&mut self) -> Result<(), EngineError> {
        self.cancel()
    }
}

/// Returns the error for a document of the run that cannot be read.
fn unreadable(directory: &RunDirectory, file: RunFile, reason: &dyn std::fmt::Display) -> EngineError {
    EngineError::from(directory.unreadable(&file.to_string(), reason))
}
