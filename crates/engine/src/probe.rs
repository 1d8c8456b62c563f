//! The tests of a change, run with the rest of the change taken back: the cheapest probe of a check, which needs nothing learnt.
//!
//! Each of its runs is one like any other: in a clean room, recorded, read, judged and sealed, below the state directory. What they
//! came to is a fact of the run that they were made for, and its verdict names them by their digests
//! ([`referee_judge::criteria::probe`]).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use referee_judge::criteria::probe::{self as judge, Step};
use referee_judge::probe::{ChangedTests, checks, is_run, result};
use referee_ledger::clean_room::{Blueprint, Room};
use referee_ledger::retention::Prune;
use referee_ledger::{State, Store, probes};
use referee_model::event::Event;
use referee_model::id::{ActionId, Digest, ExecutionId, WorkspacePath};
use referee_model::limit;
use referee_model::plan::guard::Setup;
use referee_model::plan::{Criteria, Plan};
use referee_model::report::{ActionReport, Report};
use referee_model::run_context::probe::{Probe, ProbeObstacle, ProbeRun, ProbeTree};
use referee_model::suite::Suite;

use self::change::{Candidate, Change};
use crate::clean_room::{self, Workspace};
use crate::error::EngineError;
use crate::pipeline;
use crate::protection::{Baseline, ProtectedContents};
use crate::request::{EventSink, RunRequest, TaskRequest};
use crate::selection::{self, Selection};

mod change;

/// Runs of probes whose evidence stays whole, the latest of a task.
const RUNS_KEPT: usize = 20;

/// What is said where nothing can be kept.
const NO_STATE: &str = "there is no state directory for the clean room: set REFEREE_STATE_DIR";

/// Asks whether the tests of a change fail without it, after a run of it that passed. `started` is when the time of the task began,
/// in milliseconds by the clock of the run. None: there is nothing to ask.
pub(crate) fn ask(task: &TaskRequest<'_>, report: &Report, started: u64, events: &mut dyn EventSink) -> Option<Probe> {
    let baseline = task.run.protection?;
    let room = task.room().map(|room| room.room().candidate());
    let workspace = room.unwrap_or(&task.plan.workspace);
    let candidate = Candidate { workspace, plan: task.plan, environment: &task.run.exec.environment };
    let checks = checks(&report.actions);
    let has_tests = report.actions.iter().filter_map(ActionReport::ran).any(|ran| ran.reading.tests.is_some());
    if checks.is_empty() && !has_tests {
        return None;
    }
    let change = match Change::find(candidate, baseline) {
        Ok(None) => return None,
        Ok(Some(change)) => change,
        Err(reason) => return Some(unasked(&reason)),
    };
    let mut probe = Probe {
        commit: change.commit.clone(),
        tests: change.tests.iter().take(limit::PROBE_FILES_LISTED).cloned().collect(),
        taken_back: change.before.len() as u64,
        runs: Vec::new(),
        obstacle: None,
    };
    let tests = ChangedTests { files: &change.tests, names: &change.names };
    if checks.is_empty() {
        probe.obstacle = Some(obstacle("no check says how many tests it ran", true));
    } else if !is_run(&report.actions, &checks, tests) {
        probe.obstacle = Some(obstacle("no check ran a test of the files that the change adds or edits", true));
    }
    let Some(state) = task.run.state else {
        probe.obstacle = Some(obstacle(NO_STATE, false));
        return Some(probe);
    };
    let prober = Prober { task, state, candidate, change: &change, checks: &checks, report, started };
    while let Step::Run(tree) = judge::step(&probe, room.is_some()) {
        match prober.run(tree, probe.runs.len() + 1, events) {
            Ok(run) => probe.runs.push(run),
            Err(reason) => probe.obstacle = Some(obstacle(&reason, false)),
        }
    }
    if !probe.runs.is_empty() {
        prober.prune();
    }
    Some(probe)
}

/// A probe that could not begin.
fn unasked(reason: &str) -> Probe {
    let obstacle = Some(obstacle(reason, true));
    Probe { commit: String::new(), tests: Vec::new(), taken_back: 0, runs: Vec::new(), obstacle }
}

fn obstacle(reason: &str, lasts: bool) -> ProbeObstacle {
    ProbeObstacle { reason: reason.to_owned(), lasts }
}

/// What every run of a probe needs.
struct Prober<'a> {
    task: &'a TaskRequest<'a>,
    state: &'a State,
    candidate: Candidate<'a>,
    change: &'a Change,
    /// The checks that are run, with how many tests each ran over the candidate.
    checks: &'a BTreeMap<ActionId, u64>,
    report: &'a Report,
    started: u64,
}

