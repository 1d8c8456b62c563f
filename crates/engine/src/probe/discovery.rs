//! Finds defects that the checks of a trusted tree report (`referee probe learn`). Each is planted in a clean
//! room, one at a time, and planted again if it was reported. Those that a check reported twice are kept.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::sync::Mutex;

use referee_judge::probe::{checks, planted_result};
use referee_ledger::probes::{self, ProbeEvidence};
use referee_ledger::{LedgerError, State};
use referee_model::id::{ActionId, Digest, WorkspacePath};
use referee_model::mutant::DefectKind;
use referee_model::outcome::Outcome;
use referee_model::plan::{Phase, Plan, Role};
use referee_model::probe_set::{CheckProbes, PlantedDefect, ProbeSet, ProbeTrial};
use referee_model::report::{ActionReport, Report};
use referee_model::run_context::probe::ProbeResult;

use super::change::is_committed;
use super::runner::{ProbeRequest, ProbeRunner, candidate};
use super::source::Candidate;
use super::{Checks, TestNumbers, file, shuffle, source};
use crate::error::EngineError;
use crate::event_sink::{EventSink, NoteSink};
use crate::mutator::Mutator;
use crate::protection::ProtectedContents;
use crate::protection::commit::Committed;
use crate::request::RunRequest;

/// Maximum number of probes kept for a check; further defects are planted once.
const KEPT_MAX: usize = 24;

/// Maximum number of files, for one check, in which a defect of the file itself is planted.
const FILES_MAX: usize = 4;

/// Milliseconds that a run may take in addition to three times its duration without a defect.
const GRACE_MS: u64 = 10_000;

/// Number of learning runs of a task, the latest ones, whose evidence is kept in full.
const RUNS_KEPT: usize = 200;

/// Options of the search for defects.
#[derive(Debug, Clone, Copy)]
pub struct DiscoveryOptions {
    /// Milliseconds after which no further defect is planted.
    pub budget_ms: u64,
    /// Number of defects planted in parallel, each in a clean room of its own.
    pub jobs: NonZeroUsize,
}

/// Receives the progress of the search.
pub trait DiscoveryObserver: Sync {
    /// Called with the checks that are probed, before the first defect is planted.
    fn on_checks(&self, checks: &[CheckProbes], sources: usize);
    /// Called for each defect after it was planted.
    fn on_trial(&self, check: &str, trial: &ProbeTrial);
}

/// Finds defects that the checks of a task report, and stores them as the probe set of the task.
///
/// # Errors
/// Fails if the checks do not pass on the unchanged tree, if no defect can be made, or if the set cannot be stored.
pub fn learn(
    request: &RunRequest<'_>,
    plan: &Plan,
    options: DiscoveryOptions,
    observer: &dyn DiscoveryObserver,
    events: &mut dyn EventSink,
) -> Result<ProbeSet, EngineError> {
    let state = request.state.ok_or_else(|| EngineError::usage(super::NO_STATE.to_owned()))?;
    let execution = request.executions.first().ok_or_else(|| EngineError::internal("there is no id".to_owned()))?;
    let candidate = candidate(request, plan);
    let mutator = Mutator::beside(&request.exec).map_err(EngineError::usage)?;
    let evidence = ProbeEvidence::Learned;
    let runner = ProbeRunner { run: request, plan, state, candidate, evidence, execution, series: "probe" };
    let files = source::digests(candidate, state).map_err(EngineError::refused)?;
    let steps: Checks =
        plan.actions.iter().filter(|action| action.phase == Phase::Step).map(|action| action.id.clone()).collect();
    let as_it_is = ProtectedContents::new();
    let unplanted = ProbeRequest { files: &as_it_is, checks: &steps, command: None, number: 0, time_left: None };
    let control = runner.run(unplanted, events).map_err(EngineError::refused)?;
    let learned = passed(&control.report);
    if learned.is_empty() {
        return Err(EngineError::refused(no_check(&control.report)));
    }
    let numbers = checks(&control.report.actions);
    let limit = learned.iter().fold(0_u64, |sum, check| sum.saturating_add(check.duration_ms));
    let mut sources = Sources::read(candidate, &files, &mutator, execution.as_str());
    observer.on_checks(&learned, sources.mutants.len());
    let queue = sources.queue(&learned);
    let bench = Bench {
        runner: &runner,
        mutator: &mutator,
        numbers: &numbers,
        time_left: limit.saturating_mul(3).saturating_add(GRACE_MS),
        deadline: request.exec.clock.elapsed_ms().saturating_add(options.budget_ms),
        observer,
        shared: Mutex::new(Shared { queue, checks: learned, made: 0, failure: None }),
    };
    std::thread::scope(|scope| {
        for _ in 1..options.jobs.get() {
            // Without another thread, those that are there do all of it.
            if std::thread::Builder::new().spawn_scoped(scope, || bench.work()).is_err() {
                break;
            }
        }
        bench.work();
    });
    let mut shared = bench.shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    for check in &mut shared.checks {
        check.untried = shared.queue.iter().filter(|planting| planting.checks.contains(&check.action)).count();
    }
    runner.prune(RUNS_KEPT);
    if let Some(failure) = shared.failure {
        return Err(EngineError::refused(failure));
    }
    let set = ProbeSet {
        task: plan.task.clone(),
        learned: request.exec.clock.now(),
        commit: commit(candidate),
        files,
        checks: shared.checks,
        refused: sources.refused,
    };
    probes::keep(state, candidate.workspace, &set, request.signer.as_deref())?;
    Ok(set)
}

