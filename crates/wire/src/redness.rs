//! What of an incident's checks is known to have been red: `redness/<INCIDENT>.json` in the state folder.
//!
//! It is kept there, and not with the incident, because the incident's files lie where whoever works at it can change them.

use std::collections::BTreeSet;

use referee_model::id::Digest;
use referee_model::incident::id::IncidentId;
use serde::{Deserialize, Serialize};

use referee_model::document::{self, DocumentError, Kind};

const KIND: Kind = Kind { name: "the record of what was red", key: "rednessVersion", version: "1.0.0" };

/// What of an incident's checks is known to have been red.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RednessDocument {
    /// Version of this format.
    redness_version: String,
    /// The incident.
    pub incident: IncidentId,
    /// SHA-256 of each command line that failed: in the sealed run or as the command that it was captured from, or when its loop
    /// began, before anybody worked at it.
    pub red: BTreeSet<Digest>,
    /// Whether its loop resolved it. A status that says so without this was written by somebody else.
    pub resolved: bool,
}

impl RednessDocument {
    /// Makes a record that knows of nothing yet.
    pub fn new(incident: IncidentId) -> Self {
        Self { redness_version: KIND.version.to_owned(), incident, red: BTreeSet::new(), resolved: false }
    }

    /// Lays a record out.
    ///
    /// # Errors
    /// Fails only for what JSON cannot hold.
    pub fn render(&self) -> Result<Vec<u8>, serde_json::Error> {
        document::to_bytes(self)
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Fails for bytes that are none.
    pub fn read(bytes: &[u8]) -> Result<Self, DocumentError> {
        KIND.read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let mut record = RednessDocument::new(IncidentId::parse("one").unwrap());
        record.red.insert(Digest::from_bytes([7; 32]));
        let bytes = record.render().unwrap();
        assert_eq!(RednessDocument::read(&bytes).unwrap(), record);
        assert!(RednessDocument::read(b"{}").is_err());
    }
}
