//! What the program says of bad input, all of it in one snapshot, so that it is read together: each message says what is wrong,
//! where, and what to do, in the words of the field.

use std::fmt::Write as _;

use regex::Regex;

use crate::support::{Workspace, replace_all};

const SPECIFICATION: &str = "checks:\n  unit: { argv: [\"true\"] }\n";

/// Command lines that cannot be used, in a workspace with a specification that can.
const LINES: [&[&str]; 74] = [
    &[],
    &["nosuch"],
    &["rum"],
    &["-C", "nowhere", "run"],
    &["-C", "referee.yaml", "run"],
    &["--color", "blue", "run"],
    &["run", "--nope"],
    &["run", "nosuch.yaml"],
    &["run", "empty"],
    &["run", "--jobs", "0"],
    &["run", "--jobs", "many"],
    &["run", "--profile", "quick"],
    &["run", "--task", "7"],
    &["run", "--task", "T999"],
    &["run", "--only", "nosuch"],
    &["run", "--format", "pdf"],
    &["run", "--workspace", "nowhere"],
    &["run", "--key", "nosuch.pem"],
    &["run", "--key", "referee.yaml"],
    &["run", "--baseline", "nosuch.json"],
    &["check", "nosuch.yaml"],
    &["plan", "nosuch.yaml"],
    &["gate", "nosuch.yaml"],
    &["gate", "--trusted", "nosuch"],
    &["ci", "--attestation", "nosuch.jsonl"],
    &["parse", "--tool", "nosuch", "log.txt"],
    &["parse", "nosuch.txt"],
    &["baseline", "nosuch.yaml"],
    &["lock", "check"],
    &["lock", "explain", "nosuch"],
    &["lock", "accept"],
    &["status", "--task", "7"],
    &["retest", "T999"],
    &["waive", "STEP.9", "--reason", "x", "--until", "soon"],
    &["explain", "T999"],
    &["explain", "nosuch"],
    &["diagnostics", "--severity", "bad"],
    &["incident"],
    &["incident", "nosuch"],
    &["incident", "capture"],
    &["incident", "capture", "--report", "nosuch.json"],
    &["incident", "show", "nosuch"],
    &["incident", "show", "No Such"],
    &["incident", "plan", "nosuch"],
    &["incident", "approve", "nosuch"],
    &["incident", "run", "nosuch"],
    &["incident", "ack", "nosuch", "--executor", "x"],
    &["incident", "archive", "nosuch", "--reason", "x"],
    &["agent", "run"],
    &["agent", "show", "nosuch"],
    &["agent", "show", "run-2026-01-19-007"],
    &["evidence", "verify", "nosuch"],
    &["evidence", "verify", "empty"],
    &["evidence", "show", "T999"],
    &["evidence", "prune", "--keep", "-1"],
    &["key", "new", "--out", "referee.yaml"],
    &["key", "show", "nosuch.pem"],
    &["key", "trust", "referee.yaml", "--name", "x"],
    &["key", "distrust", "nosuch"],
    &["error", "classify", "--report", "nosuch.json"],
    &["debt", "show", "DEBT-T001-999"],
    &["debt", "show", "nosuch"],
    &["debt", "defer", "DEBT-T001-999", "--reason", "x"],
    &["stage", "compose", "nosuch.yaml", "--out", "run"],
    &["stage", "prepare", "nosuch"],
    &["stage", "status", "--run-dir", "nosuch"],
    &["handback", "nosuch"],
    &["handback", "nosuch", "--run-dir", "nosuch"],
    &["hook", "config", "nosuch"],
    &["hook", "nosuch"],
    &["enroll", "--trusted", "nosuch"],
    &["serve", "--listen", "nowhere"],
    &["schema", "nosuch"],
    &["help", "nosuch"],
];

