//! The directory of the task's latest sealed run, and how a run is published there. The caller of each function
//! must hold the task's lock.

use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::time::Timestamp;

use crate::content_check::meddled;
use crate::directory::{Directory, Exchange};
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::journal_check::{self, Beginning};
use crate::paths;
use crate::seal::{self, SealState};

/// Name in the history of a directory whose run cannot be determined.
pub(crate) const UNKNOWN: &str = "unknown-run";

/// A run is published soon after it ended: its files are synced and a lock is waited for. A run that claims to
/// have started more than this number of milliseconds later comes from a wrong clock or is forged. Without this
/// limit it would stay the task's latest run forever.
const PUBLISHED_WITHIN_MS: u64 = 60 * 60 * 1_000;

/// Content of the task's directory.
#[derive(Debug)]
pub(crate) enum PublishedRun {
    /// No run was published yet.
    Nothing,
    Run {
        found: SealState,
        beginning: Beginning,
    },
}

impl PublishedRun {
    /// Returns the published run if it is sealed.
    pub(crate) fn execution(&self) -> Option<&ExecutionId> {
        match self {
            Self::Nothing => None,
            Self::Run { found, .. } => found.execution(),
        }
    }

    /// Returns the digest of the published run's seal.
    pub(crate) fn digest(&self) -> Option<Digest> {
        match self {
            Self::Nothing => None,
            Self::Run { found, .. } => found.digest(),
        }
    }

    /// Returns the published run if it is sealed and started later than the given time: an older result never
    /// replaces a newer one, whichever run ends first. A run whose start is unknown is not later.
    pub(crate) fn later_than(&self, started: Option<Timestamp>, sealed_at: Timestamp) -> Option<&ExecutionId> {
        let Self::Run { found, beginning } = self else { return None };
        let execution = found.execution()?;
        let own = beginning.execution.as_ref() == Some(execution);
        (own && is_later(beginning.started?, started?, sealed_at)).then_some(execution)
    }
}

/// Returns whether a run that began at `began` started later than another one, and plausibly so.
pub(crate) fn is_later(began: Timestamp, started: Timestamp, sealed_at: Timestamp) -> bool {
    began > started && began <= sealed_at.plus_milliseconds(PUBLISHED_WITHIN_MS)
}

/// Reads the task's directory. A link or a file in its place is an error, and is left as it is.
pub(crate) fn look(root: &Directory, task: &TaskId) -> Result<PublishedRun, LedgerError> {
    match root.child(task.as_str())? {
        None => Ok(PublishedRun::Nothing),
        Some(directory) => {
            Ok(PublishedRun::Run { found: seal::find(&directory)?, beginning: journal_check::beginning(&directory) })
        }
    }
}

/// Publishes a sealed and synced run as the task's latest one; the previous one moves to the history. Only the
/// directory that is held open is published: a different directory that was moved into its place is taken out
/// again.
///
/// Killed at any point, this leaves the previous run or the new one in place; if the file system cannot
/// exchange directories, or there was no previous run, the new one may still be in staging with its seal.
/// [`crate::recovery::settle`] continues from each of these states.
pub(crate) fn take(
    root: &Directory,
    runs: &Directory,
    task: &TaskId,
    execution: &ExecutionId,
    held: &Directory,
) -> Result<(), LedgerError> {
    // The history is opened before anything moves, so that an error occurs early.
    let history = history(root, task)?;
    let standing = look(root, task)?;
    own(held, runs, execution)?;
    let exchanged = match standing {
        PublishedRun::Nothing => false,
        PublishedRun::Run { .. } => runs.exchange(execution.as_str(), root, task.as_str())? == Exchange::Done,
    };
    if !exchanged {
        if let PublishedRun::Run { .. } = standing {
            retire(root, task.as_str(), &history)?;
            history.sync()?;
        }
        if !runs.move_to(execution.as_str(), root, task.as_str())? {
            return Err(LedgerError::NotADirectory { path: root.path().join(task.as_str()) });
        }
    }
    if !held.stands_in(root, task.as_str()) {
        // The previous run goes back to its place; if that fails, the place stays empty.
        let back = exchanged && matches!(runs.exchange(execution.as_str(), root, task.as_str()), Ok(Exchange::Done));
        if !back {
            bury(root, task.as_str(), &history, UNKNOWN)?;
        }
        return Err(swapped(held));
    }
    root.sync()?;
    if exchanged {
        // A power loss may undo this; the previous run is then found in staging.
        retire(runs, execution.as_str(), &history)?;
    }
    Ok(())
}

