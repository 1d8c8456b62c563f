//! `approval.json`: a person's word that a plan may be carried out (ruling 27).
//!
//! It is the payload of a DSSE envelope. One that nobody signed has no signature, and counts only where the user's
//! state directory knows its digest: `approval-record` is what is kept there.

use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::id::Digest;
use crate::incident::id::IncidentId;
use crate::incident::seconds;
use crate::limit;
use crate::time::Timestamp;

const KIND: Kind = Kind { name: "the approval", key: "approvalVersion", version: "1.0.0" };

/// The document of an [`ApprovalRecord`].
pub const RECORD: Kind = Kind { name: "the record of approvals", key: "approvalRecordVersion", version: "1.0.0" };

/// The type of the payload, as its envelope says it.
pub const PAYLOAD_TYPE: &str = "application/vnd.referee.approval+json";

/// The approval, beside the plan.
pub const APPROVAL: &str = "approval.json";
/// The plan as it was approved, byte for byte, beside it.
pub const APPROVED_PLAN: &str = "approved_plan.json";

/// What a person approved of. It binds the plan's bytes: another plan is not approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalTerms {
    /// The incident.
    pub incident: IncidentId,
    /// SHA-256 of `plan.json` as it was.
    #[serde(rename = "planDigest")]
    pub plan: Digest,
    /// The plan's revision.
    #[serde(rename = "planRevision")]
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
    /// Whether a key proves the approval, or the approver only claims it.
    pub standing: ApprovalStanding,
}

/// Why an approval cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// It breaks a rule.
    #[error(transparent)]
    Content(#[from] DocumentError),
    /// It cannot be JSON.
    #[error("cannot serialize the approval: {0}")]
    Json(#[from] serde_json::Error),
}

/// Returns the bytes that are signed.
///
/// # Errors
/// Fails where what it says breaks a rule, as [`read`] would.
pub fn render(terms: &ApprovalTerms) -> Result<Vec<u8>, ApprovalError> {
    check(terms).map_err(|problem| KIND.content(problem))?;
    Ok(KIND.encode(terms)?)
}

/// Reads what was signed.
///
/// # Errors
/// Fails for bytes that are no approval, and where one of its rules is broken.
pub fn read(bytes: &[u8]) -> Result<ApprovalTerms, DocumentError> {
    let terms: ApprovalTerms = KIND.decode(bytes)?;
    check(&terms).map_err(|problem| KIND.content(problem))?;
    Ok(terms)
}

/// Says what rule the terms break.
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

/// What the user's state directory keeps of an incident's approvals: out of the reach of whoever changes the incident's
/// files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalRecord {
    /// The incident.
    pub incident: IncidentId,
    /// SHA-256 of the one approval without a signature that counts. Null: none does.
    pub self_asserted: Option<Digest>,
    /// Approvals that were given then, or before, count no more: a person refused the plan. Null: all may count.
    pub void_until: Option<Timestamp>,
}

/// An approval as other documents tell of it, in the spelling of seed 3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApprovalSummary {
    /// Whether a key proves the approval, or the approver only claims it.
    pub standing: ApprovalStandingWord,
    /// Who approved, as they say.
    pub person: String,
    /// Whose key signed it, as the trust store says. Null: nobody's.
    pub approver: Option<String>,
    /// SHA-256 id of the key that signed. Null: unsigned.
    pub key_id: Option<Digest>,
    /// When the plan was approved, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub approved_at: Timestamp,
    /// SHA-256 of the bytes of `plan.json`.
    pub plan_sha256: Digest,
    /// Revision of the plan that was approved, from 1.
    pub plan_revision: u32,
    /// A planner's own verification commands that were approved too.
    pub commands: Vec<String>,
    /// Why, or under which condition. May be empty.
    pub note: String,
}

/// Whose word an approval is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStandingWord {
    /// Signed with a key that the trust store names as an approver's.
    Signed,
    /// Typed at a terminal where no approver's key is trusted.
    SelfAsserted,
}

/// Returns an approval as other documents tell of it.
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

/// Says in a sentence whose word an approval is.
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
