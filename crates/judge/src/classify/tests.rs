use referee_model::debt::{DebtCategory, DebtSummary};
use referee_model::id::{ActionId, Digest};
use referee_model::outcome::{AgentAction, PolicySource};
use referee_model::plan::{Category, DebtPolicy, FileContent, FileExpectation, Strategy, ToolPolicy};
use referee_model::reading::{CountAuthority, Level, RuleCounts, TestCounts, TestFailure};
use referee_model::record::service::Readiness;
use referee_model::record::{Ending, FileFacts, FileObservation, FileState, Notice, StartFailure};

use super::*;
use crate::fixture::{
    action, answer, answered, attempt, by_content, command, dev_server, ended, exchanged, exited, file, findings,
    found, found_all, glob, globbed, http, http_facts, line, named_tests, not_executed, nothing, observed, plan,
    problem, query, request, service, service_facts, serviced, tests, unanswered, words,
};

/// Judges a command line that exited, as a step and without policies.
fn exit(text: &str, code: i32, reading: &Reading) -> Judgement {
    let action = line("STEP.1", text);
    judge(&plan(vec![action.clone()]), &action, &exited(&action, code), reading)
}

fn told(judgement: &Judgement) -> String {
    let decision = if judgement.blocking { "blocks" } else { "passes" };
    format!("{} {} {decision} {:?}", judgement.outcome.as_str(), judgement.rule.as_str(), judgement.severity)
}

mod attempts;
mod expected;
mod files;
mod golden;
mod http;
mod interactions;
mod not_done;
mod red;
mod seed;
mod service;
mod strictness;
mod validation;

const SUCCESS: &str = "passes None";
const BLOCKS: &str = "blocks High";

#[test]
fn each_ending_of_a_command_has_its_row() {
    let action = line("STEP.1", "npx jest");
    for (ending, expected) in [
        (
            Ending::CouldNotStart { cause: StartFailure::NotFound, message: "not found".to_owned() },
            "EXECUTION_ERROR execution/could-not-start blocks High",
        ),
        (Ending::Signaled { signal: 9 }, "EXECUTION_ERROR execution/signaled blocks High"),
        (Ending::OutputLimitExceeded { limit_bytes: 5 }, "EXECUTION_ERROR execution/output-limit blocks High"),
        (Ending::ProcessLimitExceeded { limit: 5 }, "EXECUTION_ERROR execution/resource-limit blocks High"),
        (Ending::MemoryLimitExceeded { limit_bytes: 5 }, "EXECUTION_ERROR execution/resource-limit blocks High"),
        (Ending::Interrupted { killed: true }, "EXECUTION_ERROR execution/interrupted blocks High"),
        (
            Ending::DeadlineExceeded { timeout_ms: 10_000, of_task: false, killed: false },
            "TIMEOUT timeout/deadline blocks Medium",
        ),
    ] {
        let judgement = judge(&plan(vec![action.clone()]), &action, &ended(&action, ending), &tests("jest", 5, 0, 0));
        assert_eq!(told(&judgement), expected);
        assert!(!judgement.advice.is_empty());
    }
}

#[test]
fn endings_say_what_happened_with_numbers() {
    let action = line("STEP.1", "npx jest");
    let reason = |ending, reading: &Reading| {
        judge(&plan(vec![action.clone()]), &action, &ended(&action, ending), reading).reason
    };
    let deadline = |of_task, killed| Ending::DeadlineExceeded { timeout_ms: 10_000, of_task, killed };
    let said = [
        reason(deadline(false, false), &nothing()),
        reason(deadline(true, true), &tests("jest", 3, 1, 0)),
        reason(deadline(false, false), &findings("tsc", 2, 1, 0)),
        reason(Ending::Signaled { signal: 11 }, &nothing()),
        reason(Ending::Signaled { signal: 40 }, &nothing()),
        reason(
            Ending::CouldNotStart { cause: StartFailure::NotFound, message: "no such program".to_owned() },
            &nothing(),
        ),
        reason(Ending::OutputLimitExceeded { limit_bytes: 1_024 }, &nothing()),
        reason(Ending::ProcessLimitExceeded { limit: 200 }, &nothing()),
        reason(Ending::MemoryLimitExceeded { limit_bytes: 1_024 }, &tests("jest", 3, 0, 0)),
    ];
    let said = said.join("\n");
    insta::assert_snapshot!(said);
}

