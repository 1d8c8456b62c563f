//! The error of a run that did not pass.

use super::*;

#[test]
fn build_errors_take_type_tails_and_context_from_the_first_blocking_action() {
    let mut types = findings("tsc", 3, 0, 0);
    types.excerpts.stdout = words("\u{1b}[31mtypes\u{1b}[0m").excerpts.stderr;
    let lint = || findings("eslint", 2, 1, 0);
    for (task, kind, message) in vec![
        (
            Task::new().ran("STEP.1", "npx tsc", 2, types.clone()).failed("STEP.2"),
            BuildErrorType::TypecheckFailed,
            "TypeScript compilation failed (3 errors in 1 files)",
        ),
        (
            Task::new().ran("STEP.1", "gcc a.c", 1, findings("gcc", 1, 0, 0)),
            BuildErrorType::TypecheckFailed,
            "TypeScript compilation failed (1 errors in 1 files)",
        ),
        (
            Task::new().passed("STEP.1").ran("STEP.2", "npx eslint .", 1, lint()),
            BuildErrorType::LintFailed,
            "Code linting failed",
        ),
        (Task::new().failed("STEP.1"), BuildErrorType::TestFailed, "Test execution failed"),
        (Task::new().ended("STEP.1", deadline()), BuildErrorType::SystemError, "stopped at its deadline of 10 s"),
        (
            Task::new().ran("STEP.1", "npx jest", 1, nothing()),
            BuildErrorType::SystemError,
            "exit code 1, and no summary of tests by jest",
        ),
        (
            Task::new().ran("PREREQ.1", "npx jest", 1, fixture::tests("jest", 0, 1, 0)),
            BuildErrorType::SystemError,
            "the prerequisite does not hold: 1 of 1 test failed (jest)",
        ),
        (
            Task::new().failed("STEP.1").ending(RunEnding::Interrupted { signal: 2 }),
            BuildErrorType::SystemError,
            "the run was interrupted by signal 2",
        ),
        (Task::new(), BuildErrorType::SystemError, "no step ran"),
    ] {
        let error = task.verdict().build_error.unwrap();
        assert_eq!((error.kind, error.message.as_str()), (kind, message));
        assert_eq!((error.exit_code, error.agent_result_file), (None, None));
        assert_eq!(error.verification_file.as_deref(), Some("execution-report.json"));
        assert_eq!(error.context["duration"], ContextValue::Number(9_000));
    }

    let error = Task::new().ran("STEP.1", "npx tsc", 2, types).verdict().build_error.unwrap();
    assert_eq!((error.stdout_tail.as_str(), error.stderr_tail.as_str()), ("types", ""));
    assert_eq!(error.failed_at.as_millisecond(), 3_000);
    assert_eq!(error.context["errorCount"], ContextValue::Number(3));
    assert_eq!(error.context["fileCount"], ContextValue::Number(1));
    assert_eq!(error.context["actionId"], ContextValue::Text("STEP.1".to_owned()));
    assert_eq!(error.context["outcome"], ContextValue::Text("VALIDATION_FAILURE".to_owned()));
    let error = Task::new().failed("STEP.1").verdict().build_error.unwrap();
    assert_eq!(error.context["failedTests"], ContextValue::Number(2));
    let error = Task::new().verdict().build_error.unwrap();
    assert_eq!((error.failed_at.as_millisecond(), error.context.len()), (9_000, 1));
}
