//! `referee explain`: it says what the report says, and why.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use referee_testkit::fake_tool;
use serde_json::{Value, json};

use crate::support::{Workspace, action};

const TSC: &str = r"out=src/a.ts(3,5): error TS7006: Parameter 'x' implicitly has an 'any' type.\nsrc/a.ts(9,1): error TS7031: Binding element 'y' implicitly has an 'any' type.\n";
const ESLINT: &str = r"out=\n/w/a.js\n  1:2  warning  Odd  no-odd\n  2:2  warning  Unused  no-unused-vars\n  3:2  warning  Log  no-console\n\n\xe2\x9c\x96 3 problems (0 errors, 3 warnings)\n\n";
/// The fake tool takes no options, and prettier checks the format only where it is told to.
const PRETTIER: &str = "#!/bin/sh\nprintf '[warn] src/a.ts\\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.\\n' >&2\nexit 1\n";

/// A project with eslint, tsc and prettier, each of which finds something, and a policy; it was run.
fn project(policy: &Value) -> (Workspace, i32) {
    let checks = [
        ("types", json!({ "argv": ["./bin/tsc", TSC, "exit=2"] })),
        ("lint", json!({ "argv": ["./bin/eslint", ESLINT, "exit=0"] })),
        ("format", json!({ "argv": ["./bin/prettier", "--check", "."] })),
        ("after", json!({ "argv": ["true"], "needs": ["lint"] })),
    ];
    // By hand, so that the checks keep their order.
    let checks = checks.map(|(name, check)| format!("\"{name}\": {check}")).join(", ");
    let document = format!("{{ \"checks\": {{ {checks} }}, \"policy\": {policy} }}");
    let workspace = Workspace::with(&document);
    fs::create_dir(workspace.path("bin")).unwrap();
    for tool in ["tsc", "eslint"] {
        fs::copy(fake_tool(), workspace.path(&format!("bin/{tool}"))).unwrap();
    }
    workspace.write("bin/prettier", PRETTIER);
    fs::set_permissions(workspace.path("bin/prettier"), fs::Permissions::from_mode(0o755)).unwrap();
    let code = workspace.referee(&["run"]).code.unwrap();
    (workspace, code)
}

fn limited() -> Value {
    json!({
        "tsc": { "allowImplicitAny": true },
        "eslint": { "maxWarnings": 1, "ignoredRules": ["no-console"] },
    })
}

#[test]
fn an_action_is_explained_with_the_option_that_decided_and_its_numbers() {
    let (workspace, code) = project(&limited());
    assert_eq!(code, 1);
    let lint = workspace.referee(&["explain", "lint"]).exits(0).stdout;
    for says in [
        "STEP.2 lint",
        "VALIDATION_FAILURE, blocks, high",
        "lint: ",
        "eslint",
        "exit code 0",
        "0 errors, 3 warnings",
        "validation/findings: The tool found something",
        "strategy: BLOCK_ON_ERRORS_ONLY, the default for linters",
        "ignoredRules: takes 1 finding away; left: 0 errors, 2 warnings",
        "maxWarnings: 2 warnings left, more than the 1 allowed",
        "decided by maxWarnings",
        "it blocks: the task cannot pass",
        "because of it 1 action did not run",
    ] {
        assert!(lint.contains(says), "{says}: {lint}");
    }
    // What only strictness raises is taken away, so that tsc's exit code 2 is accounted for.
    let types = workspace.referee(&["explain", "STEP.1"]).exits(0).stdout;
    for says in ["STEP.1 types", "SUCCESS", "allowImplicitAny: takes 2 findings away", "decided by allowImplicitAny"] {
        assert!(types.contains(says), "{says}: {types}");
    }
    let format = workspace.referee(&["explain", "step.3"]).exits(0).stdout;
    assert!(format.contains("does not block") && format.contains("the default for formatters"), "{format}");
    let skipped = workspace.referee(&["explain", "after"]).exits(0).stdout;
    assert!(skipped.contains("STEP.2, which it needs, did not pass") && skipped.contains("referee explain STEP.2"));
}

#[test]
fn the_explanation_as_data_is_that_of_the_report() {
    for policy in [limited(), json!({}), json!({ "linting": "NEVER", "tsc": { "enabled": false } })] {
        let (workspace, code) = project(&policy);
        let report = workspace.report("T001");
        let task = workspace.referee(&["explain", "--format", "json"]).exits(0).json();
        assert_eq!(task["run"]["decision"], report["executionSummary"]["decision"]);
        assert_eq!(task["task"]["reasons"], report["executionSummary"]["reasons"]);
        let standings = task["task"]["actions"].as_array().unwrap();
        assert_eq!(standings.iter().any(|action| action["stand"] == "against"), code != 0, "{standings:#?}");
        for standing in standings {
            let id = standing["actionId"].as_str().unwrap();
            let told = workspace.referee(&["explain", id, "--format", "json"]).exits(0).json();
            assert_eq!(told["about"], "action");
            if let Some(skipped) = told["action"].get("skipped") {
                assert!(report["skippedActions"].as_array().unwrap().contains(skipped));
                continue;
            }
            let reported = action(&report, id);
            assert_eq!(&told["action"]["result"], reported, "{id}");
            assert_eq!(told["rule"]["id"], reported["classification"]["rule"]);
            assert_eq!(standing["stand"] == "against", reported["blocking"] == true);
        }
    }
}