#[test]
fn test_runs_are_judged_by_code_and_summary() {
    let pass = tests("jest", 9, 0, 2);
    let fail = tests("jest", 9, 2, 0);
    let none = tests("jest", 0, 0, 0);
    let skipped = tests("jest", 0, 0, 4);
    let mut lines = fail.clone();
    lines.tests.as_mut().unwrap().authority = CountAuthority::Lines;
    let mut suite = none.clone();
    suite.tests.as_mut().unwrap().suites = Some(TestCounts { failed: 1, total: 1, ..TestCounts::default() });
    let mut cut_suite = suite.clone();
    cut_suite.tests.as_mut().unwrap().authority = CountAuthority::Lines;
    let mut no_lines = none.clone();
    no_lines.tests.as_mut().unwrap().authority = CountAuthority::Lines;
    for (code, reading, expected) in [
        (0, &pass, format!("SUCCESS test/passed {SUCCESS}")),
        (0, &fail, format!("TEST_FAILURE test/failed-exit-zero {BLOCKS}")),
        (0, &suite, format!("TEST_FAILURE test/failed-exit-zero {BLOCKS}")),
        (0, &none, format!("TEST_FAILURE test/none-ran {BLOCKS}")),
        (0, &skipped, format!("TEST_FAILURE test/none-ran {BLOCKS}")),
        (0, &lines, format!("EXECUTION_ERROR test/ended-without-summary {BLOCKS}")),
        (0, &by_content(lines.clone()), format!("EXECUTION_ERROR test/ended-without-summary {BLOCKS}")),
        (0, &cut_suite, format!("EXECUTION_ERROR test/ended-without-summary {BLOCKS}")),
        (0, &no_lines, format!("EXECUTION_ERROR test/ended-without-summary {BLOCKS}")),
        (0, &by_content(tests("mocha", 9, 0, 0)), format!("EXECUTION_ERROR test/ended-without-summary {BLOCKS}")),
        (0, &nothing(), format!("EXECUTION_ERROR test/ended-without-summary {BLOCKS}")),
        (1, &fail, format!("TEST_FAILURE test/failed {BLOCKS}")),
        (1, &suite, format!("TEST_FAILURE test/failed {BLOCKS}")),
        (1, &pass, format!("TEST_FAILURE test/runner-failed {BLOCKS}")),
        (1, &none, format!("TEST_FAILURE test/none-ran {BLOCKS}")),
        (1, &skipped, format!("TEST_FAILURE test/none-ran {BLOCKS}")),
        (1, &lines, format!("EXECUTION_ERROR test/no-summary {BLOCKS}")),
        // A known runner's summary is read by its own reader alone.
        (1, &by_content(fail.clone()), format!("EXECUTION_ERROR test/no-summary {BLOCKS}")),
        (1, &nothing(), format!("EXECUTION_ERROR test/no-summary {BLOCKS}")),
        (137, &nothing(), format!("EXECUTION_ERROR test/no-summary {BLOCKS}")),
        (127, &nothing(), format!("EXECUTION_ERROR execution/command-not-found {BLOCKS}")),
        (126, &nothing(), format!("EXECUTION_ERROR execution/command-not-found {BLOCKS}")),
        // mocha exits with the number of failed tests.
        (127, &fail, format!("TEST_FAILURE test/failed {BLOCKS}")),
    ] {
        assert_eq!(told(&exit("npx jest", code, reading)), expected, "exit {code}, {:?}", reading.tests);
    }
    assert!(!exit("npx jest", 0, &nothing()).exit_code_only);
    assert!(!exit("npx jest", 0, &pass).exit_code_only);
    assert!(exit("npx jest", 137, &nothing()).possible_causes.iter().any(|cause| cause.contains("SIGKILL")));
    assert_eq!(exit("npx jest", 1, &fail).reason, "2 of 11 tests failed (jest)");
    assert_eq!(exit("npx jest", 1, &suite).reason, "1 test suite failed to run (jest)");
    assert_eq!(
        exit("npx jest", 1, &tests("jest", 1, 0, 0)).reason,
        "the only test passed, and the runner failed with exit code 1"
    );
    assert!(exit("npx jest", 0, &cut_suite).reason.contains("jest ended without its summary"));
}

