//! Blocking only on what is new: `referee baseline`, and `referee run --baseline`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::{Finished, Workspace, action};

/// A type checker, and a runner of tests, that print what a file says.
const TOOLS: &str = "checks:\n  types: npx tsc --noEmit\n  unit: npx jest\n";

const TYPES: &str = "checks:\n  types: npx tsc --noEmit\n";

const THREE: &[&str] = &[
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
    "src/a.ts(9,5): error TS2322: Type 'string' is not assignable to type 'number'.",
    "src/b.ts(1,1): error TS2304: Cannot find name 'quote'.",
];

const FOURTH: &str = "src/b.ts(4,1): error TS2304: Cannot find name 'author'.";

fn workspace(specification: &str) -> Workspace {
    let workspace = Workspace::with(specification);
    for tool in ["tsc", "jest"] {
        let name = format!("node_modules/.bin/{tool}");
        workspace.write(&name, format!("#!/bin/sh\ncat {tool}.out\nexit $(cat {tool}.code)\n"));
        fs::set_permissions(workspace.path(&name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    types(&workspace, &[]);
    workspace
}

/// What the type checker finds from now on.
fn types(workspace: &Workspace, errors: &[&str]) {
    let summary = format!("\n\nFound {} errors in 2 files.\n", errors.len());
    let text = if errors.is_empty() { String::new() } else { errors.join("\n") + &summary };
    workspace.write("tsc.out", text);
    workspace.write("tsc.code", if errors.is_empty() { "0" } else { "2" });
}

/// Which tests fail from now on, of so many.
fn tests(workspace: &Workspace, failed: &[&str], all: usize) {
    let head = format!("{} a.test.js\n", if failed.is_empty() { "PASS" } else { "FAIL" });
    let told = failed.iter().map(|name| ["  ● ", name, "\n\n    expect(received).toBe(expected)\n\n"].concat());
    let suites = if failed.is_empty() { "1 passed" } else { "1 failed" };
    let passed = all - failed.len();
    let number = if failed.is_empty() { String::new() } else { format!("{} failed, ", failed.len()) };
    let summary = format!(
        "\nTest Suites: {suites}, 1 total\nTests:       {number}{passed} passed, {all} total\nSnapshots:   0 total\nTime:        0.5 s\n"
    );
    let text = [head, told.collect(), summary].concat();
    workspace.write("jest.out", text);
    workspace.write("jest.code", if failed.is_empty() { "0" } else { "1" });
}

/// Runs, and takes the baseline of what stood.
fn take(workspace: &Workspace) {
    workspace.referee(&["run", "-q"]);
    workspace.referee(&["baseline", "-o", "baseline.json"]).exits(0);
}

fn held(workspace: &Workspace) -> Finished {
    workspace.referee(&["run", "--baseline", "baseline.json"])
}

#[track_caller]
fn replays(workspace: &Workspace, code: i32) {
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(code);
}

fn summary(report: &Value) -> String {
    report["executionSummary"]["reasons"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned()
}

#[test]
fn what_stood_does_not_block_and_what_is_new_does_and_is_named_alone() {
    let workspace = workspace(TYPES);
    types(&workspace, THREE);
    workspace.referee(&["run"]).exits(1);
    let taken = workspace.referee(&["baseline", "-o", "baseline.json"]).exits(0);
    assert!(taken.stderr.starts_with("T001: 3 errors stood in exec-"), "{}", taken.stderr);
    assert_eq!(taken.stdout, "");

    let passed = held(&workspace).exits(0);
    let told = passed.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("3 errors stood in it and do not block; nothing is new"), "{told}");
    let report = workspace.report("T001");
    assert_eq!(report["baseline"]["known"], 3);
    assert_eq!(report["baseline"]["new"], 0);
    let step = action(&report, "STEP.1");
    assert_eq!((&step["status"], &step["blocking"]), (&"VALIDATION_FAILURE".into(), &false.into()));
    assert_eq!(step["severity"], "LOW");
    assert!(step.get("agentAction").is_none(), "{step:#}");
    assert_eq!(step["debtGeneration"]["shouldGenerate"], true);
    assert!(summary(&report).starts_with("compared with the baseline of "), "{report:#}");
    replays(&workspace, 0);

    // The same findings, on other lines and in another order.
    let moved = [THREE[2].replace("(1,1)", "(77,3)"), THREE[0].replace("(3,", "(30,"), THREE[1].replace("(9,", "(90,")];
    types(&workspace, &moved.each_ref().map(String::as_str));
    held(&workspace).exits(0);
    // One less is no new one.
    types(&workspace, &THREE[1..]);
    held(&workspace).exits(0);

    types(&workspace, &[&[FOURTH], THREE].concat());
    let failed = held(&workspace).exits(1);
    assert!(failed.stdout.contains("1 error is new; 3 stood in the baseline"), "{}", failed.stdout);
    assert!(failed.stdout.contains("Cannot find name 'author'"), "{}", failed.stdout);
    for known in ["not assignable", "'quote'"] {
        assert!(!failed.stdout.contains(known), "{}", failed.stdout);
    }
    let report = workspace.report("T001");
    assert_eq!((&report["baseline"]["known"], &report["baseline"]["new"]), (&3.into(), &1.into()));
    let new = &action(&report, "STEP.1")["classification"]["baseline"]["newOnes"];
    assert_eq!(new.as_array().unwrap().len(), 1, "{new:#}");
    assert_eq!(new[0]["line"], 4);
    replays(&workspace, 1);

    // One more of what stood there twice is new.
    types(&workspace, &[THREE, &[THREE[0]]].concat());
    held(&workspace).exits(1);
    // Without the baseline all of it blocks.
    types(&workspace, THREE);
    workspace.referee(&["run", "-q"]).exits(1);
    assert!(workspace.report("T001").get("baseline").is_none());
}

#[test]
fn failed_tests_that_stood_do_not_block_and_whatever_else_goes_wrong_does() {
    let workspace = workspace(TOOLS);
    tests(&workspace, &["quotes › adds one"], 5);
    take(&workspace);
    held(&workspace).exits(0);
    assert_eq!(action(&workspace.report("T001"), "STEP.2")["classification"]["rule"], "test/failed-known");
    replays(&workspace, 0);

    tests(&workspace, &["quotes › adds one", "quotes › removes one"], 6);
    let failed = held(&workspace).exits(1);
    assert!(failed.stdout.contains("1 failure is new (`quotes › removes one`); 1 stood"), "{}", failed.stdout);
    tests(&workspace, &["quotes › adds one"], 4);
    let fewer = held(&workspace).exits(1);
    assert!(fewer.stdout.contains("fewer than the 5 of the baseline"), "{}", fewer.stdout);
    tests(&workspace, &["quotes › adds one"], 5);
    workspace.write("jest.code", "7");
    held(&workspace).exits(1);
    workspace.write("jest.out", "");
    held(&workspace).exits(6);
    replays(&workspace, 1);
}

#[test]
fn a_check_that_the_baseline_does_not_know_has_nothing_that_is_known() {
    let workspace = workspace(TYPES);
    types(&workspace, THREE);
    take(&workspace);
    // The same tool with the same findings, under a name that was not there, and before the one that was.
    workspace.write("referee.yaml", "checks:\n  more types: npx tsc --noEmit\n  types: npx tsc --noEmit\n");
    held(&workspace).exits(1);
    let report = workspace.report("T001");
    assert_eq!(action(&report, "STEP.1")["blocking"], true);
    assert_eq!(action(&report, "STEP.2")["blocking"], false);
    assert_eq!((&report["baseline"]["known"], &report["baseline"]["new"]), (&3.into(), &3.into()));
}

#[test]
fn neither_the_specification_nor_a_variable_sets_a_baseline() {
    let workspace = workspace(TYPES);
    types(&workspace, THREE);
    take(&workspace);
    let mut run = workspace.command(&["run", "-q"]);
    run.env("REFEREE_BASELINE", "baseline.json");
    crate::support::finish(run.spawn().unwrap()).exits(1);
    workspace.write("referee.yaml", format!("{TYPES}baseline: baseline.json\n"));
    let run = workspace.referee(&["run", "-q"]);
    assert!([Some(1), Some(3)].contains(&run.code), "{run:?}");
}

#[test]
fn a_baseline_in_the_evidence_is_sealed_with_it() {
    let workspace = workspace(TYPES);
    types(&workspace, THREE);
    take(&workspace);
    held(&workspace).exits(0);
    let evidence = workspace.evidence("T001");
    let known = String::from_utf8(evidence["baseline.json"].clone()).unwrap();
    assert!(!known.contains("a.ts(3,5)") && known.contains("\"TS2322\""), "{known}");
    let verified = workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    assert!(verified.stdout.contains("compared with the baseline of"), "{}", verified.stdout);
    // What another baseline would excuse is not what was judged.
    workspace.write("evidence/T001/baseline.json", known.replace("\"errors\": 2", "\"errors\": 9"));
    replays(&workspace, 4);
    fs::remove_file(workspace.path("evidence/T001/baseline.json")).unwrap();
    replays(&workspace, 4);
    workspace.write("evidence/T001/baseline.json", known);
    replays(&workspace, 0);
}

#[test]
fn sealed_evidence_is_a_baseline_too() {
    let workspace = workspace(TYPES);
    types(&workspace, THREE);
    workspace.referee(&["run", "-q"]).exits(1);
    for path in ["evidence", "evidence/T001"] {
        workspace.referee(&["run", "-q", "--baseline", path]).exits(0);
    }
    let of = |arguments: &[&str]| workspace.referee(arguments).exits(0).stdout;
    let one = of(&["baseline"]);
    assert_eq!(one, of(&["baseline", "--evidence", "evidence"]));
    assert_eq!(one, of(&["baseline", "--evidence", "evidence/T001"]));
    assert_eq!(one, of(&["baseline", "--task", "T001", "referee.yaml"]));
}

#[test]
fn no_baseline_is_taken_of_a_run_that_did_not_work_or_is_not_as_it_was_sealed() {
    let workspace = workspace(TYPES);
    let refused = |part: &str| {
        for arguments in [&["baseline", "-o", "b.json"][..], &["run", "--baseline", "evidence"][..]] {
            let refused = workspace.referee(arguments).exits(2);
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
            assert_eq!(refused.stdout, "");
        }
        assert!(!workspace.path("b.json").exists());
    };
    workspace.referee(&["baseline"]).exits(2);
    workspace.write("tsc.code", "1");
    workspace.referee(&["run", "-q"]).exits(6);
    refused("STEP.1 types came out as EXECUTION_ERROR");
    workspace
        .write("referee.yaml", "checks:\n  types: { run: \"npx tsc; sleep 600\", role: typecheck, timeout: 100ms }\n");
    workspace.referee(&["run", "-q"]).exits(7);
    refused("STEP.1 types came out as TIMEOUT");
    workspace.write("referee.yaml", TYPES);
    types(&workspace, THREE);
    workspace.referee(&["run", "-q"]).exits(1);
    workspace.write("evidence/.staging/T001/exec-dead/journal.jsonl", "");
    refused("exec-dead of this task was started and never sealed");
    fs::remove_dir_all(workspace.path("evidence/.staging/T001/exec-dead")).unwrap();
    workspace.write("evidence/T001/STEP.1-types.log", THREE[0]);
    refused("STEP.1-types.log");
}

#[test]
fn a_baseline_that_cannot_be_used_is_never_passed_over() {
    let workspace = workspace(TYPES);
    types(&workspace, THREE);
    take(&workspace);
    let good = fs::read_to_string(workspace.path("baseline.json")).unwrap();
    let before = workspace.evidence("T001");
    let rows = [
        ("junk", "no JSON at all".to_owned(), "cannot read"),
        ("half", good[..good.len() / 2].to_owned(), "cannot read"),
        ("empty", String::new(), "cannot read"),
        ("another document", "{}".to_owned(), "has no version"),
        ("older", good.replace("\"2.0.0\"", "\"0.9.0\""), "has version 0.9.0"),
        ("newer", good.replace("\"2.0.0\"", "\"3.0.0\""), "use a newer Referee"),
        ("a key too many", good.replacen('{', "{ \"all\": true,", 1), "unknown field"),
        ("of another task", good.replace("T001", "T002"), "it is one of T002"),
        ("of another specification", good.replace("referee.yaml", "other.yaml"), "with the specification other.yaml"),
        (
            "of other actions",
            good.replace("\"STEP.1\"", "\"STEP.9\"").replace("\"types\"", "\"lint\""),
            "speaks of other actions",
        ),
        ("huge", " ".repeat(64 * 1024 * 1024 + 1), "larger than"),
    ];
    for (case, text, part) in rows {
        workspace.write("bad.json", text);
        let refused = workspace.referee(&["run", "--baseline", "bad.json"]).exits(2);
        let part = part.replace("it is one of", "the baseline is one of");
        assert!(refused.stderr.contains(&part), "{case}: {}", refused.stderr);
    }
    for path in ["missing.json", "node_modules", "/dev/null"] {
        workspace.referee(&["run", "--baseline", path]).exits(2);
    }
    assert!(workspace.evidence("T001") == before, "nothing ran");
}

#[test]
fn a_reduced_run_is_held_against_it_and_stays_a_reduced_one() {
    let workspace = workspace(TOOLS);
    types(&workspace, THREE);
    tests(&workspace, &[], 5);
    take(&workspace);
    workspace.referee(&["run", "-q", "--only", "types", "--baseline", "baseline.json"]).exits(0);
    let report = workspace.report("T001");
    assert_eq!(report["executionSummary"]["scope"]["reduced"], true);
    assert_eq!(report["executionSummary"]["next"], "planner");
    replays(&workspace, 0);
    // What is known did not pass, so it runs again with what failed.
    workspace.referee(&["run", "-q", "--baseline", "baseline.json"]).exits(0);
    workspace.referee(&["run", "-q", "--rerun-failed", "--baseline", "baseline.json"]).exits(0);
    let report = workspace.report("T001");
    assert_eq!(action(&report, "STEP.1")["blocking"], false);
    assert_eq!(report["skippedActions"][0]["actionId"], "STEP.2");
    // A baseline of a reduced run knows nothing of what it left out, and says so.
    let taken = workspace.referee(&["baseline"]).exits(0);
    assert!(taken.stderr.contains("STEP.2 unit never ran"), "{}", taken.stderr);
}

#[test]
fn each_of_several_tasks_is_held_against_its_own_part() {
    let task = |id: &str| {
        json!({
            "taskId": id,
            "title": format!("the task {id}"),
            "description": "A task of which a baseline knows something, described at the length that is asked for.",
            "testExecution": { "steps": [{
                "actionId": "STEP.1",
                "type": "TERMINAL_COMMAND",
                "description": format!("types of {id}"),
                "parameters": { "command": "npx tsc --noEmit", "workingDirectory": "." },
            }] },
            "validationCriteria": { "successConditions": [{ "condition": "STEP.1.exitCode === 2", "description": "it ran" }] },
            "completionCriteria": { "allStepsMustPass": true },
        })
    };
    let tasks = json!({ "T001": task("T001"), "T002": task("T002") });
    let workspace = workspace("");
    fs::remove_file(workspace.path("referee.yaml")).unwrap();
    workspace.write("referee.json", json!({ "schemaVersion": "2.0.0", "tasks": tasks }).to_string());
    types(&workspace, THREE);
    workspace.referee(&["run", "-q", "referee.json"]).exits(1);
    workspace.referee(&["baseline", "referee.json", "-o", "both.json"]).exits(0);
    workspace.referee(&["baseline", "referee.json", "--task", "T001", "-o", "one.json"]).exits(0);
    workspace.referee(&["run", "-q", "referee.json", "--baseline", "both.json"]).exits(0);
    let suite: Value =
        serde_json::from_slice(&fs::read(workspace.path("evidence/suite-report.json")).unwrap()).unwrap();
    assert_eq!(suite["reasons"][0], "2 tasks passed, 2 of them compared with a baseline");
    let half = workspace.referee(&["run", "-q", "referee.json", "--baseline", "one.json"]).exits(1);
    assert!(half.stderr.contains("T002 is not in the baseline: whatever is found in it is new"), "{}", half.stderr);
    assert_eq!(action(&workspace.report("T001"), "STEP.1")["blocking"], false);
    assert_eq!(action(&workspace.report("T002"), "STEP.1")["blocking"], true);
    workspace.referee(&["run", "-q", "referee.json", "--task", "T002", "--baseline", "one.json"]).exits(2);
    // A baseline is one of one specification.
    workspace.write("a/referee.yaml", TYPES);
    workspace.write("b/referee.yaml", TYPES);
    workspace.referee(&["run", "-q", "a", "b", "--baseline", "one.json"]).exits(2);
}
