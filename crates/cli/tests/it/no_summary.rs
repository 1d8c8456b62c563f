//! Ruling 9: a test runner that is known and leaves no summary of its own has not passed, whatever its exit code; and the
//! short forms of honest runs are summaries.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::{Workspace, action, git, skipped};

/// Runs one check; returns the exit code and the check's result. Each check has a name of its own, so that none is held
/// against the number of tests of another.
fn judged(workspace: &Workspace, check: &Value) -> (i32, Value) {
    static CHECKS: AtomicUsize = AtomicUsize::new(0);
    let name = format!("unit-{}", CHECKS.fetch_add(1, Ordering::Relaxed));
    workspace.write("referee.yaml", json!({ "checks": { name: check } }).to_string());
    let finished = workspace.referee(&["run"]);
    let result = action(&workspace.report("T001"), "STEP.1").clone();
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(i32::from(finished.code != Some(0)));
    (finished.code.unwrap(), result)
}

#[track_caller]
fn ends_without_summary(workspace: &Workspace, check: &str) {
    let (code, result) = judged(workspace, &json!(check));
    assert_eq!((code, &result["status"]), (6, &json!("EXECUTION_ERROR")), "{check}: {result:#}");
    assert_eq!(result["classification"]["rule"], "test/ended-without-summary", "{check}: {result:#}");
    assert_eq!(result["blocking"], true, "{check}");
    let reason = result["classification"]["reason"].as_str().unwrap();
    assert!(reason.contains("ended without its summary"), "{check}: {reason}");
}

#[track_caller]
fn passes(workspace: &Workspace, check: &Value, rule: &str) {
    let (code, result) = judged(workspace, check);
    assert_eq!((code, &result["status"]), (0, &json!("SUCCESS")), "{check}: {result:#}");
    assert_eq!(result["classification"]["rule"], rule, "{check}: {result:#}");
    let by_exit_code = rule == "test/passed-by-exit-code";
    assert_eq!(result["classification"]["exitCodeOnly"], by_exit_code, "{check}: {result:#}");
}

/// Whether a program is on this machine and answers; where it is not, the test says so and is over.
fn has(program: &str, arguments: &[&str]) -> bool {
    let works = Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success());
    if !works {
        skipped(&format!("no {program} {}", arguments.join(" ")));
    }
    works
}

/// Puts a program of this name into `bin` that prints a text and exits with 0.
pub(crate) fn stand_in(workspace: &Workspace, name: &str, text: &str) {
    workspace.write(&format!("bin/{name}.txt"), text);
    workspace.write(&format!("bin/{name}"), "#!/bin/sh\ncat \"$0.txt\"\n");
    fs::set_permissions(workspace.path(&format!("bin/{name}")), fs::Permissions::from_mode(0o755)).unwrap();
}

/// What a runner prints at exit code 0, and whether that is a pass.
pub(crate) const PRINTED: [(&str, bool); 3] = [
    ("", false),
    ("F.\n=== FAILURES ===\n1 failed, 1 passed in 0.01s\n", false),
    ("..                                  [100%]\n2 passed in 0.01s\n", true),
];

#[test]
fn held_out_checks_pass_by_their_summary_alone() {
    for (printed, passes) in PRINTED {
        let workspace = Workspace::with("checks: { there: { file: answer.txt } }\n").file("answer.txt", "42\n");
        let outside = Workspace::new();
        stand_in(&outside, "pytest", printed);
        let runner = outside.path("bin/pytest");
        outside.write("referee.yaml", format!("checks:\n  unit: {} -q\n", runner.display()));
        let path = outside.path("");
        let gate = workspace.referee(&["gate", "--format", "json", "--held-out", path.to_str().unwrap()]);
        assert_eq!((gate.code == Some(0), gate.json()["decision"] == "PASS"), (passes, passes), "{printed}: {gate:?}");
    }
}

#[test]
fn the_turn_of_an_agent_passes_by_a_summary_alone() {
    for (printed, passes) in PRINTED {
        let workspace = crate::agent_run::with_agent("checks:\n  unit: ./bin/pytest -q\n", "true");
        stand_in(&workspace, "pytest", printed);
        let ran = workspace.referee(&crate::agent_run::typed(&["--max-iterations", "1"]));
        assert_eq!(ran.code == Some(0), passes, "{printed}: {ran:?}");
        let verification = crate::agent_run::kept(&workspace, "verification-1.json");
        assert_eq!(verification["overall"]["passed"], passes, "{printed}: {verification:#}");
    }
}

