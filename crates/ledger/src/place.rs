//! The task's place: where the latest sealed run stands, and how a run takes it. Every function here wants the task's
//! lock to be held.

use referee_model::id::{ExecutionId, TaskId};

use crate::error::LedgerError;
use crate::folder::{Exchange, Folder};
use crate::journal_check;
use crate::paths;
use crate::seal::{self, Found};

/// The name under which a folder goes into history that tells by nothing which run it was.
const UNKNOWN: &str = "unknown-run";

/// What stands in the task's place.
#[derive(Debug)]
pub(crate) enum Standing {
    /// Nothing: no run was published yet.
    Nothing,
    /// A folder.
    Run(Found),
}

impl Standing {
    /// Returns the run that stands there, as far as it is sealed.
    pub(crate) fn execution(&self) -> Option<&ExecutionId> {
        match self {
            Self::Nothing => None,
            Self::Run(found) => found.execution(),
        }
    }
}

/// Looks at the task's place. A link or a file there is an error, and stays untouched.
pub(crate) fn look(root: &Folder, task: &TaskId) -> Result<Standing, LedgerError> {
    match root.child(task.as_str())? {
        None => Ok(Standing::Nothing),
        Some(folder) => Ok(Standing::Run(seal::find(&folder)?)),
    }
}

/// Puts a run that is sealed and synced into the task's place; what stood there goes into history.
///
/// Killed at any point, this leaves the former run in place, or the new one; where the file system cannot exchange, or
/// the place was empty, the new one may still be in staging with its seal. [`crate::recovery::settle`] goes on from
/// each.
pub(crate) fn take(root: &Folder, task: &TaskId, execution: &ExecutionId) -> Result<(), LedgerError> {
    let runs = root.make(paths::STAGING)?.make(task.as_str())?;
    // History is opened before anything moves, so that what can be refused is refused in time.
    let history = history(root, task)?;
    let standing = look(root, task)?;
    let exchanged = match standing {
        Standing::Nothing => false,
        Standing::Run(_) => runs.exchange(execution.as_str(), root, task.as_str())? == Exchange::Done,
    };
    if !exchanged {
        if let Standing::Run(_) = standing {
            retire(root, task.as_str(), &history)?;
        }
        if !runs.move_to(execution.as_str(), root, task.as_str())? {
            return Err(LedgerError::NotAFolder { path: root.path().join(task.as_str()) });
        }
    }
    root.sync()?;
    if exchanged {
        retire(&runs, execution.as_str(), &history)?;
    }
    runs.sync()
}

/// Opens the folder of a task's earlier runs.
pub(crate) fn history(root: &Folder, task: &TaskId) -> Result<Folder, LedgerError> {
    root.make(paths::HISTORY)?.make(task.as_str())
}

/// Moves a folder into history as it is, under the name of its run where it tells.
pub(crate) fn retire(from: &Folder, name: &str, history: &Folder) -> Result<(), LedgerError> {
    let path = from.path().join(name);
    let folder = from.child(name)?.ok_or_else(|| LedgerError::io("find", &path)(rustix::io::Errno::NOENT))?;
    let execution = match seal::find(&folder)?.execution() {
        Some(execution) => Some(execution.clone()),
        None => journal_check::beginning(&folder).execution,
    };
    bury(from, name, history, execution.as_ref().map_or(UNKNOWN, ExecutionId::as_str)).map(|_| ())
}

/// Moves a folder into history under a name, with a number after it where the name is taken; returns the name it got.
pub(crate) fn bury(from: &Folder, name: &str, history: &Folder, wanted: &str) -> Result<String, LedgerError> {
    let mut given = wanted.to_owned();
    let mut number = 1_u32;
    while !from.move_to(name, history, &given)? {
        number += 1;
        given = format!("{wanted}-{number}");
    }
    history.sync()?;
    from.sync()?;
    Ok(given)
}
