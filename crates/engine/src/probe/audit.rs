//! Planted defects at the gate: a random few of those that the checks are known to report, one at a time.

use std::collections::{BTreeMap, BTreeSet};

use referee_judge::criteria::changed_code::is_open;
use referee_judge::criteria::probe_audit::{AuditStep, step};
use referee_judge::probe::{checks, planted_result};
use referee_ledger::probes;
use referee_ledger::trust::{self, TrustStore};
use referee_model::id::{ActionId, Digest, WorkspacePath};
use referee_model::outcome::Outcome;
use referee_model::plan::guard::{ProbeAnswer, ProbeSchedule};
use referee_model::plan::{Command, Role, Work};
use referee_model::probe_set::{CheckProbes, PlantedDefect, ProbeSet, ProbeTrial};
use referee_model::report::{ActionReport, Ran, Report};
use referee_model::run_context::probe::{ProbeResult, ProbeRun, ProbeTree};
use referee_model::run_context::probe_audit::{ChangeAttempt, ChangeAudit, CheckAudit, ProbeAttempt, ProbeAudit};

use super::change::harness;
use super::runner::{ProbeRequest, ProbeRunner, SealedProbe, candidate, time_left};
use super::{Checks, RUNS_KEPT, TestNumbers, changed_code, file, obstacle, shuffle, source, test_filter};
use crate::error::EngineError;
use crate::event_sink::EventSink;
use crate::mutator::Mutator;
use crate::protection::commit::Committed;
use crate::protection::{Baseline, ProtectedContents};
use crate::request::{LearnedSet, TaskRequest};

/// Number of probes that a check has to report, unless the specification says otherwise.
const WANTED: u64 = 1;

/// The variable that continuous integration services set.
const CI: &str = "CI";

/// Returns the learned set of a task's checks, if the specification schedules an audit now. `None` if it does not.
///
/// # Errors
/// Fails if the set cannot be read, or if keys that sign runs are known and none of them has signed it.
pub(crate) fn learned(task: &TaskRequest<'_>) -> Result<Option<LearnedSet>, EngineError> {
    let is_ci = || task.run.exec.environment.iter().any(|(name, value)| name == CI && !value.is_empty());
    let is_due = match task.plan.guard.probe_schedule {
        ProbeSchedule::Never => false,
        ProbeSchedule::Ci => is_ci(),
        ProbeSchedule::OnChange | ProbeSchedule::Always => true,
    };
    let Some(state) = task.run.state.filter(|_| is_due) else { return Ok(None) };
    let mut keys = TrustStore::read(state)?.believed(trust::Role::Runner, task.run.exec.clock.now());
    keys.extend(task.run.signer.iter().map(|signer| signer.public().clone()));
    Ok(probes::set(state, candidate(task.run, task.plan).workspace, &task.plan.task, &keys)?)
}

/// Audits whether the checks of a task that passed still report planted defects. `started` is the start of the
/// task's time, in milliseconds by the clock of the run. Returns `None` if there is nothing to audit.
pub(crate) fn audit(
    task: &TaskRequest<'_>,
    (set, digest): &LearnedSet,
    report: &Report,
    started: u64,
    events: &mut dyn EventSink,
) -> Option<ProbeAudit> {
    let state = task.run.state?;
    let runner = ProbeRunner::at_gate(task, state, "audit");
    let candidate = runner.candidate;
    let mut audit = ProbeAudit {
        set: *digest,
        learned: set.learned,
        commit: None,
        checks: Vec::new(),
        change: None,
        obstacle: None,
    };
    let files = match source::digests(candidate, state) {
        Ok(files) => files,
        Err(reason) => {
            audit.obstacle = Some(obstacle(&reason, false));
            return Some(audit);
        }
    };
    if task.plan.guard.probe_schedule == ProbeSchedule::OnChange && !source::is_changed(&set.files, &files) {
        return None;
    }
    let open = |commit: &String| Committed::open(candidate.workspace, candidate.environment, commit).ok();
    let learned_at = set.commit.as_ref().and_then(open);
    audit.commit = learned_at.as_ref().and(set.commit.clone());
    let numbers = checks(&report.actions);
    let mut auditor =
        Auditor { task, report, started, runner, set, files, numbers, learned_at, harness: None, made: 0 };
    for check in &set.checks {
        let report = report.actions.iter().find(|report| report.action.id == check.action);
        let passed = |ran: &Ran| ran.judgement.outcome == Outcome::Success && !ran.judgement.flaky;
        if report.and_then(ActionReport::ran).is_some_and(passed) && check.trials.iter().any(ProbeTrial::is_probe) {
            match auditor.audit(check, events) {
                Ok(check) => audit.checks.push(check),
                Err(reason) => {
                    audit.obstacle = Some(obstacle(&reason, false));
                    break;
                }
            }
        }
    }
    if audit.obstacle.is_none() && task.plan.guard.probe != ProbeAnswer::Off {
        match auditor.change(events) {
            Ok(change) => audit.change = change,
            Err(reason) => audit.obstacle = Some(obstacle(&reason, false)),
        }
    }
    if auditor.made > 0 {
        auditor.runner.prune(RUNS_KEPT);
    }
    Some(audit).filter(|audit| !audit.checks.is_empty() || audit.change.is_some() || audit.obstacle.is_some())
}

