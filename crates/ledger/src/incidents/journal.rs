//! Atomic changes of incidents, even if the process dies at any time.
//!
//! ```text
//! <root>/.journal/<id>/{incident,plan,handoff,run}/   the new content of the files that a change writes
//! <root>/.journal/<id>/intent.json                    the change is committed as soon as this file exists
//! ```
//!
//! First all new content is staged and synced, in one sync where that is cheaper; then the intent is renamed into
//! place, in one step, and that name is synced: before that nothing has happened, afterwards everything counts as
//! done. Then the files are moved to their destination, the event is appended and synced, and the intent is removed.
//! None of these names needs a sync of its own: names reach the disk in their order, so an intent that is gone
//! is gone after everything that it asked for. Each of these steps can be repeated, so a process that
//! finds the intent of a dead process carries out all of them. Readers see the change as completed in the
//! meantime (`reading`).

use super::intent::{self, Intent, IntentFile, Part};
use referee_model::incident::event::IncidentEventDocument;
use referee_model::incident::id::IncidentId;
use referee_model::limit;
use referee_model::time::Timestamp;
use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::change::{Change, PartFile};
use super::events::Events;
use super::incident_dir::{IncidentDir, Stored};
use super::incident_root::IncidentRoot;
use super::locks::Lock;
use crate::directory::{Directory, FileId, Kind};
use crate::durability;
use crate::error::LedgerError;
use crate::fault;
use crate::paths;

mod finish;

/// Directory of pending changes, below the root.
pub(super) const JOURNAL: &str = ".journal";

pub(super) const INTENT: &str = "intent.json";

/// File name of an intent that is not committed yet.
const BEGUN: &str = "intent.json.begun";

/// A committed change that is not fully applied yet.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) intent: Intent,
    /// Directory of the change in the journal.
    directory: Directory,
    /// File id of the intent, which distinguishes it from any other.
    pub(super) file_id: Option<FileId>,
    /// Kept open, so that no other intent gets the same inode number.
    _open: std::fs::File,
}

impl Pending {
    /// Finds the committed change of an incident that is not complete yet. None: there is none.
    pub(super) fn find(ground: &IncidentRoot, id: &IncidentId) -> Result<Option<Self>, LedgerError> {
        let Some(directory) = ground.descend(&[JOURNAL, id.as_str()])? else { return Ok(None) };
        let Some((bytes, file)) = directory.read_open(INTENT, limit::INCIDENT_FILE_BYTES)? else { return Ok(None) };
        let path = directory.path().join(INTENT);
        let unreadable = |reason: String| LedgerError::Unreadable { path: path.clone(), reason };
        let intent: Intent = intent::KIND.decode(&bytes).map_err(|error| unreadable(error.to_string()))?;
        if intent.incident_id != *id || intent.event.incident_id != *id {
            return Err(unreadable(format!("it is one of incident {}", intent.incident_id)));
        }
        for file in intent.files.iter().chain(&intent.removed) {
            paths::component(&file.name)?;
        }
        Ok(Some(Self { intent, directory, file_id: FileId::of(&file), _open: file }))
    }

    /// Returns the file id of the current intent. None: there is none.
    pub(super) fn id_now(ground: &IncidentRoot, id: &IncidentId) -> Result<Option<FileId>, LedgerError> {
        Ok(ground.descend(&[JOURNAL, id.as_str()])?.and_then(|directory| directory.id_of(INTENT)))
    }

    /// Reads the staged content of a file. None: it is not staged, or no longer.
    pub(super) fn staged(&self, part: Part, name: &str) -> Result<Option<Vec<u8>>, LedgerError> {
        match self.directory.child(part.as_str())? {
            Some(directory) => directory.read_at_most(name, limit::INCIDENT_FILE_BYTES),
            None => Ok(None),
        }
    }

    /// Returns whether the change writes a file.
    pub(super) fn writes(&self, part: Part, name: &str) -> bool {
        self.intent.files.iter().any(|file| file.part == part && file.name == name)
    }

    /// Returns whether the change removes a file.
    pub(super) fn removes(&self, part: Part, name: &str) -> bool {
        self.intent.removed.iter().any(|file| file.part == part && file.name == name)
    }
}

/// Changes an incident; `before` is its state before the change, if it is not a new one. The caller holds the
/// right to change it, and has settled earlier changes.
///
/// # Errors
/// Fails if the change cannot be committed; then nothing has happened. A later error does not undo it: the
/// change stays in the journal, readers see it, and the next process completes it.
pub(super) fn write(
    ground: &IncidentRoot,
    id: &IncidentId,
    before: Option<&Stored>,
    at: Timestamp,
    change: &Change,
) -> Result<(), LedgerError> {
    let staged = stage(ground, id, before, at, change);
    if let Err(error) = staged.and_then(|directory| commit(&directory)) {
        let _ = clear(ground, id);
        return Err(error);
    }
    let _ = settle(ground, id);
    Ok(())
}

/// Settles an incident: completes a committed change, and removes an uncommitted one. The caller holds the
/// right to change the incident.
pub(super) fn settle(ground: &IncidentRoot, id: &IncidentId) -> Result<(), LedgerError> {
    if let Some(pending) = Pending::find(ground, id)? {
        finish::finish(ground, &pending)?;
    }
    clear(ground, id)
}

