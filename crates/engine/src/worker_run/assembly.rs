//! Plays the runs of several workers, each of which performed a part of a task, into one recorder (design, "Fleet").
//!
//! Actions are played in the order of the plan, each from a part that performed it, so that what is decided from one to the
//! next is what a run of one step after another decides. What several parts performed is judged in each, and taken from the one
//! where it came out worst.

use std::collections::{BTreeMap, BTreeSet};

use referee_ledger::private_directory::PrivateDirectory;
use referee_model::event::journal::JournalLine;
use referee_model::evidence_name;
use referee_model::id::ActionId;
use referee_model::outcome::Outcome;
use referee_model::plan::{Action, Plan};
use referee_model::record::{Host, RunEnding, RunRecord};
use referee_model::report::{Attempt, Ran};
use referee_model::run_context::SharedReceipt;

use super::division::PartLeftOut;
use super::play::{FINISHED, Fault, Play, SKIPPED, STARTED, contradiction, lines};
use super::tree_union::{self, PartTree};
use super::{WorkerRun, add_receipt};
use crate::error::EngineError;
use crate::judgement::{self, Tried};
use crate::recorder::{RunRecorder, Stage};
use crate::waivers;

/// The sealed runs of all parts of a task, at least two, in the order of the plan.
pub(crate) struct Assembly {
    parts: Vec<PartRun>,
    /// Why no receipt of the whole order answers. `None`: there was none, or none was looked for.
    receipt: Option<SharedReceipt>,
    /// Holds the evidence. `None`: somebody else does.
    _directory: Option<PrivateDirectory>,
}

/// The sealed run of one part.
pub(crate) struct PartRun {
    pub(crate) worker: WorkerRun,
    /// Actions that the order of the part leaves out.
    pub(crate) left_out: PartLeftOut,
}

/// Returns the name of a part for people. `number` counts from 0.
pub(super) fn label(number: usize, parts: usize) -> String {
    format!("part {} of {parts}", number + 1)
}

impl Assembly {
    pub(crate) fn new(
        parts: Vec<PartRun>,
        receipt: Option<SharedReceipt>,
        directory: Option<PrivateDirectory>,
    ) -> Self {
        Self { parts, receipt, _directory: directory }
    }

    /// Returns the plan of the run, with the workspaces of all parts. `None`: there is no part.
    pub(crate) fn plan(&self) -> Option<Plan> {
        let (first, others) = self.parts.split_first()?;
        let mut plan = first.worker.plan.clone();
        let others: BTreeSet<_> = others.iter().map(|part| part.worker.plan.workspace.clone()).collect();
        plan.part_workspaces = others.into_iter().filter(|workspace| *workspace != plan.workspace).collect();
        Some(plan)
    }

    /// Returns what the workers signed, with the names of the files that hold it.
    pub(crate) fn results(&self) -> impl Iterator<Item = (String, &str)> {
        let numbered = self.parts.iter().enumerate();
        numbered.map(|(at, part)| (evidence_name::fleet_result_of_part(at + 1), part.worker.envelope.as_str()))
    }

    /// Plays the parts, and returns how the run ended.
    ///
    /// # Errors
    /// Fails if evidence cannot be stored.
    pub(crate) fn play(
        &self,
        plan: &Plan,
        stage: &Stage,
        recorder: &mut RunRecorder<'_>,
    ) -> Result<RunEnding, EngineError> {
        let Some(first) = self.parts.first() else {
            return Err(EngineError::internal("a run in parts has no part".to_owned()));
        };
        let mut play = Play::new(&first.worker, plan, stage, recorder);
        match self.all(&mut play) {
            Ok(()) => Ok(self.ending()),
            Err(fault) => fault.ending(),
        }
    }

