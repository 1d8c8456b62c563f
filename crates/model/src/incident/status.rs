//! Statuses of an incident, and the events that change them. `judge::incident::next` holds the transition table
//! (ruling 26).

use serde::{Deserialize, Serialize};

document_words! {
    /// Status of an incident.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum IncidentStatus {
        /// The incident was captured.
        New = "new",
        /// A plan awaits approval by a person. Older files say `planned`.
        #[serde(alias = "planned")]
        PlanProposed = "plan_proposed",
        /// A person approved the plan.
        Approved = "approved",
        /// The incident was handed to an executor that has not acknowledged it yet.
        HandedOff = "handed_off",
        /// An executor or the repair loop works on the incident.
        Running = "running",
        /// The incident is resolved.
        Resolved = "resolved",
        /// The incident is escalated to a person.
        Escalated = "escalated",
    }
}

impl IncidentStatus {
    /// Parses a status as `status.txt` spells it; `planned` is the older spelling of `plan_proposed`. None: any
    /// other text.
    pub fn read(text: &str) -> Option<Self> {
        match text.trim() {
            "planned" => Some(Self::PlanProposed),
            text => Self::parse(text),
        }
    }

    /// Returns whether the incident is closed: it is archived, or about to be.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Resolved | Self::Escalated)
    }
}

words! {
    /// Event that changes the status of an incident. Its word is that of messages and of the event log.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum IncidentEvent {
        /// A plan was made, the first or a later one.
        Planned = "plan",
        /// A person rejected the plan.
        Rejected = "reject",
        /// A person approved the plan.
        Approved = "approve",
        /// The plan differs from the approved one.
        PlanChanged = "plan_changed",
        /// The incident was handed to an executor.
        HandedOff = "handoff",
        /// The incident was recalled from an executor that had not begun.
        Recalled = "recall",
        /// The executor acknowledged the incident.
        Acknowledged = "acknowledge",
        /// The repair loop began to work on the incident.
        RunBegan = "run",
        /// The repair loop stopped after one turn, without a result.
        TurnTaken = "turn",
        /// The repair loop found that the plan makes no progress.
        ReplanRequested = "replan",
        /// The incident was resolved.
        Resolved = "resolve",
        /// The incident was escalated to a person.
        Escalated = "escalate",
        /// A person reopened an escalated incident, with fresh budgets.
        Reopened = "reopen",
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

document_words! {
    /// Result with which an incident is closed, and the part of the archive that its directory moves to.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Closing {
        /// The checks passed, or a person states that the incident is resolved.
        Resolved = "resolved",
        /// The incident is left to a person.
        Escalated = "escalated",
    }
}

impl Closing {
    /// Returns the status of an incident that is closed with this result.
    pub fn status(self) -> IncidentStatus {
        match self {
            Self::Resolved => IncidentStatus::Resolved,
            Self::Escalated => IncidentStatus::Escalated,
        }
    }
}
