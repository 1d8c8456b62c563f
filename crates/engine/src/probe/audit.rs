//! Planted defects at the gate: a few that checks were known to report, drawn by chance, one at a time.

use std::collections::BTreeMap;

use referee_judge::criteria::probe_audit::{AuditStep, step};
use referee_judge::probe::{checks, planted_result};
use referee_ledger::probes;
use referee_model::id::{Digest, WorkspacePath};
use referee_model::outcome::Outcome;
use referee_model::plan::guard::ProbeSchedule;
use referee_model::probe_set::{CheckProbes, PlantedDefect, ProbeSet, ProbeTrial};
use referee_model::report::{ActionReport, Ran, Report};
use referee_model::run_context::probe::{ProbeRun, ProbeTree};
use referee_model::run_context::probe_audit::{CheckAudit, ProbeAttempt, ProbeAudit};

use super::change::harness;
use super::mutator::Mutator;
use super::runner::{ProbeRunner, candidate, time_left};
use super::{Checks, RUNS_KEPT, TestNumbers, obstacle, source};
use crate::error::EngineError;
use crate::protection::ProtectedContents;
use crate::protection::commit::Committed;
use crate::request::{EventSink, LearnedSet, TaskRequest};

/// Probes that a check has to notice, where the specification does not say how many.
const WANTED: u64 = 1;

/// The variable that services of continuous integration set.
const CI: &str = "CI";

/// Returns what was learned of a task's checks, where the specification has them asked now. None: they are not asked.
///
/// # Errors
/// Fails where what was learned cannot be read.
pub(crate) fn learned(task: &TaskRequest<'_>) -> Result<Option<LearnedSet>, EngineError> {
    let is_ci = || task.run.exec.environment.iter().any(|(name, value)| name == CI && !value.is_empty());
    let is_due = match task.plan.guard.probe_schedule {
        ProbeSchedule::Never => false,
        ProbeSchedule::Ci => is_ci(),
        ProbeSchedule::OnChange | ProbeSchedule::Always => true,
    };
    let Some(state) = task.run.state.filter(|_| is_due) else { return Ok(None) };
    Ok(probes::set(state, candidate(task.run, task.plan).workspace, &task.plan.task)?)
}

/// Asks whether the checks of a task that passed still report planted defects. `started` is when the time of the task began, in
/// milliseconds by the clock of the run. None: there is nothing to ask.
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
    let mut audit = ProbeAudit { set: *digest, learned: set.learned, commit: None, checks: Vec::new(), obstacle: None };
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
    if auditor.made > 0 {
        auditor.runner.prune(RUNS_KEPT);
    }
    Some(audit).filter(|audit| !audit.checks.is_empty() || audit.obstacle.is_some())
}

/// What every audit of a check needs.
struct Auditor<'a> {
    task: &'a TaskRequest<'a>,
    report: &'a Report,
    started: u64,
    runner: ProbeRunner<'a>,
    set: &'a ProbeSet,
    files: BTreeMap<String, Digest>,
    numbers: TestNumbers,
    /// The commit at which the set was learned. None: there is none, or it cannot be had any more.
    learned_at: Option<Committed>,
    /// All files but the sources as they were at that commit, once they were asked for.
    harness: Option<ProtectedContents>,
    /// Runs that were made.
    made: usize,
}

impl Auditor<'_> {
    fn audit(&mut self, check: &CheckProbes, events: &mut dyn EventSink) -> Result<CheckAudit, String> {
        let mut audit = CheckAudit {
            action: check.action.clone(),
            name: check.name.clone(),
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
                        let Some((path, text)) = self.plant(trial)? else { continue };
                        let number = u64::try_from(number).unwrap_or(u64::MAX);
                        audit.attempts.push(ProbeAttempt { number, path: path.to_string(), runs: Vec::new() });
                        planted = Some((path, text));
                    }
                    None => audit.is_exhausted = true,
                },
                AuditStep::Run(tree) => {
                    let run = self.run(check, tree, planted.as_ref(), events)?;
                    if let Some(attempt) = audit.attempts.last_mut() {
                        attempt.runs.push(run);
                    }
                }
            }
        }
    }

    /// The probes of a check, with their numbers, in an order that nobody can foretell: the id of a run is made by chance.
    fn shuffled<'check>(&self, check: &'check CheckProbes) -> Vec<(usize, &'check ProbeTrial)> {
        let key = |(number, _): &(usize, _)| Digest::of(format!("{} {} {number}", self.task.execution, check.action));
        let mut probes: Vec<_> = check.trials.iter().enumerate().filter(|(_, trial)| trial.is_probe()).collect();
        probes.sort_by_cached_key(key);
        probes
    }

    /// The file of a probe with its defect, as the candidate has that file. None: it does not fit there any more.
    ///
    /// # Errors
    /// Says why nobody can tell.
    fn plant(&self, trial: &ProbeTrial) -> Result<Option<(WorkspacePath, String)>, String> {
        let Ok(path) = WorkspacePath::parse(&trial.path) else { return Ok(None) };
        let Some(text) = source::text(self.runner.candidate.workspace, &trial.path) else { return Ok(None) };
        let is_same = self.files.get(&trial.path) == self.set.files.get(&trial.path);
        let planted = match &trial.defect {
            PlantedDefect::Mutant { mutant } if is_same => mutant.apply(&text),
            PlantedDefect::Mutant { mutant } => {
                let found = Mutator::beside(&self.task.run.exec)?.fit(mutant, &text).ok().flatten();
                found.and_then(|mutant| mutant.apply(&text))
            }
            PlantedDefect::File { defect, choice } => {
                Mutator::beside(&self.task.run.exec)?.defect(*defect, *choice, &trial.path, &text)
            }
        };
        Ok(planted.map(|text| (path, text)))
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
        planted: Option<&(WorkspacePath, String)>,
        events: &mut dyn EventSink,
    ) -> Result<ProbeRun, String> {
        let asked = Checks::from([check.action.clone()]);
        let left = time_left(self.task, self.report, &asked, self.started)?;
        self.made += 1;
        let mut files = ProtectedContents::new();
        if tree != ProbeTree::Planted {
            files.extend(self.harness()?.clone());
        }
        if tree != ProbeTree::Before {
            files.extend(planted.map(|(path, text)| (path.clone(), Some(text.clone().into_bytes()))));
        }
        let sealed = self.runner.run(&files, &asked, self.made, left, events)?;
        let expected = self.numbers.get(&check.action).copied().filter(|_| tree == ProbeTree::Planted);
        let result = planted_result(&sealed.report, &check.action, expected);
        Ok(ProbeRun { tree, execution: sealed.execution, report: sealed.digest, result })
    }
}
