//! `referee_run`: runs checks, seals the evidence, and answers as the gate does.

use referee_engine::error::{EngineError, ErrorKind};
use referee_engine::gate::{self, GateResult};
use referee_engine::incident::Cancellation;
use referee_engine::run::RunBuilder;
use referee_engine::selection::{Profile, Selection};
use referee_engine::suite::SuiteAnswer;
use referee_engine::unloadable;
use referee_model::id::TaskId;
use referee_report::gate::gate_document;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, arguments, document};
use crate::observer::Observer;
use crate::project::Project;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    specification: Option<String>,
    #[serde(default)]
    tasks: Vec<TaskId>,
    profile: Option<Profile>,
    #[serde(default)]
    only: Vec<String>,
    #[serde(default)]
    skip: Vec<String>,
    #[serde(default)]
    rerun_failed: bool,
}

pub(super) fn run(project: &Project, given: Value, observer: &mut Observer, cancellation: &Cancellation) -> Answer {
    let asked: Arguments = arguments(given)?;
    let names = project.names(asked.specification.as_deref())?;
    let context = &project.context;
    let suite = match context.load_single(&names, "the tool runs one specification: name one", observer) {
        Ok(suite) => suite,
        Err(problem) if problem.kind == ErrorKind::Specification => {
            // Sealed as the last run of its tasks: an earlier pass no longer counts.
            let signing = &project.options.signing;
            let sealed = unloadable::seal(context, &names, &asked.tasks, signing, cancellation, observer);
            return Err(match sealed {
                Ok(_) => problem.into(),
                Err(unsealed) => not_sealed(&problem, unsealed).into(),
            });
        }
        Err(problem) => return Err(problem.into()),
    };
    let suites = std::slice::from_ref(&suite);
    let selection =
        Selection { profile: asked.profile, only: asked.only, skip: asked.skip, rerun_failed: asked.rerun_failed };
    let builder = RunBuilder::new(context, &project.options, suites, cancellation)?;
    let builder = builder.select(&asked.tasks, selection)?;
    let prepared = builder.prepare(&suite, observer)?;
    let ran = prepared.run(observer)?;
    prepared.record_status(observer)?;
    let GateResult { mut answer, .. } = gate::of_run(&ran);
    answer.notes.extend(remarks(&ran));
    answer.notes.append(&mut observer.notes);
    document(&gate_document::document(&answer))
}

fn not_sealed(problem: &EngineError, unsealed: EngineError) -> EngineError {
    let message = format!("{}; and no run could be sealed that says so: {}", problem.message, unsealed.message);
    EngineError { message, ..unsealed }
}

/// Returns remarks on where the evidence was published, one sentence each.
fn remarks(ran: &SuiteAnswer) -> Vec<String> {
    let of_task = ran.answers.iter().flat_map(|answer| {
        let task = &answer.report.plan.task;
        let superseded = answer.superseded_by.iter().map(move |later| {
            format!("{later} of {task} was started later and stands in its place; this run went to the history")
        });
        superseded.chain(answer.gap.clone())
    });
    of_task.collect()
}
