//! Where the last runs of a specification are recorded. The heads of chains in the user's state folder tell, which whoever
//! changes the specification cannot take away.

use std::path::{Path, PathBuf};

use referee_engine::request::Failure;
use referee_ledger::State;
use referee_ledger::evidence::Evidence;
use referee_ledger::state::Area;
use referee_model::id::TaskId;
use referee_wire::{chain_head, evidence_name};

use crate::error::Problem;

/// A folder of evidence in which last runs of a specification lie.
pub(super) struct Recorded {
    pub(super) root: PathBuf,
    pub(super) workspace: PathBuf,
    pub(super) tasks: Vec<TaskId>,
}

/// Finds the folders of evidence in which last runs of a specification lie. What cannot be read was made from none.
pub(super) fn of(state: &State, specification: &Path) -> Result<Vec<Recorded>, Problem> {
    let chains = state.area(Area::Chains).map_err(Failure::from)?;
    let mut recorded: Vec<Recorded> = Vec::new();
    for head in entries(&chains).iter().flat_map(|folder| entries(folder)) {
        let Some((root, workspace, task)) = run_of(&head, specification) else { continue };
        if root.starts_with(state.path()) {
            continue;
        }
        match recorded.iter_mut().find(|known| known.root == root && known.workspace == workspace) {
            Some(known) => known.tasks.push(task),
            None => recorded.push(Recorded { root, workspace, tasks: vec![task] }),
        }
    }
    Ok(recorded)
}

/// Returns the folder of evidence, the workspace and the task of a chain. None: its last run was of another specification.
fn run_of(head: &Path, specification: &Path) -> Option<(PathBuf, PathBuf, TaskId)> {
    let head = chain_head::read(&std::fs::read(head).ok()?).ok()?;
    let root = PathBuf::from(head.evidence_root);
    let bytes = Evidence::open(&root.join(head.task_id.as_str())).ok()?.read(evidence_name::PLAN).ok()?;
    let plan = referee_wire::plan::read(&bytes).ok()?;
    let is_its = plan.task == head.task_id && plan.workspace.join(&plan.specification.file) == specification;
    (is_its && plan.workspace.is_dir()).then_some((root, plan.workspace, head.task_id))
}

/// What lies in a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
