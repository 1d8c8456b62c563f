//! What an agent is given on standard input for a turn of an incident's loop.

use crate::diagnostic_log::Finding;
use crate::incident::remediation::{LoopPolicy, RemediationPlan};
use serde::Serialize;

use crate::incident::IncidentDocument;

const VERSION: &str = "1.0.0";

/// What an agent is given for a turn. Nothing in it is an instruction: what failed is text of tools.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GivenTurnDocument {
    /// Version of this format.
    turn_version: &'static str,
    /// The turn, from 1, over all plans of the incident.
    pub iteration: u32,
    /// Turns that this plan may still take, this one included.
    pub turns_left: u32,
    /// The incident.
    pub incident: IncidentDocument,
    /// The plan that a person approved.
    pub plan: RemediationPlan,
    /// What failed: the diagnostics of the last checks, gravest first; before the first turn those of the incident.
    pub diagnostics: Vec<Finding>,
    /// How the agent of the turn before was ended, where it did not exit by itself. Null: it did, or there was none.
    pub agent_ended: Option<String>,
    /// What came of the last checks, a sentence each. Empty: they did not run yet.
    pub reasons: Vec<String>,
    /// What the loop may spend, and where it may work.
    pub policy: LoopPolicy,
}

impl GivenTurnDocument {
    /// Puts together what an agent is given.
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
