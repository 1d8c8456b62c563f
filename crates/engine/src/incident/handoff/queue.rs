//! A package in the queue of an executor.

use std::path::{Path, PathBuf};

use referee_ledger::LedgerError;
use referee_ledger::handoff_queue::HandoffQueue;
use referee_model::document::{from_bytes, to_bytes};
use referee_model::incident::handoff::{HANDOFF, HandoffDocument};
use referee_model::incident::id::IncidentId;

use super::super::IncidentError;

/// A package that is in the queue, or nowhere but with the incident.
pub(super) struct Placed {
    /// The package: prepared when the one in the queue was, if that says the same.
    pub(super) package: HandoffDocument,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// Where it lies. None: nowhere.
    pub(super) path: Option<PathBuf>,
    deed: QueueChange,
}

/// What was done to the queue.
enum QueueChange {
    /// Nothing.
    Nothing,
    /// It was put there, where nothing was, or what could not be read.
    Put(HandoffQueue),
    /// It took the place of this one.
    Replaced(HandoffQueue, Vec<u8>),
}

impl Placed {
    /// A package that is put nowhere.
    pub(super) fn nowhere(package: &HandoffDocument) -> Result<Self, IncidentError> {
        Ok(Self { bytes: to_bytes(package)?, package: package.clone(), path: None, deed: QueueChange::Nothing })
    }

    /// Leaves the queue as it was.
    pub(super) fn undo(&self, id: &IncidentId) -> Result<(), IncidentError> {
        match &self.deed {
            QueueChange::Nothing => {}
            QueueChange::Put(queue) => drop(queue.take_back(id, &self.bytes)?),
            QueueChange::Replaced(queue, before) => queue.replace(id, before)?,
        }
        Ok(())
    }
}

/// Puts a package into a queue. One that says the same is left as it is: then a handoff goes on that was cut off.
///
/// # Errors
/// Fails where another package, or something that is no file, is there, and it is not to be replaced. Nothing is changed then.
pub(super) fn place(directory: &Path, package: &HandoffDocument, force: bool) -> Result<Placed, IncidentError> {
    let id = &package.incident_id;
    let queue = HandoffQueue::open(directory).map_err(in_the_way)?;
    let path = Some(queue.path_of(id));
    let bytes = to_bytes(package)?;
    let there = match queue.read(id) {
        Err(_) if force => None,
        read => read.map_err(in_the_way)?,
    };
    if let Some(there) = &there
        && let Some(same) = same(there, package)?
    {
        return Ok(Placed { package: same, bytes: there.clone(), path, deed: QueueChange::Nothing });
    }
    let package = package.clone();
    if force {
        queue.replace(id, &bytes).map_err(in_the_way)?;
        let deed = match there {
            Some(there) => QueueChange::Replaced(queue, there),
            None => QueueChange::Put(queue),
        };
        return Ok(Placed { package, bytes, path, deed });
    }
    if there.is_none() && queue.put(id, &bytes)? {
        return Ok(Placed { package, bytes, path, deed: QueueChange::Put(queue) });
    }
    Err(IncidentError::Refused(format!(
        "{} holds another package of incident {id}: look at it, then pass --force to replace it",
        queue.path_of(id).display()
    )))
}

/// Takes a package out of the queue that it lies in, if it is still this one.
pub(super) fn take_back(path: &Path, id: &IncidentId, package: &[u8]) -> Result<(), IncidentError> {
    let Some(directory) = path.parent().filter(|_| path.is_absolute()) else { return Ok(()) };
    if let Some(queue) = HandoffQueue::find(directory)? {
        queue.take_back(id, package)?;
    }
    Ok(())
}

/// Returns where the package of an incident lies in a queue.
pub(super) fn path_of(directory: &Path, id: &IncidentId) -> PathBuf {
    directory.join(format!("{id}.json"))
}

/// Returns the package in the queue, if it is this one, prepared at another time.
fn same(there: &[u8], package: &HandoffDocument) -> Result<Option<HandoffDocument>, IncidentError> {
    let Ok(found) = from_bytes(HANDOFF, there) else { return Ok(None) };
    let is_same = package.says_the_same(&found) && to_bytes(&found)? == there;
    Ok(is_same.then_some(found))
}

/// A link, a directory or a device in the way is for a person to look at.
fn in_the_way(error: LedgerError) -> IncidentError {
    match error {
        LedgerError::NotAFile { .. } | LedgerError::NotADirectory { .. } | LedgerError::TooLarge { .. } => {
            IncidentError::Refused(error.to_string())
        }
        other => IncidentError::Store(other),
    }
}
