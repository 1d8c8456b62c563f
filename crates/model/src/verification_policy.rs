//! A verification policy: requirements that evidence must meet before a person or program relies on it.
//!
//! Every key is a requirement; keys that are left out require nothing. An unknown key is an error, since a
//! misspelled requirement must not be ignored silently.

use crate::limit;
use serde::Deserialize;

use crate::document::{DocumentError, Kind};

const KIND: Kind = Kind { name: "the verification policy", key: "policyVersion", version: "1.0.0" };

/// Requirements on evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee verification policy"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VerificationPolicy {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Version"))]
    pub policy_version: String,
    /// Whether a valid signature is required. Default false.
    #[serde(default)]
    pub signature: bool,
    /// Roles of which the signer must have one in the verifier's trust store. Empty: no requirement.
    #[serde(default)]
    pub trusted_roles: Vec<String>,
    /// Names in the verifier's trust store of which one must be the signer's. Empty: no requirement.
    #[serde(default)]
    pub trusted_names: Vec<String>,
    /// Whether the tree must still be the one that the evidence is about. Default false.
    #[serde(default)]
    pub fresh: bool,
    /// Whether a run that left checks out is refused. Default false.
    #[serde(default)]
    pub whole_scope: bool,
    /// Maximum age of the run since its end, in seconds. Left out: no limit.
    #[serde(default)]
    pub maximum_age_seconds: Option<u64>,
    /// Whether a run to which a waiver was applied is refused. Default false.
    #[serde(default)]
    pub no_waivers: bool,
    /// Whether a run that was compared with a baseline is refused. Default false.
    #[serde(default)]
    pub no_baseline: bool,
    /// Whether commands must have been confined in their write access. Default false.
    #[serde(default)]
    pub confined: bool,
    /// Whether the run must have been made in a clean room, a tree built for it. Default false.
    #[serde(default)]
    pub clean_room: bool,
    /// Whether protected files must have been compared with a trusted baseline without drift. Default false.
    #[serde(default)]
    pub locked: bool,
    /// Whether replaying the evidence must yield the same report. Default false.
    #[serde(default)]
    pub replayed: bool,
    /// Whether the run must be in its place in the chain of the task's runs. Default false.
    #[serde(default)]
    pub chained: bool,
    /// Lowest accepted version of the judge. Left out: any version.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Version>"))]
    pub minimum_judge_version: Option<String>,
}

impl VerificationPolicy {
    /// Returns whether the policy requires nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self { policy_version: self.policy_version.clone(), ..Self::default() }
    }
}

/// Parses a version of the judge for comparison.
pub fn version(text: &str) -> Option<(u32, u32, u32)> {
    let mut parts = text.split('.').map(|part| part.parse::<u32>().ok());
    let version = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(version)
}

/// Parses a policy.
///
/// # Errors
/// Fails for bytes that are not a policy, for unknown keys, and for a policy without requirements, which cannot
/// be intended.
pub fn read(bytes: &[u8]) -> Result<VerificationPolicy, DocumentError> {
    if bytes.len() > limit::POLICY_BYTES {
        return Err(KIND.content(format!("it is larger than {} bytes", limit::POLICY_BYTES)));
    }
    let policy: VerificationPolicy = KIND.read(bytes)?;
    if policy.is_empty() {
        return Err(KIND.content("it asks for nothing"));
    }
    if let Some(minimum) = policy.minimum_judge_version.as_deref().filter(|minimum| version(minimum).is_none()) {
        return Err(KIND.content(format!("`{minimum}` is not a version such as 1.3.0")));
    }
    Ok(policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_read_and_what_it_does_not_know_is_refused() {
        let policy =
            read(br#"{"policyVersion": "1.0.0", "signature": true, "trustedRoles": ["ci"], "maximumAgeSeconds": 60}"#);
        let policy = policy.unwrap();
        assert!(policy.signature && !policy.fresh && policy.trusted_roles == ["ci"]);
        assert_eq!(policy.maximum_age_seconds, Some(60));
        for (text, part) in [
            (r#"{"policyVersion": "1.0.0"}"#, "it asks for nothing"),
            (r#"{"policyVersion": "1.0.0", "fresh": false}"#, "it asks for nothing"),
            (r#"{"policyVersion": "1.0.0", "signatures": true}"#, "unknown field `signatures`"),
            (r#"{"policyVersion": "1.0.0", "fresh": "yes"}"#, "invalid type"),
            (r#"{"policyVersion": "1.0.0", "maximumAgeSeconds": -1}"#, "invalid value"),
            (r#"{"policyVersion": "1.0.0", "minimumJudgeVersion": "new"}"#, "is not a version such as"),
            (r#"{"policyVersion": "9.0.0", "fresh": true}"#, "use a newer Referee"),
            (r#"{"signature": true}"#, "has no version"),
            ("", "cannot read"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(version("1.10.0") > version("1.9.9"));
        for junk in ["", "1", "1.2", "1.2.3.4", "a.b.c"] {
            assert_eq!(version(junk), None, "{junk}");
        }
    }
}