/// Returns the stored probe sets of these tasks.
///
/// # Errors
/// Fails if one cannot be read.
pub fn sets(state: &State, plans: &[&Plan]) -> Result<Vec<ProbeSet>, LedgerError> {
    let set = |plan: &&Plan| Ok(probes::set(state, &plan.workspace, &plan.task, &[])?.map(|(set, _)| set));
    plans.iter().filter_map(|plan| set(plan).transpose()).collect()
}

/// Returns the commit of a tree. `None` if it is in no repository, or differs from the commit.
fn commit(candidate: Candidate<'_>) -> Option<String> {
    let committed = Committed::open(candidate.workspace, candidate.environment, "HEAD").ok()?;
    is_committed(candidate, &committed).ok()?.then(|| committed.id().to_owned())
}

/// Returns the checks that passed without retries and have a role for which defects can be planted.
fn passed(report: &Report) -> Vec<CheckProbes> {
    let numbers = checks(&report.actions);
    let steps = report.actions.iter().filter(|report| report.action.phase == Phase::Step);
    let check = |report: &ActionReport| {
        let ran = report.ran()?;
        let judgement = &ran.judgement;
        let role = judgement.role?;
        let is_test = role != Role::Test || numbers.contains_key(&report.action.id);
        let passed = judgement.outcome == Outcome::Success && !judgement.expected && !judgement.flaky && is_test;
        (passed && role != Role::Other).then(|| CheckProbes {
            action: report.action.id.clone(),
            name: report.action.name.clone(),
            role,
            duration_ms: ran.record.span.duration_ms,
            trials: Vec::new(),
            untried: 0,
        })
    };
    steps.filter_map(check).collect()
}

/// Returns the message that nothing can be learned from a run.
fn no_check(report: &Report) -> String {
    let reasons = report.verdict.reasons.iter().take(3).map(String::as_str).collect::<Vec<_>>().join("; ");
    let because = if reasons.is_empty() { String::new() } else { format!(": {reasons}") };
    format!("no check of {} passes in a clean room that tells what it looked at{because}", report.plan.task)
}

/// A defect to plant, and the checks to run on it.
#[derive(Debug, Clone)]
struct Planting {
    path: String,
    defect: PlantedDefect,
    checks: Checks,
}

/// The sources of a tree, with the mutants of each in the order in which they are planted.
struct Sources {
    mutants: BTreeMap<String, VecDeque<PlantedDefect>>,
    refused: BTreeMap<String, String>,
    seed: String,
}

