//! The status of the tasks of a specification, and the project's files that record it.

use std::path::{Path, PathBuf};

use referee_ledger::status_files;
use referee_model::id::TaskId;
use referee_model::status::{TaskStatus, Violation};
use referee_model::suite::Suite;

use super::{Looking, exit, generator, recompute, violations, write_list, write_lock, write_violations};
use crate::context::Context;
use crate::error::EngineError;
use crate::event_sink::{EventSink, Note};

/// A status request.
#[derive(Debug, Clone, Copy)]
pub struct StatusRequest<'request> {
    /// The specification.
    pub suite: &'request Suite,
    /// Ids of the tasks. Empty: all.
    pub tasks: &'request [TaskId],
    /// Task lists with checkboxes, relative to the workspace. Empty: those of the project.
    pub lists: &'request [String],
    /// Whether the status is written to the project's files.
    pub write: bool,
}

/// The status of tasks.
#[derive(Debug)]
pub struct StatusAnswer {
    /// Status of the requested tasks.
    pub tasks: Vec<TaskStatus>,
    /// Contradictions between files and the status.
    pub violations: Vec<Violation>,
    /// Exit code.
    pub exit: u8,
}

/// Recomputes the status of tasks.
///
/// # Errors
/// Fails if a given task or list does not exist, or if evidence or the project's own files cannot be used.
pub fn answer(
    context: &Context,
    request: StatusRequest<'_>,
    events: &mut dyn EventSink,
) -> Result<StatusAnswer, EngineError> {
    let StatusRequest { suite, tasks: asked, .. } = request;
    if let Some(unknown) = asked.iter().find(|task| suite.task(task).is_none()) {
        let known: Vec<&str> = suite.tasks.iter().map(|plan| plan.task.as_str()).collect();
        return Err(EngineError::usage(format!("task not found: {unknown} (tasks: {})", known.join(", "))));
    }
    let workspace = workspace(suite)?;
    let state = context.state_if_any()?;
    let looking = Looking { environment: &context.environment, state: state.as_ref(), replay: true };
    let mut tasks = recompute(suite, looking)?;
    let lists = lists(&workspace, request.lists)?;
    let mut violations = violations(suite, &tasks, &lists)?;
    if request.write {
        keep(context, &workspace, &tasks, &violations, &lists, events)?;
    }
    let is_asked = |task: &TaskId| asked.is_empty() || asked.contains(task);
    tasks.retain(|status| is_asked(&status.task));
    violations.retain(|violation| violation.task.as_ref().is_none_or(is_asked));
    let exit = exit(&tasks, &violations);
    Ok(StatusAnswer { tasks, violations, exit })
}

fn workspace(suite: &Suite) -> Result<PathBuf, EngineError> {
    let workspace = suite.tasks.first().map(|plan| plan.workspace.clone());
    workspace.ok_or_else(|| EngineError::usage("the specification has no task".to_owned()))
}

/// Returns the selected task lists. Fails if a given one does not exist.
fn lists(workspace: &Path, named: &[String]) -> Result<Vec<String>, EngineError> {
    let read = |list: &String| status_files::read(workspace, list);
    for list in named {
        if read(list).map_err(|error| EngineError::usage(format!("--tasks {list}: {error}")))?.is_none() {
            return Err(EngineError::usage(format!("--tasks {list}: there is no such file in the workspace")));
        }
    }
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    Ok(status_files::lists(workspace)?)
}

fn keep(
    context: &Context,
    workspace: &Path,
    statuses: &[TaskStatus],
    violations: &[Violation],
    lists: &[String],
    events: &mut dyn EventSink,
) -> Result<(), EngineError> {
    let now = context.now();
    if !violations.is_empty() {
        write_violations(workspace, violations, now)?;
    }
    for list in lists {
        if write_list(workspace, list, statuses)? {
            events.on_note(&Note::Text(format!("{list}: the checkboxes were set to what the evidence says")));
        }
    }
    write_lock(workspace, statuses, now, &generator(context))
}

/// Sets the checkboxes of tasks that ran again according to their evidence: a failed retest clears an `[x]`
/// (contracts/execution.md, §4). A failure to write them is reported, and changes no verdict.
///
/// # Errors
/// Fails if evidence or the task lists cannot be read.
pub fn set_checkboxes(
    context: &Context,
    suite: &Suite,
    tasks: &[TaskId],
    events: &mut dyn EventSink,
) -> Result<(), EngineError> {
    let workspace = workspace(suite)?;
    let lists = lists(&workspace, &[])?;
    if lists.is_empty() {
        return Ok(());
    }
    let state = context.state_if_any()?;
    let looking = Looking { environment: &context.environment, state: state.as_ref(), replay: false };
    let mut statuses = recompute(suite, looking)?;
    statuses.retain(|status| tasks.contains(&status.task));
    for list in lists {
        let told = match write_list(&workspace, &list, &statuses) {
            Ok(false) => continue,
            Ok(true) => format!("{list}: checkboxes set to the result of the retest"),
            Err(failure) => format!("{list}: checkboxes not set: {failure}"),
        };
        events.on_note(&Note::Text(told));
    }
    Ok(())
}
