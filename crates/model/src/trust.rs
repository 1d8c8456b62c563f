//! `trust.json`: whose keys the user believes, and for what. It lies in the user's state directory, never in a
//! workspace.

use std::collections::BTreeSet;

use crate::id::Digest;
use crate::limit;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::document::{self, DocumentError, Kind};

const KIND: Kind = Kind { name: "trust.json", key: "trustVersion", version: "1.0.0" };

/// Whose keys are believed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustDocument {
    /// The keys, sorted by id, each once.
    keys: Vec<TrustedKeyDocument>,
}

/// A key that is believed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustedKeyDocument {
    /// SHA-256 of the public key, as SPKI.
    pub key_id: Digest,
    /// The public key, as SPKI in PEM.
    pub public_key: String,
    /// Whose it is, in the words of the user.
    pub name: String,
    /// What it is believed for; never empty.
    pub roles: BTreeSet<Role>,
    /// When it was first believed.
    pub since: Timestamp,
    /// Until when it is believed. Null: until it is distrusted.
    pub until: Option<Timestamp>,
}

/// What a key is believed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It signs runs.
    Runner,
    /// It signs what a person decides: waivers, locks, approvals.
    Approver,
}

impl Role {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Runner => "runner",
            Self::Approver => "approver",
        }
    }
}

/// The public half of a key, as it is shown.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyDocument<'a> {
    /// Version of this format.
    key_version: &'static str,
    /// SHA-256 of the public key, as SPKI.
    key_id: Digest,
    /// The public key, as SPKI in PEM.
    public_key: &'a str,
}

/// Lays out the public half of a key.
pub fn render_key(id: Digest, pem: &str) -> Result<Vec<u8>, serde_json::Error> {
    document::to_bytes(&KeyDocument { key_version: "1.0.0", key_id: id, public_key: pem })
}

/// Lays out a trust store.
pub fn render(keys: Vec<TrustedKeyDocument>) -> Result<Vec<u8>, serde_json::Error> {
    KIND.encode(&TrustDocument { keys })
}

/// Reads a trust store.
pub fn read(bytes: &[u8]) -> Result<Vec<TrustedKeyDocument>, DocumentError> {
    let TrustDocument { keys } = KIND.decode(bytes)?;
    if keys.len() > limit::TRUSTED_KEYS {
        return Err(KIND.content(format!("it holds more than {} keys", limit::TRUSTED_KEYS)));
    }
    if let Some(pair) = keys.windows(2).find(|pair| pair[0].key_id >= pair[1].key_id) {
        return Err(KIND.content(format!("the key {} appears twice or out of order", pair[1].key_id)));
    }
    match keys.iter().find(|key| key.roles.is_empty()) {
        Some(key) => Err(KIND.content(format!("the key {} is trusted for nothing", key.key_id))),
        None => Ok(keys),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn key(first: u8) -> Value {
        json!({
            "keyId": format!("{first:02x}").repeat(32), "publicKey": "PEM", "name": "Ada", "roles": ["approver"],
            "since": "2026-11-22T06:00:00.000Z", "until": null,
        })
    }

    #[test]
    fn a_trust_store_is_read_as_it_was_written_and_junk_is_refused() {
        let store = |keys: Value| json!({ "trustVersion": "1.0.0", "keys": keys }).to_string();
        let keys = read(store(json!([key(1), key(2)])).as_bytes()).unwrap();
        assert_eq!(read(&render(keys.clone()).unwrap()).unwrap(), keys);
        let mut useless = key(1);
        useless["roles"] = json!([]);
        let mut unknown = key(1);
        unknown["roles"] = json!(["owner"]);
        let mut more = key(1);
        more["trusted"] = json!(true);
        for (text, part) in [
            (store(json!([key(2), key(1)])), "out of order"),
            (store(json!([key(1), key(1)])), "twice"),
            (store(json!([useless])), "trusted for nothing"),
            (store(json!([unknown])), "unknown variant"),
            (store(json!([more])), "unknown field"),
            (r#"{"keys":[]}"#.to_owned(), "has no version"),
            (r#"{"trustVersion":"2.0.0","keys":[]}"#.to_owned(), "newer Referee"),
            ("half a sto".to_owned(), "cannot read"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