    fn all<'play>(&'play self, play: &mut Play<'play, '_>) -> Result<(), Fault> {
        let mut journals = Vec::with_capacity(self.parts.len());
        for (at, part) in self.parts.iter().enumerate() {
            play.worker = &part.worker;
            journals.push(
                PartJournal::read(part).and_then(|journal| journal.check(part, play)).map_err(|f| self.of(at, f))?,
            );
        }
        let plan = play.plan;
        for action in &plan.actions {
            let at = self.source(&journals, play, action)?;
            let (Some(part), Some(journal)) = (self.parts.get(at), journals.get(at)) else { continue };
            play.worker = &part.worker;
            let played = journal.lines(action).iter().try_for_each(|line| play.line(line));
            played.and_then(|()| play.check_end(action)).map_err(|fault| self.of(at, fault))?;
        }
        for (at, (part, journal)) in self.parts.iter().zip(&journals).enumerate() {
            let facts = part.worker.run.run_context.tree.as_ref();
            let written = facts.and_then(|facts| tree_union::written_by_nobody(&journal.tree(plan, facts)));
            if let Some(path) = written {
                let what = format!("{path} was written while no action ran, after tests had begun");
                return Err(self.of(at, Fault::Contradiction(what)));
            }
        }
        Ok(())
    }

    /// Returns which part an action is played from: that where it came out worst, and the first of those.
    fn source<'play>(
        &'play self,
        journals: &[PartJournal],
        play: &mut Play<'play, '_>,
        action: &Action,
    ) -> Result<usize, Fault> {
        let performs = |part: &PartRun| !part.left_out.contains_key(&action.id);
        let all: Vec<usize> = (0..self.parts.len()).filter(|at| self.parts.get(*at).is_some_and(performs)).collect();
        let ([first, _, ..], true) = (all.as_slice(), play.recorder.action(&action.id).is_some()) else {
            return Ok(all.first().copied().unwrap_or(0));
        };
        let (mut worst, mut best) = ((PartOutcome::Passed, *first), PartOutcome::Blocking);
        for at in &all {
            let (Some(part), Some(journal)) = (self.parts.get(*at), journals.get(*at)) else { continue };
            play.worker = &part.worker;
            let outcome = journal.outcome(play, action).map_err(|fault| self.of(*at, fault))?;
            if outcome > worst.0 {
                worst = (outcome, *at);
            }
            best = best.min(outcome);
        }
        if best < worst.0 {
            let of = label(worst.1, self.parts.len());
            play.recorder.notices.push(format!(
                "{} {} in {of}, and {} in another one: the former counts",
                action.id,
                worst.0.words(),
                best.words()
            ));
        }
        Ok(worst.1)
    }

    fn of(&self, at: usize, fault: Fault) -> Fault {
        match fault {
            Fault::Contradiction(why) => Fault::Contradiction(format!("{}: {why}", label(at, self.parts.len()))),
            fault @ Fault::Engine(_) => fault,
        }
    }

    /// Returns how the first part ended that was cut off.
    fn ending(&self) -> RunEnding {
        let endings = self.parts.iter().map(|part| &part.worker.run.ending).enumerate();
        let cut_off = endings.into_iter().find(|(_, ending)| **ending != RunEnding::Finished);
        match cut_off {
            Some((at, RunEnding::Failed { message })) => {
                RunEnding::Failed { message: format!("on the worker of {}: {message}", label(at, self.parts.len())) }
            }
            Some((_, ending)) => ending.clone(),
            None => RunEnding::Finished,
        }
    }

    /// Adds what the workers observed around the checks to the header of this run.
    pub(crate) fn add_to(&self, run: &mut RunRecord, redact: &dyn Fn(&str) -> String) {
        let Some((first, others)) = self.parts.split_first() else { return };
        let theirs = &first.worker.run;
        // The agent is the one that asked.
        run.host = Host { agent: run.host.agent.take(), ..theirs.host.clone() };
        self.parts.iter().for_each(|part| part.worker.widen(run));
        let context = &mut run.run_context;
        let all = || self.parts.iter().map(|part| &part.worker.run.run_context);
        let stale: BTreeSet<&String> = all().flat_map(|context| &context.stale_tests).collect();
        context.stale_tests = stale.into_iter().cloned().collect();
        let is_same = |part: &PartRun| part.worker.run.run_context.confinement == theirs.run_context.confinement;
        context.confinement = theirs.run_context.confinement.clone().filter(|_| others.iter().all(is_same));
        // A run whose journal cannot be read has failed already.
        let journals: Vec<PartJournal> =
            self.parts.iter().map(|part| PartJournal::read(part).unwrap_or_default()).collect();
        let trees =
            self.parts.iter().zip(&journals).map(|(part, journal)| {
                Some(journal.tree(&part.worker.plan, part.worker.run.run_context.tree.as_ref()?))
            });
        let union = trees.collect::<Option<Vec<PartTree<'_>>>>().as_deref().and_then(tree_union::union);
        let apart = union.as_ref().map(|union| union.apart.clone()).unwrap_or_default();
        context.tree = union.map(|union| union.facts);
        if !apart.is_empty() {
            let files = referee_syntax::count::list(&apart, FILES_NAMED);
            run.notices.push(redact(&format!(
                "one part changed inputs that steps of others saw unchanged, so every step is void: {files}; run without \
                 --parts, and declare under `outputs` what checks make"
            )));
        }
        add_receipt(self.receipt.as_ref(), run);
        for (at, part) in self.parts.iter().enumerate() {
            let (label, worker) = (label(at, self.parts.len()), &part.worker);
            let (execution, signer) = (&worker.run.execution, worker.signer);
            run.notices.push(format!("{label}: performed by a worker as {execution}, signed by {signer}"));
            let notices: BTreeSet<&String> = worker.run.notices.iter().collect();
            run.notices
                .extend(notices.into_iter().map(|notice| redact(&format!("on the worker of {label}: {notice}"))));
        }
    }
}

