//! Composes the directory of a workflow run, completely or not at all: in a hidden directory that is then
//! renamed to its final name in one step.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use referee_model::id::Digest;
use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::log::{LOG, StageChange, StageLogLine};
use referee_model::stage::log_end::LogEnd;
use referee_model::stage::path::StagePath;
use referee_model::stage::run::{WF_RUN, WfRunDocument, WfRunStage, WfRunStatus, WfRunWorkflow};
use referee_model::time::Timestamp;

use super::head;
use super::writer::rendered;
use crate::chance::chance;
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::lock::{self, FileLock};
use crate::log_end::{self, after, nothing};
use crate::state::State;

/// Content of a new workflow run.
#[derive(Debug, Clone)]
pub struct Composition {
    pub at: Timestamp,
    pub by: String,
    /// The workflow's directory, as given by the user.
    pub source: String,
    /// Name of the workflow.
    pub name: String,
    pub version: String,
    /// The directory that the stages' specifications apply to.
    pub workspace: PathBuf,
    /// The stages in their declared order.
    pub stages: Vec<StageId>,
    /// The files, by their paths in the run's directory. They never change afterwards.
    pub files: BTreeMap<StagePath, Vec<u8>>,
    /// Directories that are created empty.
    pub directories: Vec<StagePath>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedRun {
    pub run_id: StageRunId,
    pub path: PathBuf,
}

/// Length of the random part in the name of a directory that is being composed.
const CHANCE_CHARACTERS: usize = 32;

/// Composes a run below a directory, under the first free number of the day (WF-01). Leftovers of composing
/// processes that were killed are removed.
///
/// # Errors
/// Fails on I/O errors; nothing is left then.
pub fn compose(output: &Path, state: &State, composition: &Composition) -> Result<ComposedRun, LedgerError> {
    let missing: Vec<&Path> =
        output.ancestors().take_while(|directory| !directory.as_os_str().is_empty() && !directory.exists()).collect();
    let composed = std::fs::create_dir_all(output)
        .map_err(LedgerError::io("make the directory", output))
        .and_then(|()| compose_below(output, state, composition));
    if composed.is_err() {
        for directory in missing {
            // Only an empty directory is removed.
            let _ = std::fs::remove_dir(directory);
        }
    }
    composed
}

fn compose_below(output: &Path, state: &State, composition: &Composition) -> Result<ComposedRun, LedgerError> {
    let output = std::fs::canonicalize(output).map_err(LedgerError::io("find", output))?;
    for own in [WF_RUN, LOG] {
        if composition.files.keys().any(|path| path.as_str() == own) {
            let reason = format!("a workflow brings no file {own}: Referee writes it");
            return Err(LedgerError::Unusable { path: output.join(own), reason });
        }
    }
    let parent = Directory::open(&output)?;
    let chance = format!("{:032x}", u128::from_be_bytes(chance(&output)?));
    let name = format!(".run-{}.partial-{chance}", composition.at.day());
    let composed = staged(&parent, &name).and_then(|directory| {
        fill(&directory, composition)?;
        take_place(&parent, &name, &directory, state, composition, &chance)
    });
    if composed.is_err() {
        let _ = std::fs::remove_dir_all(output.join(&name));
    }
    composed
}

/// Creates the hidden directory, which stays locked while this process composes in it, and removes those that
/// no process is composing in.
fn staged(parent: &Directory, name: &str) -> Result<FileLock<Directory>, LedgerError> {
    // While this lock is held, no other process can find the directory before it is marked as live.
    let _lock = lock::of_directory(parent)?;
    for (name, kind) in parent.entries()? {
        if kind != Kind::Directory || !is_partial(&name) {
            continue;
        }
        let Some(left) = parent.child(&name)? else { continue };
        let path = left.path().to_path_buf();
        if !lock::is_live(&left)? {
            // A directory that cannot be removed does no harm.
            let _ = std::fs::remove_dir_all(path);
        }
    }
    lock::of_directory(&parent.make(name)?)
}

/// Returns whether this is the name of a directory in which a run is composed.
fn is_partial(name: &str) -> bool {
    let chance = name.strip_prefix(".run-").and_then(|rest| rest.split_once(".partial-"));
    chance.is_some_and(|(_, chance)| {
        chance.len() == CHANCE_CHARACTERS && chance.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Writes the content that does not depend on the run's number.
fn fill(directory: &Directory, composition: &Composition) -> Result<(), LedgerError> {
    let mut directories: BTreeSet<Vec<&str>> =
        composition.directories.iter().map(|path| path.parts().collect()).collect();
    for (path, bytes) in &composition.files {
        let mut parts: Vec<&str> = path.parts().collect();
        let Some(name) = parts.pop() else { continue };
        let below = directory.make_below(&parts)?;
        below.write_new(name, bytes)?;
        directories.insert(parts);
    }
    directories.iter().try_for_each(|parts| directory.make_below(parts)?.sync())
}

/// Moves the directory to the first free number.
fn take_place(
    parent: &Directory,
    name: &str,
    directory: &Directory,
    state: &State,
    composition: &Composition,
    chance: &str,
) -> Result<ComposedRun, LedgerError> {
    let unusable = |reason: String| LedgerError::Unusable { path: parent.path().to_path_buf(), reason };
    let _lock = lock::of_directory(parent)?;
    for number in 1_u32..=999_999 {
        let run_id = StageRunId::new(&composition.at.day(), number).map_err(|error| unusable(error.to_string()))?;
        if parent.kind(run_id.as_str())?.is_some() {
            continue;
        }
        let path = parent.path().join(run_id.as_str());
        // The number of a run that was removed is not used again: whoever removed it could pass off another
        // run, with other checks, as the old one.
        if head::is_known(&path, state)? {
            continue;
        }
        let end = number_it(directory, composition, &run_id, chance)?;
        // Recorded before the run exists, so that every existing run is known.
        let before = head::intend(&path, state, &run_id, end)?;
        match parent.move_to(name, parent, run_id.as_str()) {
            Ok(true) => {}
            Ok(false) => {
                head::forget(&path, state, before.as_deref())?;
                continue;
            }
            Err(error) => {
                let _ = head::forget(&path, state, before.as_deref());
                return Err(error);
            }
        }
        if let Err(error) = parent.sync() {
            // Moved back, so that a run that is reported as failed does not exist.
            if parent.move_to(run_id.as_str(), parent, name).is_ok() {
                let _ = head::forget(&path, state, before.as_deref());
            }
            return Err(error);
        }
        if let Ok(Some(intended)) = log_end::kept(&path, state) {
            head::confirm(&path, state, &intended);
        }
        return Ok(ComposedRun { run_id, path });
    }
    Err(unusable("no number of the day is free".to_owned()))
}

/// Writes the files that contain the run's number: `wf-run.json` and the first line of the log. Returns the end
/// of the log.
fn number_it(
    directory: &Directory,
    composition: &Composition,
    run_id: &StageRunId,
    chance: &str,
) -> Result<LogEnd, LedgerError> {
    let pending = |id: &StageId| WfRunStage {
        id: id.clone(),
        status: WfRunStatus::Pending,
        started_at: None,
        completed_at: None,
    };
    let run = WfRunDocument {
        run_id: run_id.clone(),
        created_at: composition.at,
        workflow: WfRunWorkflow {
            name: composition.name.clone(),
            version: composition.version.clone(),
            source: composition.source.clone(),
        },
        stages: composition.stages.iter().map(pending).collect(),
    };
    let run = referee_model::document::to_bytes(&run)
        .map_err(|error| LedgerError::Unusable { path: directory.path().join(WF_RUN), reason: error.to_string() })?;
    directory.replace(WF_RUN, &run)?;
    let files = composition.files.iter().map(|(path, bytes)| (path.to_string(), Digest::of(bytes)));
    let line = StageLogLine {
        sequence: 1,
        at: composition.at,
        run_id: run_id.clone(),
        stage_id: None,
        attempt: 0,
        by: composition.by.clone(),
        operation: StageChange::Composed {
            nonce: chance.to_owned(),
            source: composition.source.clone(),
            workspace: composition.workspace.display().to_string(),
            stages: composition.stages.clone(),
            files: files.collect(),
        },
        previous: None,
    };
    let mut bytes = rendered(&line)?;
    let end = after(nothing(), &bytes);
    bytes.push(b'\n');
    directory.replace(LOG, &bytes)?;
    Ok(end)
}
