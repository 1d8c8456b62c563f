//! `referee status` and `referee retest`: how tasks stand by their sealed evidence, whatever files say.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::problem::{Kind, Problem};
use referee_engine::status::{self, Looking};
use referee_engine::unloadable;
use referee_ledger::status_files;
use referee_model::id::TaskId;
use referee_model::status::{TaskStatus, Violation};
use referee_model::suite::Suite;
use referee_report::human;
use referee_wire::status_lock;

use crate::args::status::{Retest, Status};
use crate::args::{PlainFormat, Specification};
use crate::output;
use crate::resolve;

/// Recomputes how tasks stand, and answers.
pub(super) fn execute(context: &Context, arguments: &Status) -> Result<u8, Problem> {
    let files = arguments.specification.iter().cloned().collect();
    let suite = load(context, &Specification { files, workspace: arguments.workspace.clone() })?;
    if let Some(unknown) = arguments.tasks.iter().find(|task| suite.task(task).is_none()) {
        let known: Vec<&str> = suite.tasks.iter().map(|plan| plan.task.as_str()).collect();
        return Err(Problem::usage(format!("there is no task {unknown}; there is {}", known.join(", "))));
    }
    let workspace = workspace(&suite)?;
    let state = context.state_if_any()?;
    let looking = Looking { environment: &context.environment, state: state.as_ref(), replay: true };
    let statuses = status::recompute(&suite, looking)?;
    let lists = lists(&workspace, &arguments.lists)?;
    let violations = status::violations(&suite, &statuses, &lists)?;
    if arguments.write {
        write(context, &workspace, &statuses, &violations, &lists)?;
    }
    let is_asked = |task: &TaskId| arguments.tasks.is_empty() || arguments.tasks.contains(task);
    let asked: Vec<TaskStatus> = statuses.into_iter().filter(|status| is_asked(&status.task)).collect();
    let of_asked = |violation: &Violation| violation.task.as_ref().is_none_or(is_asked);
    let violations: Vec<Violation> = violations.into_iter().filter(of_asked).collect();
    let code = status::exit(&asked, &violations);
    let text = match arguments.format {
        PlainFormat::Json => referee_wire::to_bytes(&status_lock::status(&asked, &violations, code))?,
        PlainFormat::Human => {
            let mut text = Vec::new();
            human::status::write(&asked, &violations, &context.terminal.stdout, &mut text)?;
            text
        }
    };
    output::answer(&text)?;
    Ok(code)
}

/// Loads the one specification that is meant.
fn load(context: &Context, specification: &Specification) -> Result<Suite, Problem> {
    resolve::load_one(context, specification, "a status is that of one specification: name one")
}

fn workspace(suite: &Suite) -> Result<PathBuf, Problem> {
    let workspace = suite.tasks.first().map(|plan| plan.workspace.clone());
    workspace.ok_or_else(|| Problem::usage("the specification has no task".to_owned()))
}

/// The lists of tasks that are meant. One that is named must be there.
fn lists(workspace: &Path, named: &[String]) -> Result<Vec<String>, Problem> {
    let read = |list: &String| status_files::read(workspace, list);
    for list in named {
        if read(list).map_err(|error| Problem::usage(format!("--tasks {list}: {error}")))?.is_none() {
            return Err(Problem::usage(format!("--tasks {list}: there is no such file in the workspace")));
        }
    }
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    Ok(status_files::lists(workspace).map_err(referee_engine::request::Failure::from)?)
}

fn write(
    context: &Context,
    workspace: &Path,
    statuses: &[TaskStatus],
    violations: &[Violation],
    lists: &[String],
) -> Result<(), Problem> {
    let now = resolve::now();
    if !violations.is_empty() {
        status::write_violations(workspace, violations, now)?;
    }
    for list in lists {
        if status::write_list(workspace, list, statuses)? {
            output::aside(format!("note: {list}: the checkboxes were set to what the evidence says\n").as_bytes())?;
        }
    }
    Ok(status::write_lock(workspace, statuses, now, &status::generator(context))?)
}

/// Runs tasks again. Which ones are told from the names that stand where `run` takes files.
pub(super) fn retest(context: &Context, arguments: &Retest) -> Result<u8, Problem> {
    let mut run = arguments.run.clone();
    let files = std::mem::take(&mut run.specification.files);
    for named in files {
        match named.to_str().map(TaskId::parse) {
            Some(Ok(task)) => run.tasks.push(task),
            _ => run.specification.files.push(named),
        }
    }
    if run.tasks.is_empty() {
        return Err(Problem::usage("the tasks to run again are needed, such as `referee retest T031`".to_owned()));
    }
    let ended = super::run::execute(context, &run);
    match &ended {
        Ok(_) => set_checkboxes(context, &load(context, &run.specification)?, &run.tasks)?,
        Err(problem) if problem.kind == Kind::Specification => {
            for suite in &unloadable::suites(context, &(&run.specification).into(), &run.tasks)?.suites {
                set_checkboxes(context, suite, &run.tasks)?;
            }
        }
        Err(_) => {}
    }
    ended
}

/// Sets the checkboxes of tasks that were run again to what their evidence says now: a retest that fails takes an `[x]` back
/// (contracts/execution.md, §4). What cannot be written is told, and changes no verdict.
fn set_checkboxes(context: &Context, suite: &Suite, tasks: &[TaskId]) -> Result<(), Problem> {
    let workspace = workspace(suite)?;
    let lists = lists(&workspace, &[])?;
    if lists.is_empty() {
        return Ok(());
    }
    let state = context.state_if_any()?;
    let looking = Looking { environment: &context.environment, state: state.as_ref(), replay: false };
    let mut statuses = status::recompute(suite, looking)?;
    statuses.retain(|status| tasks.contains(&status.task));
    for list in lists {
        let told = match status::write_list(&workspace, &list, &statuses) {
            Ok(false) => continue,
            Ok(true) => format!("note: {list}: checkboxes set to the result of the retest\n"),
            Err(failure) => format!("note: {list}: checkboxes not set: {failure}\n"),
        };
        output::aside(told.as_bytes())?;
    }
    Ok(())
}
