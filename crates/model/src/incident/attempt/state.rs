//! `loop_state.json`: the state of a repair loop, from which an interrupted loop continues (seed 3; ruling 24).
//!
//! The agent can change the file, so nothing in it ever counts as a pass: a change only alters counters, and
//! the checks run anyway.

use std::collections::BTreeMap;

use crate::incident::id::IncidentId;
use crate::loop_guard::LoopState;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::AgentTurnDocument;
use crate::incident::seconds;

/// State of a repair loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopFileDocument {
    /// Id of the incident that the loop works on.
    pub incident_id: IncidentId,
    /// Time at which the first turn of this plan began.
    #[serde(with = "seconds")]
    pub started_at: Timestamp,
    /// Time at which the document was written.
    #[serde(with = "seconds")]
    pub updated_at: Timestamp,
    /// Number of turns of this plan that are counted.
    pub loops_used: u32,
    /// First command that failed in the last turn. Empty: no command failed.
    pub last_signature: String,
    /// Number of consecutive turns with the same first failure.
    pub same_error_repeats: u32,
    /// Number of consecutive turns without progress.
    pub no_progress_streak: u32,
    /// Number of occurrences of each first failure.
    pub signature_counts: BTreeMap<String, u64>,
    /// Revision of the plan that the turns belong to. Another plan gets fresh budgets.
    pub plan_revision: u32,
    /// Number of the last turn that began, counted over all plans.
    pub iteration: u32,
    /// Phase that is in progress.
    pub phase: LoopPhase,
    /// Time at which the current or last turn began. Null: no turn has begun.
    #[serde(default, with = "seconds::optional")]
    pub turn_started_at: Option<Timestamp>,
    /// Time spent on this plan until then, in milliseconds. Time in which the loop did not run is not counted.
    pub spent_ms: u64,
    /// The agent's part in the current turn. Null: not known yet.
    pub agent: Option<AgentTurnDocument>,
    /// Ids of the actions that the agent applied in the current turn.
    #[serde(default)]
    pub actions_applied: Vec<String>,
    /// Paths of the sealed reports of the last checks, relative to the incident root if they lie below it.
    #[serde(default)]
    pub reports: Vec<String>,
    /// Counters with which the loop continues.
    pub counters: LoopState,
}

/// Phase of a repair loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopPhase {
    /// No turn is in progress; the next one is due.
    #[default]
    Between,
    /// The agent may be running.
    Agent,
    /// The agent has ended, but the turn is not decided, or the decision is not carried out completely.
    Checks,
    /// Another plan is to be made.
    Replan,
    /// The loop is over; no turn follows.
    Over,
}

impl LoopFileDocument {
    /// Creates the state of a loop that has not begun.
    pub fn new(incident_id: IncidentId, plan_revision: u32, at: Timestamp) -> Self {
        Self {
            incident_id,
            started_at: at,
            updated_at: at,
            loops_used: 0,
            last_signature: String::new(),
            same_error_repeats: 0,
            no_progress_streak: 0,
            signature_counts: BTreeMap::new(),
            plan_revision,
            iteration: 0,
            phase: LoopPhase::Between,
            turn_started_at: None,
            spent_ms: 0,
            agent: None,
            actions_applied: Vec::new(),
            reports: Vec::new(),
            counters: LoopState::default(),
        }
    }
}
