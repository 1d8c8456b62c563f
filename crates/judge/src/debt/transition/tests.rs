use proptest::prelude::*;
use proptest::sample::select;

use super::*;

const EVENTS: [DebtEvent; 8] = [
    DebtEvent::Seen,
    DebtEvent::Disproved,
    DebtEvent::Routed(Destination::SprintTasks),
    DebtEvent::Routed(Destination::Inventory),
    DebtEvent::Routed(Destination::Undecided),
    DebtEvent::Deferred,
    DebtEvent::Begun,
    DebtEvent::Due,
];

#[test]
fn every_pair_of_status_and_event_comes_to_what_the_table_says() {
    use DebtStatus::{Deferred, InProgress, Open, Reopened, Resolved};
    let none = None;
    let rows = [
        (Open, [Some(Open), Some(Resolved), Some(Open), Some(Open), none, Some(Deferred), Some(InProgress), none]),
        (
            InProgress,
            [Some(InProgress), Some(Resolved), Some(InProgress), Some(InProgress), none, Some(Deferred), none, none],
        ),
        (Resolved, [Some(Reopened), Some(Resolved), none, none, none, none, none, none]),
        (
            Deferred,
            [
                Some(Deferred),
                Some(Resolved),
                Some(Open),
                Some(Open),
                none,
                Some(Deferred),
                Some(InProgress),
                Some(Open),
            ],
        ),
        (
            Reopened,
            [
                Some(Reopened),
                Some(Resolved),
                Some(Reopened),
                Some(Reopened),
                none,
                Some(Deferred),
                Some(InProgress),
                none,
            ],
        ),
    ];
    assert_eq!(rows.len(), DebtStatus::ALL.len());
    for (status, after) in rows {
        for (event, after) in EVENTS.iter().zip(after) {
            assert_eq!(next(status, event).ok(), after, "{status:?} {event:?}");
        }
    }
}

#[test]
fn what_cannot_happen_is_refused_in_words() {
    let said = |status, event| next(status, &event).unwrap_err().to_string();
    assert_eq!(
        said(DebtStatus::Resolved, DebtEvent::Deferred),
        "an item that is RESOLVED cannot be deferred: it is done, and only a run that shows it again reopens it"
    );
    assert_eq!(
        said(DebtStatus::InProgress, DebtEvent::Begun),
        "an item that is IN_PROGRESS cannot be begun: it is in progress already"
    );
    assert_eq!(
        said(DebtStatus::Open, DebtEvent::Due),
        "an item that is OPEN cannot be taken up again: it is not put off"
    );
    assert_eq!(
        said(DebtStatus::Open, DebtEvent::Routed(Destination::Undecided)),
        "an item goes to the sprint or to the inventory"
    );
}

proptest! {
    #[test]
    fn only_runs_resolve_and_reopen_and_nothing_panics(
        mut status in select(DebtStatus::ALL.to_vec()),
        events in prop::collection::vec(select(EVENTS.to_vec()), 0..20),
    ) {
        for event in events {
            let Ok(after) = next(status, &event) else { continue };
            prop_assert_eq!(after == DebtStatus::Resolved, event == DebtEvent::Disproved || (status == after && after == DebtStatus::Resolved));
            if after == DebtStatus::Reopened && status != after {
                prop_assert_eq!((status, event), (DebtStatus::Resolved, DebtEvent::Seen));
            }
            // A run that is reported twice changes nothing the second time.
            if matches!(event, DebtEvent::Seen | DebtEvent::Disproved) {
                prop_assert_eq!(next(after, &event), Ok(after));
            }
            status = after;
        }
    }
}
