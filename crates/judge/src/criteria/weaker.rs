//! What makes a pass worth less than it was: suppressions that were added, a specification that asks for less, fewer tests
//! (design, "Lock"; attacks, rows 1 and 14).
//!
//! | found                                                  | and it blocks               | otherwise          |
//! |--------------------------------------------------------|-----------------------------|--------------------|
//! | a suppression, a weakening of the specification        | as it says itself           | told by the report |
//! | a check runs fewer tests than in the best run          | where suppressions block *  | a reason says so   |
//! | nothing tells any more how many tests a check runs     | where suppressions block *  | a reason says so   |
//! | compiled tests ran whose sources are gone              | where suppressions block *  | a reason says so   |
//! | tests of the change pass without it                    | where `probe` blocks        | a reason says so   |
//! | whether they do could not be asked                     | never                       | a reason says so   |
//!
//! * and under a lock or a trusted commit, where the specification says nothing of suppressions.
//!
//! What blocks makes the run BLOCKED with the exit code of a specification that is wrong or drifted, whatever else failed.

use referee_model::outcome::Outcome;
use referee_model::plan::guard::{Answer, ProbeAnswer};
use referee_model::plan::{Action, Plan, Role};
use referee_model::reading::{CountAuthority, TestResults};
use referee_model::record::RunRecord;
use referee_model::report::{ActionReport, Ran, Report};
use referee_model::run_context::RunContext;
use referee_model::run_context::protection::{Suppression, Weakening};
use referee_model::run_context::waiver::{WaiverState, WaiverUse};
use referee_syntax::count;
use referee_syntax::count::count;

use super::changed_code;
use super::known_tests;
use super::probe::{self, Conclusion};
use super::probe_audit;
use crate::waiver::Waivers;

/// Compiled tests without sources that are named.
const STALE_NAMED: usize = 3;

/// Reasons of one kind that are given one by one.
const REASONS_LISTED: usize = 20;

/// What a waiver of a probe names.
pub const PROBE: &str = "probe";

/// What makes a pass worth less.
#[derive(Debug, Default)]
pub(super) struct Weaker {
    /// What keeps the run from being judged, a sentence each.
    pub(super) blocking: Vec<String>,
    /// What is said beside the decision, a sentence each.
    pub(super) told: Vec<String>,
    /// Whether the specification itself is among what blocks, and not the work alone.
    pub(super) in_specification: bool,
}

/// Finds what makes a pass worth less. `tests` is what became of those that are known by name.
pub(super) fn find(
    plan: &Plan,
    run: &RunRecord,
    actions: &[ActionReport],
    tests: &known_tests::KnownTestStates,
) -> Weaker {
    let mut weaker = Weaker { told: tests.told.clone(), ..Weaker::default() };
    if let Some(protection) = &run.run_context.protection {
        let weakenings: Vec<&Weakening> = protection.weakenings.iter().filter(|it| weakening_stands(it, run)).collect();
        weaker.in_specification = !weakenings.is_empty();
        list(weakenings.iter().map(|it| told_weakening(it)), "weakening", &mut weaker.blocking);
        let suppressions = protection.suppressions.iter().filter(|it| suppression_stands(it, run));
        list(suppressions.map(told_suppression), "suppression", &mut weaker.blocking);
    }
    if plan.guard.suppressions != Answer::Ignore {
        let blocks = blocks_fewer_tests(plan.guard.suppressions, &run.run_context);
        let stale = stale_tests(&run.run_context.stale_tests);
        if blocks {
            weaker.blocking.extend(stale);
        } else {
            weaker.told.extend(stale);
        }
        for (id, earlier) in &run.run_context.earlier_tests {
            let Some(report) = actions.iter().find(|report| report.action.id == *id) else { continue };
            // Tests that went with what they tested are told by their files.
            let best = earlier.saturating_sub(known_tests::dropped(&run.run_context, &report.action.name));
            let Some(sentence) = fewer_tests(report, best, &run.run_context) else { continue };
            if blocks && fewer_tests_stand(&report.action, run) {
                weaker.blocking.push(sentence);
            } else {
                weaker.told.push(sentence);
            }
        }
    }
    if let Some(probe) = &run.run_context.probe {
        let in_room = run.run_context.clean_room.is_some();
        let is_hollow = probe::conclusion(probe, in_room) == Conclusion::Hollow;
        let sentence = probe::sentence(probe, in_room);
        if is_hollow && plan.guard.probe == ProbeAnswer::Block && Waivers::of(run).of_weakening(PROBE).is_none() {
            weaker.blocking.extend(sentence);
        } else {
            weaker.told.extend(sentence);
        }
    }
    if let Some(audit) = &run.run_context.probe_audit {
        let found = probe_audit::findings(audit);
        if Waivers::of(run).of_weakening(PROBE).is_none() {
            weaker.blocking.extend(found.hollow);
        } else {
            weaker.told.extend(found.hollow);
        }
        weaker.told.extend(found.unknown);
        if let Some(unwatched) = audit.change.as_ref().and_then(changed_code::unwatched) {
            let blocks = unwatched.is_certain
                && plan.guard.probe == ProbeAnswer::Block
                && Waivers::of(run).of_weakening(PROBE).is_none();
            let sentences = if blocks { &mut weaker.blocking } else { &mut weaker.told };
            sentences.push(unwatched.sentence);
        }
    }
    weaker
}

