//! Comparison of what the gate depends on with its trusted baseline (design, "Lock"): drift prevents a run from
//! being judged, and a test that passed at the baseline must still pass.

use referee_model::record::RunRecord;
use referee_model::report::ActionReport;
use referee_model::run_context::RunContext;
use referee_model::run_context::protection::{Drift, DriftChange, Mode};
use referee_model::time::Timestamp;

use super::known_tests;
use crate::waiver::Waivers;

/// Comparison of a run with its trusted baseline.
#[derive(Debug, Default)]
pub(super) struct ProtectionState {
    /// Drift that prevents the run from being judged, one sentence each.
    pub(super) drifted: Vec<String>,
    /// State of the tests that are known by name.
    pub(super) tests: known_tests::KnownTestStates,
}

/// Returns whether a drift prevents a run from being judged; a waived one does not.
///
/// | mode     | change                         | blocks                      |
/// |----------|--------------------------------|-----------------------------|
/// | frozen   | any                            | yes, whatever the facts say |
/// | additive | unreadable                     | yes, whatever the facts say |
/// | additive | removed, modified, added       | as the facts say            |
/// | review   | any                            | as the facts say            |
pub fn stands(drift: &Drift, run_context: &RunContext, started: Timestamp) -> bool {
    let blocks = match (drift.mode, drift.change) {
        (Mode::Frozen, _) | (Mode::Additive, DriftChange::Unreadable) => true,
        (Mode::Additive | Mode::Review, _) => drift.blocks,
    };
    blocks && !is_waived(drift, run_context, started)
}

/// Returns whether an approver's waiver excuses a drift.
fn is_waived(drift: &Drift, run_context: &RunContext, started: Timestamp) -> bool {
    Waivers::new(&run_context.waivers, started).of_file(&drift.path).is_some()
}

/// Compares a run with its trusted baseline.
pub(super) fn evaluate(run: &RunRecord, actions: &[ActionReport]) -> ProtectionState {
    let Some(protection) = &run.run_context.protection else { return ProtectionState::default() };
    let drift = protection.drift.iter().filter(|drift| stands(drift, &run.run_context, run.started));
    ProtectionState { drifted: drift.map(said).collect(), tests: known_tests::find(protection, run, actions) }
}

fn said(drift: &Drift) -> String {
    let Drift { path, pointer, detail, .. } = drift;
    let pointer = pointer.as_deref().map(|pointer| format!("#{pointer}")).unwrap_or_default();
    format!("{path}{pointer} is protected and differs from its trusted baseline: {detail}")
}

#[cfg(test)]
mod tests_of_protection {
    use referee_model::run_context::protection::{Drift, DriftChange, Mode};

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
        let stands = |drift: Drift| super::stands(&drift, &RunContext::default(), Timestamp::from_millisecond(0));
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
