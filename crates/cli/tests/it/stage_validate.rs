//! `referee stage validate`, on runs that were not composed here: fixtures have neither log nor wf-run.json.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Workspace, copy, repository, skipped};

/// The seed's first stage, in words of our own.
pub(crate) const CONFIGURATION: &str = "\
id: explore
name: Exploration
description: What there is is found out
inputs:
  required:
    - name: user-description.md
      path: inputs/user-description.md
      description: What is asked
  optional: []
outputs:
  files:
    - name: dossier.md
      path: run/output-files/dossier.md
      description: What was found, for people
  data:
    - name: wf-result.json
      path: run/output-data/wf-result.json
      schema: schemas/wf-result.schema.json
      description: What became of the work
      required: true
    - name: findings.json
      path: run/output-data/findings.json
      schema: schemas/findings.schema.json
      description: What was found, for programs
      required: true
    - name: metrics.json
      path: run/output-data/metrics.json
      schema: schemas/metrics.schema.json
      description: What was found, in numbers
      required: true
prompt:
  entry: prompt/wf.md
  main: prompt/main.md
output_parameters:
  - name: total
    description: How much was found
    source: run/output-data/metrics.json
    query: summary.total
  - name: first
    description: What was found first
    source: run/output-data/findings.json
    query: findings[0].title
  - name: count
    description: How many there are
    source: run/output-data/findings.json
    query: findings.length
  - name: phases
    description: Null where it is small
    source: run/output-data/metrics.json
    query: summary.phases
";

const STAGE: &str = "run-2026-11-22-001/stages/explore";

/// A stage whose outputs pass.
fn valid() -> Workspace {
    let workspace = Workspace::new();
    for (path, content) in [
        ("stage-config.yaml", CONFIGURATION),
        (
            "schemas/wf-result.schema.json",
            r#"{"type": "object", "required": ["status", "completed_at", "stage_id", "error", "metrics"], "properties":
                {"completed_at": {"type": "string", "format": "date-time"}}}"#,
        ),
        (
            "schemas/findings.schema.json",
            r#"{"type": "object", "required": ["findings", "summary"], "properties": {"findings": {"type": "array",
                "items": {"type": "object", "required": ["id", "title"], "properties": {"id": {"type": "string"}}}}}}"#,
        ),
        ("schemas/metrics.schema.json", r#"{"type": "object", "required": ["summary"]}"#),
        ("run/output-files/dossier.md", "# IncidentView\n"),
        (
            "run/output-data/wf-result.json",
            r#"{"status": "success", "completed_at": "2026-11-22T12:00:00Z", "stage_id": "explore", "error": null, "metrics": {}}"#,
        ),
        (
            "run/output-data/findings.json",
            r#"{"findings": [{"id": "A-1", "title": "one"}, {"id": "A-2", "title": "two"}], "summary": {}}"#,
        ),
        ("run/output-data/metrics.json", r#"{"summary": {"total": 15, "phases": null}}"#),
    ] {
        workspace.write(&format!("{STAGE}/{path}"), content);
    }
    workspace
}

const VALIDATE: [&str; 5] = ["stage", "validate", "explore", "--run-dir", "run-2026-11-22-001"];

fn json_of(workspace: &Workspace, code: i32) -> Value {
    let arguments: Vec<&str> = VALIDATE.into_iter().chain(["--format", "json"]).collect();
    workspace.referee(&arguments).exits(code).json()
}

fn errors(document: &Value) -> Vec<(String, String)> {
    let text = |error: &Value, key: &str| error[key].as_str().unwrap().to_owned();
    document["errors"].as_array().unwrap().iter().map(|error| (text(error, "check"), text(error, "path"))).collect()
}

/// VA-01, VA-04, HB-05.
#[test]
fn a_valid_stage_passes_eleven_checks_and_nothing_is_published() {
    let workspace = valid();
    let finished = workspace.referee(&VALIDATE).exits(0);
    assert_eq!(finished.stdout.lines().last(), Some("Result: PASS (11 checks, 0 errors)"));
    let told = finished.told();
    assert!(told.contains("file_exists: run/output-files/dossier.md"), "{told}");
    assert!(told.contains("Warning: run/output-data/handback.json is not there yet"), "{told}");
    assert!(told.contains("Accept: ABSENT"), "{told}");
    let document = json_of(&workspace, 0);
    assert_eq!(document["status"], "PASS");
    assert_eq!(document["stage_id"], "explore");
    assert_eq!(document["output_params"], json!({ "total": 15, "first": "one", "count": 2 }));
    assert_eq!(document["output_params_written"], false);
    assert_eq!(document["checks"].as_array().unwrap().len(), 11);
    assert!(!workspace.path(&format!("{STAGE}/run/output-data/output-params.json")).exists());
}

