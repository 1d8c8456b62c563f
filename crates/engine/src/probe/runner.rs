//! Runs checks in trees that differ from a candidate. Each is a run like any other: in a clean room, recorded,
//! read, judged and sealed, below the state directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use referee_ledger::clean_room::{Blueprint, Room};
use referee_ledger::probes::{self, ProbeEvidence};
use referee_ledger::retention::Prune;
use referee_ledger::{State, Store};
use referee_model::event::Event;
use referee_model::id::{ActionId, Digest, ExecutionId, WorkspacePath};
use referee_model::plan::guard::Setup;
use referee_model::plan::{Command, Criteria, Plan, Work};
use referee_model::report::{ActionReport, Report};
use referee_model::suite::Suite;

use super::source::Candidate;
use crate::clean_room::{self, Workspace};
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::pipeline;
use crate::protection::{Baseline, ProtectedContents};
use crate::request::{Placement, RunRequest, TaskRequest};
use crate::selection::{self, Selection};

/// The common data of all runs of a probe.
pub(super) struct ProbeRunner<'a> {
    pub(super) run: &'a RunRequest<'a>,
    pub(super) plan: &'a Plan,
    pub(super) state: &'a State,
    pub(super) candidate: Candidate<'a>,
    pub(super) evidence: ProbeEvidence,
    /// Prefix of the ids of its runs.
    pub(super) execution: &'a ExecutionId,
    /// Part of the ids between the prefix and the number.
    pub(super) series: &'static str,
}

/// A run in a tree that differs from the candidate's.
#[derive(Clone, Copy)]
pub(super) struct ProbeRequest<'a> {
    /// The files that differ.
    pub(super) files: &'a ProtectedContents,
    pub(super) checks: &'a BTreeSet<ActionId>,
    /// Command that replaces that of the one check. `None`: the checks run unchanged.
    pub(super) command: Option<&'a Command>,
    /// Number of the run in its series.
    pub(super) number: usize,
    /// Time limit in milliseconds. `None`: only the limits of the checks apply.
    pub(super) time_left: Option<u64>,
}

/// A completed run.
pub(super) struct SealedProbe {
    pub(super) execution: ExecutionId,
    /// SHA-256 of its sealed report.
    pub(super) digest: Digest,
    pub(super) report: Report,
}

impl<'a> ProbeRunner<'a> {
    /// Creates the runner for the probes that belong to a task's own run.
    pub(super) fn at_gate(task: &'a TaskRequest<'a>, state: &'a State, series: &'static str) -> Self {
        let candidate = candidate(task.run, task.plan);
        let (run, plan, execution) = (task.run, task.plan, &task.execution);
        Self { run, plan, state, candidate, evidence: ProbeEvidence::Gate, execution, series }
    }

    /// Performs one run.
    pub(super) fn run(&self, request: ProbeRequest<'_>, events: &mut dyn EventSink) -> Result<SealedProbe, String> {
        let ProbeRequest { files, checks, command, number, time_left } = request;
        let run = self.run;
        let room = self.room(files)?;
        let mut suite = self.suite(room.tree())?;
        if let Some(command) = command {
            let actions = suite.tasks.iter_mut().flat_map(|plan| &mut plan.actions);
            actions
                .filter(|action| checks.contains(&action.id))
                .for_each(|action| action.work = Work::Command(command.clone()));
        }
        let ready = clean_room::make_ready(room, &mut suite, self.state, &run.exec, &run.host);
        let workspace = Workspace::CleanRoom(Box::new(ready.map_err(|error| error.to_string())?));
        let execution = format!("{}-{}-{number}", self.execution, self.series);
        let execution = ExecutionId::parse(execution).map_err(|error| error.to_string())?;
        let only = checks.iter().map(ToString::to_string).collect();
        let selection = Selection { only, ..Selection::default() };
        let request = RunRequest {
            suite: &suite,
            tasks: &[],
            selection: &selection,
            baseline: None,
            placement: Placement::Here,
            workspace: &workspace,
            protection: None,
            executions: vec![execution.clone()],
            ..run.clone()
        };
        let plan = suite.tasks.first().ok_or("there is no task")?;
        let selected = selection::select(plan, &selection, &BTreeSet::new());
        let request = TaskRequest { run: &request, plan, execution, selected, time_left, block: None, probes: None };
        let answer = pipeline::run(&request, &mut Quiet(events)).map_err(|error: EngineError| error.to_string())?;
        Ok(SealedProbe { execution: request.execution, digest: Digest::of(&answer.document), report: answer.report })
    }