#[test]
fn a_known_runner_that_leaves_no_summary_passes_only_where_the_specification_lets_its_exit_code_decide() {
    let judged = |text: &str, role, only, reading: &Reading| {
        let mut command = command(text);
        command.role = role;
        command.exit_code_only = only;
        let action = action("STEP.1", Work::Command(command));
        judge(&plan(vec![action.clone()]), &action, &exited(&action, 0), reading)
    };
    let error = format!("EXECUTION_ERROR test/ended-without-summary {BLOCKS}");
    let success = format!("SUCCESS test/passed-by-exit-code {SUCCESS}");
    for text in [
        "pytest -q",
        "python -m unittest",
        "node --test",
        "go test ./...",
        "cargo test",
        "npx vitest run",
        "cd app && npx mocha",
        "./set-up && pytest",
        "mvn -q test",
        "./gradlew test",
        "tox",
        "pytest && npx jest",
    ] {
        assert_eq!(told(&judged(text, None, false, &nothing())), error, "{text}");
        assert_eq!(told(&judged(text, None, false, &words("hello\n"))), error, "{text}");
        let allowed = judged(text, None, true, &nothing());
        assert_eq!((told(&allowed), allowed.exit_code_only), (success.clone(), true), "{text}");
    }
    // A command that may not be a known runner is judged by its exit code.
    for (text, role) in
        [("npm test", None), ("./run-tests", Some(Role::Test)), ("gcc t.c -o t && ./t", Some(Role::Test))]
    {
        let judgement = judged(text, role, false, &nothing());
        assert_eq!((told(&judgement), judgement.exit_code_only), (success.clone(), true), "{text}");
    }
    // A summary takes precedence over what the specification allows.
    assert_eq!(judged("npx jest", None, true, &tests("jest", 0, 0, 0)).rule, Rule::NoTests);
    assert_eq!(judged("npx jest", None, true, &tests("jest", 1, 1, 0)).rule, Rule::TestsFailedExitZero);
}

#[test]
fn a_report_in_a_common_format_or_of_what_a_runner_runs_is_its_own() {
    for (text, reader, passed, failed, rule) in [
        ("node --test --test-reporter=junit", "junit", 2, 0, Rule::TestsPassedByExitCode),
        ("npx mocha --reporter xunit", "junit", 2, 0, Rule::TestsPassedByExitCode),
        ("npx mocha --reporter xunit", "junit", 0, 0, Rule::EndedWithoutSummary),
        ("npx mocha --reporter xunit", "junit", 2, 1, Rule::TestsFailedExitZero),
        ("tox", "pytest", 2, 0, Rule::TestsPassedByExitCode),
        ("rake test", "minitest", 2, 0, Rule::TestsPassedByExitCode),
        ("pytest && npx jest", "jest", 2, 0, Rule::TestsPassedByExitCode),
        ("npx jest", "vitest", 2, 0, Rule::EndedWithoutSummary),
        ("go test ./...", "pytest", 2, 0, Rule::EndedWithoutSummary),
    ] {
        assert_eq!(exit(text, 0, &by_content(tests(reader, passed, failed, 0))).rule, rule, "{text} {reader}");
    }
    // It also explains a failure.
    let failed = exit("npx jest --reporters=x", 1, &by_content(tests("junit", 2, 1, 0)));
    assert_eq!((failed.rule, failed.notes.len()), (Rule::TestsFailed, 0));
}

#[test]
fn a_runner_that_does_not_say_how_many_tests_ran_is_judged_by_its_code() {
    let unnumbered = |failed| {
        let mut reading = tests("go-test", 0, failed, 0);
        reading.tests.as_mut().unwrap().authority = CountAuthority::Unnumbered;
        reading
    };
    for (code, failed, expected) in [
        (0, 0, format!("SUCCESS test/passed-by-exit-code {SUCCESS}")),
        (0, 2, format!("TEST_FAILURE test/failed-exit-zero {BLOCKS}")),
        (1, 2, format!("TEST_FAILURE test/failed {BLOCKS}")),
        (2, 0, format!("EXECUTION_ERROR test/no-summary {BLOCKS}")),
    ] {
        assert_eq!(told(&exit("go test ./...", code, &unnumbered(failed))), expected, "exit {code}, {failed} failed");
    }
    let judgement = exit("go test ./...", 1, &unnumbered(2));
    assert_eq!(
        (judgement.reason.as_str(), judgement.counted_tests),
        ("2 tests failed (go-test), others not counted", None)
    );
    assert!(exit("go test ./...", 0, &unnumbered(0)).exit_code_only);
}

