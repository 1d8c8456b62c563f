//! Rules for a plan that its type cannot express.

use std::collections::BTreeSet;

use crate::id::ActionId;
use crate::limit;
use crate::plan::http::{Assertion, JsonExpectation, StatusRange};
use crate::plan::interaction::RowExpectation;
use crate::plan::{
    Action, Command, Evaluator, FileCheck, FileContent, FileExpectation, FileRoot, HttpRequest, Interaction,
    Invocation, Plan, SchemaSource, Work,
};
use serde_json::value::RawValue;

/// Checks a plan that was read.
///
/// # Errors
/// Returns a sentence that describes the first violation.
pub(super) fn check(plan: &Plan) -> Result<(), String> {
    for (key, directory) in [("workspace", &plan.workspace), ("evidenceRoot", &plan.evidence_root)] {
        if !directory.is_absolute() {
            return Err(format!("`{key}` is not an absolute directory"));
        }
    }
    if plan.part_workspaces.iter().any(|directory| !directory.is_absolute()) {
        return Err("`partWorkspaces` holds a directory that is not absolute".to_owned());
    }
    if !(0.0..=100.0).contains(&plan.completion.minimum_pass_rate) {
        return Err("`minimumPassRate` is outside 0 to 100".to_owned());
    }
    if plan.depends_on.contains(&plan.task) {
        return Err(format!("{} depends on itself", plan.task));
    }
    order(plan)?;
    plan.actions.iter().try_for_each(tries)?;
    for action in &plan.actions {
        work(&action.work).map_err(|problem| format!("{}: {problem}", action.id))?;
    }
    if let Some(evaluator) = &plan.evaluator {
        command(&evaluator.command).map_err(|problem| format!("the evaluator: {problem}"))?;
    }
    problems(plan)
}

fn work(work: &Work) -> Result<(), String> {
    match work {
        Work::Command(started) => command(started),
        Work::File(check) => file(check),
        Work::Http(request) => http(request),
        Work::Service(service) => service.command.as_ref().map_or(Ok(()), command),
        Work::Interaction(interaction) => self::interaction(interaction),
    }
}

fn interaction(interaction: &Interaction) -> Result<(), String> {
    match interaction {
        Interaction::Query(query) => query.expectations.iter().try_for_each(|expectation| match expectation {
            RowExpectation::Schema(schema) => inline_schema(schema),
            RowExpectation::Contains(value) => json(value, "an expected value"),
            RowExpectation::Count(_) => Ok(()),
        }),
        Interaction::Browser(browser) if browser.commands.is_empty() => Err("`commands` is empty".to_owned()),
        Interaction::Browser(_) => Ok(()),
    }
}

fn command(command: &Command) -> Result<(), String> {
    match &command.invocation {
        Invocation::Argv(argv) if argv.is_empty() => Err("`argv` is empty".to_owned()),
        Invocation::Argv(_) | Invocation::Shell { .. } | Invocation::Container(_) => Ok(()),
    }
}

fn file(check: &FileCheck) -> Result<(), String> {
    if let FileRoot::Listed(directory) = &check.root
        && !directory.is_absolute()
    {
        return Err(format!("`root` is `{}`, which is not an absolute directory", directory.display()));
    }
    match &check.expectation {
        FileExpectation::Present(FileContent { schema: Some(schema), .. }) => inline_schema(schema),
        FileExpectation::Present(_) | FileExpectation::Absent => Ok(()),
    }
}

fn http(request: &HttpRequest) -> Result<(), String> {
    if request.body_limit_bytes > limit::BODY_BYTES_MAX {
        return Err(format!("`bodyLimitBytes` is more than {}", limit::BODY_BYTES_MAX));
    }
    let is_none = |range: &&StatusRange| range.from < 100 || range.from > range.to || range.to > 599;
    if let Some(StatusRange { from, to }) = request.expected_statuses.iter().find(is_none) {
        return Err(format!("{from} to {to} is not a range of statuses"));
    }
    request.assertions.iter().try_for_each(|assertion| match assertion {
        Assertion::JsonSchema(schema) => inline_schema(schema),
        Assertion::JsonPath { expectation: JsonExpectation::Equals(value), .. } => json(value, "an expected value"),
        _ => Ok(()),
    })
}

fn inline_schema(schema: &SchemaSource) -> Result<(), String> {
    match schema {
        SchemaSource::Inline(text) => json(text, "the inline schema"),
        SchemaSource::File(_) => Ok(()),
    }
}

fn json(text: &str, what: &str) -> Result<(), String> {
    serde_json::from_str::<&RawValue>(text).map(|_| ()).map_err(|error| format!("{what} is not JSON: {error}"))
}

/// Checks that actions are in the order of their phases, that ids are unique, and that every needed action
/// comes before.
fn order(plan: &Plan) -> Result<(), String> {
    if plan.actions.len() > limit::ACTIONS {
        return Err(format!("more than {} actions", limit::ACTIONS));
    }
    if let Some(pair) = plan.actions.windows(2).find(|pair| pair[0].phase > pair[1].phase) {
        return Err(format!("{} comes after {}, which belongs to a later phase", pair[1].id, pair[0].id));
    }
    let mut before: BTreeSet<&ActionId> = BTreeSet::new();
    for action in &plan.actions {
        if let Some(need) = action.needs.iter().find(|need| !before.contains(need)) {
            return Err(format!("{} needs {need}, which does not come before it", action.id));
        }
        if Evaluator::owns(&action.id) {
            return Err(format!("{} is the id of an evaluator, which is not an action", action.id));
        }
        if !before.insert(&action.id) {
            return Err(format!("{} appears twice", action.id));
        }
    }
    Ok(())
}

fn tries(action: &Action) -> Result<(), String> {
    if action.retries > limit::RETRIES {
        return Err(format!("{} is tried again more than {} times", action.id, limit::RETRIES));
    }
    Ok(())
}

/// Checks that every problem has a position.
fn problems(plan: &Plan) -> Result<(), String> {
    if plan.problems.iter().any(|problem| problem.line == 0 || problem.column == 0) {
        return Err("a problem stands at line or column 0".to_owned());
    }
    Ok(())
}