/// VA-02.
#[test]
fn an_invalid_stage_fails_with_everything_that_is_wrong() {
    let workspace = valid();
    fs::remove_file(workspace.path(&format!("{STAGE}/run/output-files/dossier.md"))).unwrap();
    workspace.write(&format!("{STAGE}/run/output-data/wf-result.json"), "");
    workspace.write(&format!("{STAGE}/run/output-data/findings.json"), r#"{"findings": [{"id": 1}]}"#);
    let finished = workspace.referee(&VALIDATE).exits(1);
    assert_eq!(finished.stdout.lines().last(), Some("Result: FAIL (6 passed, 3 errors)"));
    assert!(finished.told().contains("Action: "), "{}", finished.stdout);
    let document = json_of(&workspace, 1);
    let expected = [
        ("file_exists", "run/output-files/dossier.md"),
        ("file_not_empty", "run/output-data/wf-result.json"),
        ("schema_valid", "run/output-data/findings.json"),
    ];
    assert_eq!(errors(&document), expected.map(|(check, path)| (check.to_owned(), path.to_owned())));
    let schema = &document["errors"][2];
    assert_eq!(schema["schema"], "schemas/findings.schema.json");
    assert_eq!(schema["details"].as_array().unwrap().len(), 3, "{schema:#}");
    for error in document["errors"].as_array().unwrap() {
        assert!(error["action"].as_str().unwrap().contains(STAGE), "{error:#}");
    }
}

/// VA-01, VA-02.
#[test]
fn the_fixtures_of_the_seed_give_its_counts() {
    let seed = repository().join("../shared/reference/handback");
    if !seed.is_dir() {
        skipped("no ../shared");
        return;
    }
    let workspace = Workspace::new();
    for fixture in ["valid-stage", "invalid-stage"] {
        copy(&seed.join("fixtures").join(fixture), &workspace.path(fixture));
    }
    let configuration = fs::read(seed.join("wf-spec/stage-config.yaml")).unwrap();
    workspace.write("valid-stage/stages/explore/stage-config.yaml", configuration);
    workspace.write("valid-stage/stages/explore/run/output-files/research-dossier.md", "# IncidentView\n");
    let last = |fixture: &str, code: i32| {
        let finished = workspace.referee(&["stage", "validate", "explore", "--run-dir", fixture]).exits(code);
        finished.stdout.lines().last().unwrap().to_owned()
    };
    assert_eq!(last("valid-stage", 0), "Result: PASS (11 checks, 0 errors)");
    assert_eq!(last("invalid-stage", 1), "Result: FAIL (6 passed, 3 errors)");
}

/// VA-03.
#[test]
fn no_output_and_no_schema_is_looked_for_outside_of_the_stage() {
    let workspace = valid();
    workspace.write("secret.json", "{}");
    let findings = workspace.path(&format!("{STAGE}/run/output-data/findings.json"));
    fs::remove_file(&findings).unwrap();
    symlink(workspace.path("secret.json"), &findings).unwrap();
    let schema = workspace.path(&format!("{STAGE}/schemas/metrics.schema.json"));
    fs::remove_file(&schema).unwrap();
    symlink(workspace.path("secret.json"), &schema).unwrap();
    let configuration = CONFIGURATION
        .replace("run/output-files/dossier.md", "../../../secret.json")
        .replace("schemas/wf-result.schema.json", "../../../secret.json");
    workspace.write(&format!("{STAGE}/stage-config.yaml"), configuration);
    let document = json_of(&workspace, 1);
    let expected = [
        ("path_security", "../../../secret.json"),
        ("schema_security", "../../../secret.json"),
        ("path_security", "run/output-data/findings.json"),
        ("schema_security", "schemas/metrics.schema.json"),
    ];
    assert_eq!(errors(&document), expected.map(|(check, path)| (check.to_owned(), path.to_owned())));
}

#[test]
fn junk_in_the_place_of_an_output_is_a_failing_check_and_never_a_fault_of_the_program() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for junk in [&b"{"[..], b"\xff\xfe", b"\xef\xbb\xbf{}", b"{\"a\": NaN}", b"[]", b"\"text\"", b"0", deep.as_bytes()]
    {
        let workspace = valid();
        workspace.write(&format!("{STAGE}/run/output-data/findings.json"), junk);
        let document = json_of(&workspace, 1);
        let expected = [("schema_valid".to_owned(), "run/output-data/findings.json".to_owned())];
        assert_eq!(errors(&document), expected, "{junk:?}");
    }
}

#[test]
fn a_stage_without_a_configuration_that_can_be_read_fails_by_name() {
    let workspace = valid();
    let path = format!("{STAGE}/stage-config.yaml");
    for (content, expected) in [(None, "config_exists"), (Some(""), "config_valid"), (Some("id: ["), "config_valid")] {
        match content {
            None => fs::remove_file(workspace.path(&path)).unwrap(),
            Some(content) => workspace.write(&path, content),
        }
        let document = json_of(&workspace, 1);
        assert_eq!(errors(&document), [(expected.to_owned(), "stage-config.yaml".to_owned())]);
    }
}

#[test]
fn a_directory_or_a_stage_that_does_not_exist_is_a_wrong_use() {
    let workspace = valid();
    for arguments in [
        ["stage", "validate", "explore", "--run-dir", "nowhere"],
        ["stage", "validate", "specify", "--run-dir", "run-2026-11-22-001"],
        ["stage", "validate", "../explore", "--run-dir", "run-2026-11-22-001"],
    ] {
        let finished = workspace.referee(&arguments).exits(2);
        assert_eq!(finished.stdout, "", "{arguments:?}");
        assert_ne!(finished.stderr, "", "{arguments:?}");
    }
}
