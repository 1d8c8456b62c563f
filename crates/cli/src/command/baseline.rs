//! `referee baseline`: records current findings.

use std::path::{Path, PathBuf};

use referee_engine::baseline;
use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::document;
use referee_model::baseline::{Tally, TaskBaseline};
use referee_model::exit_code;
use referee_model::id::TaskId;
use referee_model::plan::Plan;

use crate::args;
use crate::follower::notes;
use crate::output;
use crate::resolve;

/// Records a baseline of the last sealed runs.
pub(super) fn execute(context: &Context, arguments: &args::Baseline) -> Result<u8, EngineError> {
    let directories = match &arguments.evidence {
        Some(root) => in_evidence(context, root, &arguments.tasks)?,
        None => of_specification(context, arguments)?,
    };
    let taken = baseline::of_evidence(context, &directories, &mut notes(context))?;
    let bytes = referee_model::baseline::baseline_document::KIND.encode(&taken)?;
    match &arguments.output {
        Some(file) => document::write(&context.directory.join(file), &bytes)
            .map_err(|error| EngineError::usage(format!("the baseline was not written: {error}")))?,
        None => output::answer(&bytes)?,
    }
    for (task, known) in &taken.tasks {
        output::aside(format!("{}\n", summed_up(task, known)).as_bytes())?;
    }
    Ok(exit_code::PASSED)
}

/// Returns the directories of the tasks of the selected specification.
fn of_specification(context: &Context, arguments: &args::Baseline) -> Result<Vec<PathBuf>, EngineError> {
    let loaded = resolve::load(context, &arguments.specification)?.into_iter().collect::<Result<Vec<_>, _>>()?;
    let [loaded] = loaded.as_slice() else {
        return Err(EngineError::usage("a baseline is one of one specification: name one of them".to_owned()));
    };
    let suite = &loaded.suite;
    if let Some(unknown) = arguments.tasks.iter().find(|task| suite.task(task).is_none()) {
        return Err(EngineError::usage(format!("task not found in {}: {unknown}", suite.specification.file)));
    }
    let is_asked = |plan: &&Plan| arguments.tasks.is_empty() || arguments.tasks.contains(&plan.task);
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

/// Summarizes the baseline of a task.
fn summed_up(task: &TaskId, known: &TaskBaseline) -> String {
    let mut sum = Tally::default();
    for action in &known.actions {
        let listed = action.findings.values().map(|finding| (finding.errors, finding.warnings));
        let unlisted = action.unlisted.values().map(|counts| (counts.errors, counts.warnings));
        for (errors, warnings) in listed.chain(unlisted) {
            sum = sum.plus(Tally { errors, warnings, failed_tests: 0 });
        }
        let failed_tests = action.tests.as_ref().map_or(0, |tests| tests.failed.len() as u64);
        sum = sum.plus(Tally { failed_tests, ..Tally::default() });
    }
    let stood = sum.said().unwrap_or_else(|| "nothing".to_owned());
    format!("{task}: {stood} stood in {} at {}", known.execution, known.made)
}
