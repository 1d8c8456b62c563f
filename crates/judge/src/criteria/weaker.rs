//! Reasons why a pass is worth less than before: added suppressions, a weaker specification, fewer tests
//! (design, "Lock"; attacks, rows 1 and 14).
//!
//! | found                                                  | and it blocks               | otherwise          |
//! |--------------------------------------------------------|-----------------------------|--------------------|
//! | a suppression, a weakening of the specification        | as it says itself           | listed in the report |
//! | a check runs fewer tests than in the best run          | where suppressions block *  | a reason says so   |
//! | the number of tests of a check is no longer known      | where suppressions block *  | a reason says so   |
//! | compiled tests ran whose sources no longer exist       | where suppressions block *  | a reason says so   |
//! | tests of the change pass without it                    | where `probe` blocks        | a reason says so   |
//! | whether they do is unknown                             | never                       | a reason says so   |
//!
//! * and under a lock or a trusted commit, where the specification says nothing of suppressions.
//!
//! Blocking ones make the run BLOCKED with the exit code of a wrong or drifted specification, whatever else failed.

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

/// Maximum number of compiled tests without sources that are named.
const STALE_NAMED: usize = 3;

/// Maximum number of reasons of one kind that are listed individually.
const REASONS_LISTED: usize = 20;

/// Name that waivers use for a probe.
pub const PROBE: &str = "probe";

/// Reasons why a pass is worth less.
#[derive(Debug, Default)]
pub(super) struct Weaker {
    /// Reasons that prevent the run from being judged, one sentence each.
    pub(super) blocking: Vec<String>,
    /// Reasons reported beside the decision, one sentence each.
    pub(super) told: Vec<String>,
    /// Whether the specification itself is among the blocking reasons, and not only the work.
    pub(super) in_specification: bool,
}

/// Finds reasons why a pass is worth less. `tests` is the state of the tests that are known by name.
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
            // Tests that were removed along with the code they test are identified by their files.
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

/// Returns whether fewer tests prevent the run from being judged: if the specification says so, or if it says
/// nothing and the work is compared with a trusted state.
fn blocks_fewer_tests(answer: Answer, run_context: &RunContext) -> bool {
    match answer {
        Answer::Block => true,
        Answer::Default => run_context.protection.is_some(),
        Answer::Report | Answer::Ignore => false,
    }
}

/// Returns a sentence if compiled tests ran whose sources no longer exist.
fn stale_tests(paths: &[String]) -> Option<String> {
    let named = count::list(paths, STALE_NAMED);
    (!paths.is_empty())
        .then(|| format!("compiled tests ran whose sources are gone: {named}; `mvn clean` removes them (fewer-tests)"))
}

/// Returns whether a suppression prevents the run from being judged, considering waivers.
fn suppression_stands(suppression: &Suppression, run: &RunRecord) -> bool {
    suppression.blocks && Waivers::of(run).of_file(&suppression.path).is_none()
}

/// Returns whether a weakening prevents the run from being judged, considering waivers.
fn weakening_stands(weakening: &Weakening, run: &RunRecord) -> bool {
    weakening.blocks && Waivers::of(run).of_weakening(&weakening.subject).is_none()
}

/// Returns whether fewer tests of an action prevent the run from being judged; a waiver for a weaker
/// specification may excuse it.
fn fewer_tests_stand(action: &Action, run: &RunRecord) -> bool {
    Waivers::of(run).of_weakening(&action.name).is_none()
}

/// Adds the first sentences, and the number of the rest.
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

/// Returns a sentence if a check ran fewer tests than in the best run, or if the number is unknown. A check
/// that failed, and so blocks by itself, is not counted.
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

/// Returns reasons that do not prevent the run from being judged, one sentence each: excuses by waivers first,
/// then fewer tests, then tests known by exit code alone (ruling 9), then disabled tests, then tools.
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

/// Returns how many tests ran: the counted ones, or else the number in a summary.
pub fn tests_run(ran: &Ran) -> Option<u64> {
    let summed =
        |tests: &&TestResults| matches!(tests.authority, CountAuthority::Summary | CountAuthority::MachineReport);
    let counts =
        ran.judgement.counted_tests.or_else(|| ran.reading.tests.as_ref().filter(summed).map(|it| it.counts))?;
    Some(counts.passed.saturating_add(counts.failed))
}
