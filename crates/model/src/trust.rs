//! `trust.json`: the keys that the user trusts, and their roles. Stored in the user's state directory, never in a
//! workspace.

use std::collections::BTreeSet;

use crate::id::Digest;
use crate::limit;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::document::{self, DocumentError, Kind};

const KIND: Kind = Kind { name: "trust.json", key: "trustVersion", version: "1.0.0" };

/// The trust store.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustDocument {
    /// The keys, sorted by id without duplicates.
    keys: Vec<TrustedKeyDocument>,
}

/// A trusted key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustedKeyDocument {
    /// SHA-256 of the public key, as SPKI.
    pub key_id: Digest,
    /// The public key, as SPKI in PEM.
    pub public_key: String,
    /// Name of the owner, as given by the user.
    pub name: String,
    /// Roles that the key is trusted for; never empty.
    pub roles: BTreeSet<Role>,
    /// Time at which the key was first trusted.
    pub since: Timestamp,
    /// End of the trust. Null: until it is revoked.
    pub until: Option<Timestamp>,
}

document_words! {
    /// Role of a trusted key.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Role {
        /// Signs runs.
        Runner = "runner",
        /// Signs decisions of people: waivers, locks, approvals.
        Approver = "approver",
        /// Signs the results of orders.
        Worker = "worker",
    }
}

/// A public key, as printed.
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

/// Serializes a public key.
pub fn render_key(id: Digest, pem: &str) -> Result<Vec<u8>, serde_json::Error> {
    document::to_bytes(&KeyDocument { key_version: "1.0.0", key_id: id, public_key: pem })
}

/// Serializes a trust store.
pub fn render(keys: Vec<TrustedKeyDocument>) -> Result<Vec<u8>, serde_json::Error> {
    KIND.encode(&TrustDocument { keys })
}

/// Parses a trust store.
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
