//! Documents of agent runs: foreign documents are read; Referee's own conform to their schemas and are read back.

use std::collections::BTreeMap;

use referee_model::build_error::{BuildError, BuildErrorType, ContextValue, FailedPhase};
use referee_model::foreign::build_error;
use referee_model::time::Timestamp;
use serde_json::{Value, json};

use crate::schemas::assert_fits;

fn error() -> BuildError {
    let tokens = BTreeMap::from([("input".to_owned(), ContextValue::Number(1_000))]);
    BuildError {
        kind: BuildErrorType::TypecheckFailed,
        message: "TypeScript compilation failed (3 errors in 2 files)".to_owned(),
        exit_code: Some(-1),
        stdout_tail: "one\r\ntwo\n".to_owned(),
        stderr_tail: String::new(),
        agent_result_file: Some("agent-1.json".to_owned()),
        verification_file: Some("verification-1.json".to_owned()),
        context: BTreeMap::from([
            ("errorCount".to_owned(), ContextValue::Number(3)),
            ("below".to_owned(), ContextValue::Negative(-7)),
            ("rate".to_owned(), ContextValue::Decimal(0.1)),
            ("none".to_owned(), ContextValue::Null),
            ("flag".to_owned(), ContextValue::Flag(true)),
            ("tokensUsed".to_owned(), ContextValue::Map(tokens)),
            ("files".to_owned(), ContextValue::List(vec![ContextValue::text("src/foo.ts"), ContextValue::Null])),
        ]),
        failed_at: Timestamp::parse("2026-01-02T15:35:30.000Z").unwrap(),
        phase: Some(FailedPhase::Verification),
    }
}

fn sample() -> Value {
    json!({
        "type": "typecheck_failed", "message": "TypeScript compilation failed with 3 errors in 2 files", "exitCode": 1,
        "stdoutTail": null, "stderrTail": "src/foo.ts(45,3): error TS2304", "agentResultFile": "/home/u/agent-1.json",
        "verificationFile": null, "context": { "files": ["src/foo.ts"], "deep": { "er": [[1]] } },
        "failedAt": "2026-01-02T15:35:30.000Z", "of_tomorrow": [],
    })
}

#[test]
fn a_build_error_is_read_as_it_was_written_and_fits_its_schema() {
    assert_fits("build-error", &error());
    let bytes = referee_model::document::to_bytes(&error()).unwrap();
    assert_eq!(build_error::read(&bytes).unwrap(), error());
    let without = BuildError { phase: None, context: BTreeMap::new(), ..error() };
    let written = serde_json::to_value(&without).unwrap();
    assert!(written.get("phase").is_none());
    assert_eq!(build_error::read(written.to_string().as_bytes()).unwrap(), without);
}

#[test]
fn a_build_error_of_others_is_read_with_null_tails_and_bare_names() {
    let read = build_error::read(sample().to_string().as_bytes()).unwrap();
    assert_eq!((read.stdout_tail.as_str(), read.agent_result_file.as_deref()), ("", Some("agent-1.json")));
    assert_fits("build-error", &read);
}

#[test]
fn a_build_error_that_is_none_is_refused_by_the_key_that_is_wrong() {
    for (key, to, part) in [
        ("type", json!("typo_failed"), "`type` must be one of the thirteen types"),
        ("type", Value::Null, "`type` is missing"),
        ("message", json!(3), "`message` must be a text, not the number 3"),
        ("exitCode", json!("1"), "`exitCode` must be a whole number"),
        ("failedAt", json!("build"), "`failedAt` must be a time such as"),
        ("context", json!([]), "`context` must be an object, not a list"),
        ("phase", json!(1), "`phase` must be a text"),
    ] {
        let mut junk = sample();
        junk[key] = to;
        let error = build_error::read(junk.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains("the build error") && error.contains(part), "{error}");
    }
}
