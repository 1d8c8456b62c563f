//! `referee gate`: one question, answered in time, for people and programs.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use serde_json::Value;

use crate::gate_reuse::{Counted, task};
use crate::support::{Workspace, finish, processes_with, wait_until};

fn fits_its_schema(workspace: &Workspace, document: &Value) {
    let schema = workspace.referee(&["schema", "gate"]).exits(0).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let complaints: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(complaints.is_empty(), "{complaints:?}\n{document:#}");
}

#[test]
fn people_and_agents_read_the_decision_first_and_what_to_do_next() {
    let workspace = Workspace::with("checks:\n  built: { file: dist/out.js }\n");
    let failed = workspace.referee(&["gate"]).exits(1);
    let lines: Vec<&str> = failed.stdout.lines().collect();
    assert_eq!(lines[0], "FAIL: it may not be called done (by a run for this question)");
    let report = workspace.path("evidence/T001/execution-report.json");
    for part in ["dist/out.js", "next: fix what blocks", &format!("report of T001: {}", report.display())] {
        assert!(failed.stdout.contains(part), "{part}: {}", failed.stdout);
    }
    assert!(Path::new(&report).is_file());
    workspace.write("dist/out.js", "");
    let passed = workspace.referee(&["gate"]).exits(0);
    assert!(passed.stdout.starts_with("PASS: it may be called done"), "{}", passed.stdout);
    assert_eq!(passed.stderr, "", "nobody watches");
}

#[test]
fn programs_read_one_document_whatever_comes_of_it() {
    let workspace = Workspace::with("checks:\n  built: { file: dist/out.js }\n");
    let ask = |exit: i32| workspace.referee(&["gate", "--format", "json"]).exits(exit).json();
    let failed = ask(1);
    fits_its_schema(&workspace, &failed);
    assert_eq!((&failed["decision"], &failed["exitCode"]), (&"FAIL".into(), &1.into()));
    assert_eq!(failed["tasks"][0]["checks"][0]["standing"], "blocking");
    workspace.write("dist/out.js", "");
    let passed = ask(0);
    fits_its_schema(&workspace, &passed);
    assert_eq!((&passed["causes"], &passed["heldOut"]), (&Value::Array(Vec::new()), &Value::Null));
    fits_its_schema(&workspace, &ask(0));

    workspace.write("referee.yaml", "checks:\n  built: { flie: dist/out.js }\n");
    let wrong = ask(3);
    fits_its_schema(&workspace, &wrong);
    assert_eq!((&wrong["decision"], &wrong["basis"]), (&"BLOCKED".into(), &Value::Null));
    assert_eq!((&wrong["causes"][0]["line"], &wrong["exitCode"]), (&2.into(), &3.into()), "{wrong:#}");
    fs::remove_file(workspace.path("referee.yaml")).unwrap();
    let missing = ask(3);
    fits_its_schema(&workspace, &missing);
    assert_eq!(missing["decision"], "BLOCKED");
}

#[test]
fn an_answer_fits_into_what_a_host_takes_however_much_is_wrong() {
    let finding = |line: usize| format!("src/a.c:{line}:1: error: {}\\n", "x".repeat(400));
    let findings = (1..=500).map(finding).collect::<Vec<_>>().concat();
    let workspace = Workspace::with("checks:\n  lint: { run: \"sh print.sh\", role: lint }\n")
        .file("print.sh", format!("printf '{findings}'; exit 1\n"));
    let told = workspace.referee(&["gate"]);
    assert_ne!(told.code, Some(0));
    assert!(told.stdout.chars().count() <= 9_500, "{}", told.stdout.len());
    assert!(told.stdout.contains("\nnext: ") && told.stdout.contains("report of T001: "), "{}", told.stdout);
}

#[test]
fn a_reduced_run_never_answers_yes() {
    let workspace = Workspace::with(
        "profile: smoke\nchecks:\n  quick: { file: referee.yaml, profile: smoke }\n  rest: { argv: [\"false\"], profile: strict }\n",
    );
    let answer = workspace.referee(&["gate", "--format", "json"]).exits(4).json();
    assert_eq!(answer["decision"], "BLOCKED", "{answer:#}");
}

