//! Operations that a person can perform on an incident, and which of them are offered in its current state.

use referee_engine::incident::{IncidentDir, Stored, steps};
use referee_model::incident::status::{Closing, IncidentEvent, IncidentStatus};

/// An operation that a person can perform on an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mutation {
    /// Make a plan, the first or a new one.
    Plan,
    Approve,
    Reject,
    Run,
    Handoff,
    Recall,
    Archive,
    Reopen,
}

impl Mutation {
    const ALL: [Self; 8] =
        [Self::Plan, Self::Approve, Self::Reject, Self::Run, Self::Handoff, Self::Recall, Self::Archive, Self::Reopen];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Run => "run",
            Self::Handoff => "handoff",
            Self::Recall => "recall",
            Self::Archive => "archive",
            Self::Reopen => "reopen",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == text)
    }

    /// Returns the message after success.
    pub(super) fn done(self) -> &'static str {
        match self {
            Self::Plan => "A plan was created.",
            Self::Approve => "The plan is approved.",
            Self::Reject => "The plan was rejected.",
            Self::Run => "The repair loop was started.",
            Self::Handoff => "The incident was handed off.",
            Self::Recall => "The incident was recalled.",
            Self::Archive => "The incident was closed.",
            Self::Reopen => "The incident is open again, with full budgets.",
        }
    }

    /// Returns the events that make the operation possible, if the status allows one of them (ruling 26).
    fn events(self) -> &'static [IncidentEvent] {
        match self {
            Self::Plan => &[IncidentEvent::Planned, IncidentEvent::PlanChanged],
            Self::Approve => &[IncidentEvent::Approved],
            Self::Reject => &[IncidentEvent::Rejected],
            Self::Run => &[IncidentEvent::RunBegan],
            Self::Handoff => &[IncidentEvent::HandedOff],
            Self::Recall => &[IncidentEvent::Recalled],
            Self::Archive => &[IncidentEvent::Resolved, IncidentEvent::Escalated],
            Self::Reopen => &[IncidentEvent::Reopened],
        }
    }
}

/// State of an incident beside its status, as far as the offered operations depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanState {
    /// The plan has no valid approval.
    Unapproved,
    Approved,
    /// A loop of this server is running for the incident.
    AtWork,
}

/// The operations that are offered for an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Offers {
    /// Offered operations, the most likely first. May be empty.
    pub(super) operations: Vec<Mutation>,
    /// The operation whose form is open.
    pub(super) open: Option<Mutation>,
    pub(super) closings: Vec<Closing>,
}

impl Offers {
    /// Returns what is offered to whoever may only read.
    pub(super) fn none() -> Self {
        Self { operations: Vec::new(), open: None, closings: Vec::new() }
    }

    /// Determines the operations to offer. `asked` is a requested operation that was refused: its form is open.
    pub(super) fn of(stored: &Stored, now: PlanState, asked: Option<Mutation>) -> Self {
        let status = match (stored.incident.status, now) {
            // An approved incident without a valid approval needs one again, and cannot be carried out.
            (IncidentStatus::Approved, PlanState::Unapproved) => IncidentStatus::PlanProposed,
            (status, _) => status,
        };
        let possible = steps::possible(status);
        let closings = closings(status, stored.shelf, &possible);
        let offered = |operation: Mutation| match operation {
            Mutation::Archive => !closings.is_empty(),
            // Only one loop runs at a time, and this one continues by itself.
            Mutation::Run if now == PlanState::AtWork => false,
            // A plan can be rejected only while it waits for approval.
            Mutation::Reject if status != stored.incident.status => false,
            operation => operation.events().iter().any(|event| possible.contains(event)),
        };
        let mut operations: Vec<Mutation> = Mutation::ALL.into_iter().filter(|operation| offered(*operation)).collect();
        let first = likeliest(status);
        operations.sort_by_key(|operation| *operation != first);
        let open = Some(asked.unwrap_or(first)).filter(|operation| operations.contains(operation));
        Self { operations, open, closings }
    }

    /// Returns whether the form of an operation is open.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates hand down references")]
    pub(super) fn is_open(&self, operation: &Mutation) -> bool {
        self.open == Some(*operation)
    }
}

