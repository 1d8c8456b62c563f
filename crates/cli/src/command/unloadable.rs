//! A specification that cannot be loaded is sealed as the last run of its tasks: an earlier pass stands for it no longer.

use std::num::NonZeroUsize;

use referee_engine::clean_room::Ground;
use referee_engine::earlier;
use referee_engine::sandboxing::Sandboxing;
use referee_engine::selection::Selection;
use referee_engine::suite::{self, SuiteAnswer, SuiteRequest};
use referee_exec::signal::Cancellation;
use referee_model::id::TaskId;
use referee_spec::Remains;

use super::gating::Silent;
use crate::args::Run;
use crate::error::Problem;
use crate::output;
use crate::resolve::{self, World};
use crate::signing;

/// Seals a run of SPECIFICATION_ERROR for every task of the specifications that cannot be loaded, and says so.
///
/// # Errors
/// Fails where the evidence cannot be kept: then an earlier pass may still stand.
pub(super) fn seal(world: &World, arguments: &Run, cancellation: &Cancellation) -> Result<Vec<SuiteAnswer>, Problem> {
    let mut answers = Vec::new();
    for remains in world.remains(&arguments.specification) {
        let tasks = tasks(&remains, &arguments.tasks)?;
        let Some(suite) = remains.suite(&tasks) else {
            if arguments.specification.files.is_empty() {
                continue;
            }
            let (file, root) = (&remains.specification.file, world.shown(&remains.evidence_root).display());
            output::aside(format!("note: nothing is sealed: no run of {file} is recorded in {root}\n").as_bytes())?;
            continue;
        };
        let suites = [suite];
        let [suite] = &suites;
        let state = world.state(suite.tasks.iter().map(|plan| plan.workspace.as_path()))?;
        let request = SuiteRequest {
            suite,
            tasks: &[],
            selection: &Selection::default(),
            baseline: None,
            ground: &Ground::Workspace,
            state: state.as_ref(),
            sandbox: Sandboxing::default(),
            signer: signing::signer(world, &arguments.signing, &suites)?,
            protection: None,
            jobs: None,
            processors: NonZeroUsize::MIN,
            executions: suite.tasks.iter().map(|_| resolve::new_execution()).collect::<Result<_, _>>()?,
            world: world.for_exec()?,
            host: world.host(),
            cancellation,
        };
        let answer = suite::run(&request, &mut Silent)?;
        for task in &answer.answers {
            let (id, folder) = (&task.report.plan.task, world.shown(&task.folder).display());
            let note =
                format!("note: {id}: SPECIFICATION_ERROR is sealed in {folder}; no earlier verdict of it stands\n");
            output::aside(note.as_bytes())?;
        }
        super::status::after_run(world, suite)?;
        answers.push(answer);
    }
    Ok(answers)
}

/// The tasks that a run is sealed of: those that the text names; where it is no document, those too of which the last run was
/// made from it; where there is none, one without a name.
fn tasks(remains: &Remains, asked: &[TaskId]) -> Result<Vec<TaskId>, Problem> {
    let mut tasks: Vec<TaskId> = remains.tasks.iter().map(|(task, _)| task.clone()).collect();
    if !remains.is_whole {
        tasks.extend(earlier::tasks_of(&remains.evidence_root, &remains.specification.file)?);
    }
    tasks.sort();
    tasks.dedup();
    if tasks.is_empty() && remains.is_there {
        tasks.push(Remains::no_task());
    }
    let named: Vec<TaskId> = tasks.iter().filter(|task| asked.contains(task)).cloned().collect();
    Ok(if named.is_empty() { tasks } else { named })
}