#[test]
fn a_claim_is_read_and_makes_nothing_better() {
    let workspace =
        Workspace::with("checks:\n  built: { file: dist/out.js }\n").file("said.txt", "All done, all tests pass!\n");
    workspace.referee(&["gate", "--claim", "all tests pass"]).exits(1);
    workspace.referee(&["gate", "--claim", "@said.txt"]).exits(1);
    let missing = workspace.referee(&["gate", "--claim", "@missing.txt"]).exits(2);
    assert!(missing.stderr.contains("--claim"), "{}", missing.stderr);
    workspace.referee(&["gate", "--claim", "@."]).exits(2);
    workspace.referee(&["gate", "--deadline", "soon"]).exits(2);
}

/// A project whose check waits until it is let go.
fn waiting() -> Counted {
    let counted = Counted::new("");
    counted.waits();
    counted
}

impl Counted {
    fn waits(&self) {
        let path = self.outside("bin/tool");
        fs::write(path, "#!/bin/sh\necho called >> \"$0.calls\"; while [ ! -e \"$0.go\" ]; do sleep 0.02; done\n")
            .unwrap();
    }

    fn let_go(&self) {
        fs::write(self.outside("bin/tool.go"), "").unwrap();
    }

    fn ask(&self, more: &[&str]) -> Command {
        self.command(&[&["gate", "--format", "json"], more].concat())
    }
}

/// Whether a process waits for its turn: it has opened the lock.
fn is_waiting(child: &Child) -> bool {
    let directory = fs::read_dir(format!("/proc/{}/fd", child.id()));
    let mut opened = directory.into_iter().flatten().flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
    opened.any(|path| path.extension().is_some_and(|extension| extension == "turn"))
}

#[test]
fn of_two_who_ask_at_once_one_runs_the_checks_and_the_other_reuses_them() {
    let counted = waiting();
    let first = counted.ask(&[]).spawn().unwrap();
    wait_until("the check runs", || counted.calls() == 1);
    let second = counted.ask(&[]).spawn().unwrap();
    wait_until("the second waits for its turn", || is_waiting(&second));
    counted.let_go();
    let (first, second) = (finish(first).exits(0).json(), finish(second).exits(0).json());
    assert_eq!((&first["basis"], &second["basis"]), (&"ran".into(), &"recorded".into()), "{second:#}");
    assert_eq!(counted.calls(), 1);
}

#[test]
fn one_who_dies_while_asking_blocks_nobody() {
    let counted = waiting();
    let mut first = counted.ask(&[]).spawn().unwrap();
    wait_until("the check runs", || counted.calls() == 1);
    let second = counted.ask(&[]).spawn().unwrap();
    wait_until("the second waits for its turn", || is_waiting(&second));
    first.kill().unwrap();
    first.wait().unwrap();
    counted.let_go();
    let second = finish(second).exits(0).json();
    assert_eq!(second["basis"], "ran");
}

#[test]
fn one_who_waits_answers_in_time_that_it_could_not_be_judged() {
    let counted = waiting();
    let first = counted.ask(&[]).spawn().unwrap();
    wait_until("the check runs", || counted.calls() == 1);
    let second = finish(counted.ask(&["--deadline", "300ms"]).spawn().unwrap()).exits(7).json();
    assert_eq!(second["decision"], "BLOCKED");
    assert!(second["causes"][0]["message"].as_str().unwrap().contains("another process asks"), "{second:#}");
    fits_its_schema(&counted.workspace, &second);
    counted.let_go();
    finish(first).exits(0);
}

