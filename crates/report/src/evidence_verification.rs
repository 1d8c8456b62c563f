//! `referee evidence verify --format json`, and its equivalent in the API: whether an evidence directory can be
//! trusted, axis by axis.

use referee_model::verdict::Decision;
use serde::Serialize;

use referee_model::document::Kind;

const KIND: Kind = Kind { name: "the verification", key: "verificationVersion", version: "1.0.0" };

/// Result of a verification of evidence.
#[document(nulls)]
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", schemars(title = "Referee verification of evidence"))]
pub struct EvidenceVerificationDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    verification_version: &'static str,
    /// Overall result, in words.
    standing: String,
    /// Exit code of `referee evidence verify`: 0 authentic and passed, 1 authentic and failed, 3 not verifiable, 4
    /// tampered.
    exit_code: u8,
    /// Decision that the report states. It can be trusted only where `exitCode` is 0 or 1.
    decision: Option<Decision>,
    /// Axes, in the order in which they were verified.
    axes: Vec<VerifiedAxis>,
}

/// Result of the verification on one axis of trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct VerifiedAxis {
    /// Name of the axis.
    pub name: String,
    /// Result on the axis.
    pub state: VerifiedState,
    /// Reasons for the result.
    pub reasons: Vec<String>,
}

/// Result of the verification on one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum VerifiedState {
    /// The evidence is as claimed.
    Holds,
    /// The axis was not examined, or nothing can be determined.
    Unknown,
    /// The axis cannot be verified.
    Unverifiable,
    /// Something was changed.
    Broken,
}

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
