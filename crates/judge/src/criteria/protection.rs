//! What the gate itself rests on, as it compares with its trusted baseline (design, "Lock"): drift keeps a run from being
//! judged, and a test that passed at the baseline must still pass.

use referee_model::circumstances::Circumstances;
use referee_model::circumstances::protection::{Drift, DriftChange, KnownTest, Mode, Protection};
use referee_model::plan::Role;
use referee_model::reading::{TestResults, TestStatus};
use referee_model::record::{RunRecord, SkipReason};
use referee_model::report::{ActionReport, Course, Ran};
use referee_model::time::Timestamp;

use crate::classify::named::{is_named, is_whole};
use crate::waiver::Waivers;
use crate::wording::{count, first_line};

/// Known tests that reasons speak of, one by one.
const NAMED: usize = 20;

/// Characters of a test's name that a sentence quotes.
const NAME_CHARACTERS: usize = 120;

/// How a run stands to its trusted baseline.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Drift that keeps the run from being judged, one sentence each.
    pub(super) drifted: Vec<String>,
    /// Known tests that did not pass, one sentence each.
    pub(super) tests: Vec<String>,
}

/// Whether a drift keeps a run from being judged: not where it is waived.
///
/// | mode     | change                         | blocks                      |
/// |----------|--------------------------------|-----------------------------|
/// | frozen   | any                            | yes, whatever the facts say |
/// | additive | unreadable                     | yes, whatever the facts say |
/// | additive | removed, modified, added       | as the facts say            |
/// | review   | any                            | as the facts say            |
pub fn stands(drift: &Drift, circumstances: &Circumstances, started: Timestamp) -> bool {
    let blocks = match (drift.mode, drift.change) {
        (Mode::Frozen, _) | (Mode::Additive, DriftChange::Unreadable) => true,
        (Mode::Additive | Mode::Review, _) => drift.blocks,
    };
    blocks && !is_waived(drift, circumstances, started)
}

/// Whether an approver's waiver lifts a drift.
fn is_waived(drift: &Drift, circumstances: &Circumstances, started: Timestamp) -> bool {
    Waivers::new(&circumstances.waivers, started).of_file(&drift.path).is_some()
}

/// Holds a run against its trusted baseline.
pub(super) fn evaluate(run: &RunRecord, actions: &[ActionReport]) -> Held {
    let Some(protection) = &run.circumstances.protection else { return Held::default() };
    let drift = protection.drift.iter().filter(|drift| stands(drift, &run.circumstances, run.started));
    Held { drifted: drift.map(said).collect(), tests: tests(protection, run, actions) }
}

fn said(drift: &Drift) -> String {
    let Drift { path, pointer, detail, .. } = drift;
    let pointer = pointer.as_deref().map(|pointer| format!("#{pointer}")).unwrap_or_default();
    format!("{path}{pointer} is protected and differs from its trusted baseline: {detail}")
}

/// Known tests that did not pass.
///
/// | the test is among those that are named | comes to                                             |
/// |----------------------------------------|------------------------------------------------------|
/// | and passed, wherever it is named        | it passes                                            |
/// | and failed, or was skipped              | it does not                                          |
/// | not, and every runner named all tests   | it does not: it is gone                              |
/// | not, and one did not, or did not run    | not known: what blocks is whatever kept it from that |
fn tests(protection: &Protection, run: &RunRecord, actions: &[ActionReport]) -> Vec<String> {
    let ran: Vec<&TestResults> = actions.iter().filter_map(ActionReport::ran).filter_map(results).collect();
    let all_told =
        !ran.is_empty() && !run.scope.reduced && ran.iter().all(|results| is_whole(results)) && all_ran(actions);
    let mut wrong: Vec<String> = protection.tests.iter().filter_map(|test| differs(test, &ran, all_told)).collect();
    let more = wrong.len().saturating_sub(NAMED);
    wrong.truncate(NAMED);
    if more > 0 {
        wrong.push(format!("and {} more that passed at the trusted baseline did not pass", count(more as u64, "test")));
    }
    wrong
}

fn results(ran: &Ran) -> Option<&TestResults> {
    ran.reading.tests.as_ref().filter(|_| ran.judgement.role == Some(Role::Test))
}

/// Whether every action that could hold tests ran.
fn all_ran(actions: &[ActionReport]) -> bool {
    actions.iter().all(
        |report| !matches!(&report.course, Course::Skipped(reason) if !matches!(reason, SkipReason::Superseded(_))),
    )
}

fn differs(test: &KnownTest, ran: &[&TestResults], all_told: bool) -> Option<String> {
    let same_file = |file: Option<&String>| file.is_none_or(|file| *file == test.file);
    let found: Vec<TestStatus> = ran
        .iter()
        .flat_map(|results| &results.cases)
        .filter(|case| same_file(case.file.as_ref()) && is_named(case, &test.name))
        .map(|case| case.status)
        .collect();
    let name = first_line(&test.name, NAME_CHARACTERS);
    let told =
        |came: &str| Some(format!("the test `{name}` of {} passed at the trusted baseline, and {came}", test.file));
    if found.contains(&TestStatus::Failed) {
        return told("failed");
    }
    if found.contains(&TestStatus::Skipped) {
        return told("was skipped");
    }
    if found.is_empty() && all_told { told("is not among the tests that ran") } else { None }
}

#[cfg(test)]
mod tests_of_protection {
    use referee_model::circumstances::protection::{Drift, DriftChange, Mode};

    use super::*;

    #[test]
    fn junk_facts_never_lift_what_is_frozen() {
        let drift = |mode, change, blocks| Drift {
            path: "a".to_owned(),
            pointer: None,
            mode,
            change,
            detail: String::new(),
            removed: None,
            blocks,
        };
        let stands = |drift: Drift| super::stands(&drift, &Circumstances::default(), Timestamp::from_millisecond(0));
        for change in [DriftChange::Modified, DriftChange::Removed, DriftChange::Added, DriftChange::Unreadable] {
            assert!(stands(drift(Mode::Frozen, change, false)), "{change:?}");
            assert!(stands(drift(Mode::Additive, change, true)), "{change:?}");
            assert!(stands(drift(Mode::Review, change, true)), "{change:?}");
            assert!(!stands(drift(Mode::Review, change, false)), "{change:?}");
        }
        assert!(stands(drift(Mode::Additive, DriftChange::Unreadable, false)));
        assert!(!stands(drift(Mode::Additive, DriftChange::Modified, false)));
    }
}