#[test]
fn an_unknown_runner_is_convicted_by_a_failing_summary_whatever_the_code_of_its_wrapper() {
    let fail = by_content(tests("jest", 9, 2, 0));
    let pass = by_content(tests("jest", 9, 0, 0));
    let none = by_content(tests("jest", 0, 0, 0));
    let mut lines = fail.clone();
    lines.tests.as_mut().unwrap().authority = CountAuthority::Lines;
    for (code, reading, expected) in [
        (0, &fail, format!("TEST_FAILURE test/failed-exit-zero {BLOCKS}")),
        (0, &pass, format!("SUCCESS test/passed-by-exit-code {SUCCESS}")),
        (0, &none, format!("SUCCESS test/passed-by-exit-code {SUCCESS}")),
        // Lines that only look like results are not a summary.
        (0, &lines, format!("SUCCESS test/passed-by-exit-code {SUCCESS}")),
        (1, &fail, format!("TEST_FAILURE test/failed {BLOCKS}")),
        (1, &pass, format!("TEST_FAILURE test/runner-failed {BLOCKS}")),
        (1, &none, format!("EXECUTION_ERROR test/no-summary {BLOCKS}")),
        (1, &nothing(), format!("EXECUTION_ERROR test/no-summary {BLOCKS}")),
    ] {
        assert_eq!(told(&exit("npm test", code, reading)), expected, "exit {code}");
    }
    let convicted = exit("npm test", 0, &fail);
    assert_eq!(convicted.counted_tests.map(|counts| counts.failed), Some(2));
    assert!(convicted.notes.iter().any(|note| note.contains("`exitCodeOnly`")), "{:?}", convicted.notes);
    // With `exitCodeOnly` the exit code decides, and the reading is reported.
    let mut command = command("npm test");
    command.exit_code_only = true;
    let action = action("STEP.1", Work::Command(command));
    let allowed = judge(&plan(vec![action.clone()]), &action, &exited(&action, 0), &fail);
    assert_eq!((told(&allowed), allowed.counted_tests), (format!("SUCCESS test/passed-by-exit-code {SUCCESS}"), None));
    assert!(allowed.notes.iter().any(|note| note.contains("2 failed tests")), "{:?}", allowed.notes);
}

#[test]
fn a_runner_s_own_code_for_failed_tests_convicts_without_a_summary() {
    for (text, code, rule) in [
        ("pytest", 1, Rule::TestsFailedByExitCode),
        ("pytest", 2, Rule::TestRunnerBroken),
        ("cargo nextest run", 100, Rule::TestsFailedByExitCode),
        ("cargo nextest run", 101, Rule::TestRunnerBroken),
        ("cargo test", 101, Rule::TestsFailedByExitCode),
        ("cargo test", 1, Rule::TestRunnerBroken),
        ("ctest", 8, Rule::TestsFailedByExitCode),
        ("ctest", 1, Rule::TestRunnerBroken),
        ("npx jest", 1, Rule::TestRunnerBroken),
        ("npx mocha", 1, Rule::TestsFailedByExitCode),
        ("npx mocha", 123, Rule::TestsFailedByExitCode),
        ("npx mocha", 124, Rule::TestRunnerBroken),
        ("npx mocha", 126, Rule::CommandNotFound),
        ("npx mocha", 127, Rule::CommandNotFound),
        ("npx mocha", 137, Rule::TestRunnerBroken),
        ("npx mocha", -1, Rule::TestRunnerBroken),
        ("npm test", 1, Rule::TestRunnerBroken),
    ] {
        assert_eq!(exit(text, code, &nothing()).rule, rule, "{text} {code}");
    }
    for text in [
        "go test ./...",
        "python -m unittest",
        "python manage.py test",
        "node --test",
        "npx vitest run",
        "npx ava",
        "bun test",
        "deno test",
        "bundle exec rspec",
        "vendor/bin/phpunit",
        "dotnet test",
        "bats tests",
        "mvn test",
        "./gradlew test",
    ] {
        for (code, rule) in [
            (1, Rule::TestsFailedByExitCode),
            (2, Rule::TestRunnerBroken),
            (126, Rule::CommandNotFound),
            (127, Rule::CommandNotFound),
        ] {
            assert_eq!(exit(text, code, &nothing()).rule, rule, "{text} {code}");
        }
    }
    // A code without further meaning is reported as such.
    let either = exit("go test ./...", 1, &nothing());
    assert_eq!(told(&either), format!("TEST_FAILURE test/failed-by-exit-code {BLOCKS}"));
    assert!(either.notes[0].contains("cannot be built or loaded"), "{:?}", either.notes);
    assert!(exit("pytest", 1, &nothing()).notes.is_empty());
    // Python exits with 1 where it has no pytest, too.
    let missing = exit("python -m pytest", 1, &words("/usr/bin/python: No module named pytest\n"));
    assert_eq!(missing.rule, Rule::CommandNotFound);
    assert!(missing.reason.contains("No module named pytest"), "{}", missing.reason);
}

