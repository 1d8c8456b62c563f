//! Incident statuses, in words for people.

use referee_model::incident::status::IncidentStatus;

/// An incident status for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State(pub(super) IncidentStatus);

impl State {
    /// All statuses: open ones in the order of an incident's life, then closed ones.
    pub(super) const ALL: [Self; 7] = [
        Self(IncidentStatus::New),
        Self(IncidentStatus::PlanProposed),
        Self(IncidentStatus::Approved),
        Self(IncidentStatus::HandedOff),
        Self(IncidentStatus::Running),
        Self(IncidentStatus::Escalated),
        Self(IncidentStatus::Resolved),
    ];

    /// Returns the name of the status, as in files.
    pub(super) fn name(self) -> &'static str {
        self.0.as_str()
    }

    pub(super) fn word(self) -> &'static str {
        match self.0 {
            IncidentStatus::New => "New",
            IncidentStatus::PlanProposed => "Plan proposed",
            IncidentStatus::Approved => "Approved",
            IncidentStatus::HandedOff => "Handed off",
            IncidentStatus::Running => "Running",
            IncidentStatus::Resolved => "Resolved",
            IncidentStatus::Escalated => "Escalated",
        }
    }

    pub(super) fn meaning(self) -> &'static str {
        match self.0 {
            IncidentStatus::New => "needs a plan",
            IncidentStatus::PlanProposed => "the plan waits for a person\u{2019}s word",
            IncidentStatus::Approved => "may be carried out",
            IncidentStatus::HandedOff => "waits for its executor",
            IncidentStatus::Running => "work has begun, and is not over",
            IncidentStatus::Resolved => "its checks passed",
            IncidentStatus::Escalated => "left to a person",
        }
    }
}
