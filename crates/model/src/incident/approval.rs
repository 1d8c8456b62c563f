//! `approval.json`: a person's approval of a plan (ruling 27).
//!
//! The approval is the payload of a DSSE envelope. An approval without a signature counts only if its digest is
//! recorded in the user's state directory: `approval-record` is the record kept there.

use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::id::Digest;
use crate::incident::id::IncidentId;
use crate::incident::seconds;
use crate::limit;
use crate::time::Timestamp;

const KIND: Kind = Kind { name: "the approval", key: "approvalVersion", version: "1.0.0" };

/// The document that holds an [`ApprovalRecord`].
pub const RECORD: Kind = Kind { name: "the record of approvals", key: "approvalRecordVersion", version: "1.0.0" };

/// Payload type of the approval in its DSSE envelope.
pub const PAYLOAD_TYPE: &str = "application/vnd.referee.approval+json";

/// File name of the approval, in the same directory as the plan.
pub const APPROVAL: &str = "approval.json";
/// File name of the plan as approved, byte for byte, in the same directory.
pub const APPROVED_PLAN: &str = "approved_plan.json";

/// Terms of an approval. They bind the bytes of the plan: a different plan is not approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalTerms {
    /// Id of the incident.
    pub incident: IncidentId,
    /// SHA-256 of `plan.json` at the time of the approval.
    #[serde(rename = "planDigest")]
    pub plan: Digest,
    /// Revision of the approved plan, from 1.
    #[serde(rename = "planRevision")]
    pub revision: u32,
    /// Name that the approver gave.
    pub person: String,
    /// Time of the approval.
    pub approved_at: Timestamp,
    /// Verification commands of the planner's own that are approved as well, each as written in the plan.
    pub commands: Vec<String>,
    /// Reason or condition of the approval. Empty: none was given.
    pub note: String,
}

/// Proof of who gave an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalStanding {
    /// Signed with a key that this user's trust store lists as an approver's key.
    Signed {
        /// Id of the key.
        key: Digest,
        /// Owner of the key, according to the trust store.
        approver: String,
    },
    /// Typed at a terminal while no approver's key is trusted: nothing but the approval itself says that a
    /// person gave it.
    SelfAsserted,
}

/// An approval after its signature was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The approved terms.
    pub terms: ApprovalTerms,
    /// Whether a key proves the approval, or the approver merely asserts it.
    pub standing: ApprovalStanding,
}

/// Error while writing an approval.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// The terms break a rule.
    #[error(transparent)]
    Content(#[from] DocumentError),
    /// The terms cannot be represented in JSON.
    #[error("cannot serialize the approval: {0}")]
    Json(#[from] serde_json::Error),
}

/// Serializes the terms to the bytes that are signed.
///
/// # Errors
/// Fails if the terms break a rule that [`read`] checks.
pub fn render(terms: &ApprovalTerms) -> Result<Vec<u8>, ApprovalError> {
    check(terms).map_err(|problem| KIND.content(problem))?;
    Ok(KIND.encode(terms)?)
}

/// Parses the bytes that were signed.
///
/// # Errors
/// Fails for bytes that are not an approval, and for terms that break a rule.
pub fn read(bytes: &[u8]) -> Result<ApprovalTerms, DocumentError> {
    let terms: ApprovalTerms = KIND.decode(bytes)?;
    check(&terms).map_err(|problem| KIND.content(problem))?;
    Ok(terms)
}

/// Checks the rules for the terms of an approval.
fn check(terms: &ApprovalTerms) -> Result<(), String> {
    if terms.person.trim().is_empty() {
        return Err("it does not say who approves".to_owned());
    }
    let longest = [&terms.person, &terms.note].into_iter().map(|text| text.chars().count()).max();
    if longest > Some(limit::APPROVAL_TEXT_CHARACTERS) {
        return Err(format!("a text in it is longer than {} characters", limit::APPROVAL_TEXT_CHARACTERS));
    }
    if terms.commands.len() > limit::APPROVAL_COMMANDS {
        return Err(format!("it names more than {} commands", limit::APPROVAL_COMMANDS));
    }
    Ok(())
}

/// Record of an incident's approvals in the user's state directory, out of reach of programs that can change
/// the incident's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalRecord {
    /// Id of the incident.
    pub incident: IncidentId,
    /// SHA-256 of the only unsigned approval that counts. Null: none does.
    pub self_asserted: Option<Digest>,
    /// Approvals given at or before this time no longer count, because a person rejected the plan. Null: all
    /// approvals may count.
    pub void_until: Option<Timestamp>,
}