#[test]
fn a_code_convicts_only_where_the_runner_alone_can_have_set_it() {
    let complaint = words("bash: line 1: cd: app: No such file or directory\n");
    for (text, reading, rule) in [
        ("go test ./a && go test ./b", nothing(), Rule::TestsFailedByExitCode),
        ("echo tests; go test ./...", nothing(), Rule::TestsFailedByExitCode),
        ("./set-up && go test ./...", nothing(), Rule::TestRunnerBroken),
        ("./set-up && pytest", nothing(), Rule::TestRunnerBroken),
        ("go test ./... && ./report", nothing(), Rule::TestRunnerBroken),
        ("go test ./... | tee log", nothing(), Rule::TestRunnerBroken),
        ("cd app && go test ./...", words("FAIL app"), Rule::TestsFailedByExitCode),
        ("cd app && go test ./...", complaint.clone(), Rule::TestRunnerBroken),
        (". venv/bin/activate && pytest", words("/bin/sh: 1: .: cannot open venv\n"), Rule::TestRunnerBroken),
        // Not a shell line: the words are those of a program under test.
        ("go test ./...", complaint, Rule::TestsFailedByExitCode),
    ] {
        assert_eq!(exit(text, 1, &reading).rule, rule, "{text}");
    }
    // A complaint in a stream that was not kept cannot be excluded.
    let mut deaf = line("STEP.1", "cd app && go test ./...");
    deaf.evidence.stderr = false;
    let judgement = judge(&plan(vec![deaf.clone()]), &deaf, &exited(&deaf, 1), &nothing());
    assert_eq!(judgement.rule, Rule::TestRunnerBroken);
}

#[test]
fn a_success_without_what_was_printed_says_that_nothing_of_it_could_count() {
    let off = |text: &str, stdout, stderr, code, reading: &Reading| {
        let mut action = line("STEP.1", text);
        (action.evidence.stdout, action.evidence.stderr) = (stdout, stderr);
        judge(&plan(vec![action.clone()]), &action, &exited(&action, code), reading)
    };
    let is_noted = |judgement: &Judgement| judgement.notes.iter().any(|note| note.contains("not kept"));
    for (text, rule) in [
        ("npm test", Rule::TestsPassedByExitCode),
        ("npx tsc", Rule::Clean),
        ("npx eslint .", Rule::Clean),
        ("npx prettier -c .", Rule::Clean),
        ("gcc a.c", Rule::Clean),
    ] {
        let tool = text.trim_start_matches("npx ");
        for reading in [nothing(), findings(tool, 0, 0, 0)] {
            for (stdout, stderr, what) in
                [(false, true, "standard output"), (true, false, "standard error"), (false, false, "its output")]
            {
                let judgement = off(text, stdout, stderr, 0, &reading);
                assert_eq!(judgement.rule, rule, "{text}");
                assert!(judgement.notes[0].starts_with(&format!("{what} was not kept")), "{:?}", judgement.notes);
                assert_eq!(judgement.exit_code_only, rule == Rule::TestsPassedByExitCode);
                assert!(judgement.reason.starts_with("exit code 0"), "{}", judgement.reason);
            }
            assert!(!is_noted(&off(text, true, true, 0, &reading)), "{text}");
        }
    }
    let deaf = off("npx jest", false, true, 0, &nothing());
    assert!(deaf.rule == Rule::EndedWithoutSummary && deaf.reason.contains("standard output was not kept"));
    // The reading of the other stream counts; and a command without a role is judged by its exit code anyway.
    let read = off("npx jest", false, true, 0, &tests("jest", 3, 0, 0));
    assert!(read.rule == Rule::TestsPassed && !read.exit_code_only && !is_noted(&read));
    assert!(!is_noted(&off("./deploy", false, false, 0, &nothing())));
    assert!(off("npx tsc", false, true, 1, &nothing()).blocking);
}

#[test]
fn a_run_without_tests_passes_only_where_that_is_allowed() {
    let judged = |text: &str, code, reading: &Reading| {
        let mut command = command(text);
        command.allow_no_tests = true;
        let action = action("STEP.1", Work::Command(command));
        told(&judge(&plan(vec![action.clone()]), &action, &exited(&action, code), reading))
    };
    let none = tests("pytest", 0, 0, 0);
    assert_eq!(judged("pytest", 0, &none), format!("SUCCESS test/passed {SUCCESS}"));
    assert_eq!(judged("pytest", 5, &none), format!("SUCCESS test/passed {SUCCESS}"));
    assert_eq!(judged("pytest", 3, &none), format!("TEST_FAILURE test/none-ran {BLOCKS}"));
    assert_eq!(judged("pytest", 5, &nothing()), format!("EXECUTION_ERROR test/no-summary {BLOCKS}"));
    assert_eq!(judged("pytest", 0, &tests("pytest", 0, 1, 0)), format!("TEST_FAILURE test/failed-exit-zero {BLOCKS}"));
}