/// Moves a sealed and synced run straight into the history, because a later one is the task's latest run.
/// Returns its name there.
pub(crate) fn file_away(
    root: &Directory,
    runs: &Directory,
    task: &TaskId,
    execution: &ExecutionId,
    held: &Directory,
) -> Result<String, LedgerError> {
    let history = history(root, task)?;
    own(held, runs, execution)?;
    let given = bury(runs, execution.as_str(), &history, execution.as_str())?;
    if !held.stands_in(&history, &given) {
        bury(&history, &given, &history, UNKNOWN)?;
        return Err(swapped(held));
    }
    Ok(given)
}

/// Returns whether the staging directory of this run is the one that is held open.
pub(crate) fn is_staged(site: &EvidenceRoot, task: &TaskId, execution: &ExecutionId, held: &Directory) -> bool {
    let runs = site.runs_if_any(task).ok().flatten();
    runs.is_some_and(|runs| held.stands_in(&runs, execution.as_str()))
}

/// Handles a run whose directory was moved away by another process: takes the directory that now has its name
/// out of staging, so that it is never published as this run, and leaves an empty directory as the sign that
/// the run was never sealed.
pub(crate) fn disown(
    site: &EvidenceRoot,
    task: &TaskId,
    execution: &ExecutionId,
    held: &Directory,
) -> Result<(), LedgerError> {
    let root = &site.root;
    let runs = site.runs(task)?;
    let history = history(root, task)?;
    let name = execution.as_str();
    let in_history =
        || Ok::<_, LedgerError>(history.entries()?.iter().any(|(entry, _)| held.stands_in(&history, entry)));
    if held.stands_in(&runs, name) || held.stands_in(root, task.as_str()) || in_history()? {
        return Ok(());
    }
    if runs.kind(name)?.is_some() {
        bury(&runs, name, &history, UNKNOWN)?;
    }
    runs.make_new(name)?;
    runs.sync()
}

/// Checks that the staging directory of this run is the one that is held open.
fn own(held: &Directory, runs: &Directory, execution: &ExecutionId) -> Result<(), LedgerError> {
    if held.stands_in(runs, execution.as_str()) { Ok(()) } else { Err(swapped(held)) }
}

/// Returns the error for a run directory that was moved or replaced.
pub(crate) fn swapped(held: &Directory) -> LedgerError {
    meddled(held, "the directory was moved away or replaced".to_owned())
}

/// Returns the run that a directory belongs to, by its seal or else its journal. None: neither names one.
pub(crate) fn execution_of(directory: &Directory) -> Result<Option<ExecutionId>, LedgerError> {
    let sealed = seal::find(directory)?.execution().cloned();
    Ok(sealed.or_else(|| journal_check::beginning(directory).execution))
}

/// Opens the directory of a task's earlier runs, creating it if it is missing.
pub(crate) fn history(root: &Directory, task: &TaskId) -> Result<Directory, LedgerError> {
    root.make_unsynced(paths::HISTORY)?.make_unsynced(task.as_str())
}

/// Moves a directory to the history as it is, named after its run if that is known. Nothing is synced.
pub(crate) fn retire(from: &Directory, name: &str, history: &Directory) -> Result<(), LedgerError> {
    let path = from.path().join(name);
    let directory = from.child(name)?.ok_or_else(|| LedgerError::io("find", &path)(rustix::io::Errno::NOENT))?;
    let execution = execution_of(&directory)?;
    file_under(from, name, history, execution.as_ref().map_or(UNKNOWN, ExecutionId::as_str)).map(drop)
}

/// Moves a directory to the history under a name, with a number appended if the name is taken. Returns the
/// final name.
pub(crate) fn bury(from: &Directory, name: &str, history: &Directory, wanted: &str) -> Result<String, LedgerError> {
    let given = file_under(from, name, history, wanted)?;
    history.sync()?;
    from.sync()?;
    Ok(given)
}

fn file_under(from: &Directory, name: &str, history: &Directory, wanted: &str) -> Result<String, LedgerError> {
    let mut given = wanted.to_owned();
    let mut number = 1_u32;
    while !from.move_to(name, history, &given)? {
        number += 1;
        given = format!("{wanted}-{number}");
    }
    Ok(given)
}
