//! Which runs are pushed.

use std::path::{Path, PathBuf};

use referee_ledger::{State, Store, retention};
use referee_model::depot::PushRun;
use referee_model::evidence_list::KeptState;
use referee_model::id::TaskId;

use crate::error::EngineError;
use crate::path::straight;

/// Returns the newest sealed run of every task of an evidence root.
///
/// # Errors
/// Fails if the evidence cannot be read.
pub fn newest_runs(root: &Path, state: Option<&State>) -> Result<Vec<PushRun>, EngineError> {
    let Some(store) = Store::look(root, state)? else { return Ok(Vec::new()) };
    let mut runs = Vec::new();
    for task in store.tasks()? {
        if let Some(directory) = store.sealed(&task) {
            runs.push(newest(&store, &task, directory)?);
        }
    }
    Ok(runs)
}

/// Returns the run in an evidence directory: the newest of its task, one of the history, or a copy, which counts as the
/// newest.
///
/// # Errors
/// Fails if it holds no sealed run.
pub fn run_at(directory: &Path, state: Option<&State>) -> Result<PushRun, EngineError> {
    let directory = straight(directory);
    let run = retention::look_at(&directory)?
        .filter(|run| run.seal_digest.is_some() && run.state != KeptState::Unsealed && run.pruned.is_none())
        .ok_or_else(|| EngineError::usage(format!("{} holds no sealed run with its files", directory.display())))?;
    let is_in_history = directory.ancestors().nth(2).is_some_and(|above| above.ends_with(".history"));
    if is_in_history {
        return Ok(PushRun { directory, newest: false, earlier: Vec::new() });
    }
    match Store::around(&directory, &run.task_id, state)? {
        Some(store) => newest(&store, &run.task_id, directory),
        None => Ok(PushRun { directory, newest: true, earlier: Vec::new() }),
    }
}

fn newest(store: &Store, task: &TaskId, directory: PathBuf) -> Result<PushRun, EngineError> {
    let mut chain = store.chain(task)?;
    chain.pop();
    Ok(PushRun { directory, newest: true, earlier: chain.into_iter().map(|run| run.directory).collect() })
}
