use referee_model::diagnostic_log::{DiagnosticLog, DiagnosticSource, Finding, Position};
use referee_model::id::ActionId;
use referee_model::limit::{DIAGNOSTICS_LISTED, SUMMARY_CAUSES, SUMMARY_CHARACTERS};
use referee_model::plan::{Action, Category, Command, Role, Strategy, ToolPolicy, Work};
use referee_model::reading::{Level, Reading, TestFailure};
use referee_model::record::{Ending, Record};
use referee_model::report::ActionReport;
use referee_model::time::Timestamp;

use super::*;
use crate::fingerprint;
use crate::fixture::{self, answer, answered, ended, exited, findings, http, line, request, tests};

mod folding;
mod prompts;
mod summaries;

fn of_role(id: &str, name: &str, role: Role) -> Action {
    let command = Command { role: Some(role), ..fixture::command("sh check.sh") };
    Action { name: name.to_owned(), ..fixture::action(id, Work::Command(command)) }
}

/// Returns the log of a single action.
fn log_of_one(action: &Action, record: Record, reading: Reading) -> DiagnosticLog {
    let plan = fixture::plan(vec![action.clone()]);
    log(&plan, &[fixture::judged(&plan, action, record, reading)])
}

/// Returns a reading of a runner: this many passed, and these failed.
fn failed_tests(passed: u64, failures: &[(&str, &str)]) -> Reading {
    let mut reading = tests("jest", passed, failures.len() as u64, 0);
    if let Some(tests) = &mut reading.tests {
        tests.failures = failures
            .iter()
            .map(|(name, message)| TestFailure {
                name: (*name).to_owned(),
                file: Some("tests/a.test.ts".to_owned()),
                message: (*message).to_owned(),
                ..TestFailure::default()
            })
            .collect();
    }
    reading
}

/// Returns findings with these messages, each an error on a line of its own.
fn said(messages: &[&str]) -> Reading {
    let mut reading = findings("tsc", messages.len() as u64, 0, 0);
    for (found, message) in reading.diagnostics.iter_mut().zip(messages) {
        (*message).clone_into(&mut found.message);
    }
    reading
}

fn entry(message: &str, file: Option<&str>, line: Option<u32>) -> Finding {
    Finding {
        source: DiagnosticSource::Test,
        action: ActionId::parse("STEP.1").unwrap(),
        action_name: "unit".to_owned(),
        command: "npx jest".to_owned(),
        tool: None,
        file: file.map(str::to_owned),
        under_test: None,
        position: line.map(|line| Position { line, column: None }),
        code: None,
        severity: Level::Error,
        message: message.to_owned(),
        blocking: true,
        timestamp: Timestamp::from_millisecond(1),
        occurrences: 1,
        fingerprint: fingerprint::of(&fingerprint::Identity {
            outcome: referee_model::outcome::Outcome::TestFailure,
            action: "unit",
            tool: None,
            code: None,
            message,
            file,
        }),
    }
}

/// Returns one line per diagnostic with its distinguishing parts.
fn shown(log: &DiagnosticLog) -> Vec<String> {
    let line = |entry: &Finding| {
        let blocks = if entry.blocking { "blocks" } else { "-" };
        let message = &entry.message;
        format!("{:?} {:?} {blocks} x{} {message}", entry.source, entry.severity, entry.occurrences)
    };
    log.entries.iter().map(line).collect()
}

#[test]
fn diagnostics_of_one_source_file_message_and_line_are_the_gravest_of_them() {
    let lint = of_role("STEP.1", "lint", Role::Lint);
    let log = log_of_one(&lint, exited(&lint, 1), findings("eslint", 1, 1, 1));
    assert_eq!(shown(&log), ["Lint Error blocks x3 something is wrong"]);
    assert_eq!(log.distinct, 1);
}

#[test]
fn the_tool_that_said_it_gives_the_source_where_it_does_one_thing() {
    let test = of_role("STEP.1", "unit", Role::Test);
    for (tool, source) in [
        ("tsc", DiagnosticSource::Build),
        ("rustc", DiagnosticSource::Build),
        ("eslint", DiagnosticSource::Lint),
        ("ruff", DiagnosticSource::Lint),
        ("jest", DiagnosticSource::Test),
        // It checks types, lints and formats.
        ("deno", DiagnosticSource::Test),
        ("unheard-of", DiagnosticSource::Test),
    ] {
        let log = log_of_one(&test, exited(&test, 1), findings(tool, 1, 0, 0));
        assert!(
            log.entries.iter().any(|entry| entry.tool.as_deref() == Some(tool) && entry.source == source),
            "{tool}"
        );
    }
}

#[test]
fn every_kind_of_failure_gives_a_diagnostic() {
    let test = of_role("STEP.1", "unit", Role::Test);
    let types = of_role("STEP.2", "types", Role::Typecheck);
    let other = line("STEP.3", "sh deploy.sh");
    let asked = http("STEP.4", request("http://localhost:3000/api"));
    let slow = line("STEP.5", "sleep 99");
    let actions = vec![test.clone(), types.clone(), other.clone(), asked.clone(), slow.clone()];
    let plan = fixture::plan(actions);
    let timed_out = Ending::DeadlineExceeded { timeout_ms: 10_000, of_task: false, killed: true };
    let reports = [
        fixture::judged(
            &plan,
            &test,
            exited(&test, 1),
            failed_tests(1, &[("adds", "expected 1\nto be 2"), ("subs", "")]),
        ),
        fixture::judged(&plan, &types, exited(&types, 2), said(&["no such name"])),
        fixture::judged(&plan, &other, exited(&other, 3), fixture::nothing()),
        fixture::judged(&plan, &asked, answered(&asked, answer(500)), fixture::nothing()),
        fixture::judged(&plan, &slow, ended(&slow, timed_out), said(&["half a finding"])),
    ];
    let log = log(&plan, &reports);
    insta::assert_snapshot!("every_kind", format!("{}\n\n{}", shown(&log).join("\n"), log.summary));
}