/// Maximum number of files that a notice names.
const FILES_NAMED: usize = 5;

/// What became of an action in a part that performed it, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PartOutcome {
    Passed,
    Flaky,
    NotPassed,
    /// It passed, and its service ended before the part did.
    ServiceLost,
    NotRun,
    Blocking,
}

impl PartOutcome {
    fn words(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Flaky => "passed after a failure",
            Self::NotPassed => "failed without blocking",
            Self::ServiceLost => "ended by itself",
            Self::NotRun => "did not run",
            Self::Blocking => "failed",
        }
    }
}

/// The journal of a part, by actions.
#[derive(Default)]
struct PartJournal {
    of_actions: BTreeMap<ActionId, Vec<JournalLine>>,
    of_run: Vec<JournalLine>,
}

impl PartJournal {
    fn read(part: &PartRun) -> Result<Self, Fault> {
        let mut journal = Self::default();
        for line in lines(&part.worker)? {
            match &line.action {
                Some(action) => journal.of_actions.entry(action.clone()).or_default().push(line),
                None => journal.of_run.push(line),
            }
        }
        Ok(journal)
    }

    /// Takes what concerns no action, and checks that the part ran nothing that its order leaves out.
    fn check(self, part: &PartRun, play: &mut Play<'_, '_>) -> Result<Self, Fault> {
        self.of_run.iter().try_for_each(|line| play.line(line))?;
        for (action, lines) in &self.of_actions {
            if play.recorder.action(action).is_none() {
                return contradiction(format!("its journal tells of an unknown action: {action}"));
            }
            if part.left_out.contains_key(action) && lines.iter().any(|line| line.kind != SKIPPED) {
                return contradiction(format!("it ran {action}, which its order leaves out"));
            }
        }
        Ok(self)
    }

    fn lines(&self, action: &Action) -> &[JournalLine] {
        self.of_actions.get(&action.id).map_or(&[], Vec::as_slice)
    }

    /// Returns what became of an action, as this machine judges it.
    fn outcome(&self, play: &Play<'_, '_>, action: &Action) -> Result<PartOutcome, Fault> {
        let lines = self.lines(action);
        let attempts = lines.iter().filter(|line| line.kind == FINISHED).count();
        if attempts == 0 || lines.iter().any(|line| line.kind == SKIPPED) {
            return Ok(PartOutcome::NotRun);
        }
        let attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
        if attempts > action.retries.saturating_add(1) {
            return contradiction(format!("it tried {} more often than it may be", action.id));
        }
        let ran = judged(play, action, attempts)?;
        let services = &play.worker.run.services;
        let is_lost = services.iter().any(|service| service.action == action.id && service.ended_early());
        Ok(match ran.judgement {
            judgement if judgement.blocking => PartOutcome::Blocking,
            _ if is_lost => PartOutcome::ServiceLost,
            judgement if judgement.outcome != Outcome::Success => PartOutcome::NotPassed,
            judgement if judgement.flaky => PartOutcome::Flaky,
            _ => PartOutcome::Passed,
        })
    }

    /// Returns the tree of the part, with the times of what ran in it.
    fn tree<'part>(&self, plan: &'part Plan, facts: &'part referee_model::run_context::TreeFacts) -> PartTree<'part> {
        let spans = plan.actions.iter().filter_map(|action| {
            let lines = self.lines(action);
            let began = lines.iter().find(|line| line.kind == STARTED)?.at;
            let ended = lines.iter().rev().find(|line| line.kind == FINISHED)?.at;
            Some((action, began, ended))
        });
        PartTree { facts, spans: spans.collect() }
    }
}

/// Judges what the part did that is played from.
fn judged(play: &Play<'_, '_>, action: &Action, attempts: u32) -> Result<Ran, Fault> {
    let beside = play.recorder.beside();
    let mut tries: Vec<Tried> = Vec::new();
    for attempt in 1..=attempts {
        let record = play.record(action, attempt)?;
        play.files(action, &record)?;
        let open = |log: &referee_model::record::Log| play.worker.evidence.log(log);
        tries.push(judgement::judge_attempt(play.plan, action, record, beside.held, open)?);
    }
    let Some(last) = tries.pop() else {
        return contradiction(format!("it has no record of {}", action.id));
    };
    let earlier = tries.into_iter().map(|tried| Attempt { record: tried.record, judgement: tried.judgement });
    let ran = judgement::settle(play.plan, action, earlier.collect(), last);
    Ok(waivers::lift(play.plan, action, ran, beside.held, beside.waivers))
}