#[test]
fn a_declared_exit_code_makes_failed_tests_expected_and_nothing_else() {
    let judged = |text: &str, code, reading: &Reading| {
        let mut command = command(text);
        command.expected_exit_codes = vec![0, 1];
        let action = action("STEP.1", Work::Command(command));
        judge(&plan(vec![action.clone()]), &action, &exited(&action, code), reading)
    };
    let expected = judged("npx jest", 1, &tests("jest", 3, 2, 0));
    assert_eq!(told(&expected), "TEST_FAILURE test/failed-expected passes Low");
    assert!(matches!(expected.debt, DebtGeneration::None { .. }));
    assert_eq!(judged("pytest", 1, &nothing()).rule, Rule::TestsFailedExpected);
    for (code, reading, rule) in [
        (2, tests("jest", 3, 2, 0), Rule::TestsFailed),
        (1, tests("jest", 3, 0, 0), Rule::RunnerFailed),
        (1, nothing(), Rule::TestRunnerBroken),
        (0, tests("jest", 3, 2, 0), Rule::TestsFailedExitZero),
    ] {
        let judgement = judged("npx jest", code, &reading);
        assert_eq!((judgement.rule, judgement.blocking), (rule, true));
    }
}

#[test]
fn tests_are_counted_only_where_the_judgement_counted_them() {
    let own = tests("jest", 3, 1, 0);
    let mut lines = own.clone();
    lines.tests.as_mut().unwrap().authority = CountAuthority::Lines;
    let foreign = by_content(own.clone());
    for (text, code, reading, counted) in [
        ("npx jest", 0, &own, true),
        ("npx jest", 1, &own, true),
        ("npx jest", 1, &lines, false),
        ("npx jest", 1, &foreign, false),
        ("npm test", 1, &foreign, true),
        ("npm test", 0, &foreign, true),
        ("npm test", 0, &by_content(tests("jest", 3, 0, 0)), false),
        ("npm test", 0, &nothing(), false),
        ("./deploy", 1, &own, false),
    ] {
        let judgement = exit(text, code, reading);
        assert_eq!(judgement.counted_tests.is_some(), counted, "{text} {code}");
        assert!(!(judgement.exit_code_only && judgement.counted_tests.is_some()));
    }
    let action = line("STEP.1", "npx jest");
    let deadline = Ending::DeadlineExceeded { timeout_ms: 10_000, of_task: false, killed: false };
    let judgement = judge(&plan(vec![action.clone()]), &action, &ended(&action, deadline), &own);
    assert_eq!(judgement.counted_tests.map(|counts| counts.failed), Some(1));
}

#[test]
fn a_declared_role_that_is_not_the_tool_s_is_noted() {
    let judged = |text: &str, code, role| {
        let mut command = command(text);
        command.role = Some(role);
        let action = action("STEP.1", Work::Command(command));
        judge(&plan(vec![action.clone()]), &action, &exited(&action, code), &nothing())
    };
    let lint = judged("npx jest --ci || true", 0, Role::Lint);
    assert_eq!(told(&lint), "SUCCESS validation/clean passes None");
    assert!(lint.notes.iter().any(|note| note.contains("`jest` runs tests")), "{:?}", lint.notes);
    assert!(judged("npx jest --ci", 0, Role::Test).notes.is_empty());
    assert!(judged("./check.sh", 0, Role::Lint).notes.is_empty());
}

#[test]
fn other_commands_are_judged_by_their_code_alone() {
    let red = by_content(findings("gcc", 2, 0, 0));
    for (code, reading, expected) in [
        (0, nothing(), "SUCCESS command/exit-expected passes None"),
        (0, red.clone(), "SUCCESS command/exit-expected passes None"),
        (1, nothing(), "EXECUTION_ERROR command/exit-unexpected blocks High"),
        (1, red, "EXECUTION_ERROR command/exit-unexpected blocks High"),
        (127, nothing(), "EXECUTION_ERROR execution/command-not-found blocks High"),
    ] {
        assert_eq!(told(&exit("./deploy", code, &reading)), expected);
    }
    for (codes, code, rule) in [
        (vec![3, 127], 3, Rule::ExitExpected),
        (vec![3, 127], 127, Rule::ExitExpected),
        (vec![3], 0, Rule::ExitUnexpected),
        (vec![], 0, Rule::ExitExpected),
        (vec![], 1, Rule::ExitUnexpected),
    ] {
        let mut command = command("./deploy");
        command.expected_exit_codes = codes;
        let action = action("STEP.1", Work::Command(command));
        assert_eq!(judge(&plan(vec![action.clone()]), &action, &exited(&action, code), &nothing()).rule, rule);
    }
    let mixed = exit("npx tsc && npx jest", 1, &nothing());
    assert!(mixed.notes.iter().any(|note| note.contains("split")), "{:?}", mixed.notes);
}

