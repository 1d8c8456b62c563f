//! Whether the inputs are still those of the run (design, "Tree digest").

use std::path::Path;

use referee_ledger::State;
use referee_ledger::evidence::Evidence;
use referee_ledger::tree::{Cache, Changes, Listing, Snapshot};
use referee_model::evidence_name;
use referee_model::plan::Plan;
use referee_model::run_context::tree::TreeState;

use super::{Axis, AxisState};
use crate::inputs;

/// Compares the current inputs of a workspace with those that a run left. Without a workspace, uses that of the plan.
///
/// Evidence that is not fresh is still authentic, but says nothing about the current tree: the axis is not
/// verifiable. The same holds for evidence that does not say which tree it is about.
pub fn freshness(directory: &Path, workspace: Option<&Path>, state: Option<&State>) -> Axis {
    let (state, reason) = match compare(directory, workspace, state) {
        Ok(reason) => (AxisState::Holds, reason),
        Err(reason) => (AxisState::Unverifiable, reason),
    };
    Axis { name: "freshness", state, reasons: vec![reason] }
}

/// Returns why it is fresh, or as an error why it is not.
fn compare(directory: &Path, workspace: Option<&Path>, state: Option<&State>) -> Result<String, String> {
    let evidence = Evidence::open(directory).map_err(|error| error.to_string())?;
    let bytes = |name| evidence.read(name).map_err(|error| error.to_string());
    let plan =
        referee_model::plan::plan_document::read(&bytes(evidence_name::PLAN)?).map_err(|error| error.to_string())?;
    let run = referee_model::record::header::read(&bytes(evidence_name::RUN)?).map_err(|error| error.to_string())?;
    let Some(sealed) = run.run_context.tree else {
        return Err("the run does not say which state of the inputs it saw: run again".to_owned());
    };
    let workspace = workspace.unwrap_or(&plan.workspace);
    let exclusions = inputs::exclusions(&plan, workspace, state)?;
    let mut cache = Cache::open(state, &plan.workspace);
    let last = cache.last();
    // The cache is not written: it keeps the state that the run left.
    let (listing, now) = inputs::observe(workspace, &exclusions, &mut cache)?;
    if let Some(unread) = inputs::unread(&now) {
        return Err(format!("whether the inputs are as the run left them is not known: {unread}"));
    }
    let found = now.state();
    if found == sealed.after {
        return Ok(format!("all {} inputs are as the run left them", found.files));
    }
    let which = which(last, sealed.after, &now, &listing);
    Err(which.unwrap_or_else(|| counted(&plan, sealed.after, found)))
}

/// Names the files that differ, if the state that the run left is still known.
fn which(last: Option<Snapshot>, sealed: TreeState, now: &Snapshot, listing: &Listing) -> Option<String> {
    let left = last.filter(|last| last.state() == sealed)?;
    let changes = Changes::between(&left, now, listing).files;
    let named = inputs::named(&changes);
    Some(format!("stale: the inputs are not as the run left them: {named}; run again"))
}

fn counted(plan: &Plan, sealed: TreeState, found: TreeState) -> String {
    let task = &plan.task;
    format!(
        "stale: the inputs are not as the run of {task} left them ({} files then, {} now); which differ is unknown; run \
         again",
        sealed.files, found.files
    )
}
