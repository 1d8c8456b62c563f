//! Where the last runs of a specification are recorded. The heads of chains in the user's state folder tell, which whoever
//! changes the specification cannot take away.

use std::path::{Path, PathBuf};

use referee_engine::earlier;
use referee_engine::request::Failure;
use referee_ledger::{State, heads};
use referee_model::id::TaskId;
use referee_wire::chain_head::ChainHead;

use crate::error::Problem;

/// A folder of evidence in which last runs of a specification lie.
pub(super) struct Recorded {
    pub(super) root: PathBuf,
    pub(super) workspace: PathBuf,
    pub(super) tasks: Vec<TaskId>,
}

/// Finds the folders of evidence in which last runs of a specification lie. What cannot be read was made from none.
pub(super) fn of(state: &State, specification: &Path) -> Result<Vec<Recorded>, Problem> {
    let mut recorded: Vec<Recorded> = Vec::new();
    for head in heads::all(state).map_err(Failure::from)? {
        let Some((root, workspace, task)) = run_of(head, specification) else { continue };
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
fn run_of(head: ChainHead, specification: &Path) -> Option<(PathBuf, PathBuf, TaskId)> {
    let root = PathBuf::from(head.evidence_root);
    let plan = earlier::plan_of(&root, &head.task_id)?;
    let is_its = plan.task == head.task_id && plan.workspace.join(&plan.specification.file) == specification;
    (is_its && plan.workspace.is_dir()).then_some((root, plan.workspace, head.task_id))
}