/// Whether fewer tests keep the run from being judged: where the specification says so, and where it says nothing and somebody
/// trusted what the work is compared with.
fn blocks_fewer_tests(answer: Answer, run_context: &RunContext) -> bool {
    match answer {
        Answer::Block => true,
        Answer::Default => run_context.protection.is_some(),
        Answer::Report | Answer::Ignore => false,
    }
}

/// Says that compiled tests ran whose sources are gone.
fn stale_tests(paths: &[String]) -> Option<String> {
    let named = count::list(paths, STALE_NAMED);
    (!paths.is_empty())
        .then(|| format!("compiled tests ran whose sources are gone: {named}; `mvn clean` removes them (fewer-tests)"))
}

/// Whether a suppression keeps the run from being judged. Waivers are held against it here.
fn suppression_stands(suppression: &Suppression, run: &RunRecord) -> bool {
    suppression.blocks && Waivers::of(run).of_file(&suppression.path).is_none()
}

/// Whether a weakening keeps the run from being judged. Waivers are held against it here.
fn weakening_stands(weakening: &Weakening, run: &RunRecord) -> bool {
    weakening.blocks && Waivers::of(run).of_weakening(&weakening.subject).is_none()
}

/// Whether fewer tests of an action keep the run from being judged: it asks for less, so a waiver of that names it.
fn fewer_tests_stand(action: &Action, run: &RunRecord) -> bool {
    Waivers::of(run).of_weakening(&action.name).is_none()
}

/// Gives the first sentences, and how many more there are.
fn list(sentences: impl Iterator<Item = String>, what: &str, into: &mut Vec<String>) {
    let all: Vec<String> = sentences.collect();
    let more = all.len().saturating_sub(REASONS_LISTED);
    into.extend(all.into_iter().take(REASONS_LISTED));
    if more > 0 {
        into.push(format!("and {} more, each of which blocks", count(more as u64, what)));
    }
}

fn told_suppression(suppression: &Suppression) -> String {
    let Suppression { path, line, kind, text, .. } = suppression;
    format!("{path}:{line}: {} was added: {text}", kind.as_str())
}

fn told_weakening(weakening: &Weakening) -> String {
    let Weakening { kind, subject, before, after, .. } = weakening;
    format!(
        "the specification asks for less than at the baseline: {subject}: {}: {after}, before: {before}",
        kind.as_str()
    )
}

/// Says that a check ran fewer tests than in the best run, or that nothing tells. A check that failed, and so blocks by itself,
/// says nothing of tests that are gone.
fn fewer_tests(report: &ActionReport, best: u64, run_context: &RunContext) -> Option<String> {
    let ran = report.ran()?;
    let judgement = &ran.judgement;
    let has_failed = judgement.blocking && judgement.outcome != Outcome::Success;
    if has_failed || judgement.role != Some(Role::Test) || best == 0 {
        return None;
    }
    let action = &report.action;
    let place = format!("{} {}", action.id, action.name);
    let since = run_context.protection.as_ref().map_or_else(
        || "in the best run so far".to_owned(),
        |protection| format!("in the best run since {}", protection.baseline.name()),
    );
    match tests_run(ran) {
        Some(now) if now >= best => None,
        Some(now) => Some(format!("fewer tests: {now} ran, {best} {since} (fewer-tests, {place})")),
        None => Some(format!("nothing tells how many tests ran, {best} {since} (fewer-tests, {place})")),
    }
}

/// What asks for less and does not keep the run from being judged, a sentence each: waivers that lifted something first, then
/// fewer tests, then tests of which the exit code alone tells (ruling 9), then tests that are switched off, then tools.
pub(crate) fn told(report: &Report) -> Vec<String> {
    let run = &report.run;
    let lifted = report.verdict.waivers.iter().filter(|used| used.state == WaiverState::Applied);
    let mut told: Vec<String> = lifted.map(WaiverUse::sentence).collect();
    let protection = run.run_context.protection.as_ref();
    let tests = protection.map(|protection| known_tests::find(protection, run, &report.actions)).unwrap_or_default();
    told.extend(find(&report.plan, run, &report.actions, &tests).told);
    told.extend(report.actions.iter().filter_map(by_exit_code));
    let Some(protection) = protection else { return told };
    let mut quiet: Vec<&Suppression> =
        protection.suppressions.iter().filter(|it| !suppression_stands(it, run)).collect();
    quiet.sort_by_key(|it| !it.kind.is_of_tests());
    told.extend(quiet.into_iter().map(told_suppression));
    told.extend(protection.weakenings.iter().filter(|it| !weakening_stands(it, run)).map(told_weakening));
    told
}

fn by_exit_code(report: &ActionReport) -> Option<String> {
    let judgement = &report.ran()?.judgement;
    let action = &report.action;
    (judgement.exit_code_only && judgement.outcome == Outcome::Success)
        .then(|| format!("{} {}: passed by its exit code alone: {}", action.id, action.name, judgement.reason))
}

/// Returns how many tests ran: those that count, or else those that a summary tells of.
pub fn tests_run(ran: &Ran) -> Option<u64> {
    let summed =
        |tests: &&TestResults| matches!(tests.authority, CountAuthority::Summary | CountAuthority::MachineReport);
    let counts =
        ran.judgement.counted_tests.or_else(|| ran.reading.tests.as_ref().filter(summed).map(|it| it.counts))?;
    Some(counts.passed.saturating_add(counts.failed))
}
