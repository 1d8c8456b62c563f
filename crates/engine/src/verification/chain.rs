//! The axis "chain": whether a run has its place in the chain of its task, by the head that is kept outside the
//! workspace.

use referee_ledger::LedgerError;
use referee_ledger::chain_status::{ChainStanding, ChainStatus};

use super::{Axis, AxisState};

/// Returns the axis for a run's place in its chain.
///
/// | the run                                                          | result                        |
/// |------------------------------------------------------------------|-------------------------------|
/// | is the task's latest run and the head                            | in its place                  |
/// | is the latest, and a crash kept the head from being moved        | in its place, with a note     |
/// | is in the history, and the seals after it refer to it            | in its place                  |
/// | is in the place of the latest run, and a later one should be     | rolled back: broken           |
/// | has a seal where the chain has another                           | foreign: broken               |
/// | is in the history without a seal that refers to it; or is a copy | unknown                       |
/// | belongs to a chain without a stored head                         | unknown                       |
///
/// A link that is missing, and was not known to be when the next run was sealed, breaks the chain for all of its runs.
pub(super) fn axis(survey: Option<&Result<Option<ChainStatus>, LedgerError>>, has_state: bool) -> Axis {
    let axis = |state, reason: String| Axis { name: "chain", state, reasons: vec![reason] };
    match survey {
        None => axis(AxisState::Unknown, "no seal, so the run is unknown".to_owned()),
        Some(Err(error)) => axis(AxisState::Unverifiable, error.to_string()),
        Some(Ok(None)) => axis(
            AxisState::Unknown,
            "it is not in a directory of evidence: its place in the chain is not known".to_owned(),
        ),
        Some(Ok(Some(survey))) => {
            let (state, reason) = standing(survey, has_state);
            let mut reasons = vec![reason];
            reasons.extend(survey.gaps.iter().map(|gap| format!("{gap}; that was known when the next run was sealed")));
            reasons.extend(survey.breaks.iter().cloned());
            Axis { name: "chain", state: if survey.breaks.is_empty() { state } else { AxisState::Broken }, reasons }
        }
    }
}

fn standing(survey: &ChainStatus, has_state: bool) -> (AxisState, String) {
    let number =
        survey.sequence.map_or_else(|| "a run without a number".to_owned(), |number| format!("number {number}"));
    let latest = survey.head.as_ref().map_or_else(
        || "no run".to_owned(),
        |head| format!("{}, number {}, sealed at {}", head.execution_id, head.sequence, head.sealed_at),
    );
    match survey.standing {
        ChainStanding::Unsealed => (AxisState::Unknown, "no seal, so the run is unknown".to_owned()),
        ChainStanding::NotKept if has_state => {
            (AxisState::Unknown, "no head of this chain is known here, so later runs are unknown".to_owned())
        }
        ChainStanding::NotKept => (AxisState::Unknown, "no state directory, so later runs are unknown".to_owned()),
        ChainStanding::Head => (AxisState::Holds, format!("{number} of its chain, and the latest run")),
        ChainStanding::Publishing => (
            AxisState::Holds,
            format!(
                "{number} of its chain, and the latest run; it ended before the head was moved on to it, which the next \
                 run does"
            ),
        ),
        ChainStanding::Earlier => (AxisState::Holds, format!("{number} of its chain; the latest run is {latest}")),
        ChainStanding::RolledBack => (
            AxisState::Broken,
            format!("an older run ({number}) stands in the place of the latest one ({latest}): it was rolled back"),
        ),
        ChainStanding::Foreign => (
            AxisState::Broken,
            format!(
                "its seal ({number}) is none of the chain that is kept here, whose latest run is {latest}: it was made \
                 elsewhere, or forged"
            ),
        ),
        ChainStanding::Unnamed => (
            AxisState::Unknown,
            "no later seal names it: it was superseded by a run that began later, or lies before a gap".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use referee_ledger::chain_status::{ChainStanding, ChainStatus};

    use super::*;

    #[test]
    fn only_a_run_that_the_chain_names_holds_and_every_break_shows() {
        let rows = [
            (ChainStanding::Head, AxisState::Holds),
            (ChainStanding::Publishing, AxisState::Holds),
            (ChainStanding::Earlier, AxisState::Holds),
            (ChainStanding::RolledBack, AxisState::Broken),
            (ChainStanding::Foreign, AxisState::Broken),
            (ChainStanding::Unnamed, AxisState::Unknown),
            (ChainStanding::NotKept, AxisState::Unknown),
            (ChainStanding::Unsealed, AxisState::Unknown),
        ];
        for (standing, expected) in rows {
            let survey = |breaks: &[&str]| {
                let breaks = breaks.iter().map(|sentence| (*sentence).to_owned()).collect();
                let survey = ChainStatus {
                    standing,
                    in_history: false,
                    sequence: Some(2),
                    head: None,
                    breaks,
                    gaps: Vec::new(),
                };
                axis(Some(&Ok(Some(survey))), true)
            };
            assert_eq!(survey(&[]).state, expected, "{standing:?}");
            let broken = survey(&["number 1 of the chain is gone"]);
            assert_eq!(broken.state, AxisState::Broken, "{standing:?}");
            assert!(broken.reasons.iter().any(|reason| reason.contains("number 1")));
        }
        assert_eq!(axis(Some(&Ok(None)), true).state, AxisState::Unknown);
        assert_eq!(axis(None, true).state, AxisState::Unknown);
        let error = LedgerError::Name { name: String::new() };
        assert_eq!(axis(Some(&Err(error)), true).state, AxisState::Unverifiable);
    }
}
