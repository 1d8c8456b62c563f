//! Statuses of an incident, and the events that change them. `judge::incident::next` holds the transition table
//! (ruling 26).

use serde::{Deserialize, Serialize};

/// Status of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IncidentStatus {
    /// The incident was captured.
    New,
    /// A plan awaits approval by a person. Older files say `planned`.
    #[serde(alias = "planned")]
    PlanProposed,
    /// A person approved the plan.
    Approved,
    /// The incident was handed to an executor that has not acknowledged it yet.
    HandedOff,
    /// An executor or the repair loop works on the incident.
    Running,
    /// The incident is resolved.
    Resolved,
    /// The incident is escalated to a person.
    Escalated,
}

impl IncidentStatus {
    /// All statuses, in the order in which an incident passes through them.
    pub const ALL: [Self; 7] = [
        Self::New,
        Self::PlanProposed,
        Self::Approved,
        Self::HandedOff,
        Self::Running,
        Self::Resolved,
        Self::Escalated,
    ];

    /// Returns the status as `status.txt` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::PlanProposed => "plan_proposed",
            Self::Approved => "approved",
            Self::HandedOff => "handed_off",
            Self::Running => "running",
            Self::Resolved => "resolved",
            Self::Escalated => "escalated",
        }
    }

    /// Parses a status as `status.txt` spells it; `planned` is the older spelling of `plan_proposed`. None: any
    /// other text.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "planned" => Some(Self::PlanProposed),
            text => Self::ALL.into_iter().find(|status| status.as_str() == text),
        }
    }

    /// Returns whether the incident is closed: it is archived, or about to be.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Resolved | Self::Escalated)
    }
}

/// Event that changes the status of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IncidentEvent {
    /// A plan was made, the first or a later one.
    Planned,
    /// A person rejected the plan.
    Rejected,
    /// A person approved the plan.
    Approved,
    /// The plan differs from the approved one.
    PlanChanged,
    /// The incident was handed to an executor.
    HandedOff,
    /// The incident was recalled from an executor that had not begun.
    Recalled,
    /// The executor acknowledged the incident.
    Acknowledged,
    /// The repair loop began to work on the incident.
    RunBegan,
    /// The repair loop stopped after one turn, without a result.
    TurnTaken,
    /// The repair loop found that the plan makes no progress.
    ReplanRequested,
    /// The incident was resolved.
    Resolved,
    /// The incident was escalated to a person.
    Escalated,
    /// A person reopened an escalated incident, with fresh budgets.
    Reopened,
}

impl IncidentEvent {
    /// All events.
    pub const ALL: [Self; 13] = [
        Self::Planned,
        Self::Rejected,
        Self::Approved,
        Self::PlanChanged,
        Self::HandedOff,
        Self::Recalled,
        Self::Acknowledged,
        Self::RunBegan,
        Self::TurnTaken,
        Self::ReplanRequested,
        Self::Resolved,
        Self::Escalated,
        Self::Reopened,
    ];

    /// Returns the event as messages and the event log spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Planned => "plan",
            Self::Rejected => "reject",
            Self::Approved => "approve",
            Self::PlanChanged => "plan_changed",
            Self::HandedOff => "handoff",
            Self::Recalled => "recall",
            Self::Acknowledged => "acknowledge",
            Self::RunBegan => "run",
            Self::TurnTaken => "turn",
            Self::ReplanRequested => "replan",
            Self::Resolved => "resolve",
            Self::Escalated => "escalate",
            Self::Reopened => "reopen",
        }
    }
}

/// Error for an event that the status of an incident does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an incident that is {} cannot take the step `{}`", .from.as_str(), .event.as_str())]
pub struct Illegal {
    /// Status of the incident.
    pub from: IncidentStatus,
    /// Event that was rejected.
    pub event: IncidentEvent,
}

/// Result with which an incident is closed, and the part of the archive that its directory moves to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closing {
    /// The checks passed, or a person states that the incident is resolved.
    Resolved,
    /// The incident is left to a person.
    Escalated,
}

impl Closing {
    /// Returns the result as directories and documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Escalated => "escalated",
        }
    }

    /// Returns the status of an incident that is closed with this result.
    pub fn status(self) -> IncidentStatus {
        match self {
            Self::Resolved => IncidentStatus::Resolved,
            Self::Escalated => IncidentStatus::Escalated,
        }
    }
}
