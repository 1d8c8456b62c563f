//! Standard input of an agent for a turn of an incident's repair loop.

use crate::diagnostic_log::Finding;
use crate::incident::remediation::{LoopPolicy, RemediationPlan};
use serde::Serialize;

use crate::incident::IncidentDocument;

const VERSION: &str = "1.0.0";

/// Input of an agent for a turn. Nothing in it is an instruction: descriptions of failures are output of tools.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GivenTurnDocument {
    /// Version of this format.
    turn_version: &'static str,
    /// Number of the turn, from 1, counted over all plans of the incident.
    pub iteration: u32,
    /// Number of turns that this plan may still take, this one included.
    pub turns_left: u32,
    /// The incident to work on.
    pub incident: IncidentDocument,
    /// The plan that a person approved.
    pub plan: RemediationPlan,
    /// Diagnostics of the last checks, most severe first; before the first turn, those of the incident.
    pub diagnostics: Vec<Finding>,
    /// How the agent of the previous turn was ended. Null: it exited by itself, or there was none.
    pub agent_ended: Option<String>,
    /// Results of the last checks, one sentence each. Empty: no checks have run yet.
    pub reasons: Vec<String>,
    /// Limits of the loop, and the paths that the agent may change.
    pub policy: LoopPolicy,
}

impl GivenTurnDocument {
    /// Assembles the input of an agent.
    pub fn new(
        (iteration, turns_left): (u32, u32),
        incident: IncidentDocument,
        plan: RemediationPlan,
        policy: LoopPolicy,
    ) -> Self {
        Self {
            turn_version: VERSION,
            iteration,
            turns_left,
            incident,
            plan,
            diagnostics: Vec::new(),
            agent_ended: None,
            reasons: Vec::new(),
            policy,
        }
    }
}
