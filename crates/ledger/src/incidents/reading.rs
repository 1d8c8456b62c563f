//! Reads incidents while other processes change them: without waiting, and never a partial change.
//!
//! A change that is certain to complete is seen as completed (`journal`). An incident consists of two files;
//! they belong together if no change came between: the intent was the same before and after, or there was none
//! and `incident.json` is still the same file.

use std::collections::BTreeSet;
use std::fs::File;

use super::intent::Part;
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;
use referee_model::incident::{self, IncidentDocument};
use referee_model::limit;

use super::Incidents;
use super::incident_dir::{IncidentDir, Stored};
use super::incident_root::IncidentRoot;
use super::journal::Pending;
use crate::directory::{Directory, FileId, Kind};
use crate::error::LedgerError;
use crate::paths;
use crate::tree::{Stamp, open};

/// Number of attempts to read an incident that is being changed all the time.
const TRIES: usize = 32;

impl Incidents {
    /// Reads an incident. None: there is none with this id.
    ///
    /// # Errors
    /// Fails if the incident cannot be read, so that it does not look absent.
    pub fn find(&self, id: &IncidentId) -> Result<Option<Stored>, LedgerError> {
        let ground = &*self.ground;
        let mut missed = 0;
        for _ in 0..TRIES {
            let pending = Pending::find(ground, id)?;
            let own = ground.own(id)?;
            if pending.is_none() && own.is_none() {
                // It may be moving from one directory to another right now.
                missed += 1;
                if missed == 2 {
                    return Ok(None);
                }
                continue;
            }
            let read = content(own.as_ref().map(|(_, directory)| directory), pending.as_ref());
            if Pending::id_now(ground, id)? != pending.as_ref().and_then(|pending| pending.file_id) {
                continue;
            }
            let Content { incident, status, file, .. } = read?;
            let is_whole = match (&pending, &own) {
                // The incident that was read is still the one in the directory, and that is where it was found.
                (None, Some((shelf, directory))) => {
                    let parent = ground.descend(shelf.directories())?;
                    directory.id_of(incident::INCIDENT) == file.as_ref().and_then(FileId::of)
                        && parent.is_some_and(|parent| directory.stands_in(&parent, id.as_str()))
                }
                // It was just moved from the journal to its directory.
                (Some(_), None) => incident.is_some() && status.is_some(),
                _ => true,
            };
            if !is_whole {
                continue;
            }
            let lies = own.as_ref().map(|(shelf, _)| *shelf);
            let shelf = pending
                .as_ref()
                .map(|pending| IncidentDir::from(pending.intent.to))
                .or(lies)
                .unwrap_or(IncidentDir::Inbox);
            let directory = ground.root().join(shelf.path_of(id));
            let wrong = |reason: String| LedgerError::Unusable { path: directory.join(incident::INCIDENT), reason };
            let incident = parse(id, incident.as_deref(), status.as_deref()).map_err(wrong)?;
            return Ok(Some(Stored { incident, shelf }));
        }
        Err(LedgerError::Unusable {
            path: ground.root().join(id.as_str()),
            reason: "it is changed all the time: try again".to_owned(),
        })
    }

    /// Reads a file of an incident. None: it does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is too large.
    pub fn file(&self, id: &IncidentId, part: Part, name: &str) -> Result<Option<Vec<u8>>, LedgerError> {
        let ground = &*self.ground;
        let name = paths::component(name)?;
        if let Some(pending) = Pending::find(ground, id)? {
            if pending.removes(part, name) {
                return Ok(None);
            }
            if pending.writes(part, name)
                && let Some(bytes) = pending.staged(part, name)?
            {
                return Ok(Some(bytes));
            }
        }
        match open_part(ground, id, part)? {
            Some(directory) => directory.read_at_most(name, limit::INCIDENT_FILE_BYTES),
            None => Ok(None),
        }
    }