#[test]
fn checks_that_take_longer_than_there_is_time_for_are_stopped_and_begun_again_when_asked_again() {
    let counted = waiting();
    let stopped = finish(counted.ask(&["--deadline", "2s"]).spawn().unwrap()).exits(7).json();
    assert_eq!(stopped["decision"], "BLOCKED", "{stopped:#}");
    assert!(stopped["next"].as_str().unwrap().contains("`referee gate` without a deadline"), "{stopped:#}");
    let execution = stopped["tasks"][0]["executionId"].as_str().unwrap();
    assert_eq!(processes_with(&format!("REFEREE_EXECUTION={execution}")), Vec::<u32>::new());
    // What hung may be fixed by now: a run that was stopped says nothing of the time that the checks take.
    counted.let_go();
    finish(counted.ask(&["--deadline", "60s"]).spawn().unwrap()).exits(0);
    let answer = finish(counted.ask(&["--deadline", "1s"]).spawn().unwrap()).exits(0).json();
    assert_eq!((answer["basis"].as_str(), counted.calls()), (Some("recorded"), 2));
}

#[test]
fn checks_that_took_longer_when_they_passed_are_not_begun_and_the_way_out_is_one_that_works() {
    for (more, advice) in [("", "its verdict is then reused"), ("  some: { file: \"*.yaml\" }\n", "raise the deadline")]
    {
        let workspace = Workspace::with(&format!("checks:\n  slow: sleep 2\n{more}"));
        workspace.referee(&["gate"]).exits(0);
        workspace.write("new.txt", "");
        let answer = workspace.referee(&["gate", "--format", "json", "--deadline", "2s"]).exits(7).json();
        let message = answer["causes"][0]["message"].as_str().unwrap();
        assert!(message.contains("not begun") && message.contains(" of the 2.0 s within which"), "{message}");
        assert!(answer["next"].as_str().unwrap().contains(advice), "{answer:#}");
        assert_eq!(answer["tasks"], serde_json::json!([]));
    }
}

#[test]
fn a_failure_that_showed_before_the_time_was_up_stays_a_failure() {
    let workspace = Workspace::with("checks:\n  built: { file: dist/out.js }\n  slow: sleep 60\n");
    let answer = workspace.referee(&["gate", "--format", "json", "--deadline", "2s"]);
    let document = answer.json();
    assert_eq!(document["decision"], "FAIL", "{document:#}");
    assert_ne!(answer.code, Some(0));
}

#[test]
fn a_task_that_passed_on_files_that_a_later_one_changed_is_no_yes() {
    let workspace = Workspace::new();
    let tasks = serde_json::json!({
        "T001": task("T001", "grep -q A lib"),
        "T002": task("T002", "cp b lib && grep -q B lib"),
    });
    let specification = serde_json::json!({ "schemaVersion": "2.0.0", "tasks": tasks });
    workspace.write("referee.yaml", specification.to_string());
    workspace.write("lib", "A\n");
    workspace.write("b", "B\n");
    let answer = workspace.referee(&["gate", "--format", "json"]).exits(4).json();
    assert_eq!(answer["decision"], "BLOCKED");
    let why = answer["causes"].to_string();
    assert!(why.contains("the inputs are not those that T001 was judged on: lib (modified)"), "{why}");

    // Where it writes what is there already, nothing stands in the way.
    workspace.write("lib", "A\n");
    workspace.write("b", "A B\n");
    workspace.referee(&["gate", "--format", "json"]).exits(4);
    workspace.referee(&["gate", "--format", "json"]).exits(0);
}

#[test]
fn who_asks_while_a_run_goes_on_waits_for_it_and_reuses_it() {
    let counted = waiting();
    let run = counted.command(&["run", "-q"]).spawn().unwrap();
    wait_until("the check runs", || counted.calls() == 1);
    let asked = counted.ask(&[]).spawn().unwrap();
    wait_until("the gate waits for its turn", || is_waiting(&asked));
    counted.let_go();
    finish(run).exits(0);
    assert_eq!(finish(asked).exits(0).json()["basis"], "recorded");
    assert_eq!(counted.calls(), 1);
}

