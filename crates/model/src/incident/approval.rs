//! A person's word that a plan may be carried out (ruling 27).

use crate::id::Digest;
use crate::incident::id::IncidentId;
use crate::time::Timestamp;

/// What a person approved of. It binds the plan's bytes: another plan is not approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalTerms {
    /// The incident.
    pub incident: IncidentId,
    /// SHA-256 of `plan.json` as it was.
    pub plan: Digest,
    /// The plan's revision.
    pub revision: u32,
    /// Who approved, as they say.
    pub person: String,
    /// When.
    pub approved_at: Timestamp,
    /// Verification commands of a planner's own that were approved too, each as the plan has it.
    pub commands: Vec<String>,
    /// Why, or under which condition. Empty: nothing was said.
    pub note: String,
}

/// Whose word it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalStanding {
    /// Signed with a key that this user's trust store names as an approver's.
    Signed {
        /// The key's id.
        key: Digest,
        /// Whose key it is, as the trust store says.
        approver: String,
    },
    /// Typed at a terminal where no approver's key is trusted: it says itself that it is a person's.
    SelfAsserted,
}

/// An approval that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// What was approved of.
    pub terms: ApprovalTerms,
    /// Whose word it is.
    pub standing: ApprovalStanding,
}
