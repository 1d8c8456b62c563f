//! `referee stage preflight`, on runs that were not composed here. What comes from other stages needs a log, and is looked at where runs
//! are composed.

use std::fs;

use serde_json::Value;

use crate::stage_validate::CONFIGURATION;
use crate::support::Workspace;

const STAGE: &str = "run-2026-11-22-001/stages/explore";

fn ready() -> Workspace {
    let workspace = Workspace::new();
    for (path, content) in [
        ("stage-config.yaml", CONFIGURATION),
        ("prompt/wf.md", "How work in a stage goes.\n"),
        ("prompt/main.md", "Find out what there is.\n"),
        ("inputs/user-description.md", "What is there?\n"),
    ] {
        workspace.write(&format!("{STAGE}/{path}"), content);
    }
    workspace
}

const PREFLIGHT: [&str; 5] = ["stage", "preflight", "explore", "--run-dir", "run-2026-11-22-001"];

fn errors(workspace: &Workspace) -> Vec<(String, String)> {
    let arguments: Vec<&str> = PREFLIGHT.into_iter().chain(["--format", "json"]).collect();
    let document = workspace.referee(&arguments).exits(1).json();
    assert_eq!(document["status"], "FAIL");
    let text = |error: &Value, key: &str| error[key].as_str().unwrap().to_owned();
    let errors = document["errors"].as_array().unwrap();
    errors.iter().map(|error| (text(error, "check"), text(error, "path"))).collect()
}

/// PF-01.
#[test]
fn a_stage_that_has_all_it_needs_passes() {
    let workspace = ready();
    let finished = workspace.referee(&PREFLIGHT).exits(0);
    assert_eq!(finished.stdout.lines().last(), Some("Result: PASS (12 checks, 0 errors)"));
    let told = finished.told();
    for expected in [
        "✓ input_exists: inputs/user-description.md",
        "– accept_present: run/output-data/accept.json",
        "Accept: ABSENT",
    ] {
        assert!(told.contains(expected), "{told}");
    }
}

/// PF-02, PF-05.
#[test]
fn everything_that_is_missing_or_empty_is_told_at_once_with_what_to_do() {
    let workspace = ready();
    fs::remove_file(workspace.path(&format!("{STAGE}/inputs/user-description.md"))).unwrap();
    workspace.write(&format!("{STAGE}/prompt/main.md"), "");
    fs::remove_file(workspace.path(&format!("{STAGE}/prompt/wf.md"))).unwrap();
    let expected = [
        ("prompt_exists", "prompt/wf.md"),
        ("prompt_not_empty", "prompt/main.md"),
        ("input_exists", "inputs/user-description.md"),
    ];
    assert_eq!(errors(&workspace), expected.map(|(check, path)| (check.to_owned(), path.to_owned())));
    let told = workspace.referee(&PREFLIGHT).exits(1).told();
    assert!(told.contains("Action: write it to "), "{told}");
}

/// PF-03.
#[test]
fn a_path_that_leads_out_is_named_and_never_opened() {
    let workspace = ready();
    let configuration = CONFIGURATION.replace("inputs/user-description.md", "inputs/../../../secret");
    workspace.write(&format!("{STAGE}/stage-config.yaml"), configuration);
    assert_eq!(errors(&workspace), [("path_security".to_owned(), "inputs/../../../secret".to_owned())]);
}

/// PF-04.
#[test]
fn an_empty_broken_or_absent_configuration_fails_by_name() {
    let workspace = ready();
    let path = format!("{STAGE}/stage-config.yaml");
    for (content, expected) in [(Some(""), "config_valid"), (Some("id: ["), "config_valid"), (None, "config_exists")] {
        match content {
            None => fs::remove_file(workspace.path(&path)).unwrap(),
            Some(content) => workspace.write(&path, content),
        }
        assert_eq!(errors(&workspace), [(expected.to_owned(), "stage-config.yaml".to_owned())]);
    }
}

/// HB-08 as far as a preflight goes.
#[test]
fn who_has_control_is_told_and_in_nobodys_way() {
    let workspace = ready();
    let accept = format!("{STAGE}/run/output-data/accept.json");
    for (content, expected) in [
        (r#"{"state": "agent", "timestamp": "2026-11-22T12:00:00Z"}"#, "Accept: PRESENT(agent)"),
        ("[]", "Accept: INVALID"),
    ] {
        workspace.write(&accept, content);
        let told = workspace.referee(&PREFLIGHT).exits(0).told();
        assert!(told.contains(expected), "{told}");
    }
}
