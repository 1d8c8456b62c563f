use referee_model::build_error::FailedPhase;
use referee_model::time::Timestamp;
use referee_model::verification::{Overall, VerificationCheck, VerificationLevel, VerificationReport};

use super::*;

fn at() -> Timestamp {
    Timestamp::from_millisecond(0)
}

fn check(name: &str, passed: bool, output: &str) -> VerificationCheck {
    VerificationCheck { name: name.to_owned(), passed, output: output.to_owned(), duration_ms: Some(5) }
}

fn level(name: &str, passed: bool, checks: Vec<VerificationCheck>) -> VerificationLevel {
    VerificationLevel { name: name.to_owned(), passed, checks, duration_ms: None }
}

fn report(levels: Vec<VerificationLevel>) -> VerificationReport {
    VerificationReport {
        id: None,
        run_id: Some("run-1".to_owned()),
        iteration: Some(1),
        snapshot_id: None,
        overall: Overall { passed: false, summary: String::new() },
        levels,
        diagnostics: Vec::new(),
        duration_ms: 5_000,
        completed_at: None,
        kept: None,
    }
}

fn error(levels: Vec<VerificationLevel>) -> BuildError {
    of_verification_report(
        &report(levels),
        Some("runs/verification-1.json"),
        Some("runs/agent-1.json"),
        at(),
        Options::default(),
    )
}

#[test]
fn be_04_and_be_25_a_failed_typecheck_counts_its_errors_and_names_its_file() {
    let output = "src/foo.ts(1,1): error TS2304: Cannot find name 'x'";
    let error = error(vec![level("L0", false, vec![check("typecheck", false, output)])]);
    assert_eq!((error.kind, error.exit_code), (BuildErrorType::TypecheckFailed, None));
    assert_eq!(error.message, "TypeScript compilation failed (1 errors in 1 files)");
    assert_eq!(error.context["errorCount"], ContextValue::Number(1));
    assert_eq!(error.context["fileCount"], ContextValue::Number(1));
    assert_eq!(error.context["duration"], ContextValue::Number(5_000));
    assert_eq!(error.verification_file.as_deref(), Some("verification-1.json"));
    assert_eq!(error.agent_result_file.as_deref(), Some("agent-1.json"));
    assert_eq!((error.stdout_tail.as_str(), error.stderr_tail.as_str()), (output, ""));
    assert_eq!(error.phase, Some(FailedPhase::Verification));
}

#[test]
fn be_05_a_failed_test_behind_a_passed_level_counts_its_failures() {
    let levels =
        vec![level("L0", true, Vec::new()), level("L1", false, vec![check("test", false, "3 failed, 10 passed")])];
    let error = error(levels);
    assert_eq!((error.kind, error.message.as_str()), (BuildErrorType::TestFailed, "Test execution failed"));
    assert_eq!(error.context["failedTests"], ContextValue::Number(3));
}

#[test]
fn be_20_to_be_24_each_name_of_a_check_has_its_type_whatever_its_level() {
    use BuildErrorType::{BlackboxFailed, CiFailed, LintFailed, TestFailed, TypecheckFailed, Unknown};
    for (name, kind) in [
        ("typecheck", TypecheckFailed),
        ("lint", LintFailed),
        ("eslint", LintFailed),
        ("test", TestFailed),
        ("vitest", TestFailed),
        ("jest", TestFailed),
        ("blackbox", BlackboxFailed),
        ("ci", CiFailed),
        ("Typecheck", Unknown),
        ("typecheck-all", Unknown),
        ("tsc", Unknown),
        ("", Unknown),
    ] {
        for at in ["L0", "L1", "L2", "L3", "elsewhere"] {
            let error = error(vec![level(at, false, vec![check(name, false, "")])]);
            assert_eq!(error.kind, kind, "{name} of {at}");
        }
    }
}

#[test]
fn be_26_the_level_and_the_check_that_decided_are_named() {
    let error = error(vec![level("L2", false, vec![check("blackbox", false, "")])]);
    assert_eq!(error.context["level"], ContextValue::text("L2"));
    assert_eq!(error.context["check"], ContextValue::text("blackbox"));
}

#[test]
fn the_check_that_gives_the_type_also_gives_the_tail_and_the_counts() {
    let checks = vec![check("contracts", false, "7 failed"), check("test", false, "2 failed")];
    let error = error(vec![level("L0", false, checks)]);
    assert_eq!(error.kind, BuildErrorType::TestFailed);
    assert_eq!(error.stdout_tail, "2 failed");
    assert_eq!(error.context["failedTests"], ContextValue::Number(2));
}

#[test]
fn where_no_name_is_known_the_first_failed_check_gives_the_rest() {
    let checks = vec![check("a", true, "passed"), check("b", false, "0 failed"), check("c", false, "3 failed")];
    let error = error(vec![level("L0", false, checks)]);
    assert_eq!((error.kind, error.message.as_str()), (BuildErrorType::Unknown, "Unknown error occurred"));
    assert_eq!(error.stdout_tail, "0 failed");
    assert_eq!(error.context["failedTests"], ContextValue::Number(0));
}

#[test]
fn levels_decide_in_stored_order_and_passed_ones_never() {
    let levels = vec![
        level("L3", true, vec![check("ci", false, "")]),
        level("L1", false, vec![check("test", false, "")]),
        level("L0", false, vec![check("lint", false, "")]),
    ];
    assert_eq!(error(levels).kind, BuildErrorType::TestFailed);
}

#[test]
fn a_report_without_a_failed_check_is_unknown_with_nothing_to_show() {
    for levels in [Vec::new(), vec![level("L0", false, Vec::new())], vec![level("L0", true, Vec::new())]] {
        let error = error(levels);
        assert_eq!(error.kind, BuildErrorType::Unknown);
        assert_eq!(error.stdout_tail, "");
        assert!(!error.context.contains_key("failedTests") && error.context.contains_key("duration"));
    }
}
