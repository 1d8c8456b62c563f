//! A verification policy: what somebody wants to see of evidence before they rely on it.
//!
//! Every key is a requirement; what is left out is not asked for. A key that is not known is an error, since a misspelt
//! requirement must not silently vanish.

use crate::limit;
use serde::Deserialize;

use crate::document::{DocumentError, Kind};

const KIND: Kind = Kind { name: "the verification policy", key: "policyVersion", version: "1.0.0" };

/// What is asked of evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(title = "Referee verification policy"))]
pub struct VerificationPolicy {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Version"))]
    pub policy_version: String,
    /// It is signed, and the signature holds.
    #[serde(default)]
    pub signature: bool,
    /// Its signer is trusted by the verifier's trust store in one of these roles. Empty: in any, or none.
    #[serde(default)]
    pub trusted_roles: Vec<String>,
    /// Its signer is one of these, by their names in the verifier's trust store. Empty: anybody.
    #[serde(default)]
    pub trusted_names: Vec<String>,
    /// The tree is the one that it speaks of.
    #[serde(default)]
    pub fresh: bool,
    /// Nothing was left out of the run.
    #[serde(default)]
    pub whole_scope: bool,
    /// The run was over no more than so many seconds ago. Left out: any age will do.
    #[serde(default)]
    pub maximum_age_seconds: Option<u64>,
    /// Whether a run to which a waiver was applied is refused. Default false.
    #[serde(default)]
    pub no_waivers: bool,
    /// It was held against no baseline.
    #[serde(default)]
    pub no_baseline: bool,
    /// Commands were kept from writing where they may not.
    #[serde(default)]
    pub confined: bool,
    /// It ran in a tree that was built for it.
    #[serde(default)]
    pub clean_room: bool,
    /// Protected files were compared with a trusted baseline, and none of them drifted.
    #[serde(default)]
    pub locked: bool,
    /// The report follows from the evidence.
    #[serde(default)]
    pub replayed: bool,
    /// It stands in its place in the chain of the task's runs.
    #[serde(default)]
    pub chained: bool,
    /// It was judged by rules of this version or a later one. Left out: by any.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Version>"))]
    pub minimum_judge_version: Option<String>,
}

impl VerificationPolicy {
    /// Whether it asks for anything at all.
    pub fn is_empty(&self) -> bool {
        *self == Self { policy_version: self.policy_version.clone(), ..Self::default() }
    }
}

/// A version of the judge, to be compared.
pub fn version(text: &str) -> Option<(u32, u32, u32)> {
    let mut parts = text.split('.').map(|part| part.parse::<u32>().ok());
    let version = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(version)
}

/// Reads a policy.
///
/// # Errors
/// Fails for what is no policy, for keys that are not known, and for a policy that asks for nothing: whoever verifies by a
/// policy wants something.
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