#[test]
fn a_run_in_ci_passes_by_a_summary_alone_whatever_was_attested() {
    for (printed, passes) in PRINTED {
        let workspace =
            Workspace::with("checks:\n  unit: ./bin/pytest -q\n").file(".gitignore", "evidence/\nbin/*.txt\n");
        stand_in(&workspace, "pytest", PRINTED[2].0);
        let directory = workspace.path("");
        git(&directory, &["init", "-q"]);
        git(&directory, &["add", "-A"]);
        git(&directory, &["commit", "-q", "-m", "all"]);
        // What came along passed: git ignores what the runner prints here.
        workspace.referee(&["run", "-q"]).exits(0);
        stand_in(&workspace, "pytest", printed);
        let ran = workspace.referee(&["ci", "--require-attestation", "--format", "json"]);
        assert_eq!(ran.code == Some(0), passes, "{printed}: {ran:?}");
        assert_eq!(ran.json()["decision"] == "PASS", passes, "{printed}: {ran:?}");
    }
}

#[test]
fn a_runner_that_prints_nothing_or_junk_has_not_passed() {
    let workspace = Workspace::new();
    for (program, line) in [
        ("pytest", "./bin/pytest -q"),
        ("py.test", "./bin/py.test"),
        ("go", "./bin/go test ./..."),
        ("cargo", "./bin/cargo test"),
        ("node", "./bin/node --test"),
        ("jest", "./bin/jest --ci"),
        ("vitest", "./bin/vitest run"),
        ("mocha", "./bin/mocha"),
        ("phpunit", "./bin/phpunit"),
        ("gradlew", "./bin/gradlew test"),
        ("mvn", "./bin/mvn test"),
        ("tox", "./bin/tox"),
    ] {
        for text in ["", "hello\n", "all good, 9 tests passed\n", "OK\nPASS\n", "2 passed\n"] {
            stand_in(&workspace, program, text);
            ends_without_summary(&workspace, line);
        }
    }
    // A runner that nobody knows is judged by its exit code, and that is said.
    stand_in(&workspace, "check-all", "");
    passes(&workspace, &json!({ "run": "./bin/check-all", "role": "test" }), "test/passed-by-exit-code");
}

#[test]
fn the_exit_code_decides_alone_only_where_the_specification_says_so_and_every_answer_says_it() {
    let workspace = Workspace::new();
    stand_in(&workspace, "mvn", "");
    let allowed = json!({ "run": "./bin/mvn -q test", "exitCodeOnly": true });
    passes(&workspace, &allowed, "test/passed-by-exit-code");
    let shown = workspace.referee(&["run"]).exits(0);
    assert!(shown.told().contains("passed by its exit code alone"), "{}", shown.stdout);
    let plan = workspace.referee(&["plan"]).exits(0);
    assert!(plan.told().contains("the exit code decides where the runner leaves no summary"), "{}", plan.stdout);
    let idle = json!({ "checks": { "unit": { "run": "./bin/mvn -q test", "role": "lint", "exitCodeOnly": true } } });
    workspace.write("referee.yaml", idle.to_string());
    let warned = workspace.referee(&["plan"]).exits(0);
    assert!(warned.stderr.contains("idle-exit-code-only"), "{}", warned.stderr);
}

#[test]
fn a_module_that_ends_the_process_does_not_pass_the_tests_of_node() {
    if !has("node", &["--version"]) {
        return;
    }
    let test = |body: &str| {
        format!(
            "const {{ test }} = require('node:test');\nconst subject = require('../subject.js');\ntest('first', () => {{}});\n{body}\n"
        )
    };
    let workspace = Workspace::new().file("test/a.test.js", test("test('second', () => { subject(); throw 1; });"));
    for (subject, what) in
        [("process.exit(0);", "as it is loaded"), ("module.exports = () => process.exit(0);", "as it is called")]
    {
        workspace.write("subject.js", subject);
        for line in ["node --test test/a.test.js", "node --test --test-reporter=spec test/a.test.js"] {
            println!("{what}: {line}");
            passed_as_file(&workspace, line, "test/a.test.js");
        }
    }
    // One file of several is enough.
    workspace.write("test/b.test.js", "require('node:test').test('third', () => {});\n");
    passed_as_file(&workspace, "node --test test/a.test.js test/b.test.js", "test/a.test.js");
}

#[track_caller]
fn passed_as_file(workspace: &Workspace, line: &str, file: &str) {
    let (code, result) = judged(workspace, &json!(line));
    let reasons = workspace.report("T001")["executionSummary"]["reasons"].to_string();
    assert_eq!(code, 1, "{line}: {reasons} {result:#}");
    let named = format!("{file} exited with 0 and reported no test");
    assert!(reasons.contains(&named) && reasons.contains("passed-as-file, STEP.1"), "{line}: {reasons}");
}

