//! `referee run --report` and `referee report`: a run in the formats of other programs, read by other programs.

use std::fs;
use std::process::Command;

use referee_testkit::fake_tool;
use serde_json::{Value, json};

use crate::support::{Workspace, skipped};

const TSC: &str = r"out=src/a.ts(3,5): error TS7006: Parameter <x> & 'y' implicitly has an 'any' type.\n";
const JEST: &str = r"out=FAIL ./a.test.js\n  \xe2\x9c\x93 adds (2 ms)\n  \xe2\x9c\x95 sub # tracts (1 ms)\n\n  \xe2\x97\x8f sub # tracts\n\n    expected 1\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 passed, 2 total\nSnapshots:   0 total\nTime:        0.5 s\nRan all test suites.\n";
const FORMATS: [&str; 11] =
    ["json", "jsonl", "junit", "sarif", "ctrf", "tap", "code-quality", "rdjsonl", "github", "markdown", "html"];

/// A project in which checks pass, fail, do not start and are skipped, each with text that no format may obey.
fn project() -> Workspace {
    let checks = [
        ("sound", json!("true")),
        ("types", json!({ "argv": ["./bin/tsc", TSC, "exit=2"] })),
        ("tests", json!({ "argv": ["./bin/jest", JEST, "exit=1"] })),
        ("absent", json!({ "argv": ["./bin/none"] })),
        ("after", json!({ "argv": ["true"], "needs": ["types"] })),
    ];
    let checks = checks.map(|(name, check)| format!("\"{name}\": {check}")).join(", ");
    let workspace = Workspace::with(&format!("{{ \"checks\": {{ {checks} }} }}"));
    fs::create_dir(workspace.path("bin")).unwrap();
    for tool in ["tsc", "jest"] {
        fs::copy(fake_tool(), workspace.path(&format!("bin/{tool}"))).unwrap();
    }
    workspace
}

/// The names of the report files, as options of `referee run`.
fn options() -> Vec<String> {
    FORMATS.iter().map(|format| format!("--report={format}=report.{format}")).collect()
}

/// The report of this format.
pub(crate) fn read(workspace: &Workspace, format: &str) -> String {
    fs::read_to_string(workspace.path(&format!("report.{format}"))).unwrap()
}

/// The project, run with every report.
pub(crate) fn reported() -> Workspace {
    let workspace = project();
    let options = options();
    let arguments: Vec<&str> = ["run"].into_iter().chain(options.iter().map(String::as_str)).collect();
    workspace.referee(&arguments).exits(6);
    workspace
}

#[test]
fn a_report_of_sealed_evidence_is_the_one_that_was_written_with_the_run() {
    let workspace = reported();
    for format in FORMATS {
        let again = workspace.referee(&["report", "--format", format]).exits(0).stdout;
        assert_eq!(again, read(&workspace, format), "{format}");
        let of_directory = workspace.referee(&["report", "--format", format, "--evidence", "evidence"]).exits(0);
        assert_eq!(of_directory.stdout, again, "{format}");
    }
}

#[test]
fn tap_is_read_by_perl_and_fails_where_the_run_does() {
    let workspace = reported();
    let script = "use TAP::Parser; my $p = TAP::Parser->new({ tap => $ARGV[0] }); $p->run; \
        print join ' ', $p->tests_planned, scalar($p->failed), scalar($p->skipped), scalar($p->parse_errors), $p->version;";
    // What is written is also TAP 13, the latest version that older parsers know.
    let tap = read(&workspace, "tap").replace("TAP version 14", "TAP version 13");
    let Ok(output) = Command::new("perl").args(["-e", script, &tap]).output() else {
        skipped("perl is needed");
        return;
    };
    let told = String::from_utf8(output.stdout).unwrap();
    if !output.status.success() {
        skipped("perl with TAP::Parser is needed");
        return;
    }
    assert_eq!(told, "5 3 1 0 13", "{}", read(&workspace, "tap"));
}

