//! `referee check`: lists all errors of the specification.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::{EngineError, ErrorKind};
use referee_model::exit_code;
use referee_model::id::{ActionId, TaskId};
use referee_model::suite::Suite;
use referee_spec::{Complaint, Loaded};
use referee_syntax::count::count;

use crate::args::{Check, PlainFormat};
use crate::complaints::{self, rendered};
use crate::output;
use crate::resolve;

/// Prints all complaints. Exits with 0 if all of it can be run, else with 3.
pub(super) fn execute(context: &Context, arguments: &Check) -> Result<u8, EngineError> {
    let checked: Vec<Checked> = resolve::load(context, &arguments.specification)?
        .into_iter()
        .map(|loaded| checked(context, loaded))
        .collect::<Result<_, _>>()?;
    match arguments.format {
        PlainFormat::Json => {
            let documents: Vec<_> = checked.iter().map(Checked::document).collect();
            let text = match documents.as_slice() {
                [only] => referee_model::document::to_bytes(only)?,
                several => referee_model::document::to_bytes(&several)?,
            };
            output::answer(&text)?;
        }
        PlainFormat::Human => {
            let mut text = Vec::new();
            for one in &checked {
                text.extend(rendered(context, &one.complaints)?);
                for missing in &one.missing {
                    let Missing { task, action, message } = missing;
                    text.extend(format!("note: {task} {action} cannot run on this machine: {message}\n").into_bytes());
                }
                text.extend(format!("{}\n", one.message).into_bytes());
            }
            output::answer(&text)?;
        }
    }
    Ok(if checked.iter().all(|one| one.valid) { exit_code::PASSED } else { exit_code::SPECIFICATION })
}

/// Result for one specification.
struct Checked {
    valid: bool,
    message: String,
    complaints: Vec<Complaint>,
    missing: Vec<Missing>,
}

impl Checked {
    fn document(&self) -> serde_json::Value {
        let mut document = complaints::document(self.valid, &self.message, &self.complaints);
        let missing = self.missing.iter().map(|Missing { task, action, message }| {
            serde_json::json!({ "task": task, "action": action, "message": message })
        });
        document["missing"] = missing.collect();
        document
    }
}

/// What an action lacks on this machine.
struct Missing {
    task: TaskId,
    action: ActionId,
    message: String,
}

fn checked(context: &Context, loaded: Result<Loaded, EngineError>) -> Result<Checked, EngineError> {
    match loaded {
        Ok(loaded) => {
            let stuck = stuck(&loaded.suite);
            let missing = missing(context, &loaded.suite)?;
            let file = called(context, &loaded.suite);
            let said = stuck.clone().unwrap_or_else(|| valid(&loaded.suite));
            Ok(Checked {
                valid: stuck.is_none(),
                message: format!("{file} {said}"),
                complaints: loaded.warnings,
                missing,
            })
        }
        Err(problem) if problem.kind == ErrorKind::Specification => {
            Ok(Checked { valid: false, message: problem.message, complaints: problem.complaints, missing: Vec::new() })
        }
        Err(problem) => Err(problem),
    }
}

/// Returns what the databases, browsers and containers of a specification lack on this machine. It stays valid: another
/// machine may have it, and a run fails what lacks it.
fn missing(context: &Context, suite: &Suite) -> Result<Vec<Missing>, EngineError> {
    let host = context.for_exec()?;
    let found = suite.tasks.iter().flat_map(|plan| {
        let missing = referee_exec::missing(plan, &host).into_iter();
        missing.map(|(action, message)| Missing { task: plan.task.clone(), action, message })
    });
    Ok(found.collect())
}

/// Returns the name of a specification's file for people.
fn called(context: &Context, suite: &Suite) -> String {
    let file = Path::new(&suite.specification.file);
    let workspace = suite.tasks.first().map(|plan| plan.workspace.as_path());
    context.told(&workspace.unwrap_or(Path::new("")).join(file))
}

/// Returns which tasks of a valid specification would be specification errors as soon as they are run (ruling
/// 3). None: there are none.
fn stuck(suite: &Suite) -> Option<String> {
    let stuck = suite.tasks.iter().filter(|plan| !plan.problems.is_empty());
    let stuck = stuck.map(|plan| format!("{} ({})", plan.task, count(plan.problems.len(), "problem")));
    let stuck: Vec<String> = stuck.collect();
    (!stuck.is_empty()).then(|| format!("cannot run: {}", stuck.join(", ")))
}

fn valid(suite: &Suite) -> String {
    let actions = count(suite.tasks.iter().map(|plan| plan.actions.len()).sum::<usize>(), "action");
    match suite.tasks.len() {
        1 => format!("is valid: {actions}"),
        several => format!("is valid: {several} tasks, {actions}"),
    }
}