#[test]
fn a_file_of_node_that_reports_no_test_passes_where_it_is_a_script_that_can_fail() {
    if !has("node", &["--version"]) {
        return;
    }
    let leaves = "const { test } = require('node:test');\nif (process.env.HOME) process.exit(0);\ntest('adds', () => { throw 1; });\n";
    let workspace = Workspace::new().file("test/a.test.js", "require('node:test').test('first', () => {});\n");
    for reporter in ["spec", "tap"] {
        let line = format!("node --test --test-reporter={reporter} test/a.test.js test/b.test.js");
        for text in ["", "// later\n", leaves] {
            workspace.write("test/b.test.js", text);
            passed_as_file(&workspace, &line, "test/b.test.js");
        }
        workspace.write("test/b.test.js", "require('node:assert').strictEqual(1 + 1, 2);\n");
        passes(&workspace, &json!(line), "test/passed");
    }
    // What tests load lies below a directory of tests and holds tests for others.
    workspace.write("test/suite.js", "module.exports = (test) => {\n  test('adds', () => {});\n};\n");
    passes(&workspace, &json!("node --test test/a.test.js test/suite.js"), "test/passed");
    workspace
        .write("test/plain.js", "const { test } = require('node:test');\nprocess.exit(0);\ntest('adds', () => {});\n");
    passed_as_file(&workspace, "node --test test/a.test.js test/plain.js", "test/plain.js");
}

#[test]
fn a_module_that_ends_the_process_does_not_pass_the_tests_of_python() {
    if !has("python3", &["--version"]) {
        return;
    }
    let workspace = Workspace::new()
        .file("tests/__init__.py", "")
        .file("tests/test_a.py", "import unittest\nimport subject\n\nclass T(unittest.TestCase):\n    def test_first(self):\n        pass\n    def test_second(self):\n        subject.call()\n        self.fail()\n");
    for subject in ["import os\nos._exit(0)\n", "import os\ndef call():\n    os._exit(0)\n"] {
        workspace.write("subject.py", subject);
        ends_without_summary(&workspace, "python3 -m unittest discover -s tests -t .");
        if has("python3", &["-m", "pytest", "--version"]) {
            ends_without_summary(&workspace, "python3 -m pytest tests");
            ends_without_summary(&workspace, "python3 -m pytest -q tests");
            ends_without_summary(&workspace, "python3 -m pytest -qq tests");
        }
    }
}

#[test]
fn honest_runs_of_short_forms_pass() {
    let workspace = Workspace::new();
    let numbered = "test/passed";
    let by_exit_code = "test/passed-by-exit-code";
    if has("python3", &["--version"]) {
        workspace.write(
            "tests/test_a.py",
            "import unittest\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n",
        );
        for option in ["", "-q ", "-v ", "-b "] {
            passes(&workspace, &json!(format!("python3 -m unittest discover {option}-s tests")), numbered);
        }
        if has("python3", &["-m", "pytest", "--version"]) {
            for option in ["-q", "-v", "--no-header -q", "--no-summary"] {
                passes(&workspace, &json!(format!("python3 -m pytest {option} tests")), numbered);
            }
            for option in ["-qq", "-qqq", "-qq -o console_output_style=count"] {
                passes(&workspace, &json!(format!("python3 -m pytest {option} tests")), by_exit_code);
            }
        }
    }
    if has("node", &["--version"]) {
        // Node starts what tests load, too, where it lies below a directory of tests.
        let beside = Workspace::new()
            .file("test/adds.test.js", "require('./support.js');\nrequire('node:test').test('adds', () => {});\n")
            .file("test/support.js", "module.exports = 1;\n");
        passes(&beside, &json!("node --test"), numbered);
        workspace.write("a.test.js", "require('node:test').test('adds', () => {});\n");
        for (reporter, rule) in [("spec", numbered), ("tap", numbered), ("dot", by_exit_code), ("junit", by_exit_code)]
        {
            passes(&workspace, &json!(format!("node --test --test-reporter={reporter} a.test.js")), rule);
        }
        let silent = "node --test --test-reporter=lcov a.test.js";
        ends_without_summary(&workspace, silent);
        passes(&workspace, &json!({ "run": silent, "exitCodeOnly": true }), by_exit_code);
    }
    if has("go", &["version"]) {
        workspace.write("go.mod", "module demo\n\ngo 1.21\n");
        workspace.write("a_test.go", "package demo\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n");
        for (line, rule) in
            [("go test ./...", by_exit_code), ("go test -v ./...", numbered), ("go test -json ./...", numbered)]
        {
            passes(&workspace, &json!({ "run": line, "timeout": "5m" }), rule);
        }
    }
}

