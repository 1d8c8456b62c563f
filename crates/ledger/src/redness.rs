//! What of an incident's checks is known to have been red, out of reach of whoever works at it:
//!
//! ```text
//! <state>/redness/<sha256 of the incidents' root and the id>.json   one incident
//! ```
//!
//! A check is known by its command line, of which the digest is kept. A record that cannot be read is an error.

use std::path::Path;

use referee_model::id::Digest;
use referee_model::incident::id::IncidentId;
use referee_wire::redness::RednessDocument;

use crate::error::LedgerError;
use crate::state::{Area, State};
use crate::state_record::Key;

/// What is known of an incident's checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redness(RednessDocument);

impl Redness {
    /// Reads what is known. Where nothing is, nothing was red.
    ///
    /// # Errors
    /// Fails where the record is there and cannot be read.
    pub fn read(state: &State, root: &Path, id: &IncidentId) -> Result<Self, LedgerError> {
        let kept = key(root, id).read(state, RednessDocument::read, |record| record.incident.as_str())?;
        Ok(Self(kept.unwrap_or_else(|| RednessDocument::new(id.clone()))))
    }

    /// Whether this command line failed for the incident.
    pub fn was_red(&self, command: &str) -> bool {
        self.0.red.contains(&Digest::of(command))
    }

    /// Whether the incident's loop resolved it.
    pub fn is_resolved(&self) -> bool {
        self.0.resolved
    }

    /// Forgets all: the incident is captured anew.
    pub fn forget(&mut self) {
        self.0 = RednessDocument::new(self.0.incident.clone());
    }

    /// Adds command lines that failed.
    pub fn add<'line>(&mut self, commands: impl IntoIterator<Item = &'line String>) {
        self.0.red.extend(commands.into_iter().map(Digest::of));
    }

    /// Says whether its loop resolved it.
    pub fn set_resolved(&mut self, resolved: bool) {
        self.0.resolved = resolved;
    }

    /// Writes what is known, where it is something else than before.
    ///
    /// # Errors
    /// Fails where it cannot be written.
    pub fn keep(&self, state: &State, root: &Path) -> Result<(), LedgerError> {
        if Self::read(state, root, &self.0.incident).is_ok_and(|kept| kept == *self) {
            return Ok(());
        }
        key(root, &self.0.incident).write(state, self.0.render())
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
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(&folder.path().canonicalize().unwrap().join("state")).unwrap();
        let (root, one, two) = (folder.path(), IncidentId::parse("one").unwrap(), IncidentId::parse("two").unwrap());
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