/// The common data of all audits of a task's checks.
struct Auditor<'a> {
    task: &'a TaskRequest<'a>,
    report: &'a Report,
    started: u64,
    runner: ProbeRunner<'a>,
    set: &'a ProbeSet,
    files: BTreeMap<String, Digest>,
    numbers: TestNumbers,
    /// The commit at which the set was learned. `None` if there is none, or if it is no longer available.
    learned_at: Option<Committed>,
    /// All files except sources, as they were at that commit; loaded on first use.
    harness: Option<ProtectedContents>,
    /// Number of runs made so far.
    made: usize,
}

impl Auditor<'_> {
    fn audit(&mut self, check: &CheckProbes, events: &mut dyn EventSink) -> Result<CheckAudit, String> {
        let mut audit = CheckAudit {
            action: check.action.clone(),
            name: check.name.clone(),
            runs_tests: check.role == Role::Test,
            wanted: self.task.plan.guard.probe_count.map_or(WANTED, |count| u64::from(count.get())),
            attempts: Vec::new(),
            is_exhausted: false,
        };
        let mut drawn = self.shuffled(check).into_iter();
        let mut planted = None;
        loop {
            match step(&audit, self.learned_at.is_some()) {
                AuditStep::Done(_) => return Ok(audit),
                AuditStep::Draw => match drawn.next() {
                    Some((number, trial)) => {
                        let Some(probe) = self.plant(check, trial)? else { continue };
                        let number = u64::try_from(number).unwrap_or(u64::MAX);
                        let (path, is_selectable) = (probe.path.to_string(), probe.selected.is_some());
                        audit.attempts.push(ProbeAttempt { number, path, is_selectable, runs: Vec::new() });
                        planted = Some(probe);
                    }
                    None => audit.is_exhausted = true,
                },
                AuditStep::Run(tree) => {
                    if let (Some(attempt), Some(probe)) = (audit.attempts.last_mut(), &planted) {
                        attempt.runs.push(self.run(check, tree, probe, events)?);
                    }
                }
            }
        }
    }

    /// Returns the probes of a check in random order, with their numbers.
    fn shuffled<'check>(&self, check: &'check CheckProbes) -> Vec<(usize, &'check ProbeTrial)> {
        let mut probes: Vec<_> = check.trials.iter().enumerate().filter(|(_, trial)| trial.is_probe()).collect();
        shuffle(&format!("{} {}", self.task.execution, check.action), &mut probes);
        probes
    }

    /// Returns a probe with its file as the candidate has it. `None` if it no longer fits there.
    ///
    /// # Errors
    /// Returns the reason if that cannot be determined.
    fn plant(&self, check: &CheckProbes, trial: &ProbeTrial) -> Result<Option<PlantedProbe>, String> {
        let Ok(path) = WorkspacePath::parse(&trial.path) else { return Ok(None) };
        let Some(language) = source::language(&trial.path) else { return Ok(None) };
        let Some(text) = source::text(self.runner.candidate.workspace, &trial.path) else { return Ok(None) };
        let is_same = self.files.get(&trial.path) == self.set.files.get(&trial.path);
        let mutator = || Mutator::beside(&self.task.run.exec);
        let planted = match &trial.defect {
            PlantedDefect::Mutant { mutant } if is_same => mutant.apply(&text),
            PlantedDefect::Mutant { mutant } => {
                let found = mutator()?.fit(mutant, &text).ok().flatten();
                found.and_then(|mutant| mutant.apply(&text))
            }
            PlantedDefect::File { defect, choice } => mutator()?.defect(language, &text, *defect, *choice),
        };
        let reporters = trial.reporters();
        let selected = self.selected(check, &reporters);
        let neutral = language.with_comment(&text);
        Ok(planted.map(|text| PlantedProbe { path, text, neutral, reporters, selected }))
    }

    /// Returns a command that runs only the tests of a check that reported a defect. `None` if no way is known.
    fn selected(&self, check: &CheckProbes, reporters: &BTreeSet<String>) -> Option<Command> {
        let report = self.report.actions.iter().find(|report| report.action.id == check.action)?;
        let plan = self.task.plan;
        let Work::Command(command) = &plan.action(&check.action)?.work else { return None };
        let runner = &report.ran()?.reading.tests.as_ref()?.framework;
        // The plan's variables for all commands also apply to the selected tests.
        let mut environment = plan.environment.clone();
        environment.extend(command.environment.clone());
        let command = Command { environment, ..command.clone() };
        test_filter::select(&command, runner, reporters, &self.task.run.exec.environment)
    }

    fn harness(&mut self) -> Result<&ProtectedContents, String> {
        let known = if let Some(known) = self.harness.take() {
            known
        } else {
            let commit = self.learned_at.as_ref().ok_or("there is no commit")?;
            harness(self.runner.candidate, commit)?
        };
        Ok(self.harness.insert(known))
    }

    fn run(
        &mut self,
        check: &CheckProbes,
        tree: ProbeTree,
        probe: &PlantedProbe,
        events: &mut dyn EventSink,
    ) -> Result<ProbeRun, String> {
        let asked = Checks::from([check.action.clone()]);
        let is_before = matches!(tree, ProbeTree::PlantedBefore | ProbeTree::Before);
        let mut files = if is_before { self.harness()?.clone() } else { ProtectedContents::new() };
        files.extend(match tree {
            ProbeTree::Neutral | ProbeTree::NeutralSelected => file(&probe.path, &probe.neutral),
            ProbeTree::Before => ProtectedContents::new(),
            _ => file(&probe.path, &probe.text),
        });
        let is_selected = matches!(tree, ProbeTree::PlantedSelected | ProbeTree::NeutralSelected);
        let sealed = self.seal(&files, &asked, probe.selected.as_ref().filter(|_| is_selected), events)?;
        let is_of_candidate = matches!(tree, ProbeTree::Planted | ProbeTree::Neutral);
        let expected = self.numbers.get(&check.action).copied().filter(|_| is_of_candidate);
        let is_planted = matches!(tree, ProbeTree::Planted | ProbeTree::PlantedSelected);
        let reporters = Some(&probe.reporters).filter(|_| is_planted);
        let result = planted_result(&sealed.report, &check.action, expected, reporters);
        Ok(ProbeRun { tree, execution: sealed.execution, report: sealed.digest, result })
    }

    fn seal(
        &mut self,
        files: &ProtectedContents,
        checks: &Checks,
        command: Option<&Command>,
        events: &mut dyn EventSink,
    ) -> Result<SealedProbe, String> {
        let time_left = time_left(self.task, self.report, checks, self.started)?;
        self.made += 1;
        self.runner.run(ProbeRequest { files, checks, command, number: self.made, time_left }, events)
    }

    /// Plants defects in code that the change wrote, until a check of tests reports one. Returns `None` if no
    /// check of tests passed, or if there is no such code.
    fn change(&mut self, events: &mut dyn EventSink) -> Result<Option<ChangeAudit>, String> {
        let candidate = self.runner.candidate;
        let is_of_tests = |check: &&CheckProbes| check.role == Role::Test && self.numbers.contains_key(&check.action);
        let asked: Checks = self.set.checks.iter().filter(is_of_tests).map(|check| check.action.clone()).collect();
        let differing = self.files.iter().filter(|(path, digest)| self.set.files.get(*path) != Some(digest));
        let paths: Vec<String> = differing.map(|(path, _)| path.clone()).collect();
        let trusted = self.task.run.protection.and_then(|baseline| baseline.all().find_map(Baseline::committed));
        let fork =
            trusted.map(|trusted| trusted.fork(candidate.workspace, candidate.environment)).transpose()?.flatten();
        let Some(committed) = fork.as_ref().or(trusted).or(self.learned_at.as_ref()).filter(|_| !asked.is_empty())
        else {
            return Ok(None);
        };
        let mutator = Mutator::beside(&self.task.run.exec)?;
        let seed = self.task.execution.as_str();
        let mut defects = changed_code::defects(candidate, committed, paths, &mutator, seed).into_iter();
        let mut change = ChangeAudit { commit: committed.id().to_owned(), attempts: Vec::new(), is_exhausted: false };
        while is_open(&change) {
            let Some(code) = defects.next() else {
                change.is_exhausted = true;
                break;
            };
            let sealed = self.seal(&file(&code.path, &code.text), &asked, None, events)?;
            let result =
                |check: &ActionId| planted_result(&sealed.report, check, self.numbers.get(check).copied(), None);
            let run = ProbeRun {
                tree: ProbeTree::Planted,
                execution: sealed.execution.clone(),
                report: sealed.digest,
                result: together(asked.iter().map(result)),
            };
            let mutant = code.mutant;
            change.attempts.push(ChangeAttempt {
                path: code.path.to_string(),
                function: mutant.anchor.function,
                line: mutant.line as u64,
                run,
            });
        }
        Ok(Some(change).filter(|change| !change.attempts.is_empty()))
    }
}

/// A probe to plant in the candidate.
struct PlantedProbe {
    path: WorkspacePath,
    /// Text of the file with the defect.
    text: String,
    /// The same text with an empty comment in place of the defect.
    neutral: String,
    /// Names of the tests that reported the defect when it was learned.
    reporters: BTreeSet<String>,
    /// Command that runs only these tests. `None` if no way is known.
    selected: Option<Command>,
}

/// Combines the results of several checks for one defect: failed (reported) takes precedence over unusable, and
/// that over passed.
fn together(results: impl Iterator<Item = ProbeResult>) -> ProbeResult {
    let rank = |result: &ProbeResult| match result {
        ProbeResult::Failed { .. } => 2,
        ProbeResult::Unusable { .. } => 1,
        ProbeResult::Passed => 0,
    };
    results.max_by_key(rank).unwrap_or(ProbeResult::Passed)
}