    fn room(&self, files: &ProtectedContents) -> Result<Room, String> {
        let mut protected = match (self.run.workspace.room(), self.run.protection) {
            (Some(_), Some(baseline)) => self.protected(baseline)?,
            _ => ProtectedContents::new(),
        };
        protected.extend(files.clone());
        let excluded: Vec<WorkspacePath> =
            clean_room::evidence_within(self.plan, self.candidate.workspace).into_iter().collect();
        let blueprint = Blueprint {
            candidate: self.candidate.workspace,
            excluded: &excluded,
            outputs: &self.plan.guard.outputs,
            protected: &protected,
        };
        let mut room = Room::build(self.state, &blueprint).map_err(|error| error.to_string())?;
        if let Err(why) = clean_room::give_history(&mut room, referee_exec::search_path(self.candidate.environment)) {
            room.note(format!("there is no .git in the clean room: {why}"));
        }
        Ok(room)
    }

    /// Returns the protected files as the run over the candidate had them in its clean room.
    fn protected(&self, baseline: &Baseline) -> Result<ProtectedContents, String> {
        let plan = Plan { workspace: self.candidate.workspace.to_path_buf(), ..self.plan.clone() };
        baseline.protected_contents(&plan).map_err(|error| error.to_string())
    }

    /// Returns the plan of the candidate for another tree, reduced to its checks.
    fn suite(&self, tree: &Path) -> Result<Suite, String> {
        let mut plan = Plan {
            workspace: tree.to_path_buf(),
            evidence_root: self.evidence_root()?,
            criteria: Criteria::default(),
            evaluator: None,
            depends_on: Vec::new(),
            ..self.plan.clone()
        };
        plan.debt.enabled = false;
        plan.completion.required_evidence.clear();
        plan.completion.task_status_lock = false;
        // A set-up is inserted again if it has to run.
        plan.actions.retain(|action| action.id != Setup::id());
        Ok(Suite { tasks: vec![plan], timeout_ms: None, captures_incidents: false, ..self.run.suite.clone() })
    }

    fn evidence_root(&self) -> Result<PathBuf, String> {
        probes::evidence_root(self.state, self.candidate.workspace, self.evidence).map_err(|error| error.to_string())
    }

    /// Prunes the evidence of all runs of the task except the latest `keep`. Evidence that cannot be removed stays.
    pub(super) fn prune(&self, keep: usize) {
        let prune = Prune {
            keep,
            before: None,
            dry_run: false,
            now: self.run.exec.clock.now(),
            reason: "evidence of a probe is kept for its latest runs",
            sign: None,
        };
        let store = self.evidence_root().ok().and_then(|root| Store::open_with(&root, Some(self.state)).ok());
        drop(store.map(|store| store.prune(&self.plan.task, &prune)));
    }
}

/// Returns the candidate of a task's run: the workspace, even if it ran in a clean room.
pub(super) fn candidate<'a>(run: &'a RunRequest<'_>, plan: &'a Plan) -> Candidate<'a> {
    let room = run.workspace.room().map(|room| room.room().candidate());
    Candidate { workspace: room.unwrap_or(&plan.workspace), plan, environment: &run.exec.environment }
}

/// Returns the milliseconds that are left of a task's time, which must suffice to run these checks once more.
/// `None` if the task has no limit. `started` is the start of the task's time, by the clock of the run.
pub(super) fn time_left(
    task: &TaskRequest<'_>,
    report: &Report,
    checks: &BTreeSet<ActionId>,
    started: u64,
) -> Result<Option<u64>, String> {
    if !task.run.cancellation.requests().is_empty() {
        return Err("it was interrupted".to_owned());
    }
    let elapsed = task.run.exec.clock.elapsed_ms().saturating_sub(started);
    let Some(left) = task.time_left.map(|time| time.saturating_sub(elapsed)) else { return Ok(None) };
    let asked = report.actions.iter().filter(|report| checks.contains(&report.action.id));
    let took = asked.filter_map(ActionReport::ran).map(|ran| ran.record.span.duration_ms);
    if left <= took.fold(0, u64::saturating_add) {
        return Err("there was no time left for it".to_owned());
    }
    Ok(Some(left))
}

/// Forwards silence and idle notifications of a probe's run, and none of its events.
struct Quiet<'a>(&'a mut dyn EventSink);

impl EventSink for Quiet<'_> {
    fn on_event(&mut self, _: &Event) {}

    fn on_silence(&mut self, silence: &referee_exec::Silence) {
        self.0.on_silence(silence);
    }

    fn on_idle(&mut self) {
        self.0.on_idle();
    }
}
