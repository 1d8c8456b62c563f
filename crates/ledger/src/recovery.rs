//! What is left of runs that died.
//!
//! The seal is the point of no return: a run that died before its seal was in place is unfinished for ever; one that
//! died afterwards lost nothing, and its publication is completed.

use std::path::PathBuf;

use referee_model::id::{ExecutionId, TaskId};
use referee_model::time::Timestamp;

use crate::error::LedgerError;
use crate::folder::{Folder, Kind};
use crate::journal_check;
use crate::lock;
use crate::paths;
use crate::place;
use crate::seal::{self, Found};
use crate::verify;

/// A run that was started and never sealed. It makes its task BLOCKED: an old pass never stands for a dead run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The run.
    pub execution: ExecutionId,
    /// When it started, where its journal tells.
    pub started: Option<Timestamp>,
    /// Whether it still goes on.
    pub live: bool,
    /// Where its folder is.
    pub path: PathBuf,
}

/// What a folder in staging is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A run that goes on.
    Live,
    /// What stood in the task's place before the run of this name took it; the move to history is still to come.
    Replaced,
    /// A run that is sealed and whole, and not yet in its place.
    Sealed,
    /// A run that died before its seal.
    Dead,
}

/// Lists the runs of a task that are not sealed, by name. Changes nothing. Wants the task's lock.
pub(crate) fn unfinished(root: &Folder, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
    let mut unfinished = Vec::new();
    for run in staged(root, task)? {
        match run.state {
            State::Replaced => {}
            // A sealed run that is not in its place yet gives no answer either until it is.
            State::Live | State::Sealed | State::Dead => unfinished.push(run.unfinished()),
        }
    }
    Ok(unfinished)
}

/// Completes publications that were cut off after the seal, save that of the run that is being published by the caller:
/// its folder is known to the caller, and what bears its name may be somebody else's. Wants the task's lock, alone.
pub(crate) fn settle(root: &Folder, task: &TaskId, own: Option<&ExecutionId>) -> Result<(), LedgerError> {
    for run in staged(root, task)?.into_iter().filter(|run| Some(&run.execution) != own) {
        match run.state {
            State::Replaced => place::retire(&run.runs, run.execution.as_str(), &place::history(root, task)?)?,
            State::Sealed => complete(root, task, &run)?,
            State::Live | State::Dead => {}
        }
    }
    Ok(())
}

/// Completes the publication of one run, as the run itself would have gone on.
fn complete(root: &Folder, task: &TaskId, run: &Staged) -> Result<(), LedgerError> {
    let started = journal_check::beginning(&run.folder).started;
    let sealed_at = match seal::find(&run.folder)? {
        Found::Sealed { seal, .. } => seal.sealed_at,
        // It was sealed a moment ago; what it is now the next look will say.
        Found::Missing | Found::Unreadable { .. } => return Ok(()),
    };
    if place::look(root, task)?.later_than(started, sealed_at).is_some() {
        place::file_away(root, task, &run.execution, &run.folder).map(|_| ())
    } else {
        place::take(root, task, &run.execution, &run.folder)
    }
}

/// Moves runs that died before their seal into history as they are, and returns them. Wants the task's lock, alone.
pub(crate) fn bury(root: &Folder, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
    let mut buried = Vec::new();
    for run in staged(root, task)? {
        if run.state == State::Dead {
            let name = run.execution.as_str();
            let history = place::history(root, task)?;
            let given = place::bury(&run.runs, name, &history, name)?;
            buried.push(Unfinished { path: history.path().join(given), ..run.unfinished() });
        }
    }
    Ok(buried)
}

/// A folder in staging.
#[derive(Debug)]
struct Staged {
    execution: ExecutionId,
    state: State,
    runs: Folder,
    folder: Folder,
}

impl Staged {
    fn unfinished(&self) -> Unfinished {
        Unfinished {
            execution: self.execution.clone(),
            started: journal_check::beginning(&self.folder).started,
            live: self.state == State::Live,
            path: self.folder.path().to_path_buf(),
        }
    }
}

/// Looks at all folders in staging that carry the name of a run.
fn staged(root: &Folder, task: &TaskId) -> Result<Vec<Staged>, LedgerError> {
    let Some(runs) = root.child(paths::STAGING)?.map(|staging| staging.child(task.as_str())).transpose()?.flatten()
    else {
        return Ok(Vec::new());
    };
    let published = place::look(root, task)?;
    let mut staged = Vec::new();
    for (name, kind) in runs.entries()? {
        let (Kind::Folder, Ok(execution)) = (kind, ExecutionId::parse(name.as_str())) else { continue };
        // A run may be moved on between the list and this look only where the lock is not held, so it is not missed.
        let Some(folder) = runs.child(&name)? else { continue };
        let state = if published.execution() == Some(&execution) {
            State::Replaced
        } else if lock::is_live(&folder.again()?)? {
            State::Live
        } else if is_sealed(&folder, task, &execution)? {
            State::Sealed
        } else {
            State::Dead
        };
        staged.push(Staged { execution, state, runs: runs.again()?, folder });
    }
    Ok(staged)
}

/// Says whether a run's own seal is there and everything is as it says.
fn is_sealed(folder: &Folder, task: &TaskId, execution: &ExecutionId) -> Result<bool, LedgerError> {
    if seal::find(folder)?.execution() != Some(execution) {
        return Ok(false);
    }
    let integrity = verify::check(folder)?;
    Ok(integrity.findings.is_empty() && integrity.seal.is_some_and(|seal| seal.task_id == *task))
}