#[test]
fn a_check_that_asks_about_its_own_workspace_is_refused_at_once() {
    let workspace = Workspace::new();
    let outside = tempfile::tempdir().unwrap();
    let inner = outside.path().join("inner.json");
    let command = format!(
        "REFEREE_STATE_DIR={} {} gate --no-reuse --format json > {}; test $? -eq 4",
        workspace.state().display(),
        crate::support::program().display(),
        inner.display()
    );
    workspace.write("referee.yaml", format!("checks: {{ nested: '{command}' }}\n"));
    for outer in ["gate", "run"] {
        workspace.referee(&[outer]).exits(0);
        let answer: Value = serde_json::from_slice(&fs::read(&inner).unwrap()).unwrap();
        assert!(answer["causes"].to_string().contains("asked from within a run"), "{outer}: {answer:#}");
        fs::remove_file(&inner).unwrap();
    }
}

#[test]
fn what_a_check_printed_last_is_told_where_no_finding_says_where_to_look() {
    let workspace =
        Workspace::with("checks:\n  deploy: 'seq 1 40; echo boom at the end >&2; exit 3'\n  built: { file: out.js }\n");
    let failed = workspace.referee(&["gate"]).exits(6);
    let quoted: Vec<&str> = failed.stdout.lines().filter_map(|line| line.strip_prefix("    | ")).collect();
    assert_eq!((quoted.len(), quoted[0], quoted[11]), (12, "30", "boom at the end"), "{}", failed.stdout);
    let document = workspace.referee(&["gate", "--format", "json"]).exits(6).json();
    fits_its_schema(&workspace, &document);
    let outputs: Vec<usize> =
        document["causes"].as_array().unwrap().iter().map(|cause| cause["output"].as_array().unwrap().len()).collect();
    assert_eq!(outputs.iter().sum::<usize>(), 12, "a cause with a place needs none: {document:#}");
}

/// Puts a program into `bin` that prints a text, and goes on as a shell line says.
fn stand_in(workspace: &Workspace, path: &str, text: &str, then: &str) {
    workspace.write(path, format!("#!/bin/sh\ncat <<'END'\n{text}\nEND\n{then}\n"));
    fs::set_permissions(workspace.path(path), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn a_watch_mode_is_told_as_one_and_not_given_more_time() {
    let workspace = Workspace::with("checks:\n  unit: { argv: [./bin/vitest], timeout: 2s }\n");
    stand_in(&workspace, "bin/vitest", " PASS  Waiting for file changes...\n       press h to show help", "sleep 600");
    let answer = workspace.referee(&["gate"]).exits(7);
    for part in ["looks like watch mode: vitest waits for changes", "Waiting for file changes"] {
        assert!(answer.stdout.contains(part), "{part}: {}", answer.stdout);
    }
    let report = workspace.report("T001");
    assert!(report.to_string().contains("`vitest run`; more time does not help"), "{report:#}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    workspace.write("referee.yaml", "checks:\n  unit: { argv: [./bin/vitest], timeout: 1m }\n");
    let answer = workspace.referee(&["gate", "--deadline", "4s"]).exits(7);
    assert!(answer.stdout.contains("next: unit: Run it once"), "{}", answer.stdout);
}

#[test]
fn a_lint_error_within_npm_test_is_a_failure_of_the_work() {
    if Command::new("npm").arg("--version").output().is_err() {
        return;
    }
    let workspace = Workspace::with("checks:\n  test: npm test\n  declared: { run: npm test, role: test }\n")
        .file("package.json", r#"{ "private": true, "scripts": { "test": "eslint . && node --test" } }"#);
    let found = "\n/w/a.js\n  1:2  error  Odd  no-odd\n\n\u{2716} 1 problem (1 error, 0 warnings)\n";
    stand_in(&workspace, "node_modules/.bin/eslint", found, "exit 1");
    let answer = workspace.referee(&["gate"]).exits(1);
    assert!(answer.stdout.contains("no-odd"), "{}", answer.stdout);
    let report = workspace.report("T001").to_string();
    assert_eq!(report.matches("\"command/tool-failed\"").count(), 2, "{report}");
    // A linter that crashed did not do its work.
    stand_in(&workspace, "node_modules/.bin/eslint", "Oops! Something went wrong!", "exit 2");
    workspace.referee(&["gate", "--no-reuse"]).exits(6);
}
