//! `referee compare`: two real runs of a task, and evidence that was changed.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::Workspace;

const A: &str = "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.";
const A_MOVED: &str = "src/a.ts(30,5): error TS2322: Type 'string' is not assignable to type 'number'.";
const B: &str = "src/b.ts(1,1): error TS2304: Cannot find name 'quote'.";
const C: &str = "src/c.ts(4,1): error TS2304: Cannot find name 'author'.";

/// A project whose checks print what files of it say, and two whose results rest on files elsewhere.
struct Project {
    workspace: Workspace,
    elsewhere: TempDir,
}

impl Project {
    fn new() -> Self {
        let elsewhere = tempfile::tempdir().unwrap();
        let place = elsewhere.path().display();
        let workspace = Workspace::with(&format!(
            "checks:\n  types: {{ argv: [./bin/tsc] }}\n  unit: {{ argv: [./bin/jest] }}\n  \
             retried: {{ run: '[ -e {place}/once ] || {{ touch {place}/once; exit 1; }}', retries: 2 }}\n  \
             outside: {{ run: 'exit $(cat {place}/code)' }}\n"
        ));
        for tool in ["tsc", "jest"] {
            let name = format!("bin/{tool}");
            workspace.write(&name, format!("#!/bin/sh\ncat {tool}.out\nexit $(cat {tool}.code)\n"));
            fs::set_permissions(workspace.path(&name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let project = Self { workspace, elsewhere };
        project.elsewhere("once", "");
        project.elsewhere("code", "0");
        project.shows(&[], &[]);
        project
    }

    fn elsewhere(&self, name: &str, text: &str) {
        fs::write(self.elsewhere.path().join(name), text).unwrap();
    }

    /// Sets the errors of types and the failed tests, of three.
    fn shows(&self, errors: &[&str], failed: &[&str]) {
        let found = if errors.is_empty() {
            String::new()
        } else {
            format!("{}\n\nFound {} errors in 2 files.\n", errors.join("\n"), errors.len())
        };
        self.workspace.write("tsc.out", found);
        self.workspace.write("tsc.code", if errors.is_empty() { "0" } else { "2" });
        let (head, suites) = if failed.is_empty() { ("PASS", "1 passed") } else { ("FAIL", "1 failed") };
        let told = failed.iter().map(|name| format!("  ● {name}\n\n    expect(received).toBe(expected)\n\n"));
        let told = told.collect::<Vec<_>>().concat();
        let number = if failed.is_empty() { String::new() } else { format!("{} failed, ", failed.len()) };
        self.workspace.write(
            "jest.out",
            format!(
                "{head} a.test.js\n{told}\nTest Suites: {suites}, 1 total\nTests:       {number}{} passed, 3 total\nSnapshots:   0 total\nTime:        0.5 s\n",
                3 - failed.len()
            ),
        );
        self.workspace.write("jest.code", if failed.is_empty() { "0" } else { "1" });
    }

    /// Runs, and returns the id of the run.
    fn run(&self, code: i32) -> String {
        self.workspace.referee(&["run", "-q"]).exits(code);
        let shown = self.workspace.referee(&["evidence", "show", "evidence/T001", "--format", "json"]).exits(0).json();
        shown["runs"][0]["executionId"].as_str().unwrap().to_owned()
    }

    fn compare(&self, arguments: &[&str]) -> Value {
        self.workspace.referee(&[&["compare"], arguments, &["--format", "json"]].concat()).exits(0).json()
    }
}

/// What entries say in a field, sorted.
fn field<'document>(entries: &'document Value, name: &str) -> Vec<&'document str> {
    let mut said: Vec<&str> =
        entries.as_array().unwrap().iter().map(|entry| entry[name].as_str().unwrap_or("-")).collect();
    said.sort_unstable();
    said
}

#[test]
fn what_is_new_gone_and_flaky_is_told_and_what_moved_is_not() {
    let project = Project::new();
    project.shows(&[A, B], &["adds", "divides"]);
    let earlier = project.run(1);
    project.shows(&[A_MOVED, C], &["divides", "removes"]);
    fs::remove_file(project.elsewhere.path().join("once")).unwrap();
    project.run(1);

    let compared = project.compare(&[&earlier]);
    assert_eq!(field(&compared["new"], "message")[0], "Cannot find name 'author'.");
    assert_eq!(field(&compared["new"], "code"), ["TS2304", "removes"]);
    assert_eq!(field(&compared["gone"], "file")[1], "src/b.ts");
    assert_eq!(field(&compared["gone"], "code"), ["TS2304", "adds"]);
    assert_eq!(field(&compared["flaky"], "actionName"), ["retried"]);
    assert_eq!(compared["flaky"][0]["because"], "passed-when-retried");
    assert_eq!((&compared["inputs"], &compared["sameSpecification"]), (&"different".into(), &true.into()));
    assert_eq!(compared["before"]["executionId"], earlier.as_str());

    // The other way round, by directories.
    let history = format!("evidence/.history/T001/{earlier}");
    let back = project.compare(&["evidence/T001", &history]);
    assert_eq!((&back["new"].as_array().unwrap().len(), &back["gone"]), (&2, &compared["new"]));

    let told = project.workspace.referee(&["compare", &earlier]).exits(0).stdout;
    for line in ["New", "Gone", "Flaky", "2 new, 2 gone, 1 flaky,"] {
        assert!(told.lines().any(|other| other.starts_with(line)), "{line}: {told}");
    }
}

#[test]
fn another_result_over_the_same_inputs_is_flaky_and_equal_runs_do_not_differ() {
    let project = Project::new();
    let first = project.run(0);
    let second = project.run(0);
    let equal = project.compare(&[&first, &second, "--slower", "1000000"]);
    for section in ["new", "gone", "flaky", "slower"] {
        assert_eq!(equal[section], Value::Array(Vec::new()), "{section}");
    }
    assert_eq!(equal["inputs"], "same");

    project.elsewhere("code", "1");
    project.workspace.referee(&["run", "-q"]);
    let turned = project.compare(&[&second]);
    assert_eq!(field(&turned["new"], "actionName"), ["outside"]);
    assert_eq!((&turned["new"][0]["kind"], &turned["flaky"][0]["actionName"]), (&"action".into(), &"outside".into()));
    assert_eq!(turned["flaky"][0]["because"], "other-result-of-same-inputs");
}

#[test]
fn a_tool_that_did_not_work_hides_what_it_would_have_shown() {
    let project = Project::new();
    project.shows(&[A], &[]);
    let earlier = project.run(1);
    project.workspace.write("tsc.out", "");
    project.workspace.referee(&["run", "-q"]);
    let compared = project.compare(&[&earlier]);
    assert_eq!(compared["gone"], Value::Array(Vec::new()), "{compared:#}");
    let notes = compared["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note.as_str().unwrap().contains("STEP.1 types did not work after")), "{notes:?}");
}

#[test]
fn evidence_that_was_changed_is_compared_with_nothing() {
    let project = Project::new();
    let earlier = project.run(0);
    project.run(0);
    let workspace = &project.workspace;
    for (arguments, says) in [
        (&["compare", "exec-20200101T000000000Z-00000000"][..], "nor a run stored in evidence"),
        (&["compare", "evidence/T001"], "is the latest run"),
        (&["compare", "evidence", "evidence/T001"], ""),
    ] {
        let refused = workspace.referee(arguments);
        assert!(refused.code != Some(0) && refused.stdout.is_empty(), "{arguments:?}: {}", refused.stdout);
        assert!(refused.stderr.contains(says), "{arguments:?}: {}", refused.stderr);
    }
    let report = workspace.path(&format!("evidence/.history/T001/{earlier}/execution-report.json"));
    fs::write(&report, fs::read_to_string(&report).unwrap().replace("PASS", "FAIL")).unwrap();
    for arguments in [&["compare", &earlier][..], &["compare", "evidence/T001", &earlier]] {
        let refused = workspace.referee(arguments).exits(74);
        assert_eq!(refused.stdout, "");
        assert!(refused.stderr.contains("is not compared: the evidence does not match its seal"), "{}", refused.stderr);
    }
}