/// Specifications that cannot be run.
const SPECIFICATIONS: [(&str, &str); 28] = [
    ("empty", ""),
    ("a list", "- a\n"),
    ("no checks", "task: T001\n"),
    ("empty checks", "checks: {}\n"),
    ("cut short", "checks: {a: [tr"),
    ("JSON that is cut short", "{\"checks\": {\"a\": \"true\""),
    ("a wrong task id", "task: 7\nchecks: {a: 'true'}\n"),
    ("a misspelt key", "checks: {a: {run: 'true', timout: 5s}}\n"),
    ("a wrong duration", "checks: {a: {run: 'true', timeout: soon}}\n"),
    ("a key twice", "checks:\n  a: 'true'\n  a: 'false'\n"),
    ("a cycle", "checks: {a: {run: 'true', needs: b}, b: {run: 'true', needs: a}}\n"),
    ("a need of an unknown check", "checks: {a: {run: 'true', needs: c}}\n"),
    ("run and argv", "checks: {a: {run: 'true', argv: ['true']}}\n"),
    ("nothing to run", "checks: {a: {timeout: 5s}}\n"),
    ("an empty command", "checks: {a: ''}\n"),
    ("an empty argv", "checks: {a: {argv: []}}\n"),
    ("an unknown role", "checks: {a: {run: 'true', role: tests}}\n"),
    ("an empty text to look for", "checks: {a: {file: a.txt, contains: ''}}\n"),
    ("a bad regular expression", "checks: {a: {file: a.txt, matches: '('}}\n"),
    ("a size that always holds", "checks: {a: {file: a.txt, minSize: 0}}\n"),
    ("a path outside", "checks: {a: {file: ../a.txt}}\n"),
    ("a URL without a host", "checks: {a: {http: 'http://', status: 200}}\n"),
    ("a status that is none", "checks: {a: {http: 'http://localhost:1', status: 99}}\n"),
    ("an unknown policy", "checks: {a: 'true'}\npolicy: {eslint: {blockOn: SOMETIMES}}\n"),
    ("a service that is never ready", "checks: {a: 'true'}\nservices: {web: {ready: {}}}\n"),
    ("a protected file outside", "checks: {a: 'true'}\nprotect: {frozen: [../x]}\n"),
    ("an output that is a pattern of nothing", "checks: {a: 'true'}\noutputs: ['src[']\n"),
    ("an authoring form", "task_id: T001\ntitle: x\ntype: contract-test\nworkspace_root: /x\ntest_file: y\n"),
];

/// Words of earlier messages that only people of this project understood.
const STRANGE: &str = r"\b(mend|anew|believed|nobody|somebody|most_severe|grave|whoever|folders?)\b|holds? against";

#[test]
fn every_message_of_bad_input_says_what_is_wrong_in_plain_words() {
    let mut all = String::new();
    for line in LINES {
        let workspace = Workspace::with(SPECIFICATION).file("log.txt", "hello\n").file("empty/none", "");
        write_case(&mut all, &workspace, &line.join(" "), line);
    }
    for (what, text) in SPECIFICATIONS {
        write_case(&mut all, &Workspace::with(text), &format!("run, with {what}"), &["run"]);
    }
    let strange = Regex::new(STRANGE).unwrap();
    let found: Vec<&str> = all.lines().filter(|line| strange.is_match(line)).collect();
    assert!(found.is_empty(), "these are not plain words:\n{}", found.join("\n"));
    insta::assert_snapshot!("messages", all);
}

/// Adds what one command line prints, and what it exits with, without what differs from run to run.
fn write_case(all: &mut String, workspace: &Workspace, title: &str, line: &[&str]) {
    let finished = workspace.referee(line);
    assert_ne!(finished.code, Some(0), "{title} passes:\n{}", finished.stdout);
    assert!(!finished.stderr.contains("panicked"), "{title}: {}", finished.stderr);
    writeln!(all, "$ referee {title}").unwrap();
    for text in [&finished.stdout, &finished.stderr] {
        let text = text.replace(workspace.path("").to_str().unwrap().trim_end_matches('/'), "[WORKSPACE]");
        all.push_str(&without_times(&text.replace(workspace.state().to_str().unwrap(), "[STATE]")));
    }
    writeln!(all, "[exit {}]\n", finished.code.unwrap()).unwrap();
}

/// Returns a text with durations, execution ids and the like replaced.
fn without_times(text: &str) -> String {
    let patterns = [
        (r"\b\d+(\.\d+)? ?(ms|s)\b", "[TIME]"),
        (r"\b\d{4}-\d\d-\d\dT[\d:.]+Z\b", "[DATE]"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b", "[ID]"),
        (r"/tmp/[\w.-]+|/dev/shm/[\w.-]+", "[TEMPORARY]"),
    ];
    replace_all(text.to_owned(), &patterns)
}