#[test]
fn facts_that_do_not_fit_are_never_a_success() {
    let step = line("STEP.1", "npx jest");
    let check = file("STEP.1", FileExpectation::Absent);
    let plan = plan(vec![step.clone()]);
    let mut foreign = exited(&step, 0);
    foreign.action = ActionId::parse("STEP.2").unwrap();
    let mut unlogged = exited(&step, 0);
    if let Facts::Command(facts) = &mut unlogged.facts {
        facts.log = None;
    }
    let request = http("STEP.1", request("http://localhost/"));
    let server = service("STEP.1", dev_server());
    let asked = query("STEP.1", Vec::new());
    for (action, record) in [
        (&step, foreign),
        (&step, unlogged),
        (&step, found(&step, FileState::Missing)),
        (&step, answered(&step, answer(200))),
        (&check, exited(&check, 0)),
        (&check, serviced(&check, service_facts(Readiness::Ready { after_ms: 1 }))),
        (&request, exited(&request, 0)),
        (&request, serviced(&request, service_facts(Readiness::Ready { after_ms: 1 }))),
        (&server, exited(&server, 0)),
        (&server, answered(&server, answer(200))),
        (&asked, exited(&asked, 0)),
        (&asked, answered(&asked, answer(200))),
        (&asked, not_executed(&asked)),
        // The plan has no problem that prevents its execution.
        (&step, not_executed(&step)),
        (&request, not_executed(&request)),
    ] {
        let judgement = judge(&plan, action, &record, &tests("jest", 5, 0, 0));
        assert_eq!((judgement.rule, judgement.blocking), (Rule::FactsUnusable, true), "{record:?}");
        assert_eq!(judgement.remedy, Some(AgentAction::RequestRetest));
    }
}

#[test]
fn what_was_not_executed_is_a_specification_error_in_every_phase() {
    for id in ["PREREQ.1", "STEP.1", "CLEANUP.1"] {
        let step = line(id, "./deploy");
        let other = line("STEP.9", "./deploy");
        let judged = |problems, action: &Action| {
            let mut plan = plan(vec![step.clone(), other.clone()]);
            plan.problems = problems;
            judge(&plan, action, &not_executed(action), &nothing())
        };
        let own = judged(vec![problem(Some(&step), "`expect` is misspelt"), problem(None, "no workspace")], &step);
        assert_eq!(told(&own), "SPECIFICATION_ERROR specification/not-executable blocks High");
        assert_eq!(own.reason, "the specification is wrong: `expect` is misspelt (line 3, column 5)");
        assert_eq!(own.remedy, Some(AgentAction::FixSpecification));
        assert!(matches!(own.debt, DebtGeneration::None { .. }));
        let whole = judged(vec![problem(None, "no workspace")], &step);
        assert_eq!(whole.reason, "the specification is wrong: no workspace (line 3, column 5)");
        let many = judged((0..9).map(|at| problem(Some(&step), &format!("problem {at}"))).collect(), &step);
        assert!(many.reason.ends_with("problem 4 (line 3, column 5); and 4 more"), "{}", many.reason);
        // Another action's problem does not prevent this one from being executed.
        assert_eq!(judged(vec![problem(Some(&step), "wrong")], &other).rule, Rule::FactsUnusable);
    }
}

#[test]
fn debt_is_kept_as_the_specification_wants_it() {
    let step = line("STEP.1", "npx jest");
    let judged = |change: fn(&mut DebtPolicy)| {
        let mut plan = plan(vec![step.clone()]);
        change(&mut plan.debt);
        judge(&plan, &step, &exited(&step, 1), &tests("jest", 1, 1, 0)).debt
    };
    assert!(matches!(judged(|_| {}), DebtGeneration::Item(_)));
    for (debt, because) in [
        (judged(|debt| debt.enabled = false), "turns debt off"),
        (judged(|debt| debt.severities = vec![Severity::Critical, Severity::Low]), "`severityLevels`"),
        (judged(|debt| debt.severities.clear()), "`severityLevels`"),
    ] {
        let DebtGeneration::None { reason } = debt else { panic!("{debt:?}") };
        assert!(reason.contains(because), "{reason}");
    }
}

#[test]
fn a_prerequisite_that_does_not_hold_is_a_prerequisite_failure_with_its_cause() {
    let judged = |text: &str, code, reading: &Reading| {
        let action = line("PREREQ.1", text);
        judge(&plan(vec![action.clone()]), &action, &exited(&action, code), reading)
    };
    for (text, code, reading, cause) in [
        ("npm ci", 1, nothing(), Outcome::ExecutionError),
        ("npx jest", 1, tests("jest", 1, 1, 0), Outcome::TestFailure),
        ("npx tsc", 2, findings("tsc", 1, 0, 0), Outcome::ValidationFailure),
    ] {
        let judgement = judged(text, code, &reading);
        assert_eq!(told(&judgement), "PREREQUISITE_FAILURE prerequisite/failed blocks Critical");
        assert_eq!(judgement.cause, Some(cause));
        let category = match judgement.debt {
            DebtGeneration::Item(DebtSummary { category, severity, .. }) => Some((category, severity)),
            DebtGeneration::None { .. } => None,
        };
        assert_eq!(category, Some((DebtCategory::IntegrationFailure, Severity::Critical)));
    }
    // Warnings do not fail a prerequisite.
    let warned = judged("npx eslint .", 0, &findings("eslint", 0, 3, 0));
    assert_eq!((warned.outcome, warned.blocking, warned.severity), (Outcome::Success, false, Severity::None));
    assert!(!warned.notes.is_empty());
    assert_eq!(judged("npm ci", 0, &nothing()).outcome, Outcome::Success);
}

