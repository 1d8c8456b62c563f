use referee_model::debt::{DebtCategory, FailedKind};
use referee_model::diagnostic_log::Sighting;
use referee_model::id::ExecutionId;
use referee_model::plan::http::StatusRange;
use referee_model::plan::{Action, DebtPolicy, DebtRouting, FileContent, FileExpectation, Strategy, ToolPolicy};
use referee_model::reading::{Diagnostic, Level, Reading, TestFailure};
use referee_model::record::{Ending, FileState, Record, RunEnding, SkipReason, StartFailure};
use referee_model::report::ActionHistory;
use referee_model::severity::Severity;
use referee_model::time::Timestamp;

use super::*;
use crate::fixture::{
    answer, answered, counts_only, ended, exited, file, findings, found, http, judged, line, nothing, plan, request,
    run, tests, words,
};

mod findings;
mod golden;
mod over_runs;
mod placed;

/// Gives an action a name of its own.
fn named(mut action: Action, name: &str) -> Action {
    name.clone_into(&mut action.name);
    action
}

fn finding(tool: &str, level: Level, code: &str, file: &str, line: u32, message: &str) -> Diagnostic {
    let mut found = findings(tool, 1, 0, 0).diagnostics.remove(0);
    found.level = level;
    found.code = (!code.is_empty()).then(|| code.to_owned());
    found.file = (!file.is_empty()).then(|| file.to_owned());
    found.line = Some(line);
    message.clone_into(&mut found.message);
    found
}

/// Returns a complete reading by a tool's own reader with these findings.
fn read_findings(tool: &str, found: Vec<Diagnostic>) -> Reading {
    let mut reading = findings(tool, 0, 0, 0);
    for found in &found {
        reading.counts.add(found.code.as_deref(), found.level, found.fixable);
    }
    reading.diagnostics = found;
    reading
}

fn failure(name: &str, file: &str, line: u32, message: &str) -> TestFailure {
    TestFailure {
        name: name.to_owned(),
        file: Some(file.to_owned()),
        line: Some(line),
        message: message.to_owned(),
        ..TestFailure::default()
    }
}

/// Returns a reading by a runner's own reader of a summary with these failed tests.
fn read_tests(passed: u64, failures: Vec<TestFailure>) -> Reading {
    let mut reading = tests("jest", passed, failures.len() as u64, 0);
    if let Some(tests) = &mut reading.tests {
        tests.failures = failures;
    }
    reading
}

/// Returns type errors in this many files, each with a message of its own.
fn type_errors(number: u32) -> Reading {
    let word = |number: u32| format!("'{}'", "abcdefghij".chars().nth(number as usize % 10).unwrap());
    let found = (0..number).map(|at| {
        let message = format!("Cannot find name {}{}{}", word(at / 100), word(at / 10), word(at));
        finding("tsc", Level::Error, "TS2304", "src/a.ts", at + 1, &message)
    });
    read_findings("tsc", found.collect())
}

fn types() -> Action {
    named(line("STEP.1", "npx tsc --noEmit"), "types")
}

/// Returns an empty register.
fn empty() -> DebtStanding {
    DebtStanding { next_item: 1, next_sprint_task: 31, next_inventory: 1, ..DebtStanding::default() }
}

fn done() -> RunRecord {
    run(RunEnding::Finished)
}

/// Assesses one action of a run.
fn assessed(plan: &Plan, action: &Action, record: Record, reading: Reading, standing: &DebtStanding) -> DebtAssessment {
    assess(plan, &done(), &[judged(plan, action, record, reading)], standing)
}

/// Returns the debt of one failed action in words, one item per line.
fn left(action: &Action, record: Record, reading: Reading) -> Vec<String> {
    let plan = plan(vec![action.clone()]);
    assessed(&plan, action, record, reading, &empty()).items.iter().map(in_short).collect()
}

fn in_short(item: &DebtItem) -> String {
    let case = &item.case;
    format!("{} {} ×{}: {}", case.severity.as_str(), case.category.as_str(), case.occurrences, case.title)
}
