//! Redaction of what is stored beside raw output: plans and records hold command lines, variables and messages of the
//! system. Raw output is redacted by the sink. The judge sees the redacted plan too, so that a replay sees the same.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use referee_ledger::redact::looks_secret;
use referee_model::id::WorkspacePath;
use referee_model::plan::{FileExpectation, Invocation, Plan, Work};
use referee_model::record::{CommandFacts, Ending, Facts, FileFacts, Found, Record};

/// Returns the variables whose names say that their values are secret: of the caller, and of the specification.
pub(crate) fn secrets(caller: &[(OsString, OsString)], plan: &Plan) -> Vec<(String, String)> {
    let of_caller = caller.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    let of_actions = plan.actions.iter().filter_map(|action| match &action.work {
        Work::Command(command) => Some(&command.environment),
        Work::File(_) => None,
    });
    let declared = std::iter::once(&plan.environment).chain(of_actions).flatten();
    let mut secrets: Vec<(String, String)> = of_caller
        .chain(declared.map(|(name, value)| (name.as_str(), value.as_str())))
        .filter(|(name, _)| looks_secret(name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    secrets.sort();
    secrets.dedup();
    secrets
}

/// Returns the plan as it is stored and judged.
pub(crate) fn plan(plan: &Plan, redact: &dyn Fn(&str) -> String) -> Plan {
    let mut plan = plan.clone();
    text(&mut plan.title, redact);
    text(&mut plan.specification.file, redact);
    folder(&mut plan.workspace, redact);
    folder(&mut plan.evidence_root, redact);
    variables(&mut plan.environment, redact);
    for action in &mut plan.actions {
        text(&mut action.name, redact);
        match &mut action.work {
            Work::Command(command) => {
                match &mut command.invocation {
                    Invocation::Argv(argv) => texts(argv, redact),
                    Invocation::Shell { line, .. } => text(line, redact),
                }
                texts(&mut command.seen_through, redact);
                path(&mut command.directory, redact);
                variables(&mut command.environment, redact);
            }
            Work::File(check) => {
                path(&mut check.path, redact);
                if let FileExpectation::Present(content) = &mut check.expectation {
                    texts(&mut content.contains, redact);
                    texts(&mut content.matches, redact);
                }
            }
        }
    }
    plan
}

/// Redacts a record before it is stored or told of.
pub(crate) fn record(record: &mut Record, redact: &dyn Fn(&str) -> String) {
    for notice in &mut record.notices {
        text(&mut notice.message, redact);
    }
    match &mut record.facts {
        Facts::Command(facts) => command_facts(facts, redact),
        Facts::File(FileFacts { path, found }) => {
            text(path, redact);
            match found {
                Found::Outside { target } => text(target, redact),
                Found::Unreadable { message } => text(message, redact),
                Found::Missing | Found::File(_) | Found::Folder | Found::Other => {}
            }
        }
    }
}

fn command_facts(facts: &mut CommandFacts, redact: &dyn Fn(&str) -> String) {
    texts(&mut facts.argv, redact);
    text(&mut facts.directory, redact);
    for executable in &mut facts.executables {
        text(&mut executable.name, redact);
        text(&mut executable.path, redact);
    }
    variables(&mut facts.environment, redact);
    if let Ending::CouldNotStart { message, .. } = &mut facts.ending {
        text(message, redact);
    }
    for process in &mut facts.leaked {
        text(&mut process.command, redact);
    }
}

/// Values of variables that are secret by their name are hidden whole, however short or plain they are.
fn variables(variables: &mut BTreeMap<String, String>, redact: &dyn Fn(&str) -> String) {
    for (name, value) in variables {
        *value = if looks_secret(name) { "*".repeat(value.len()) } else { redact(value) };
    }
}

fn folder(folder: &mut PathBuf, redact: &dyn Fn(&str) -> String) {
    let shown = folder.to_string_lossy();
    let redacted = redact(&shown);
    if redacted != shown {
        *folder = PathBuf::from(redacted);
    }
}

/// Redaction replaces characters of a path by `*`, so it stays a path within the workspace.
fn path(path: &mut WorkspacePath, redact: &dyn Fn(&str) -> String) {
    *path = WorkspacePath::parse(&redact(path.as_str())).unwrap_or_else(|_| WorkspacePath::root());
}

fn texts(texts: &mut [String], redact: &dyn Fn(&str) -> String) {
    for each in texts {
        text(each, redact);
    }
}

fn text(text: &mut String, redact: &dyn Fn(&str) -> String) {
    *text = redact(text);
}