impl Sources {
    fn read(candidate: Candidate<'_>, files: &BTreeMap<String, Digest>, mutator: &Mutator, seed: &str) -> Self {
        let mut sources = Self { mutants: BTreeMap::new(), refused: BTreeMap::new(), seed: seed.to_owned() };
        for path in files.keys() {
            let Some(language) = source::language(path) else { continue };
            let Some(text) = source::text(candidate.workspace, path) else {
                sources.refused.insert(path.clone(), "it is no text".to_owned());
                continue;
            };
            match mutator.mutants(language, &text) {
                Ok(mutants) => {
                    let mutants = mutants.into_iter().map(|mutant| PlantedDefect::Mutant { mutant }).collect();
                    sources.mutants.insert(path.clone(), sources.spread(path, mutants));
                }
                Err(reason) => {
                    sources.refused.insert(path.clone(), reason);
                }
            }
        }
        sources
    }

    /// Orders mutants at random: one of every function, then a second one of each, and so on.
    fn spread(&self, path: &str, mut mutants: Vec<PlantedDefect>) -> VecDeque<PlantedDefect> {
        shuffle(&format!("{} {path}", self.seed), &mut mutants);
        let mut before: BTreeMap<Option<String>, usize> = BTreeMap::new();
        let mut placed: Vec<(usize, PlantedDefect)> = Vec::with_capacity(mutants.len());
        for mutant in mutants {
            let count = before.entry(mutant.function().map(str::to_owned)).or_default();
            placed.push((*count, mutant));
            *count += 1;
        }
        placed.sort_by_key(|(round, _)| *round);
        placed.into_iter().map(|(_, mutant)| mutant).collect()
    }

    /// Returns everything to plant: first the defects of files, which are few, then mutants, alternating between
    /// files.
    fn queue(&mut self, checks: &[CheckProbes]) -> VecDeque<Planting> {
        let mut paths: Vec<String> = self.mutants.keys().cloned().collect();
        shuffle(&self.seed, &mut paths);
        let of_role = |wanted: fn(Role) -> bool| -> Checks {
            checks.iter().filter(|check| wanted(check.role)).map(|check| check.action.clone()).collect()
        };
        let mut queue = VecDeque::new();
        for (defect, choices, asked) in [
            (DefectKind::Type, 1, of_role(|role| role == Role::Typecheck)),
            (DefectKind::Lint, 3, of_role(|role| role == Role::Lint)),
            (DefectKind::Format, 1, of_role(|role| role == Role::Format)),
            (DefectKind::Syntax, 1, of_role(|role| role == Role::Compile)),
        ] {
            let files = paths.iter().take(if asked.is_empty() { 0 } else { FILES_MAX });
            queue.extend(files.flat_map(|path| {
                let asked = asked.clone();
                (0..choices).map(move |choice| Planting {
                    path: path.clone(),
                    defect: PlantedDefect::File { defect, choice },
                    checks: asked.clone(),
                })
            }));
        }
        let asked = of_role(|role| role == Role::Test);
        while !asked.is_empty() && self.mutants.values().any(|mutants| !mutants.is_empty()) {
            for path in &paths {
                let next = self.mutants.get_mut(path).and_then(VecDeque::pop_front);
                queue.extend(next.map(|defect| Planting { path: path.clone(), defect, checks: asked.clone() }));
            }
        }
        queue
    }
}

/// State shared by all workers.
struct Shared {
    queue: VecDeque<Planting>,
    checks: Vec<CheckProbes>,
    made: usize,
    /// Reason why nothing more can be planted at all.
    failure: Option<String>,
}

struct Bench<'a> {
    runner: &'a ProbeRunner<'a>,
    mutator: &'a Mutator,
    numbers: &'a TestNumbers,
    /// Time limit of one run, in milliseconds.
    time_left: u64,
    /// End of the budget, in milliseconds by the clock of the run.
    deadline: u64,
    observer: &'a dyn DiscoveryObserver,
    shared: Mutex<Shared>,
}

