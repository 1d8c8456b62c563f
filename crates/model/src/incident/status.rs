//! Where an incident stands, and what can happen to it. `judge::incident::next` holds the table (ruling 26).

use serde::{Deserialize, Serialize};

/// Where an incident stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IncidentStatus {
    /// It was captured.
    New,
    /// A plan lies before a person. Older files say `planned`.
    #[serde(alias = "planned")]
    PlanProposed,
    /// A person approved of the plan.
    Approved,
    /// It was handed to an executor, who has not taken it yet.
    HandedOff,
    /// Somebody works at it.
    Running,
    /// Its checks passed.
    Resolved,
    /// It is left to a person.
    Escalated,
}

impl IncidentStatus {
    /// All of them, in the order of an incident's life.
    pub const ALL: [Self; 7] = [
        Self::New,
        Self::PlanProposed,
        Self::Approved,
        Self::HandedOff,
        Self::Running,
        Self::Resolved,
        Self::Escalated,
    ];

    /// Returns it as `status.txt` spells it.
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

    /// Reads it as `status.txt` spells it; `planned` is the older spelling of `plan_proposed`. None: any other text.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "planned" => Some(Self::PlanProposed),
            text => Self::ALL.into_iter().find(|status| status.as_str() == text),
        }
    }

    /// Whether work at it is over: it is archived, or about to be.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Resolved | Self::Escalated)
    }
}

/// What happens to an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IncidentEvent {
    /// A plan was made, the first or another one.
    Planned,
    /// A person refused the plan.
    Rejected,
    /// A person approved of the plan.
    Approved,
    /// The plan is no longer the one that was approved.
    PlanChanged,
    /// It was put before an executor.
    HandedOff,
    /// It was taken back from an executor who had not begun.
    Recalled,
    /// An executor took it.
    Acknowledged,
    /// The loop of repairs began to work at it.
    RunBegan,
    /// The loop stopped after one turn, without a result.
    TurnTaken,
    /// The loop found that this plan brings nothing.
    ReplanRequested,
    /// Its checks passed.
    Resolved,
    /// It is left to a person.
    Escalated,
    /// A person opened one again that was escalated, with fresh budgets.
    Reopened,
}

impl IncidentEvent {
    /// All of them.
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

    /// Returns it as messages and events spell it.
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

/// Something that must not happen to an incident as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an incident that is {} cannot take the step `{}`", .from.as_str(), .event.as_str())]
pub struct Illegal {
    /// Where it stands.
    pub from: IncidentStatus,
    /// What was to happen.
    pub event: IncidentEvent,
}

/// How work at an incident ended: the part of the archive that its directory moves to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closing {
    /// Its checks passed, or a person says that it is done.
    Resolved,
    /// It is left to a person.
    Escalated,
}

impl Closing {
    /// Returns it as directories and documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Escalated => "escalated",
        }
    }

    /// Returns the status of an incident that is closed so.
    pub fn status(self) -> IncidentStatus {
        match self {
            Self::Resolved => IncidentStatus::Resolved,
            Self::Escalated => IncidentStatus::Escalated,
        }
    }
}
