//! State of the workspace for an agent session: the inputs of a project, and its specification. If both are
//! unchanged since the session began, the agent changed nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use referee_ledger::State;
use referee_ledger::evidence::Evidence;
use referee_ledger::receipts::{self, Latest};
use referee_ledger::tree::{Cache, Exclusions};
use referee_model::evidence_name;
use referee_model::id::Digest;
use referee_model::plan::Plan;
use referee_model::report::report_document;
use referee_model::session::{SpecificationState, WorkspaceState};
use referee_model::suite::Suite;
use referee_model::verdict::Decision;
use sha2::{Digest as _, Sha256};

use crate::inputs;

/// Default evidence directory.
const EVIDENCE: &str = "evidence";

/// A specification, as far as it could be loaded.
#[derive(Debug, Clone, Copy)]
pub enum Seen<'seen> {
    /// The specification was loaded.
    Loaded(&'seen Suite),
    /// The specification could not be loaded, with the error message.
    Failed(&'seen str),
}

/// Observes the state of the workspace: the inputs of the project, and those of workspaces outside of it.
///
/// # Errors
/// Returns the reason if the inputs cannot be listed or read: then it is unknown whether they changed.
pub fn ground(project: &Path, specification: Seen<'_>, state: Option<&State>) -> Result<WorkspaceState, String> {
    let mut hasher = Sha256::new();
    for root in roots(project, specification) {
        let exclusions = exclusions(&root, specification, state)?;
        let mut cache = Cache::open(state, &root);
        let (_, snapshot) = inputs::observe(&root, &exclusions, &mut cache)?;
        if let Some(unread) = inputs::unread(&snapshot) {
            return Err(unread);
        }
        hasher.update(root.as_os_str().as_encoded_bytes());
        hasher.update([0]);
        hasher.update(snapshot.state().digest.to_string());
    }
    let specification = match specification {
        Seen::Loaded(suite) => SpecificationState::Loads(suite.specification.digest),
        Seen::Failed(complaint) => SpecificationState::Fails(Digest::of(complaint.as_bytes())),
    };
    Ok(WorkspaceState { tree: Digest::from_bytes(hasher.finalize().into()), specification })
}

/// Returns whether the current tree is known not to pass: the latest sealed run of a task was of exactly this
/// tree and did not pass. A run that cannot be relied on does not count.
pub fn has_failed(suite: &Suite, state: &State) -> bool {
    let failed = |decision| matches!(decision, Some(Decision::Fail | Decision::Blocked));
    suite.tasks.iter().any(|plan| failed(recorded(plan, state)))
}

fn recorded(plan: &Plan, state: &State) -> Option<Decision> {
    let latest = receipts::latest(&plan.evidence_root, &plan.task, state).ok()?;
    let Latest::Sealed { directory, seal, .. } = latest else { return None };
    let report = Evidence::open(&directory).and_then(|evidence| evidence.read(evidence_name::EXECUTION_REPORT)).ok()?;
    let sealed = seal.files.iter().find(|file| file.path == evidence_name::EXECUTION_REPORT)?;
    let is_of_this_tree = seal.tree_after.is_some() && inputs::now(plan, Some(state)).ok()? == seal.tree_after;
    if !is_of_this_tree || sealed.sha256 != Digest::of(&report) {
        return None;
    }
    Some(report_document::read(&report).ok()?.decision)
}

/// Returns the directories to observe, none of which contains another.
fn roots(project: &Path, specification: Seen<'_>) -> BTreeSet<PathBuf> {
    let workspaces = match specification {
        Seen::Loaded(suite) => suite.tasks.iter().map(|plan| plan.workspace.clone()).collect(),
        Seen::Failed(_) => Vec::new(),
    };
    let all: BTreeSet<PathBuf> = workspaces.into_iter().chain([project.to_path_buf()]).collect();
    let is_outermost = |root: &&PathBuf| !root.ancestors().skip(1).any(|above| all.contains(above));
    all.iter().filter(is_outermost).cloned().collect()
}

/// Returns the exclusions: evidence, the state directory, and the outputs of tasks with this workspace.
fn exclusions(root: &Path, specification: Seen<'_>, state: Option<&State>) -> Result<Exclusions, String> {
    let default = root.join(EVIDENCE);
    let mut ours: Vec<&Path> = state.map(State::path).into_iter().collect();
    let mut outputs = Vec::new();
    match specification {
        Seen::Failed(_) => ours.push(&default),
        Seen::Loaded(suite) => {
            for plan in &suite.tasks {
                ours.push(&plan.evidence_root);
                if plan.workspace == root {
                    outputs.extend(plan.guard.outputs.iter().cloned());
                }
            }
        }
    }
    Exclusions::new(root, &ours, &outputs).map_err(|error| error.to_string())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test makes the files that are observed")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_ground_is_the_same_until_an_input_or_the_complaint_changes() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().canonicalize().unwrap();
        fs::write(project.join("a"), "one").unwrap();
        let ground = |complaint: &str| ground(&project, Seen::Failed(complaint), None).unwrap();
        let before = ground("missing");
        fs::create_dir(project.join("evidence")).unwrap();
        fs::write(project.join("evidence/log"), "x").unwrap();
        assert_eq!(ground("missing"), before, "evidence is not an input");
        assert_ne!(ground("broken"), before);
        fs::write(project.join("a"), "two").unwrap();
        assert_ne!(ground("missing"), before);
        fs::write(project.join("a"), "one").unwrap();
        assert_eq!(ground("missing"), before);
        fs::write(project.join("b"), "").unwrap();
        assert_ne!(ground("missing"), before);
    }

    #[test]
    fn what_cannot_be_listed_is_no_ground() {
        assert!(ground(Path::new("/no/such/project"), Seen::Failed("missing"), None).is_err());
    }
}