impl Prober<'_> {
    /// Makes one run, of this number, in a tree.
    fn run(&self, tree: ProbeTree, number: usize, events: &mut dyn EventSink) -> Result<ProbeRun, String> {
        let time_left = self.time_left()?;
        let run = &self.task.run;
        let room = self.room(tree)?;
        let mut suite = self.suite(room.tree())?;
        let ready = clean_room::make_ready(room, &mut suite, self.state, &run.exec, &run.host);
        let workspace = Workspace::CleanRoom(Box::new(ready.map_err(|error| error.to_string())?));
        let execution = format!("{}-probe-{number}", self.task.execution);
        let execution = ExecutionId::parse(execution).map_err(|error| error.to_string())?;
        let selection =
            Selection { only: self.checks.keys().map(ToString::to_string).collect(), ..Selection::default() };
        let request = RunRequest {
            suite: &suite,
            tasks: &[],
            selection: &selection,
            baseline: None,
            workspace: &workspace,
            protection: None,
            executions: vec![execution.clone()],
            ..(*run).clone()
        };
        let plan = suite.tasks.first().ok_or("there is no task")?;
        let selected = selection::select(plan, &selection, &BTreeSet::new());
        let request = TaskRequest { run: &request, plan, execution, selected, time_left, block: None, probe: None };
        let answer = pipeline::run(&request, &mut Quiet(events)).map_err(|error: EngineError| error.to_string())?;
        let tests = ChangedTests { files: &self.change.tests, names: &self.change.names };
        Ok(ProbeRun {
            tree,
            execution: request.execution,
            report: Digest::of(&answer.document),
            result: result(&answer.report, self.checks, tests),
        })
    }

    /// Milliseconds that are left of the task's time. None: it has no limit.
    fn time_left(&self) -> Result<Option<u64>, String> {
        if !self.task.run.cancellation.requests().is_empty() {
            return Err("it was interrupted".to_owned());
        }
        let elapsed = self.task.run.exec.clock.elapsed_ms().saturating_sub(self.started);
        let Some(left) = self.task.time_left.map(|time| time.saturating_sub(elapsed)) else { return Ok(None) };
        let asked = self.report.actions.iter().filter(|report| self.checks.contains_key(&report.action.id));
        let took = asked.filter_map(ActionReport::ran).map(|ran| ran.record.span.duration_ms);
        if left <= took.fold(0, u64::saturating_add) {
            return Err("there was no time left for it".to_owned());
        }
        Ok(Some(left))
    }

    fn room(&self, tree: ProbeTree) -> Result<Room, String> {
        let mut files = match (self.task.room(), self.task.run.protection) {
            (Some(_), Some(baseline)) => self.protected(baseline)?,
            _ => ProtectedContents::new(),
        };
        match tree {
            ProbeTree::Candidate => {}
            ProbeTree::TakenBack => files.extend(self.change.before.clone()),
            ProbeTree::Broken => files.extend(self.change.broken.clone()),
        }
        let excluded: Vec<WorkspacePath> =
            clean_room::evidence_within(self.task.plan, self.candidate.workspace).into_iter().collect();
        let blueprint = Blueprint {
            candidate: self.candidate.workspace,
            excluded: &excluded,
            outputs: &self.task.plan.guard.outputs,
            protected: &files,
        };
        let mut room = Room::build(self.state, &blueprint).map_err(|error| error.to_string())?;
        if let Err(why) = clean_room::give_history(&mut room, referee_exec::search_path(self.candidate.environment)) {
            room.note(format!("there is no .git in the clean room: {why}"));
        }
        Ok(room)
    }

    /// Protected files as the run over the candidate had them, in its clean room.
    fn protected(&self, baseline: &Baseline) -> Result<ProtectedContents, String> {
        let plan = Plan { workspace: self.candidate.workspace.to_path_buf(), ..self.task.plan.clone() };
        baseline.protected_contents(&plan).map_err(|error| error.to_string())
    }

    /// The plan of the candidate for another tree, without all that is no check.
    fn suite(&self, tree: &Path) -> Result<Suite, String> {
        let mut plan = Plan {
            workspace: tree.to_path_buf(),
            evidence_root: self.evidence_root()?,
            criteria: Criteria::default(),
            evaluator: None,
            depends_on: Vec::new(),
            ..self.task.plan.clone()
        };
        plan.debt.enabled = false;
        plan.completion.required_evidence.clear();
        plan.completion.task_status_lock = false;
        // A set-up is put in anew, where it has to run.
        plan.actions.retain(|action| action.id != Setup::id());
        Ok(Suite { tasks: vec![plan], deadline_ms: None, captures_incidents: false, ..self.task.run.suite.clone() })
    }

    fn evidence_root(&self) -> Result<PathBuf, String> {
        probes::evidence_root(self.state, self.candidate.workspace).map_err(|error| error.to_string())
    }

    /// Leaves no more evidence of earlier probes than of the latest ones. What cannot be removed stays.
    fn prune(&self) {
        let prune = Prune {
            keep: RUNS_KEPT,
            before: None,
            dry_run: false,
            now: self.task.run.exec.clock.now(),
            reason: "evidence of a probe is kept for its latest runs",
            sign: None,
        };
        let store = self.evidence_root().ok().and_then(|root| Store::open_with(&root, Some(self.state)).ok());
        drop(store.map(|store| store.prune(&self.task.plan.task, &prune)));
    }
}

/// Who follows a run hears of those of its probe that they go on, and no more.
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
