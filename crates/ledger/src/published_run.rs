//! The task's place: where the latest sealed run stands, and how a run takes it. Every function here wants the task's
//! lock to be held.

use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::time::Timestamp;

use crate::content_check::meddled;
use crate::directory::{Directory, Exchange};
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::journal_check::{self, Beginning};
use crate::paths;
use crate::seal::{self, SealState};

/// The name under which a directory goes into history that tells by nothing which run it was.
pub(crate) const UNKNOWN: &str = "unknown-run";

/// A run is published soon after it ended: its files are synced and a lock is waited for. What claims to have started
/// so much later, in milliseconds, was not there meanwhile, but comes from a clock that went wrong or from a forger.
/// Without this limit it would stand in the task's place for ever.
const PUBLISHED_WITHIN_MS: u64 = 60 * 60 * 1_000;

/// What stands in the task's place.
#[derive(Debug)]
pub(crate) enum PublishedRun {
    /// Nothing: no run was published yet.
    Nothing,
    Run {
        found: SealState,
        beginning: Beginning,
    },
}

impl PublishedRun {
    /// Returns the run that stands there, as far as it is sealed.
    pub(crate) fn execution(&self) -> Option<&ExecutionId> {
        match self {
            Self::Nothing => None,
            Self::Run { found, .. } => found.execution(),
        }
    }

    /// Returns the digest of the seal that stands there.
    pub(crate) fn digest(&self) -> Option<Digest> {
        match self {
            Self::Nothing => None,
            Self::Run { found, .. } => found.digest(),
        }
    }

    /// Returns the run that stands there, where it is sealed and started later than another: a result that is older
    /// never replaces one that is newer, whichever run ends first. A run whose start cannot be told is not later.
    pub(crate) fn later_than(&self, started: Option<Timestamp>, sealed_at: Timestamp) -> Option<&ExecutionId> {
        let Self::Run { found, beginning } = self else { return None };
        let execution = found.execution()?;
        let own = beginning.execution.as_ref() == Some(execution);
        (own && is_later(beginning.started?, started?, sealed_at)).then_some(execution)
    }
}

/// Whether a run that began at a time began later than another, and can have.
pub(crate) fn is_later(began: Timestamp, started: Timestamp, sealed_at: Timestamp) -> bool {
    began > started && began <= sealed_at.plus_milliseconds(PUBLISHED_WITHIN_MS)
}

/// Looks at the task's place. A link or a file there is an error, and stays untouched.
pub(crate) fn look(root: &Directory, task: &TaskId) -> Result<PublishedRun, LedgerError> {
    match root.child(task.as_str())? {
        None => Ok(PublishedRun::Nothing),
        Some(directory) => {
            Ok(PublishedRun::Run { found: seal::find(&directory)?, beginning: journal_check::beginning(&directory) })
        }
    }
}

/// Puts a run that is sealed and synced into the task's place; what stood there goes into history. Only the directory
/// that is held comes to stand there: another one that somebody moved into its place is taken out again.
///
/// Killed at any point, this leaves the former run in place, or the new one; where the file system cannot exchange, or
/// the place was empty, the new one may still be in staging with its seal. [`crate::recovery::settle`] goes on from
/// each.
pub(crate) fn take(
    root: &Directory,
    runs: &Directory,
    task: &TaskId,
    execution: &ExecutionId,
    held: &Directory,
) -> Result<(), LedgerError> {
    // History is opened before anything moves, so that what can be refused is refused in time.
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
        // The former run returns to its place; where there is no way back the place stays empty.
        let back = exchanged && matches!(runs.exchange(execution.as_str(), root, task.as_str()), Ok(Exchange::Done));
        if !back {
            bury(root, task.as_str(), &history, UNKNOWN)?;
        }
        return Err(swapped(held));
    }
    root.sync()?;
    if exchanged {
        // A power loss may take this back: the former run is found in staging then.
        retire(runs, execution.as_str(), &history)?;
    }
    Ok(())
}

/// Puts a run that is sealed and synced straight into history, because a later one stands in the task's place. Returns
/// the name it got there.
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

/// Says whether the directory of this run in staging is the one that is held.
pub(crate) fn is_staged(site: &EvidenceRoot, task: &TaskId, execution: &ExecutionId, held: &Directory) -> bool {
    let runs = site.runs_if_any(task).ok().flatten();
    runs.is_some_and(|runs| held.stands_in(&runs, execution.as_str()))
}

/// Where the held directory of a run was moved away by somebody else: takes what bears its name out of staging, so that
/// it is never published as this run, and leaves an empty directory, which tells that the run was never sealed.
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

/// Makes sure that the directory of this run in staging is the one that is held.
fn own(held: &Directory, runs: &Directory, execution: &ExecutionId) -> Result<(), LedgerError> {
    if held.stands_in(runs, execution.as_str()) { Ok(()) } else { Err(swapped(held)) }
}

/// Tells that a run's directory does not stand where it was made.
pub(crate) fn swapped(held: &Directory) -> LedgerError {
    meddled(held, "the directory was moved away or replaced".to_owned())
}

/// Returns the run that a directory is of, by its seal, or else by its journal. None: neither says.
pub(crate) fn execution_of(directory: &Directory) -> Result<Option<ExecutionId>, LedgerError> {
    let sealed = seal::find(directory)?.execution().cloned();
    Ok(sealed.or_else(|| journal_check::beginning(directory).execution))
}

/// Opens the directory of a task's earlier runs.
pub(crate) fn history(root: &Directory, task: &TaskId) -> Result<Directory, LedgerError> {
    root.make_unsynced(paths::HISTORY)?.make_unsynced(task.as_str())
}

/// Moves a directory into history as it is, under the name of its run where it tells. Nothing is synced.
pub(crate) fn retire(from: &Directory, name: &str, history: &Directory) -> Result<(), LedgerError> {
    let path = from.path().join(name);
    let directory = from.child(name)?.ok_or_else(|| LedgerError::io("find", &path)(rustix::io::Errno::NOENT))?;
    let execution = execution_of(&directory)?;
    file_under(from, name, history, execution.as_ref().map_or(UNKNOWN, ExecutionId::as_str)).map(drop)
}

/// Moves a directory into history under a name, with a number after it where the name is taken; returns the name it
/// got.
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