    /// Returns the names of the files in one of an incident's directories, sorted.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn files(&self, id: &IncidentId, part: Part) -> Result<Vec<String>, LedgerError> {
        let ground = &*self.ground;
        let pending = Pending::find(ground, id)?;
        let names = open_part(ground, id, part)?.map(|directory| directory.names_of(Kind::File)).transpose()?;
        let mut found: BTreeSet<String> = names.unwrap_or_default().into_iter().collect();
        if let Some(pending) = pending {
            let written = pending.intent.files.iter().filter(|file| file.part == part);
            found.extend(written.map(|file| file.name.clone()));
            found.retain(|name| !pending.removes(part, name));
        }
        Ok(found.into_iter().collect())
    }
}

/// Content of an incident's files.
#[derive(Debug)]
pub(super) struct Content {
    /// Bytes of `incident.json`. None: the file does not exist.
    pub(super) incident: Option<Vec<u8>>,
    /// Bytes of `status.txt`. None: the file does not exist.
    pub(super) status: Option<Vec<u8>>,
    /// The open `incident.json`, if it was read from the incident's directory.
    file: Option<File>,
    /// Stamps of both files from before they were read. None: they were not read at once.
    pub(super) stamps: Option<[Stamp; 2]>,
}

/// Reads the files of an incident; those of a pending change take precedence over those in its directory.
pub(super) fn content(own: Option<&Directory>, pending: Option<&Pending>) -> Result<Content, LedgerError> {
    let staged = |name| pending.map(|pending| pending.staged(Part::Incident, name)).transpose().map(Option::flatten);
    let in_directory = |name| match own {
        Some(directory) => directory.read_open(name, limit::INCIDENT_FILE_BYTES),
        None => Ok(None),
    };
    let (incident, file) = match staged(incident::INCIDENT)? {
        Some(bytes) => (Some(bytes), None),
        None => in_directory(incident::INCIDENT)?.map_or((None, None), |(bytes, file)| (Some(bytes), Some(file))),
    };
    let status = match staged(incident::STATUS)? {
        Some(bytes) => Some(bytes),
        None => in_directory(incident::STATUS)?.map(|(bytes, _)| bytes),
    };
    Ok(Content { incident, status, file, stamps: None })
}

/// Like [`content`], for an incident without a pending change, with as few system calls as possible. None:
/// [`content`] must be used.
pub(super) fn content_at_once(shelf: &Directory, id: &IncidentId) -> Option<Content> {
    let read = |name| shelf.read_below(&format!("{id}/{name}"), limit::INCIDENT_FILE_BYTES);
    let ((incident, of_incident), (status, of_status)) = (read(incident::INCIDENT)?, read(incident::STATUS)?);
    let stamps = Some([open::stamp(&of_incident), open::stamp(&of_status)]);
    Some(Content { incident: Some(incident), status: Some(status), file: None, stamps })
}

/// Parses an incident. Its id is the name of its directory and its status the content of `status.txt`, whatever
/// the document says; an unknown or missing status is `new` (seed 3).
pub(super) fn parse(
    id: &IncidentId,
    document: Option<&[u8]>,
    status: Option<&[u8]>,
) -> Result<IncidentDocument, String> {
    let document = document.ok_or("it is missing: restore it, or move the directory away")?;
    let advice = "correct it, or move the directory away";
    let mut found = incident::read(document).map_err(|error| format!("{error}: {advice}"))?;
    found.incident_id = id.clone();
    let status = String::from_utf8_lossy(status.unwrap_or_default());
    found.status = IncidentStatus::read(&status).unwrap_or(IncidentStatus::New);
    Ok(found)
}

/// Opens one of an incident's directories, trying twice because its own directory may be moving right now.
fn open_part(ground: &IncidentRoot, id: &IncidentId, part: Part) -> Result<Option<Directory>, LedgerError> {
    match ground.part(id, part)? {
        Some(directory) => Ok(Some(directory)),
        None => ground.part(id, part),
    }
}
