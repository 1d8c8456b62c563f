//! Changes of an incident: its document, the files in its directories, and its location.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::intent::{IntentFile, Part};
use referee_model::document::to_bytes;
use referee_model::incident::id::IncidentId;
use referee_model::incident::{self, IncidentDocument};
use referee_model::limit;

use super::incident_dir::IncidentDir;
use crate::error::LedgerError;
use crate::paths;

/// Maximum length of the author of a change, in characters; the rest is cut.
const BY_CHARACTERS: usize = 200;

/// Maximum length of a note, in characters; the rest is cut.
const NOTE_CHARACTERS: usize = 1_000;

/// An atomic change of an incident.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The incident after the change. `updated_at` is set when the change is made.
    pub incident: IncidentDocument,
    pub files: Vec<PartFile>,
    /// Files to remove, if they exist.
    pub removed: Vec<(Part, String)>,
    /// Location of the incident's directory after the change. `None`: unchanged.
    pub shelf: Option<IncidentDir>,
    /// Action, as named in the event.
    pub action: &'static str,
    pub by: String,
    pub note: String,
}

impl Change {
    /// Creates a change that only sets the incident's document.
    pub fn of(incident: IncidentDocument, action: &'static str, by: &str) -> Self {
        Self {
            incident,
            files: Vec::new(),
            removed: Vec::new(),
            shelf: None,
            action,
            by: by.to_owned(),
            note: String::new(),
        }
    }

    /// Returns the author of the change, cut to the length that an event allows.
    pub(super) fn told_by(&self) -> String {
        self.by.chars().take(BY_CHARACTERS).collect()
    }

    /// Returns the note of the change, cut to the length that an event allows.
    pub(super) fn told_note(&self) -> String {
        self.note.chars().take(NOTE_CHARACTERS).collect()
    }

    /// Returns the files to write. Incident and status come last, so that a reader who sees them sees all others.
    ///
    /// # Errors
    /// Fails for names that are invalid or reserved by the store, for files that are too large, and if the change is of
    /// another incident.
    pub(super) fn written(&self, id: &IncidentId, root: &Path) -> Result<Vec<PartFile>, LedgerError> {
        let incident = &self.incident;
        let unusable = |reason: String| LedgerError::Unusable { path: root.join(id.as_str()), reason };
        if incident.incident_id != *id {
            return Err(unusable(format!("the change is one of incident {}", incident.incident_id)));
        }
        let mut files: BTreeMap<(Part, &str), &[u8]> = BTreeMap::new();
        for file in &self.files {
            files.insert((file.part, own_name(file.part, &file.name)?), &file.bytes);
        }
        let document = to_bytes(incident).map_err(|error| unusable(error.to_string()))?;
        let status = format!("{}\n", incident.status.as_str());
        let others = files.into_iter().map(|((part, name), bytes)| PartFile {
            part,
            name: name.to_owned(),
            bytes: bytes.to_vec(),
        });
        let last = [(incident::INCIDENT, document), (incident::STATUS, status.into_bytes())]
            .map(|(name, bytes)| PartFile { part: Part::Incident, name: name.to_owned(), bytes });
        let written: Vec<_> = others.chain(last).collect();
        match written.iter().find(|file| file.bytes.len() as u64 > limit::INCIDENT_FILE_BYTES) {
            Some(large) => Err(LedgerError::TooLarge {
                path: root.join(id.as_str()).join(&large.name),
                limit_bytes: limit::INCIDENT_FILE_BYTES,
            }),
            None => Ok(written),
        }
    }

    /// Returns the files to remove, without those that are also written.
    ///
    /// # Errors
    /// Fails for names that are invalid or reserved by the store.
    pub(super) fn gone(&self) -> Result<Vec<IntentFile>, LedgerError> {
        let written: BTreeSet<_> = self.files.iter().map(|file| (file.part, file.name.as_str())).collect();
        let mut gone = BTreeSet::new();
        for (part, name) in &self.removed {
            if !written.contains(&(*part, own_name(*part, name)?)) {
                gone.insert(IntentFile { part: *part, name: name.clone() });
            }
        }
        Ok(gone.into_iter().collect())
    }
}

/// Checks that a file name is one path component, and not reserved by the store.
fn own_name(part: Part, name: &str) -> Result<&str, LedgerError> {
    let is_of_store = part == Part::Incident && [incident::INCIDENT, incident::STATUS].contains(&name);
    if is_of_store { Err(LedgerError::Name { name: name.to_owned() }) } else { paths::component(name) }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartFile {
    /// The incident's directory that contains the file.
    pub part: Part,
    pub name: String,
    pub bytes: Vec<u8>,
}