/// Returns the ways in which an incident can be closed: by its current status, or as the transition table allows.
fn closings(status: IncidentStatus, shelf: IncidentDir, possible: &[IncidentEvent]) -> Vec<Closing> {
    let ways = [(Closing::Resolved, IncidentEvent::Resolved), (Closing::Escalated, IncidentEvent::Escalated)];
    let is_way = |(closing, event): &(Closing, IncidentEvent)| {
        shelf == IncidentDir::Inbox && (closing.status() == status || possible.contains(event))
    };
    ways.into_iter().filter(is_way).map(|(closing, _)| closing).collect()
}

/// Returns the most likely operation.
fn likeliest(status: IncidentStatus) -> Mutation {
    match status {
        IncidentStatus::New => Mutation::Plan,
        IncidentStatus::PlanProposed => Mutation::Approve,
        IncidentStatus::Approved | IncidentStatus::Running => Mutation::Run,
        IncidentStatus::HandedOff => Mutation::Recall,
        IncidentStatus::Resolved => Mutation::Archive,
        IncidentStatus::Escalated => Mutation::Reopen,
    }
}

#[cfg(test)]
mod tests {
    use referee_model::incident;

    use super::*;

    fn stored(status: IncidentStatus, shelf: IncidentDir) -> Stored {
        let text = format!(
            r#"{{"incident_id":"i","status":"{}","created_at":"2026-02-17T03:00:00+00:00","updated_at":"2026-02-17T03:00:00+00:00"}}"#,
            status.as_str()
        );
        Stored { incident: incident::read(text.as_bytes()).unwrap(), shelf }
    }

    #[test]
    fn only_what_can_happen_is_offered() {
        use Mutation::{Approve, Archive, Handoff, Plan, Recall, Reject, Reopen, Run};
        let rows: [(IncidentStatus, IncidentDir, &[Mutation]); 8] = [
            (IncidentStatus::New, IncidentDir::Inbox, &[Plan, Archive]),
            (IncidentStatus::PlanProposed, IncidentDir::Inbox, &[Approve, Plan, Reject, Archive]),
            (IncidentStatus::Approved, IncidentDir::Inbox, &[Run, Plan, Handoff, Archive]),
            (IncidentStatus::HandedOff, IncidentDir::Inbox, &[Recall, Archive]),
            (IncidentStatus::Running, IncidentDir::Inbox, &[Run, Archive]),
            (IncidentStatus::Resolved, IncidentDir::Inbox, &[Archive]),
            (IncidentStatus::Resolved, IncidentDir::Archive(Closing::Resolved), &[]),
            (IncidentStatus::Escalated, IncidentDir::Archive(Closing::Escalated), &[Reopen]),
        ];
        for (status, shelf, operations) in rows {
            let offers = Offers::of(&stored(status, shelf), PlanState::Approved, None);
            assert_eq!(offers.operations, operations, "{status:?}");
            assert_eq!(offers.open.as_ref(), operations.first(), "{status:?}");
        }
    }

    #[test]
    fn an_approval_that_does_not_count_offers_another_one_and_nothing_that_needs_it() {
        let approved = stored(IncidentStatus::Approved, IncidentDir::Inbox);
        let offers = Offers::of(&approved, PlanState::Unapproved, None);
        assert_eq!(offers.operations, [Mutation::Approve, Mutation::Plan, Mutation::Archive]);
        assert_eq!(offers.open, Some(Mutation::Approve));
    }

    #[test]
    fn a_loop_that_works_is_not_begun_again() {
        let running = stored(IncidentStatus::Running, IncidentDir::Inbox);
        assert_eq!(Offers::of(&running, PlanState::AtWork, None).operations, [Mutation::Archive]);
    }

    #[test]
    fn what_was_refused_is_open_unless_it_is_no_longer_offered() {
        let proposed = stored(IncidentStatus::PlanProposed, IncidentDir::Inbox);
        assert!(Offers::of(&proposed, PlanState::Unapproved, Some(Mutation::Reject)).is_open(&Mutation::Reject));
        assert_eq!(Offers::of(&proposed, PlanState::Unapproved, Some(Mutation::Recall)).open, None);
        assert_eq!(Offers::of(&proposed, PlanState::Unapproved, None).closings, [Closing::Escalated]);
    }

    #[test]
    fn every_deed_is_found_by_its_name() {
        for operation in Mutation::ALL {
            assert_eq!(Mutation::parse(operation.name()), Some(operation));
        }
        assert_eq!(Mutation::parse("waive"), None);
    }
}