/// What runners print that are not on every machine.
#[test]
fn honest_short_words_of_other_runners_count() {
    let workspace = Workspace::new();
    for (program, line, text, rule) in [
        (
            "cargo",
            "./bin/cargo test -q",
            "\nrunning 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n",
            "test/passed",
        ),
        (
            "gradlew",
            "./bin/gradlew test",
            "> Task :compileJava UP-TO-DATE\n> Task :test\n\nBUILD SUCCESSFUL in 2s\n3 actionable tasks: 3 executed\n",
            "test/passed-by-exit-code",
        ),
        (
            "gradlew",
            "./bin/gradlew test",
            "> Task :test\n\nCalcTest > adds() PASSED\n\nBUILD SUCCESSFUL in 2s\n",
            "test/passed-by-exit-code",
        ),
        (
            "tox",
            "./bin/tox",
            "py: commands[0]> pytest -q tests\n..    [100%]\n2 passed in 0.01s\n  py: OK (0.18 seconds)\n  congratulations :) (0.21 seconds)\n",
            "test/passed-by-exit-code",
        ),
        (
            "tox",
            "./bin/tox",
            "lint: commands[0]> ruff check\n  lint: OK (0.18 seconds)\n  congratulations :) (0.21 seconds)\n",
            "test/passed-by-exit-code",
        ),
        (
            "nox",
            "./bin/nox",
            "nox > Running session lint\nnox > ruff check\nnox > Session lint was successful.\n",
            "test/passed-by-exit-code",
        ),
        (
            "vitest",
            "./bin/vitest run --reporter=junit --outputFile=o.xml",
            "JUNIT report written to /p/o.xml\n",
            "test/passed-by-exit-code",
        ),
        (
            "rake",
            "./bin/rake test",
            "Run options: --seed 1\n\n# Running:\n\n..\n\nFinished in 0.001s, 2000.0 runs/s, 2000.0 assertions/s.\n\n2 runs, 2 assertions, 0 failures, 0 errors, 0 skips\n",
            "test/passed",
        ),
    ] {
        stand_in(&workspace, program, text);
        passes(&workspace, &json!(line), rule);
    }
    // The launcher's own word does not stand for a runner that it started and that said nothing.
    stand_in(
        &workspace,
        "tox",
        "py: commands[0]> pytest -q tests\n  py: OK (0.18 seconds)\n  congratulations :) (0.21 seconds)\n",
    );
    ends_without_summary(&workspace, "./bin/tox");
    stand_in(&workspace, "gradlew", "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 2s\n");
    let (code, result) = judged(&workspace, &json!("./bin/gradlew test"));
    assert_eq!((code, &result["classification"]["rule"]), (1, &json!("test/none-ran")), "{result:#}");
    passes(&workspace, &json!({ "run": "./bin/gradlew test", "allowNoTests": true }), "test/passed");
}

#[test]
fn a_failing_summary_convicts_whatever_the_exit_code_of_its_wrapper() {
    if !has("node", &["--version"]) {
        return;
    }
    let tests = "const { test } = require('node:test');\nconst assert = require('node:assert');\n\
                 test('adds', () => assert.equal(1, 1));\ntest('lists', () => assert.equal(1, 2));\n";
    let workspace = Workspace::with("checks: {}\n")
        .file("test/a.test.js", tests)
        .file("run.sh", "node --test > \"$TMPDIR/out.txt\"\ncat \"$TMPDIR/out.txt\"\nexit 0\n");
    let check = json!({ "run": "sh run.sh", "role": "test", "env": { "TMPDIR": "/tmp" } });
    let (code, result) = judged(&workspace, &check);
    assert_eq!((code, &result["status"]), (1, &json!("TEST_FAILURE")), "{result:#}");
    assert_eq!(result["classification"]["rule"], "test/failed-exit-zero", "{result:#}");
    // Whoever wants the exit code to decide says so.
    let check = json!({ "run": "sh run.sh", "role": "test", "env": { "TMPDIR": "/tmp" }, "exitCodeOnly": true });
    passes(&workspace, &check, "test/passed-by-exit-code");
}

#[test]
fn a_runner_beside_other_tools_of_a_line_comes_to_its_summary_or_does_not_pass() {
    let workspace = Workspace::with("checks: {}\n");
    stand_in(&workspace, "eslint", "");
    for (printed, code, rule) in [
        ("", 6, "test/ended-without-summary"),
        ("all is well\n", 6, "test/ended-without-summary"),
        ("\n\n  0 passing (1ms)\n\n", 1, "test/none-ran"),
        ("\n\n  \u{2714} adds\n\n  1 passing (1ms)\n\n", 0, "command/exit-expected"),
    ] {
        stand_in(&workspace, "mocha", printed);
        let (found, result) = judged(&workspace, &json!("bin/eslint . && bin/mocha"));
        assert_eq!((found, &result["classification"]["rule"]), (code, &json!(rule)), "{printed}: {result:#}");
    }
}
