//! Checks of an incident that are known to have failed, stored out of reach of whatever works at the incident:
//!
//! ```text
//! <state>/redness/<sha256 of the incidents' root and the id>.json   one incident
//! ```
//!
//! A check is identified by the digest of its command line. An unreadable record is an error.

use std::collections::BTreeSet;
use std::path::Path;

use referee_model::document::Kind;
use referee_model::id::Digest;
use referee_model::incident::id::IncidentId;
use serde::{Deserialize, Serialize};

use crate::error::LedgerError;
use crate::state::{Area, State};
use crate::state_record::Key;

const KIND: Kind = Kind { name: "the record of what was red", key: "rednessVersion", version: "1.0.0" };

/// Known failures of an incident's checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redness {
    incident: IncidentId,
    /// SHA-256 of each command line that failed: in the sealed run or command that the incident was captured from, or
    /// at the start of its loop, before any work on it.
    red: BTreeSet<Digest>,
    /// Whether the incident's loop resolved it. A resolved status without this flag was written by another program.
    resolved: bool,
}

impl Redness {
    fn new(incident: IncidentId) -> Self {
        Self { incident, red: BTreeSet::new(), resolved: false }
    }

    /// Reads the record. Without a record, no check is known to have failed.
    ///
    /// # Errors
    /// Fails if the record exists and cannot be read.
    pub fn read(state: &State, root: &Path, id: &IncidentId) -> Result<Self, LedgerError> {
        let kept = key(root, id).read(state, |bytes| KIND.decode::<Self>(bytes), |record| record.incident.as_str())?;
        Ok(kept.unwrap_or_else(|| Self::new(id.clone())))
    }

    /// Returns whether this command line failed for the incident.
    pub fn was_red(&self, command: &str) -> bool {
        self.red.contains(&Digest::of(command))
    }

    /// Returns whether the incident's loop resolved it.
    pub fn is_resolved(&self) -> bool {
        self.resolved
    }

    /// Clears the record, because the incident is captured again.
    pub fn forget(&mut self) {
        *self = Self::new(self.incident.clone());
    }

    /// Adds command lines that failed.
    pub fn add<'line>(&mut self, commands: impl IntoIterator<Item = &'line String>) {
        self.red.extend(commands.into_iter().map(Digest::of));
    }

    /// Sets whether the incident's loop resolved it.
    pub fn set_resolved(&mut self, resolved: bool) {
        self.resolved = resolved;
    }

    /// Writes the record, if it changed.
    ///
    /// # Errors
    /// Fails if the record cannot be written.
    pub fn keep(&self, state: &State, root: &Path) -> Result<(), LedgerError> {
        if Self::read(state, root, &self.incident).is_ok_and(|kept| kept == *self) {
            return Ok(());
        }
        key(root, &self.incident).write(state, KIND.encode(self))
    }
}

fn key<'a>(root: &'a Path, id: &'a IncidentId) -> Key<'a> {
    Key { area: Area::Redness, root, id: id.as_str() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_red_is_kept_for_one_incident_of_one_root() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::open(&directory.path().canonicalize().unwrap().join("state")).unwrap();
        let (root, one, two) = (directory.path(), IncidentId::parse("one").unwrap(), IncidentId::parse("two").unwrap());
        let mut redness = Redness::read(&state, root, &one).unwrap();
        assert!(!redness.was_red("npm test"));
        redness.add(&["npm test".to_owned()]);
        redness.set_resolved(true);
        redness.keep(&state, root).unwrap();
        let kept = Redness::read(&state, root, &one).unwrap();
        assert!(kept.was_red("npm test") && !kept.was_red("npm  test") && kept.is_resolved());
        assert!(!Redness::read(&state, root, &two).unwrap().was_red("npm test"));
        assert!(!Redness::read(&state, &root.join("other"), &one).unwrap().was_red("npm test"));
        redness.forget();
        redness.keep(&state, root).unwrap();
        assert_eq!(Redness::read(&state, root, &one).unwrap(), redness);
        let file = state.area(Area::Redness).unwrap().join(key(root, &one).name());
        std::fs::write(file, "junk").unwrap();
        assert!(Redness::read(&state, root, &one).is_err(), "it must not look like none");
    }
}
