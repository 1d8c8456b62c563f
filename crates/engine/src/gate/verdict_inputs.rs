//! The inputs that verdicts were reached on. A pass must apply to the tree at the time of the answer, and to the
//! same tree for all tasks: tasks run one after another, and a later one may write inputs of an earlier one.

use referee_ledger::State;
use referee_ledger::tree::{Cache, Change, Changes, Snapshot};
use referee_model::gate::{Basis, Cause, GateAnswer};
use referee_model::id::TaskId;
use referee_model::plan::Plan;
use referee_model::run_context::tree::TreeChangeKind;
use referee_model::verdict::{Decision, Exit};

use crate::inputs;
use crate::request::RunRequest;

/// The inputs that each task was judged on; unknown for a task that is not listed.
#[derive(Debug, Default)]
pub struct VerdictInputs(Vec<(TaskId, Option<Snapshot>)>);

impl VerdictInputs {
    pub(super) fn add(&mut self, task: &TaskId, inputs: Option<Snapshot>) {
        self.0.push((task.clone(), inputs));
    }
}

/// Compares a pass with the current inputs, as the last step before it is reported.
///
/// | the inputs of a task that passed                     | the answer               |
/// |------------------------------------------------------|--------------------------|
/// | are what it was judged on, or more were added        | stays                    |
/// | were modified or removed since, or cannot be read    | BLOCKED                  |
/// | were never known                                     | stays, with a note       |
///
/// Nothing is compared for a run in a clean room, whose changes do not reach the workspace, nor if recorded
/// verdicts answered and nothing ran: those were compared with the inputs just before.
pub fn hold(run: &RunRequest<'_>, grounds: &VerdictInputs, mut answer: GateAnswer) -> GateAnswer {
    let ran = answer.held_out.is_some() || answer.tasks.iter().any(|task| task.basis != Basis::Recorded);
    if answer.decision != Decision::Pass || run.workspace.room().is_some() || !ran {
        return answer;
    }
    for (task, judged_on) in &grounds.0 {
        let Some(plan) = run.suite.task(task) else { continue };
        let Some(judged_on) = judged_on else {
            answer.notes.push(format!(
                "the inputs of {task} are not known, so nothing tells whether they are still what it was judged on"
            ));
            continue;
        };
        answer.reuse.extend(inputs::unknown(judged_on).map(|why| format!("no verdict of {task} is reused: {why}")));
        if let Some(why) = changed(plan, judged_on, run.state) {
            return blocked(answer, task, why);
        }
    }
    answer
}

/// Why the inputs are not those that a task was judged on. `None` if they are.
fn changed(plan: &Plan, judged_on: &Snapshot, state: Option<&State>) -> Option<String> {
    let task = &plan.task;
    match compared(plan, judged_on, state) {
        Ok(changes) if changes.is_empty() => None,
        Ok(changes) => Some(format!(
            "the inputs are not those that {task} was judged on: {}; ask again when nothing writes them meanwhile, or declare \
             them under `outputs` if checks do",
            inputs::named(&changes)
        )),
        Err(why) => Some(format!("whether the inputs are those that {task} was judged on cannot be determined: {why}")),
    }
}

/// Returns the modified and removed inputs. Added files void nothing, as during a run.
fn compared(plan: &Plan, judged_on: &Snapshot, state: Option<&State>) -> Result<Vec<Change>, String> {
    let exclusions = inputs::exclusions(plan, &plan.workspace, state)?;
    let mut cache = Cache::open(state, &plan.workspace);
    let (listing, now) = inputs::observe(&plan.workspace, &exclusions, &mut cache)?;
    if let Some(unread) = inputs::unreadable(&now) {
        return Err(unread);
    }
    let mut changes = Changes::between(judged_on, &now, &listing).files;
    changes.retain(|change| change.kind != TreeChangeKind::Added);
    Ok(changes)
}

fn blocked(mut answer: GateAnswer, task: &TaskId, message: String) -> GateAnswer {
    answer.decision = Decision::Blocked;
    answer.exit = Exit::NothingRan;
    "ask again: the checks are then run on the inputs as they are".clone_into(&mut answer.next);
    answer.causes_in_all += 1;
    answer.causes.push(Cause::whole(Some(task.clone()), message));
    answer
}