/// Settles all incidents that no process is changing now. Returns what could not be settled, one sentence each.
pub(super) fn settle_all(ground: &IncidentRoot) -> Vec<String> {
    let names = match ids(ground) {
        Ok(names) => names,
        Err(error) => return vec![error.to_string()],
    };
    let settled = |id: &IncidentId| match Lock::of_changes_now(ground, id)? {
        Some(_lock) => settle(ground, id),
        None => Ok(()),
    };
    let told = |id: &IncidentId| Some(format!("a change of {id} is not finished: {}", settled(id).err()?));
    names.iter().filter_map(told).collect()
}

/// Returns the incidents that have pending changes.
pub(super) fn ids(ground: &IncidentRoot) -> Result<Vec<IncidentId>, LedgerError> {
    let Some(journal) = ground.descend(&[JOURNAL])? else { return Ok(Vec::new()) };
    Ok(journal.entries()?.iter().filter_map(|(name, _)| IncidentId::parse(name).ok()).collect())
}

/// Stages the files of a change. Readers do not see them yet.
fn stage(
    ground: &IncidentRoot,
    id: &IncidentId,
    before: Option<&Stored>,
    at: Timestamp,
    change: &Change,
) -> Result<Directory, LedgerError> {
    let written = change.written(id, ground.root())?;
    let gone = change.gone()?;
    let from = before.map(|before| before.shelf);
    let to = change.shelf.or(from).unwrap_or(IncidentDir::Inbox);
    make_places(ground, id, (from, to), &written)?;
    let event = IncidentEventDocument {
        sequence: 0,
        at,
        incident_id: id.clone(),
        action: change.action.to_owned(),
        from: before.map(|before| before.incident.status),
        to: change.incident.status,
        by: change.told_by(),
        note: change.told_note(),
        previous: None,
    };
    let last = Events::of(ground).last()?;
    let mut intent = Intent::new(to.closing(), last, event);
    intent.files = written.iter().map(|file| IntentFile { part: file.part, name: file.name.clone() }).collect();
    intent.removed = gone;

    let directory = ground.make_hidden(JOURNAL)?.make_unsynced(id.as_str())?;
    let mut staged = Vec::with_capacity(written.len());
    for file in &written {
        let place = directory.make_unsynced(file.part.as_str())?;
        place.write_unsynced(&file.name, &file.bytes)?;
        staged.push((place, file.name.as_str()));
    }
    let bytes = intent::KIND
        .encode(&intent)
        .map_err(|error| LedgerError::Unusable { path: directory.path().join(INTENT), reason: error.to_string() })?;
    directory.write_unsynced(BEGUN, &bytes)?;
    let staged = staged.iter().map(|(place, name)| (place, *name)).chain([(&directory, BEGUN)]);
    durability::sync_contents(&directory, &staged.collect::<Vec<_>>())?;
    Ok(directory)
}

/// Creates the directories that files will be moved to, and checks whether the incident's own can be moved, so
/// that errors occur before the change is committed.
fn make_places(
    ground: &IncidentRoot,
    id: &IncidentId,
    (from, to): (Option<IncidentDir>, IncidentDir),
    written: &[PartFile],
) -> Result<(), LedgerError> {
    let shelf = ground.make(to.directories())?;
    if from != Some(to) && shelf.kind(id.as_str())?.is_some() {
        return Err(LedgerError::Unusable {
            path: shelf.path().join(id.as_str()),
            reason: "it stands where the incident is to be moved: move it away".to_owned(),
        });
    }
    for part in Part::ALL {
        if let Some(name) = part.directory()
            && written.iter().any(|file| file.part == part)
        {
            ground.make(&[name, id.as_str()])?;
        }
    }
    Ok(())
}

/// Commits a change atomically.
fn commit(directory: &Directory) -> Result<(), LedgerError> {
    let path = directory.path().join(INTENT);
    fault::point().map_err(LedgerError::io("write", &path))?;
    rustix::fs::renameat(directory, BEGUN, directory, INTENT).map_err(LedgerError::io("write", &path))?;
    let Err(error) = directory.sync() else { return Ok(()) };
    // The intent may not survive a power loss, so it is removed. If it cannot be removed, the change is
    // committed.
    match directory.discard(INTENT) {
        Ok(()) => Err(error),
        Err(_) => Ok(()),
    }
}

/// Removes the leftovers of a change, none of which counts. The intent was removed first.
fn clear(ground: &IncidentRoot, id: &IncidentId) -> Result<(), LedgerError> {
    let Some(journal) = ground.descend(&[JOURNAL])? else { return Ok(()) };
    let Some(directory) = journal.child(id.as_str())? else { return Ok(()) };
    for (name, kind) in directory.entries()? {
        fault::point().map_err(LedgerError::io("remove", directory.path()))?;
        match (kind, directory.path().join(&name)) {
            (Kind::Directory, path) => {
                if let Some(inner) = directory.child(&name)? {
                    inner.entries()?.iter().try_for_each(|(name, _)| inner.discard(name))?;
                }
                remove_directory(&directory, &name).map_err(LedgerError::io("remove", &path))?;
            }
            _ => directory.discard(&name)?,
        }
    }
    remove_directory(&journal, id.as_str()).map_err(LedgerError::io("remove", directory.path()))
}

fn remove_directory(parent: &Directory, name: &str) -> Result<(), Errno> {
    match rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Err(Errno::NOENT) => Ok(()),
        removed => removed,
    }
}
