//! `referee baseline`: records current findings.

use referee_engine::baseline;
use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::document;
use referee_model::baseline::{Tally, TaskBaseline};
use referee_model::exit_code;
use referee_model::id::TaskId;

use super::sealed_runs;
use crate::args;
use crate::follower::notes;
use crate::output;

/// Records a baseline of the last sealed runs.
pub(super) fn execute(context: &Context, arguments: &args::Baseline) -> Result<u8, EngineError> {
    let directories = sealed_runs::directories(context, &arguments.runs)?;
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
