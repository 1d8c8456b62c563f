//! `loop_state.json`: how far a loop is, so that one that was cut off goes on where it was (seed 3; ruling 24).
//!
//! The file lies in reach of the agent, so nothing in it ever counts as a pass: whoever changes it gets other counters, and
//! the checks run all the same.

use std::collections::BTreeMap;

use crate::incident::id::IncidentId;
use crate::loop_guard::LoopState;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::AgentTurnDocument;
use crate::incident::seconds;

/// How far a loop is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopFileDocument {
    /// Whose loop it is.
    pub incident_id: IncidentId,
    /// When the first turn of this plan began.
    #[serde(with = "seconds")]
    pub started_at: Timestamp,
    /// When it was written.
    #[serde(with = "seconds")]
    pub updated_at: Timestamp,
    /// Turns of this plan that are counted.
    pub loops_used: u32,
    /// The first command that failed in the last of them. Empty: none did.
    pub last_signature: String,
    /// Turns in a row with the same first failure.
    pub same_error_repeats: u32,
    /// Turns in a row without progress.
    pub no_progress_streak: u32,
    /// How often each first failure came.
    pub signature_counts: BTreeMap<String, u64>,
    /// The plan whose turns these are: another plan has fresh budgets.
    pub plan_revision: u32,
    /// The last turn that began, over all plans.
    pub iteration: u32,
    /// What is under way.
    pub phase: LoopPhase,
    /// When the turn that is under way began.
    #[serde(default, with = "seconds::optional")]
    pub turn_started_at: Option<Timestamp>,
    /// Milliseconds of work at this plan until then; time in which the loop lay still is none.
    pub spent_ms: u64,
    /// What the agent left in the turn that is under way. None: it is not known yet.
    #[serde(default)]
    pub agent: Option<AgentTurnDocument>,
    /// The actions that it applied in it.
    #[serde(default)]
    pub actions_applied: Vec<String>,
    /// The sealed reports of the last checks, relative to the root where they lie below it.
    #[serde(default)]
    pub reports: Vec<String>,
    /// The counters, as they go on.
    pub counters: LoopState,
}

/// What of a loop is under way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopPhase {
    /// Nothing: the next turn is to begin.
    #[default]
    Between,
    /// The agent may be at work.
    Agent,
    /// The agent is done with it, and the turn is not decided, or what follows from the decision is not done.
    Checks,
    /// Another plan is to be made.
    Replan,
    /// Nothing, and no turn follows.
    Over,
}

impl LoopFileDocument {
    /// A loop of a plan that has not begun.
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
