//! Atomic changes of incidents, even if the process dies at any time.
//!
//! ```text
//! <root>/.journal/<id>/{incident,plan,handoff,run}/   what the files of a change are to hold
//! <root>/.journal/<id>/intent.json                    the change is certain from the moment that this stands here
//! ```
//!
//! First everything is laid down and brought to disk; then the intent takes its name, in one step: before it nothing has happened,
//! after it everything has. Then the files are moved to where they belong, the event is told, and the intent is removed. Each of
//! these steps can be done twice, so whoever finds an intent of a process that is gone does them all. Whoever reads meanwhile
//! takes what the intent says (`reading`).

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
    /// As long as it is open no other intent has its number.
    _open: std::fs::File,
}

impl Pending {
    /// Finds the change of an incident that is certain and has not happened to its end. None: there is none.
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

    /// Returns what tells the intent that stands there now from any other. None: there is none.
    pub(super) fn id_now(ground: &IncidentRoot, id: &IncidentId) -> Result<Option<FileId>, LedgerError> {
        Ok(ground.descend(&[JOURNAL, id.as_str()])?.and_then(|directory| directory.id_of(INTENT)))
    }

    /// Reads what a file is to hold. None: it does not lie here, or no longer.
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

/// Makes a change of an incident, which was `before`, if it is no new one. Whoever calls this has the right to, and settled what
/// was there before.
///
/// # Errors
/// Fails where it cannot be made certain; then nothing has happened. What goes wrong later does not undo it: it stands in the
/// journal, readers see it, and whoever comes next finishes it.
pub(super) fn write(
    ground: &IncidentRoot,
    id: &IncidentId,
    before: Option<&Stored>,
    at: Timestamp,
    change: &Change,
) -> Result<(), LedgerError> {
    let staged = stage(ground, id, before, at, change);
    if let Err(error) = staged.and_then(|directory| commit(ground, &directory)) {
        let _ = clear(ground, id);
        return Err(error);
    }
    let _ = settle(ground, id);
    Ok(())
}

/// Brings an incident to where nothing is under way: finishes what is certain, and clears away what is not. Whoever calls this has
/// the right to change it.
pub(super) fn settle(ground: &IncidentRoot, id: &IncidentId) -> Result<(), LedgerError> {
    if let Some(pending) = Pending::find(ground, id)? {
        finish::finish(ground, &pending)?;
    }
    clear(ground, id)
}

/// Settles all incidents that nobody is changing now. Returns what could not be settled, in sentences.
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

/// Lays down what a change consists of. Nobody sees any of it yet.
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

    let directory = ground.make_hidden(JOURNAL)?.make(id.as_str())?;
    for part in Part::ALL {
        let mut files = written.iter().filter(|file| file.part == part).peekable();
        if files.peek().is_none() {
            continue;
        }
        let place = directory.make(part.as_str())?;
        for file in files {
            place.write_new(&file.name, &file.bytes)?;
        }
        place.sync()?;
    }
    let bytes = intent::KIND
        .encode(&intent)
        .map_err(|error| LedgerError::Unusable { path: directory.path().join(INTENT), reason: error.to_string() })?;
    directory.write_new(BEGUN, &bytes)?;
    Ok(directory)
}

/// Makes the directories that files will be moved to, and looks whether the incident's own can be moved: what can fail
/// is to fail now.
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
fn commit(ground: &IncidentRoot, directory: &Directory) -> Result<(), LedgerError> {
    let path = directory.path().join(INTENT);
    // Its directory must have a name on disk before it holds what is certain.
    if let Some(journal) = ground.descend(&[JOURNAL])? {
        journal.sync()?;
    }
    fault::point().map_err(LedgerError::io("write", &path))?;
    rustix::fs::renameat(directory, BEGUN, directory, INTENT).map_err(LedgerError::io("write", &path))?;
    let Err(error) = directory.sync() else { return Ok(()) };
    // It is not certain that it stays: then it is better gone. Where it does not go, it has happened.
    match directory.discard(INTENT) {
        Ok(()) => Err(error),
        Err(_) => Ok(()),
    }
}

/// Clears away what is left of a change, none of which counts. The intent went first.
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