#[test]
fn what_is_not_there_is_told_with_what_may_have_been_meant() {
    let (workspace, _) = project(&limited());
    for (subject, says) in [
        ("lnit", "did you mean `lint`?"),
        ("STEP.9", "did you mean `STEP."),
        ("validation/finding", "did you mean `validation/findings`?"),
        ("something else altogether", "the actions are STEP.1, STEP.2, STEP.3, STEP.4"),
        ("\u{1b}[2Jx", "no action, no rule and no other word"),
        ("TIMEOT", "did you mean `TIMEOUT`?"),
    ] {
        let finished = workspace.referee(&["explain", subject]).exits(2);
        assert!(finished.stdout.is_empty() && finished.stderr.contains(says), "{subject}: {}", finished.stderr);
        assert!(!finished.stderr.contains('\u{1b}'));
    }
}

#[test]
fn a_rule_is_explained_without_any_evidence() {
    let workspace = Workspace::new();
    let told = workspace.referee(&["explain", "validation/findings"]).exits(0).stdout;
    assert!(told.contains("The tool found something: VALIDATION_FAILURE, by policy."), "{told}");
    let told = workspace.referee(&["explain", "test/failed", "--format", "json"]).exits(0).json();
    assert_eq!((&told["about"], &told["rule"]["id"]), (&"rule".into(), &"test/failed".into()));
    let missing = workspace.referee(&["explain", "test/faild"]).exits(2);
    assert!(missing.stderr.contains("did you mean `test/failed`?"), "{}", missing.stderr);
}

#[test]
fn words_of_reports_and_messages_are_explained_without_any_evidence() {
    let workspace = Workspace::new();
    for (subject, says) in [
        ("VALIDATION_FAILURE", "outcome The tool worked and reported findings."),
        ("blocked", "decision The task could not be judged"),
        ("74", "exit code 74 (evidence): evidence could not be written"),
        ("prerequisite", "exit code 5 (prerequisite)"),
        ("masked-failure", "problem of a specification The failure of a command is masked"),
        ("agent_crash", "type of a structured error Agent process crashed unexpectedly"),
    ] {
        let explained = workspace.referee(&["explain", subject]).exits(0);
        assert!(explained.told().contains(says), "{subject}: {}", explained.stdout);
    }
    let topic = workspace.referee(&["explain", "exit-codes"]).exits(0).stdout;
    assert_eq!(topic, workspace.referee(&["help", "exit-codes"]).exits(0).stdout);
    let told = workspace.referee(&["explain", "timeout", "--format", "json"]).exits(0).json();
    let kinds: Vec<&str> = told["terms"].as_array().unwrap().iter().filter_map(|term| term["kind"].as_str()).collect();
    assert_eq!(
        (told["about"].as_str(), kinds),
        (Some("term"), vec!["outcome", "exit-code", "failure-class", "handback-code"])
    );
    let missing = workspace.referee(&["explain", "exit-code"]).exits(2);
    assert!(missing.stderr.contains("did you mean `exit-codes`?"), "{}", missing.stderr);
}

#[test]
fn an_action_goes_before_a_word_of_its_name_and_evidence_that_is_named_before_both() {
    let workspace = Workspace::with("checks: { timeout: 'true' }\n");
    workspace.referee(&["run", "-q"]).exits(0);
    assert!(workspace.referee(&["explain", "timeout"]).exits(0).stdout.contains("STEP.1 timeout"));
    assert!(workspace.referee(&["explain", "PASS"]).exits(0).told().starts_with("PASS decision"));
    workspace.referee(&["explain", "PASS", "--evidence", "nowhere"]).exits(2);
}

#[test]
fn evidence_that_is_missing_or_was_changed_is_not_explained() {
    let workspace = Workspace::with("checks: { a: 'true' }\n");
    let none = workspace.referee(&["explain"]).exits(2);
    assert!(none.stderr.contains("no sealed run in evidence/T001"), "{}", none.stderr);
    assert!(!workspace.path("evidence").exists());
    workspace.referee(&["explain", "--evidence", "nowhere"]).exits(2);
    workspace.referee(&["explain", "--task", "T009"]).exits(2);

    workspace.referee(&["run", "-q"]).exits(0);
    workspace.referee(&["explain"]).exits(0);
    workspace.referee(&["explain", "--evidence", "evidence/T001", "a"]).exits(0);
    let report = workspace.path("evidence/T001/execution-report.json");
    fs::write(&report, fs::read_to_string(&report).unwrap().replace("PASS", "FAIL")).unwrap();
    let refused = workspace.referee(&["explain", "a"]).exits(74);
    assert!(refused.stdout.is_empty());
    assert!(refused.stderr.contains("does not match its seal: execution-report.json"), "{}", refused.stderr);
    fs::remove_file(workspace.path("evidence/T001/seal.json")).unwrap();
    let refused = workspace.referee(&["explain", "a"]).exits(74);
    assert!(refused.stderr.contains("seal.json: file not found"), "{}", refused.stderr);
}

#[test]
fn strictness_of_what_is_no_type_checker_is_a_specification_error() {
    let workspace = Workspace::with("checks: { a: 'true' }\npolicy: { eslint: { strictMode: false } }\n");
    let refused = workspace.referee(&["run"]).exits(3);
    assert!(refused.stderr.contains("`strictMode` says nothing of `eslint`"), "{}", refused.stderr);
}