#[test]
fn what_a_passing_action_prints_is_noted_and_no_cause() {
    let other = line("STEP.1", "sh chatty.sh");
    let log = log_of_one(&other, exited(&other, 0), fixture::by_content(said(&["looks like an error"])));
    assert_eq!(shown(&log), ["Build Info - x1 looks like an error"]);
    assert_eq!((log.distinct, log.summary.as_str()), (1, "No active diagnostics."));
}

#[test]
fn what_policy_hides_is_left_out() {
    let command = Work::Command(Command { role: Some(Role::Lint), ..fixture::command("npx eslint .") });
    let lint = fixture::action("STEP.1", command);
    let with = |change: &dyn Fn(&mut referee_model::plan::Plan)| {
        let mut plan = fixture::plan(vec![lint.clone()]);
        change(&mut plan);
        let mut reading = said(&["first", "second"]);
        reading.reader = findings("eslint", 0, 0, 0).reader;
        for (found, rule) in reading.diagnostics.iter_mut().zip(["one", "two"]) {
            found.code = Some(rule.to_owned());
        }
        reading.counts = referee_model::reading::Counts::default();
        reading.counts.add(Some("one"), Level::Error, false);
        reading.counts.add(Some("two"), Level::Error, false);
        log(&plan, &[fixture::judged(&plan, &lint, exited(&lint, 1), reading)])
    };
    assert_eq!(with(&|_| {}).distinct, 2);
    let never = |plan: &mut referee_model::plan::Plan| {
        plan.policies.categories.insert(Category::Linting, Strategy::Never);
    };
    assert_eq!(with(&never).distinct, 0);
    let command = Work::Command(Command { role: Some(Role::Lint), ..fixture::command("npx eslint .") });
    let mut plan = fixture::plan(vec![fixture::action("STEP.1", command)]);
    let policy = ToolPolicy { ignored_rules: vec!["one".to_owned()], ..ToolPolicy::default() };
    plan.policies.tools.insert("eslint".to_owned(), policy);
    let mut reading = findings("eslint", 2, 0, 0);
    if let Some(found) = reading.diagnostics.first_mut() {
        found.code = Some("one".to_owned());
    }
    let action = plan.actions[0].clone();
    let report = fixture::judged(&plan, &action, exited(&action, 1), reading);
    let kept: Vec<_> = log(&plan, &[report]).entries.into_iter().filter_map(|entry| entry.code).collect();
    assert_eq!(kept, ["rule"]);
}

#[test]
fn warnings_block_where_policy_counts_them() {
    let command = Work::Command(Command { role: Some(Role::Lint), ..fixture::command("npx eslint .") });
    let action = fixture::action("STEP.1", command);
    let policy = |policy: ToolPolicy, errors: u64| {
        let mut plan = fixture::plan(vec![action.clone()]);
        plan.policies.tools.insert("eslint".to_owned(), policy);
        let mut reading = findings("eslint", errors, 2, 0);
        for (number, found) in reading.diagnostics.iter_mut().enumerate() {
            found.message = format!("message number-{number}x");
        }
        let log = log(&plan, &[fixture::judged(&plan, &action, exited(&action, 1), reading)]);
        log.entries.iter().filter(|entry| entry.severity == Level::Warning && entry.blocking).count()
    };
    let default = ToolPolicy::default;
    assert_eq!(policy(default(), 1), 0);
    assert_eq!(policy(default(), 0), 0);
    assert_eq!(policy(ToolPolicy { max_warnings: Some(1), ..default() }, 1), 2);
    assert_eq!(policy(ToolPolicy { max_warnings: Some(2), ..default() }, 1), 0);
    assert_eq!(policy(ToolPolicy { treat_warnings_as_errors: true, ..default() }, 1), 2);
    assert_eq!(policy(ToolPolicy { error_on_rules: vec!["rule".to_owned()], ..default() }, 1), 2);
    assert_eq!(policy(ToolPolicy { block_on: Some(Strategy::ErrorsAndWarnings), ..default() }, 1), 2);
    assert_eq!(policy(ToolPolicy { block_on: Some(Strategy::WarnOnly), ..default() }, 1), 0);
}

#[test]
fn the_list_is_bounded_and_the_number_of_distinct_ones_is_exact() {
    let types = of_role("STEP.1", "types", Role::Typecheck);
    let log = log_of_one(&types, exited(&types, 2), findings("tsc", 700, 0, 0));
    assert_eq!((log.entries.len(), log.distinct), (DIAGNOSTICS_LISTED, 700));
    // All have the same message in one file: one cause.
    assert_eq!(log.summary, "Top 1 Diagnostics:\n- [BUILD] src/a.ts:1: something is wrong (x700)\n");
}

#[test]
fn nothing_gives_nothing() {
    let plan = fixture::plan(Vec::new());
    let log = log(&plan, &[]);
    assert_eq!((log.entries.len(), log.distinct, log.summary.as_str()), (0, 0, "No active diagnostics."));
    let action = line("STEP.1", "true");
    let skipped = ActionReport {
        action,
        history: referee_model::report::ActionHistory::Skipped(referee_model::record::SkipReason::Interrupted),
    };
    assert_eq!(super::log(&plan, &[skipped]).distinct, 0);
}
