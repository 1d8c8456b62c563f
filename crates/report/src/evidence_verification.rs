//! `referee evidence verify --format json`, and the same over the API: whether a directory of evidence can be trusted,
//! axis by axis.

use referee_model::verdict::Decision;
use serde::Serialize;

use referee_model::document::Kind;

const KIND: Kind = Kind { name: "the verification", key: "verificationVersion", version: "1.0.0" };

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee verification of evidence", deny_unknown_fields))]
pub struct EvidenceVerificationDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    verification_version: &'static str,
    /// What it comes to, in words.
    standing: String,
    /// What `referee evidence verify` exits with: 0 authentic and passed, 1 authentic and failed, 3 not verifiable, 4 tampered.
    exit_code: u8,
    /// What its report states; only an exit code of 0 or 1 says that this can be believed.
    decision: Option<Decision>,
    /// In the order in which they were looked at.
    axes: Vec<VerifiedAxis>,
}

/// One axis of trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct VerifiedAxis {
    /// Its name.
    pub name: String,
    /// What was found.
    pub state: VerifiedState,
    /// Why.
    pub reasons: Vec<String>,
}

/// What was found on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum VerifiedState {
    /// It holds.
    Holds,
    /// It was not looked at, or nothing can be said.
    Unknown,
    /// It cannot be verified.
    Unverifiable,
    /// Something was changed.
    Broken,
}

/// Returns what a verification found as a document.
pub fn document(
    standing: &str,
    exit_code: u8,
    decision: Option<Decision>,
    axes: Vec<VerifiedAxis>,
) -> EvidenceVerificationDocument {
    EvidenceVerificationDocument {
        verification_version: KIND.version,
        standing: standing.to_owned(),
        exit_code,
        decision,
        axes,
    }
}
