//! `referee status` and `referee retest`: the status of tasks by their sealed evidence.

use referee_engine::context::Context;
use referee_engine::error::{EngineError, ErrorKind};
use referee_engine::status::{self, StatusAnswer, StatusRequest};
use referee_engine::unloadable;
use referee_model::id::TaskId;
use referee_model::suite::Suite;
use referee_report::human;

use crate::args::Specification;
use crate::args::status::{Retest, Status};
use crate::follower::notes;
use crate::output;
use crate::resolve;

/// Recomputes the status of tasks, and prints it.
pub(super) fn execute(context: &Context, arguments: &Status) -> Result<u8, EngineError> {
    let files = arguments.specification.iter().cloned().collect();
    let suite = load(context, &Specification { files, workspace: arguments.workspace.clone() })?;
    let Status { tasks, lists, write, .. } = arguments;
    let request = StatusRequest { suite: &suite, tasks, lists, write: *write };
    let StatusAnswer { tasks, violations, exit } = status::answer(context, request, &mut notes(context))?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&referee_report::status::document(&tasks, &violations, exit)),
        |out| human::status::write(&tasks, &violations, &context.terminal.stdout, out),
    )?;
    Ok(exit)
}

/// Loads the selected specification.
fn load(context: &Context, specification: &Specification) -> Result<Suite, EngineError> {
    resolve::load_one(context, specification, "a status is that of one specification: name one")
}

/// Runs tasks again, given by name where `run` takes files.
pub(super) fn retest(context: &Context, arguments: &Retest) -> Result<u8, EngineError> {
    let mut run = arguments.run.clone();
    let files = std::mem::take(&mut run.specification.files);
    for named in files {
        match named.to_str().map(TaskId::parse) {
            Some(Ok(task)) => run.tasks.push(task),
            _ => run.specification.files.push(named),
        }
    }
    if run.tasks.is_empty() {
        return Err(EngineError::usage("the tasks to run again are needed, such as `referee retest T031`".to_owned()));
    }
    let ended = super::run::execute(context, &run);
    let notes = &mut notes(context);
    match &ended {
        Ok(_) => status::set_checkboxes(context, &load(context, &run.specification)?, &run.tasks, notes)?,
        Err(problem) if problem.kind == ErrorKind::Specification => {
            for suite in &unloadable::suites(context, &(&run.specification).into(), &run.tasks)?.suites {
                status::set_checkboxes(context, suite, &run.tasks, notes)?;
            }
        }
        Err(_) => {}
    }
    ended
}