/// Summary of an approval in other documents, in the spelling of seed 3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApprovalSummary {
    /// Whether a key proves the approval, or the approver merely asserts it.
    pub standing: ApprovalStandingWord,
    /// Name that the approver gave.
    pub person: String,
    /// Owner of the signing key, according to the trust store. Null: the approval is unsigned.
    pub approver: Option<String>,
    /// SHA-256 id of the signing key. Null: the approval is unsigned.
    pub key_id: Option<Digest>,
    /// When the plan was approved, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub approved_at: Timestamp,
    /// SHA-256 of the bytes of the approved `plan.json`.
    pub plan_sha256: Digest,
    /// Revision of the plan that was approved, from 1.
    pub plan_revision: u32,
    /// Verification commands of the planner's own that were approved as well.
    pub commands: Vec<String>,
    /// Reason or condition of the approval. May be empty.
    pub note: String,
}

/// Proof of who gave an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStandingWord {
    /// Signed with a key that the trust store lists as an approver's key.
    Signed,
    /// Typed at a terminal where no approver's key is trusted.
    SelfAsserted,
}

/// Returns the summary of an approval for other documents.
pub fn summary(approval: &Approval) -> ApprovalSummary {
    let (standing, approver, key_id) = match &approval.standing {
        ApprovalStanding::Signed { key, approver } => {
            (ApprovalStandingWord::Signed, Some(approver.clone()), Some(*key))
        }
        ApprovalStanding::SelfAsserted => (ApprovalStandingWord::SelfAsserted, None, None),
    };
    let terms = &approval.terms;
    ApprovalSummary {
        standing,
        person: terms.person.clone(),
        approver,
        key_id,
        approved_at: terms.approved_at,
        plan_sha256: terms.plan,
        plan_revision: terms.revision,
        commands: terms.commands.clone(),
        note: terms.note.clone(),
    }
}

/// Returns a sentence that says who approved and how that is proven.
pub fn said(approval: &Approval) -> String {
    let terms = &approval.terms;
    let at = seconds::text(terms.approved_at);
    match &approval.standing {
        ApprovalStanding::Signed { approver, .. } => {
            format!("approved by {} at {at}, signed with the key of {approver}", terms.person)
        }
        ApprovalStanding::SelfAsserted => {
            format!("approved by {} at {at}, self-asserted: typed at a terminal, and signed by nobody", terms.person)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn terms() -> ApprovalTerms {
        ApprovalTerms {
            incident: IncidentId::parse("incident_1").unwrap(),
            plan: Digest::from_bytes([7; 32]),
            revision: 2,
            person: "Ada".to_owned(),
            approved_at: Timestamp::parse("2026-11-22T06:00:00.000Z").unwrap(),
            commands: vec!["make check".to_owned()],
            note: String::new(),
        }
    }

    #[test]
    fn an_approval_is_read_as_it_was_written_and_junk_is_refused() {
        assert_eq!(read(&render(&terms()).unwrap()).unwrap(), terms());
        let with = |key: &str, value: Value| {
            let mut payload: Value = serde_json::from_slice(&render(&terms()).unwrap()).unwrap();
            payload[key] = value;
            payload.to_string()
        };
        for (text, part) in [
            (String::new(), "cannot read"),
            ("{}".to_owned(), "has no version"),
            (with("approvalVersion", json!("2.0.0")), "use a newer Referee"),
            (with("extra", json!(1)), "unknown field"),
            (with("incident", json!("../x")), "an incident's id"),
            (with("planDigest", json!("x")), "digest"),
            (with("person", json!("  ")), "does not say who approves"),
            (with("person", json!("x".repeat(2_001))), "longer than 2000"),
            (with("commands", json!(vec!["x"; 101])), "more than 100 commands"),
            (with("approvedAt", json!("soon")), "is not a time"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(render(&ApprovalTerms { person: String::new(), ..terms() }).is_err());
    }
}
