//! The inputs of a run, observed before its first action and after its last one (design, "Tree digest").

use std::path::Path;

use referee_ledger::tree::{self, Cache, Changes, Exclusions, Listing, PatternError, Snapshot};
use referee_ledger::{LedgerError, State};
use referee_model::circumstances::tree::{TreeChange, TreeChangeKind, TreeFacts};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::plan::Plan;
use referee_model::record::RunEnding;

use crate::request::RunRequest;

mod auto_loaded;

/// Most files that a notice names.
const FILES_NAMED: usize = 5;

/// Why the state of the inputs cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum InputsError {
    /// What the specification leaves out of them cannot be understood.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// They cannot be listed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// The digest over the inputs of a plan as they are now, as a run would record it: by it alone is told whether the tree is
/// as it was. None: one of them cannot be read, so that they equal nothing.
///
/// # Errors
/// Fails where the inputs cannot be listed.
pub fn now(plan: &Plan, state: Option<&State>) -> Result<Option<Digest>, InputsError> {
    let exclusions = left_out(plan, &plan.workspace, state)?;
    Ok(tree::digest_now(&plan.workspace, &exclusions, state)?)
}

/// The inputs as they were before the first action.
pub(crate) struct Inputs {
    cache: Cache,
    before: Snapshot,
}

impl Inputs {
    /// Observes the inputs before the first action, as they were listed. None: they cannot be observed, which a notice
    /// says: a run without a state of its inputs proves nothing of any tree, and is never fresh.
    pub(crate) fn before(
        request: &RunRequest<'_>,
        listing: Result<Listing, String>,
        notices: &mut Vec<String>,
        redact: &dyn Fn(&str) -> String,
    ) -> Option<Self> {
        let unknown = |why: &str| redact(&format!("the state of the inputs is not known: {why}"));
        let listing = match listing {
            Ok(listing) => listing,
            Err(why) => {
                notices.push(unknown(&why));
                return None;
            }
        };
        let mut cache = Cache::open(request.state, &request.plan.workspace);
        let before = Snapshot::take(&listing, &mut cache);
        notices.extend(listing.notes().iter().map(|note| redact(note)));
        if let Some(unread) = unread(&before) {
            notices.push(unknown(&unread));
            return None;
        }
        Some(Self { cache, before })
    }

    /// Observes them after the last action, and says what changed. Where they cannot be listed any more the run failed: what
    /// the checks saw may have changed.
    pub(crate) fn after(
        mut self,
        listing: Result<Listing, String>,
        ending: &mut RunEnding,
        notices: &mut Vec<String>,
        redact: &dyn Fn(&str) -> String,
    ) -> Option<TreeFacts> {
        let listing = match listing {
            Ok(listing) => listing,
            Err(why) => {
                if *ending == RunEnding::Finished {
                    let message = redact(&format!("the inputs could not be observed after the run: {why}"));
                    *ending = RunEnding::Failed { message };
                }
                return None;
            }
        };
        let after = Snapshot::take(&listing, &mut self.cache);
        // A cache that cannot be written costs time alone.
        let _ = self.cache.save();
        notices.extend(unread(&after).map(|why| redact(&format!("after the run, {why}"))));
        let changes = Changes::between(&self.before, &after, &listing).files;
        notices.extend(auto_loaded::notice(&changes).map(|notice| redact(&notice)));
        Some(TreeFacts {
            before: self.before.state(),
            after: after.state(),
            change_count: changes.len() as u64,
            changes: changes
                .into_iter()
                .take(limit::TREE_CHANGES_LISTED)
                .map(|change| TreeChange {
                    path: redact(&change.path.to_string_lossy()),
                    kind: change.kind,
                    at: change.at,
                })
                .collect(),
        })
    }
}

/// Lists the inputs of a workspace and reads what is not known of them.
pub(crate) fn observe(
    workspace: &Path,
    exclusions: &Exclusions,
    cache: &mut Cache,
) -> Result<(Listing, Snapshot), String> {
    let listing = tree::list(workspace, exclusions).map_err(|error| error.to_string())?;
    let snapshot = Snapshot::take(&listing, cache);
    Ok((listing, snapshot))
}

/// Leaves out what is no input of a plan that is run in a workspace: the evidence, the state folder, and its outputs.
pub(crate) fn exclusions(plan: &Plan, workspace: &Path, state: Option<&State>) -> Result<Exclusions, String> {
    left_out(plan, workspace, state).map_err(|error| error.to_string())
}

fn left_out(plan: &Plan, workspace: &Path, state: Option<&State>) -> Result<Exclusions, PatternError> {
    let evidence = match plan.evidence_root.strip_prefix(&plan.workspace) {
        Ok(inside) => workspace.join(inside),
        Err(_) => plan.evidence_root.clone(),
    };
    let ours: Vec<&Path> = std::iter::once(evidence.as_path()).chain(state.map(State::path)).collect();
    Exclusions::new(workspace, &ours, &plan.guard.outputs)
}

/// Says which inputs cannot be read. None: all can.
pub(crate) fn unread(snapshot: &Snapshot) -> Option<String> {
    let unread = snapshot.unread();
    let named: Vec<String> =
        unread.iter().take(FILES_NAMED).map(|(path, why)| format!("{} ({why})", path.display())).collect();
    match unread.len() {
        0 => None,
        1 => Some(format!("an input cannot be read: {}", named.concat())),
        count => Some(format!("{count} inputs cannot be read: {}", named.join(", "))),
    }
}

/// Names changed files for a person, the first few of them.
pub(crate) fn named(changes: &[tree::Change]) -> String {
    let of = |change: &tree::Change| {
        let how = match change.kind {
            TreeChangeKind::Modified => "modified",
            TreeChangeKind::Removed => "removed",
            TreeChangeKind::Added => "added",
        };
        format!("{} ({how})", change.path.display())
    };
    let named: Vec<String> = changes.iter().take(FILES_NAMED).map(of).collect();
    let others = changes.len().saturating_sub(FILES_NAMED);
    let rest = if others > 0 { format!(" and {others} more") } else { String::new() };
    format!("{}{rest}", named.join(", "))
}
