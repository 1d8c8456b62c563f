//! A package in the queue of an executor.

use std::path::{Path, PathBuf};

use referee_ledger::LedgerError;
use referee_ledger::handoff_queue::HandoffQueue;
use referee_model::document::{from_bytes, to_bytes};
use referee_model::incident::handoff::{HANDOFF, HandoffDocument};
use referee_model::incident::id::IncidentId;

use super::super::IncidentError;

/// A package that is in the queue, or only with the incident.
pub(super) struct Placed {
    /// The package. If an equal one is in the queue already, it has the time of preparation of that one.
    pub(super) package: HandoffDocument,
    /// Serialized package.
    pub(super) bytes: Vec<u8>,
    /// Path in the queue. `None` if it is in no queue.
    pub(super) path: Option<PathBuf>,
    operation: QueueChange,
}

/// A change of the queue.
enum QueueChange {
    /// No change.
    Nothing,
    /// The package was added, where there was none or an unreadable one.
    Put(HandoffQueue),
    /// The package replaced this one.
    Replaced(HandoffQueue, Vec<u8>),
}

impl Placed {
    /// Returns a package that is put in no queue.
    pub(super) fn nowhere(package: &HandoffDocument) -> Result<Self, IncidentError> {
        Ok(Self { bytes: to_bytes(package)?, package: package.clone(), path: None, operation: QueueChange::Nothing })
    }

    /// Restores the earlier state of the queue.
    pub(super) fn undo(&self, id: &IncidentId) -> Result<(), IncidentError> {
        match &self.operation {
            QueueChange::Nothing => {}
            QueueChange::Put(queue) => drop(queue.take_back(id, &self.bytes)?),
            QueueChange::Replaced(queue, before) => queue.replace(id, before)?,
        }
        Ok(())
    }
}

/// Puts a package into a queue. An equal one is left as it is: then an interrupted handoff is continued.
///
/// # Errors
/// Fails if a different package, or something that is no file, is there and must not be replaced. Nothing is
/// changed then.
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
        return Ok(Placed { package: same, bytes: there.clone(), path, operation: QueueChange::Nothing });
    }
    let package = package.clone();
    if force {
        queue.replace(id, &bytes).map_err(in_the_way)?;
        let operation = match there {
            Some(there) => QueueChange::Replaced(queue, there),
            None => QueueChange::Put(queue),
        };
        return Ok(Placed { package, bytes, path, operation });
    }
    if there.is_none() && queue.put(id, &bytes)? {
        return Ok(Placed { package, bytes, path, operation: QueueChange::Put(queue) });
    }
    Err(IncidentError::Refused(format!(
        "{} holds another package of incident {id}: look at it, then pass --force to replace it",
        queue.path_of(id).display()
    )))
}

/// Removes a package from its queue, if it is unchanged there.
pub(super) fn take_back(path: &Path, id: &IncidentId, package: &[u8]) -> Result<(), IncidentError> {
    let Some(directory) = path.parent().filter(|_| path.is_absolute()) else { return Ok(()) };
    if let Some(queue) = HandoffQueue::find(directory)? {
        queue.take_back(id, package)?;
    }
    Ok(())
}

/// Returns the path of an incident's package in a queue.
pub(super) fn path_of(directory: &Path, id: &IncidentId) -> PathBuf {
    directory.join(format!("{id}.json"))
}

/// Returns the package in the queue, if it equals this one except for its time of preparation.
fn same(there: &[u8], package: &HandoffDocument) -> Result<Option<HandoffDocument>, IncidentError> {
    let Ok(found) = from_bytes(HANDOFF, there) else { return Ok(None) };
    let is_same = package.says_the_same(&found) && to_bytes(&found)? == there;
    Ok(is_same.then_some(found))
}

/// A link, a directory or a device in the way needs a person's attention.
fn in_the_way(error: LedgerError) -> IncidentError {
    match error {
        LedgerError::NotAFile { .. } | LedgerError::NotADirectory { .. } | LedgerError::TooLarge { .. } => {
            IncidentError::Refused(error.to_string())
        }
        other => IncidentError::Store(other),
    }
}