impl Bench<'_> {
    fn shared<Out>(&self, with: impl FnOnce(&mut Shared) -> Out) -> Out {
        with(&mut self.shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn work(&self) {
        while let Some(planting) = self.next() {
            if let Err(failure) = self.plant(&planting) {
                self.shared(|shared| shared.failure = shared.failure.take().or(Some(failure)));
            }
        }
    }

    fn next(&self) -> Option<Planting> {
        let run: &RunRequest<'_> = self.runner.run;
        let is_over = run.exec.clock.elapsed_ms() >= self.deadline || !run.cancellation.requests().is_empty();
        self.shared(|shared| if is_over || shared.failure.is_some() { None } else { shared.queue.pop_front() })
    }

    fn plant(&self, planting: &Planting) -> Result<(), String> {
        let Some((path, text)) = self.planted(planting) else { return Ok(()) };
        let files = file(&path, &text);
        let first = self.run(&files, &planting.checks)?;
        let again: Checks =
            first.iter().filter(|trial| self.is_to_be_confirmed(trial)).map(|it| it.0.clone()).collect();
        let second = if again.is_empty() { BTreeMap::new() } else { self.run(&files, &again)? };
        for (check, (result, report, duration_ms)) in first {
            let confirmed = second.get(&check);
            let results = std::iter::once(result).chain(confirmed.map(|(result, ..)| result.clone())).collect();
            let reports = std::iter::once(report).chain(confirmed.map(|(_, report, _)| *report)).collect();
            let (path, defect) = (planting.path.clone(), planting.defect.clone());
            let trial = ProbeTrial { path, defect, results, reports, duration_ms };
            self.keep(&check, trial);
        }
        Ok(())
    }

    fn keep(&self, check: &ActionId, trial: ProbeTrial) {
        self.shared(|shared| {
            let Some(check) = shared.checks.iter_mut().find(|known| known.action == *check) else { return };
            self.observer.on_trial(&check.name, &trial);
            check.trials.push(trial);
        });
    }

    /// Whether a defect that a check reported is planted once more, so that it can be kept.
    fn is_to_be_confirmed(&self, (check, (result, ..)): &(&ActionId, &TrialRun)) -> bool {
        let known = |shared: &mut Shared| {
            let check = shared.checks.iter().find(|known| known.action == **check);
            check.map_or(0, CheckProbes::kept)
        };
        matches!(result, ProbeResult::Failed { .. }) && self.shared(known) < KEPT_MAX
    }

    /// Returns the file with its defect. `None` if the defect cannot be made.
    fn planted(&self, planting: &Planting) -> Option<(WorkspacePath, String)> {
        let text = source::text(self.runner.candidate.workspace, &planting.path)?;
        let planted = match &planting.defect {
            PlantedDefect::Mutant { mutant } => mutant.apply(&text)?,
            PlantedDefect::File { defect, choice } => {
                self.mutator.defect(source::language(&planting.path)?, &text, *defect, *choice)?
            }
        };
        Some((WorkspacePath::parse(&planting.path).ok()?, planted))
    }

    fn run(&self, files: &ProtectedContents, asked: &Checks) -> Result<BTreeMap<ActionId, TrialRun>, String> {
        let number = self.shared(|shared| {
            shared.made += 1;
            shared.made
        });
        let mut nobody: NoteSink = std::sync::Arc::new(|_| {});
        let request = ProbeRequest { files, checks: asked, command: None, number, time_left: Some(self.time_left) };
        let sealed = self.runner.run(request, &mut nobody)?;
        let result = |check: &ActionId| {
            let result = planted_result(&sealed.report, check, self.numbers.get(check).copied(), None);
            let reports = sealed.report.actions.iter().find(|report| report.action.id == *check);
            let duration = reports.and_then(ActionReport::ran).map_or(0, |ran| ran.record.span.duration_ms);
            (check.clone(), (result, sealed.digest, duration))
        };
        Ok(asked.iter().map(result).collect())
    }
}

/// Result of a check, digest of the run's report, and duration of the check in milliseconds.
type TrialRun = (ProbeResult, Digest, u64);
