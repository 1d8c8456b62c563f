//! The sealed runs that a command is asked about.

use std::path::{Path, PathBuf};

use referee_engine::baseline;
use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::recorded::{self, Recorded};
use referee_model::id::TaskId;
use referee_model::plan::Plan;
use referee_report::style;

use crate::args::{SealedRuns, Specification};
use crate::resolve;

/// Reads a run, after verifying its seal. `done` is what is not done with one that cannot be relied on.
pub(super) fn open(context: &Context, directory: &Path, done: &str) -> Result<Recorded, EngineError> {
    let shown = context.shown(directory).display().to_string();
    if !directory.is_dir() {
        return Err(EngineError::usage(format!("no sealed run in {}: run `referee run` first", style::plain(&shown))));
    }
    let run = recorded::open(directory, context.state_if_any()?.as_ref());
    run.map_err(|unreliable| unreliable.problem(&format!("{shown} is not {done}")))
}

/// Returns their directories.
pub(super) fn directories(context: &Context, runs: &SealedRuns) -> Result<Vec<PathBuf>, EngineError> {
    let SealedRuns { specification, tasks, evidence } = runs;
    match evidence {
        Some(root) => in_evidence(context, root, tasks),
        None => of_specification(context, specification, tasks),
    }
}

/// Returns the directories of the tasks of the selected specification.
fn of_specification(
    context: &Context,
    specification: &Specification,
    tasks: &[TaskId],
) -> Result<Vec<PathBuf>, EngineError> {
    let loaded = resolve::load(context, specification)?.into_iter().collect::<Result<Vec<_>, _>>()?;
    let [loaded] = loaded.as_slice() else {
        return Err(EngineError::usage("there are several specifications: name one of them".to_owned()));
    };
    let suite = &loaded.suite;
    if let Some(unknown) = tasks.iter().find(|task| suite.task(task).is_none()) {
        return Err(EngineError::usage(format!("task not found in {}: {unknown}", suite.specification.file)));
    }
    let is_asked = |plan: &&Plan| tasks.is_empty() || tasks.contains(&plan.task);
    let plans: Vec<&Plan> = suite.tasks.iter().filter(is_asked).collect();
    plans.into_iter().map(|plan| sealed(context, &plan.evidence_root.join(plan.task.as_str()), &plan.task)).collect()
}

fn sealed(context: &Context, directory: &Path, task: &TaskId) -> Result<PathBuf, EngineError> {
    if baseline::is_sealed(directory) {
        return Ok(directory.to_owned());
    }
    let shown = context.shown(directory).display();
    Err(EngineError::usage(format!("no sealed run of {task} in {shown}: run `referee run` first")))
}

/// Returns the directories of tasks in a given evidence directory: itself, or those in it.
fn in_evidence(context: &Context, root: &Path, asked: &[TaskId]) -> Result<Vec<PathBuf>, EngineError> {
    let whole = context.directory.join(root);
    if !asked.is_empty() && !baseline::is_sealed(&whole) {
        return asked.iter().map(|task| sealed(context, &whole.join(task.as_str()), task)).collect();
    }
    let entries = std::fs::read_dir(&whole)
        .map_err(|error| EngineError::usage(format!("{} is not an evidence directory: {error}", root.display())))?;
    let names = entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok());
    let mut tasks: Vec<TaskId> = names.filter_map(|name| TaskId::parse(name).ok()).collect();
    tasks.sort();
    baseline::sealed_in(&whole, &tasks, root)
}
