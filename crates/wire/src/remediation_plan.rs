//! `plan.json`: what is to be done about an incident (seed 3). Its bytes are what an approval binds.

use referee_model::incident::remediation::RemediationPlan;

use referee_model::document::{self, DocumentError};

mod text;

pub use self::text::markdown;

/// The plan, for programs.
pub const PLAN: &str = "plan.json";
/// The plan, for people.
pub const PLAN_TEXT: &str = "plan.md";

/// Lays a plan out.
///
/// # Errors
/// Fails only for what JSON cannot hold.
pub fn render(plan: &RemediationPlan) -> Result<Vec<u8>, serde_json::Error> {
    document::to_bytes(plan)
}

/// Reads a plan, of ours or of another program that keeps to the contract.
///
/// # Errors
/// Fails for bytes that are no plan.
pub fn read(bytes: &[u8]) -> Result<RemediationPlan, DocumentError> {
    serde_json::from_slice(bytes).map_err(|source| DocumentError::Shape { document: PLAN, source })
}

/// Returns the name that an earlier plan of an incident is kept under.
pub fn earlier(revision: u32) -> String {
    format!("plan_{revision}.json")
}
