//! The run of held-out checks over the workspace of the visible run.
//!
//! Held-out checks run, are sealed and are signed like all others; but their evidence is kept in the state
//! directory, and only a count and categories are reported. If they change the tree, the visible result no longer
//! applies to it.

use std::path::Path;

use referee_judge::held_out;
use referee_ledger::tree::{Cache, Changes, Exclusions, Snapshot};
use referee_model::event::{Event, EventKind};
use referee_model::held_out::HeldOut;
use referee_model::id::ExecutionId;
use referee_model::plan::Plan;
use referee_model::run_context::tree::TreeChangeKind;
use referee_model::suite::Suite;
use referee_model::verdict::{Decision, Exit};
use referee_syntax::count::count;

use super::super::gate_answer::{self, Asking};
use crate::error::{EngineError, ErrorKind};
use crate::event_sink::EventSink;
use crate::inputs;
use crate::request::{Placement, RunRequest};
use crate::selection::Selection;

/// Held-out checks to run.
pub(super) struct HeldOutRequest<'request> {
    /// The visible run, which passed: the held-out checks run in the same workspace and in the same way.
    pub(super) seen: &'request RunRequest<'request>,
    /// Their specification, loaded for that workspace. Their evidence is not written to the root that it names.
    pub(super) suite: Suite,
    /// A new execution id for each task, in order.
    pub(super) executions: Vec<ExecutionId>,
    /// Milliseconds after which the answer must be given, by the clock of the visible run. `None`: no limit.
    pub(super) timeout: Option<u64>,
}

/// The result of held-out checks.
#[derive(Debug)]
pub(super) struct HeldOutAnswer {
    pub(super) held_out: HeldOut,
    /// How they changed the workspace, in a sentence without names. `None` if they did not.
    pub(super) note: Option<String>,
}

/// Runs them. Every error becomes an answer that is no pass: an error message could reveal what must stay hidden.
pub(super) fn ask(request: HeldOutRequest<'_>) -> HeldOutAnswer {
    let unjudged = |exit| HeldOutAnswer { held_out: held_out::unjudged(exit), note: None };
    match run(request) {
        Ok(answer) => answer,
        Err(error) if error.kind == ErrorKind::Evidence => unjudged(Exit::Evidence),
        Err(_) => unjudged(Exit::Internal),
    }
}

fn run(request: HeldOutRequest<'_>) -> Result<HeldOutAnswer, EngineError> {
    let HeldOutRequest { seen, mut suite, executions, timeout } = request;
    let (Some(plan), Some(state)) = (seen.suite.tasks.first(), seen.state) else {
        return Err(EngineError::internal("there is no task, or no state directory".to_owned()));
    };
    let project = seen.workspace.room().map_or(plan.workspace.as_path(), |room| room.room().candidate());
    let root = referee_ledger::held_out::evidence_root(state, project)?;
    for task in &mut suite.tasks {
        task.evidence_root.clone_from(&root);
        task.guard.outputs.extend(outputs(seen.suite, plan));
    }
    let selection = Selection::default();
    let run = RunRequest {
        suite: &suite,
        tasks: &[],
        selection: &selection,
        baseline: None,
        placement: Placement::Here,
        workspace: seen.workspace,
        state: seen.state,
        sandbox: seen.sandbox.clone(),
        signer: seen.signer.clone(),
        protection: None,
        jobs: seen.jobs,
        processors: seen.processors,
        executions,
        exec: seen.exec.clone(),
        host: seen.host.clone(),
        cancellation: seen.cancellation,
    };
    // Changes in a clean room do not reach the workspace.
    let mut witness = Witness::of(seen.workspace.room().is_none().then_some(plan), seen);
    // The held-out checks are not covered by the tree digest, so no recorded verdict answers for them.
    let answer = gate_answer::ask(&run, Asking { reuse: false, timeout }, &mut witness)?;
    let mut told = held_out::told(&answer.answer);
    let left = witness.compare();
    if left.is_changed && told.decision == Decision::Pass {
        told = HeldOut { decision: Decision::Blocked, exit: Exit::NothingRan, ..told };
    }
    Ok(HeldOutAnswer { held_out: told, note: left.note })
}