#[test]
fn cleanup_keeps_its_outcome_and_never_blocks() {
    let action = line("CLEANUP.1", "./stop");
    let judgement = judge(&plan(vec![action.clone()]), &action, &exited(&action, 1), &nothing());
    assert_eq!((judgement.outcome, judgement.blocking), (Outcome::ExecutionError, false));
}

#[test]
fn notices_that_bear_on_the_outcome_become_notes() {
    let action = line("STEP.1", "npx jest");
    let noted = |code| {
        let mut record = exited(&action, code);
        record.notices = [NoticeCode::LeakedProcess, NoticeCode::DroppedVariable, NoticeCode::Redacted]
            .map(|code| Notice { code, message: format!("{code:?}") })
            .to_vec();
        judge(&plan(vec![action.clone()]), &action, &record, &tests("jest", 5, 0, 0)).notes
    };
    assert_eq!(noted(0), ["LeakedProcess"]);
    assert_eq!(noted(1), ["LeakedProcess", "DroppedVariable"]);
}

#[test]
fn a_service_that_ended_in_cleanup_is_no_note() {
    let noted = |id| {
        let action = line(id, "npx jest");
        let mut record = exited(&action, 0);
        record.notices = vec![Notice { code: NoticeCode::ServiceEnded, message: "it ended".to_owned() }];
        judge(&plan(vec![action.clone()]), &action, &record, &tests("jest", 5, 0, 0)).notes
    };
    assert_eq!(noted("PREREQ.2"), ["it ended"]);
    assert_eq!(noted("STEP.1"), ["it ended"]);
    assert!(noted("CLEANUP.1").is_empty());
}

#[test]
fn debt_is_named_and_placed_by_what_was_found() {
    let item = |judgement: Judgement| match judgement.debt {
        DebtGeneration::Item(DebtSummary { category, severity, title, suggested_fix, file, line, .. }) => {
            format!("{category:?} {severity:?} | {title} | {suggested_fix} | {file:?}:{line:?}")
        }
        DebtGeneration::None { reason } => format!("none: {reason}"),
    };
    let mut fixable = findings("eslint", 5, 0, 0);
    fixable.counts.fixable = 3;
    let mut more = findings("eslint", 2, 0, 0);
    more.counts.add(None, Level::Error, false);
    let mut failed = tests("jest", 3, 1, 0);
    failed.tests.as_mut().unwrap().failures = vec![TestFailure {
        name: "quotes › adds one".to_owned(),
        file: Some("tests/quotes.test.ts".to_owned()),
        line: Some(15),
        ..TestFailure::default()
    }];
    let missing = file("STEP.1", FileExpectation::Present(FileContent::default()));
    let slow = line("STEP.1", "./slow");
    let deadline = Ending::DeadlineExceeded { timeout_ms: 10_000, of_task: false, killed: false };
    let stopped = Ending::Interrupted { killed: false };
    let said = [
        item(exit("npx tsc", 2, &findings("tsc", 1, 0, 0))),
        item(exit("npx tsc", 2, &findings("tsc", 3, 0, 0))),
        item(exit("npx eslint .", 1, &fixable)),
        item(exit("npx eslint .", 1, &more)),
        item(exit("npx eslint .", 0, &findings("eslint", 0, 8, 0))),
        item(exit("npx prettier -c .", 1, &findings("prettier", 0, 2, 0))),
        item(exit("npx jest", 1, &failed)),
        item(exit("npx jest", 1, &tests("jest", 3, 2, 0))),
        item(exit("npx jest", 0, &tests("jest", 0, 0, 0))),
        item(exit("npx jest", 1, &nothing())),
        item(exit("./deploy", 1, &nothing())),
        item(judge(&plan(Vec::new()), &missing, &found(&missing, FileState::Missing), &nothing())),
        item(judge(&plan(Vec::new()), &slow, &ended(&slow, deadline), &nothing())),
        item(judge(&plan(Vec::new()), &slow, &ended(&slow, stopped), &nothing())),
        item(exit("npx jest", 0, &tests("jest", 3, 0, 0))),
    ];
    let said = said.join("\n");
    insta::assert_snapshot!(said);
}
