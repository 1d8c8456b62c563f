//! Probes of checks: runs over deliberately broken trees, in which the checks must fail.
//!
//! `ask` reverts a change but keeps its tests: the cheapest probe, which needs nothing learned. [`discovery`]
//! plants defects in a trusted tree and keeps those that checks report; `audit` plants some of them at the gate.
//! The results are facts of the run they were made for, and its verdict names them by their digests
//! ([`referee_judge::criteria::probe`], [`referee_judge::criteria::probe_audit`]).

use std::collections::{BTreeMap, BTreeSet};

use referee_judge::criteria::probe::{self as judge, Step};
use referee_judge::probe::{ChangedTests, checks, is_run, result};
use referee_model::id::{ActionId, Digest, WorkspacePath};
use referee_model::limit;
use referee_model::report::{ActionReport, Report};
use referee_model::run_context::probe::{Probe, ProbeObstacle, ProbeRun, ProbeTree};

use self::change::Change;
use self::runner::{ProbeRequest, ProbeRunner, candidate, time_left};
use crate::event_sink::EventSink;
use crate::protection::ProtectedContents;
use crate::request::TaskRequest;

mod change;
mod changed_code;
mod runner;
mod source;
mod test_filter;

pub(crate) mod audit;

pub mod discovery;

/// Number of probe runs at the gate, the latest of a task, whose evidence is not pruned.
const RUNS_KEPT: usize = 20;

/// Reason why no probe can run without a state directory.
const NO_STATE: &str = "there is no state directory for the clean room: set REFEREE_STATE_DIR";

/// Checks whether the tests of a change fail without it, after a run that passed. `started` is the start of the
/// task, in milliseconds of the run's clock. `None`: there is nothing to probe.
pub(crate) fn ask(task: &TaskRequest<'_>, report: &Report, started: u64, events: &mut dyn EventSink) -> Option<Probe> {
    let baseline = task.run.protection?;
    let candidate = candidate(task.run, task.plan);
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
    let runner = ProbeRunner::at_gate(task, state, "probe");
    let asked = checks.keys().cloned().collect();
    while let Step::Run(tree) = judge::step(&probe, task.room().is_some()) {
        let made = time_left(task, report, &asked, started).and_then(|left| {
            let files = change.files(tree);
            let number = probe.runs.len() + 1;
            let request = ProbeRequest { files: &files, checks: &asked, command: None, number, time_left: left };
            let sealed = runner.run(request, events)?;
            let result = result(&sealed.report, &checks, tests);
            Ok(ProbeRun { tree, execution: sealed.execution, report: sealed.digest, result })
        });
        match made {
            Ok(run) => probe.runs.push(run),
            Err(reason) => probe.obstacle = Some(obstacle(&reason, false)),
        }
    }
    if !probe.runs.is_empty() {
        runner.prune(RUNS_KEPT);
    }
    Some(probe)
}

impl Change {
    /// Returns the files of a probe's tree that differ from the candidate's.
    fn files(&self, tree: ProbeTree) -> ProtectedContents {
        match tree {
            ProbeTree::TakenBack => self.before.clone(),
            ProbeTree::Broken => self.broken.clone(),
            _ => ProtectedContents::new(),
        }
    }
}

/// Returns a probe that could not start.
fn unasked(reason: &str) -> Probe {
    let obstacle = Some(obstacle(reason, true));
    Probe { commit: String::new(), tests: Vec::new(), taken_back: 0, runs: Vec::new(), obstacle }
}

fn obstacle(reason: &str, lasts: bool) -> ProbeObstacle {
    ProbeObstacle { reason: reason.to_owned(), lasts }
}

/// Shuffles items unpredictably: the seed contains the id of a run, which is random.
fn shuffle<T>(seed: &str, things: &mut [T]) {
    let mut number = 0;
    things.sort_by_cached_key(|_| {
        number += 1;
        Digest::of(format!("{seed} {number}"))
    });
}

/// Returns file contents with one file replaced by this text.
fn file(path: &WorkspacePath, text: &str) -> ProtectedContents {
    ProtectedContents::from([(path.clone(), Some(text.as_bytes().to_vec()))])
}

/// Number of tests that each check ran, by its id.
type TestNumbers = BTreeMap<ActionId, u64>;

/// Ids of checks.
type Checks = BTreeSet<ActionId>;