/// Returns the paths that are no inputs of the visible run, and so none of this one: its outputs, and its evidence
/// if that is in the workspace.
fn outputs(seen: &Suite, plan: &Plan) -> Vec<String> {
    let evidence = plan.evidence_root.strip_prefix(&plan.workspace).ok().and_then(Path::to_str).map(str::to_owned);
    let of_tasks = seen.tasks.iter().flat_map(|task| task.guard.outputs.iter().cloned());
    of_tasks.chain(evidence.filter(|directory| !directory.is_empty())).collect()
}

/// Compares the state of a workspace before and after a run. Does nothing if nothing runs.
struct Witness<'run> {
    plan: Option<&'run Plan>,
    seen: &'run RunRequest<'run>,
    before: Option<Result<Before, String>>,
}

struct Before {
    exclusions: Exclusions,
    cache: Cache,
    snapshot: Snapshot,
}

/// Changes that a run left in the workspace.
#[derive(Default)]
struct Left {
    /// Whether the workspace is no longer the one that the visible result is about.
    is_changed: bool,
    note: Option<String>,
}

impl<'run> Witness<'run> {
    /// Observes the workspace of `plan`; nothing if `None`.
    fn of(plan: Option<&'run Plan>, seen: &'run RunRequest<'run>) -> Self {
        Self { plan, seen, before: None }
    }

    fn look(&self, plan: &Plan) -> Result<Before, String> {
        let exclusions = inputs::exclusions(plan, &plan.workspace, self.seen.state)?;
        let mut cache = Cache::open(self.seen.state, &plan.workspace);
        let (_, snapshot) = inputs::observe(&plan.workspace, &exclusions, &mut cache)?;
        Ok(Before { exclusions, cache, snapshot })
    }

    /// Compares the workspace with its earlier state.
    fn compare(self) -> Left {
        let (Some(plan), Some(before)) = (self.plan, self.before) else { return Left::default() };
        let changes = before.and_then(|mut before| {
            let (listing, after) = inputs::observe(&plan.workspace, &before.exclusions, &mut before.cache)?;
            Ok(Changes::between(&before.snapshot, &after, &listing).files)
        });
        let Ok(changes) = changes else {
            let note = "whether the held-out checks changed the workspace cannot be determined: it cannot be listed";
            return Left { is_changed: true, note: Some(note.to_owned()) };
        };
        let added = changes.iter().filter(|change| change.kind == TreeChangeKind::Added).count();
        let changed = changes.len() - added;
        Left { is_changed: changed > 0, note: note(changed, added) }
    }
}

impl EventSink for Witness<'_> {
    fn on_event(&mut self, event: &Event) {
        if let (Some(plan), None, EventKind::RunStarted { .. }) = (self.plan, &self.before, &event.happening) {
            self.before = Some(self.look(plan));
        }
    }
}

/// Describes the changes by number alone.
fn note(changed: usize, added: usize) -> Option<String> {
    let left = "is to be cleaned up by them, or declared under their `outputs`";
    match (changed, added) {
        (0, 0) => None,
        (0, added) => {
            Some(format!("the held-out checks left {} in the workspace: what they leave {left}", count(added, "file")))
        }
        (changed, _) => Some(format!(
            "the held-out checks modified or removed {} of the workspace, so what passed before says nothing of it as it \
             is now: what they write {left}",
            count(changed, "file")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_by_number() {
        assert_eq!(note(0, 0), None);
        for (changed, added, expected) in
            [(0, 1, "left 1 file in"), (0, 2, "left 2 files in"), (1, 7, "removed 1 file of")]
        {
            let note = note(changed, added).unwrap();
            assert!(note.contains(expected), "{note}");
        }
    }
}