#[test]
fn every_format_names_what_blocks_and_json_is_the_sealed_report() {
    let workspace = reported();
    let report: Value = serde_json::from_str(&read(&workspace, "json")).unwrap();
    assert_eq!(report, workspace.report("T001"));
    let ctrf: Value = serde_json::from_str(&read(&workspace, "ctrf")).unwrap();
    let sums =
        ["tests", "passed", "failed", "skipped", "other"].map(|sum| ctrf["results"]["summary"][sum].as_u64().unwrap());
    assert_eq!(sums, [7, 2, 4, 1, 0], "{ctrf}");
    for line in read(&workspace, "rdjsonl").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(line["message"].is_string() && line["severity"].is_string(), "{line}");
    }
    let sarif: Value = serde_json::from_str(&read(&workspace, "sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], json!(false), "{sarif}");
    let quality: Value = serde_json::from_str(&read(&workspace, "code-quality")).unwrap();
    let paths: Vec<_> = quality.as_array().unwrap().iter().map(|issue| issue["location"]["path"].clone()).collect();
    assert!(paths.contains(&json!("src/a.ts")), "{quality}");
    assert!(read(&workspace, "github").starts_with("::error "));
    let summary = read(&workspace, "markdown");
    assert!(summary.starts_with("## ✗ FAIL: T001") && summary.contains("STEP.4 absent"), "{summary}");
    let page = read(&workspace, "html");
    assert!(page.contains("Parameter &lt;x&gt; &amp; ") && page.contains("TS7006"), "{page}");
}

#[test]
fn json_lines_of_sealed_runs_are_the_journal_of_each_and_its_report() {
    let workspace = reported();
    let text = read(&workspace, "jsonl");
    let journal = String::from_utf8(workspace.evidence("T001")["journal.jsonl"].clone()).unwrap();
    let last: Value = serde_json::from_str(text.strip_prefix(&journal).expect("it begins with the journal")).unwrap();
    assert_eq!((&last["type"], &last["exitCode"]), (&json!("report"), &json!(6)));
    assert_eq!(last["report"], workspace.report("T001"));
    // A later run stands in the place of the first, which is told of as it was.
    workspace.referee(&["run", "-q"]).exits(6);
    let execution = last["report"]["authenticity"]["executionId"].as_str().unwrap();
    let history = format!("evidence/.history/T001/{execution}");
    let earlier = workspace.referee(&["report", "--format", "jsonl", "--evidence", &history]).exits(0).stdout;
    assert_eq!(earlier, text);
    let latest = workspace.referee(&["report", "--format", "jsonl"]).exits(0).stdout;
    assert!(!latest.lines().next().unwrap().contains(execution), "{latest}");
    // Of a journal that was changed nothing is told.
    let path = workspace.path("evidence/T001/journal.jsonl");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("run-finished", "run-started")).unwrap();
    let refused = workspace.referee(&["report", "--format", "jsonl"]);
    assert!(refused.code != Some(0) && refused.stdout.is_empty(), "{}", refused.stdout);
}

#[test]
fn a_report_to_standard_output_takes_the_place_of_the_answer() {
    let workspace = project();
    let run = workspace.referee(&["run", "--report", "junit=-"]).exits(6);
    assert!(run.stdout.starts_with("<?xml") && run.stdout.ends_with("</testsuites>\n"), "{}", run.stdout);
    assert!(run.stderr.contains(" FAIL  T001"), "{}", run.stderr);
    for wrong in [
        &["--report", "junit=-", "--report", "tap=-"][..],
        &["--report", "junit=-", "--format", "json"],
        &["--report", "pdf=a"],
        &["--report", "junit"],
    ] {
        workspace.referee(&[&["run"], wrong].concat()).exits(2);
    }
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_and_so_is_evidence_that_was_changed() {
    let workspace = project();
    let run = workspace.referee(&["run", "--report", "junit=none/junit.xml"]);
    assert_ne!(run.code, Some(0));
    assert!(run.stderr.contains("the report junit was not written"), "{}", run.stderr);
    let directory = workspace.path("evidence/T001/execution-report.json");
    fs::write(&directory, fs::read_to_string(&directory).unwrap().replace("\"FAIL\"", "\"PASS\"")).unwrap();
    let report = workspace.referee(&["report", "--format", "junit"]);
    assert!(report.code != Some(0) && report.stdout.is_empty(), "{}", report.stdout);
}

#[test]
fn a_specification_names_reports_and_the_command_line_adds_to_them() {
    let workspace = Workspace::with(
        "checks: { sound: 'true' }\noutputs: [report.tap]\nreport: [{ junit: out/junit.xml, markdown: report.md }, { junit: again.xml }]\n",
    )
    .file("out/.keep", "");
    workspace.referee(&["run", "-q", "--report", "tap=report.tap"]).exits(0);
    let read = |name: &str| fs::read_to_string(workspace.path(name)).unwrap();
    assert!(read("out/junit.xml").starts_with("<?xml") && read("out/junit.xml") == read("again.xml"));
    assert_eq!(read("out/junit.xml"), workspace.referee(&["report", "--format", "junit"]).exits(0).stdout);
    assert!(read("report.md").starts_with("## ") && read("report.tap").starts_with("TAP version 14"));
    // They are no inputs: the verdict stays good although they were written after it.
    workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh"]).exits(0);
}

#[test]
fn a_report_of_a_specification_replaces_nothing_that_is_protected_and_leaves_the_workspace_by_no_link() {
    for (specification, says) in [
        ("checks: { a: 'touch ran' }\nreport: { html: referee.yaml }\n", "which is protected"),
        ("checks: { a: 'touch ran' }\nreport: { html: referee.lock }\n", "which is protected"),
        (
            "checks: { a: 'touch ran' }\nprotect: { frozen: ['kept/**'] }\nreport: { html: kept/x.html }\n",
            "which is protected",
        ),
        ("checks: { a: 'touch ran' }\nreport: { html: evidence/x.html }\n", "error"),
    ] {
        let workspace = Workspace::with(specification);
        let refused = workspace.referee(&["run"]).exits(3);
        assert!(refused.stderr.contains(says), "{specification}: {}", refused.stderr);
        assert!(!workspace.path("ran").exists() && !workspace.path("evidence/x.html").exists(), "{specification}");
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let workspace = Workspace::with("checks: { a: 'true' }\nreport: { html: link/x.html }\n");
    std::os::unix::fs::symlink(elsewhere.path(), workspace.path("link")).unwrap();
    let refused = workspace.referee(&["run"]).exits(3);
    assert!(refused.stderr.contains("a link leads it to"), "{}", refused.stderr);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}
