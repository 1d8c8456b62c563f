//! What the gate rests on cannot be moved unseen: `referee lock`, and `referee run --trusted`, on real projects and with real
//! git (attacks 1, 2 and 9).

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::{Finished, Workspace, git};

/// A runner of tests that prints what a file says.
const JEST: &str = "#!/bin/sh\ncat jest.out\nexit $(cat jest.code)\n";

const SPECIFICATION: &str = "checks:\n  unit: npx jest\n";

/// A project in JavaScript with tests, configuration, CI and hooks; its runner says what `jest.out` says.
fn node() -> Workspace {
    let workspace = Workspace::with(SPECIFICATION)
        .file("package.json", r#"{ "name": "quotes", "scripts": { "test": "jest" } }"#)
        .file("jest.config.js", "module.exports = { globalSetup: './tools/setup.js' };\n")
        .file("tools/setup.js", "module.exports = async () => {};\n")
        .file("src/quotes.js", "exports.add = () => 1;\n")
        .file("tests/quotes.test.js", "it('adds a quote', () => {});\nit('lists quotes', () => {});\n")
        .file(".github/workflows/ci.yml", "on: push\n")
        .file(".claude/settings.json", "{ \"hooks\": { \"Stop\": [] } }\n")
        .file(".gitignore", "node_modules/\nevidence/\njest.out\njest.code\n")
        .file("node_modules/.bin/jest", JEST);
    fs::set_permissions(workspace.path("node_modules/.bin/jest"), fs::Permissions::from_mode(0o755)).unwrap();
    results(&workspace, &[("adds a quote", "✓"), ("lists quotes", "✓")]);
    workspace
}

/// What the runner prints from now on.
fn results(workspace: &Workspace, tests: &[(&str, &str)]) {
    let told: Vec<String> = tests.iter().map(|(name, sign)| format!("  {sign} {name} (1 ms)\n")).collect();
    let told = told.concat();
    let count = |sign: &str| tests.iter().filter(|(_, told)| *told == sign).count();
    let (passed, skipped) = (count("✓"), count("○ skipped"));
    let skipped = if skipped == 0 { String::new() } else { format!("{skipped} skipped, ") };
    let all = tests.len();
    workspace.write(
        "jest.out",
        format!(
            "PASS tests/quotes.test.js\n{told}\nTest Suites: 1 passed, 1 total\nTests:       {skipped}{passed} passed, {all} total\nSnapshots:   0 total\nTime:        0.5 s\n"
        ),
    );
    workspace.write("jest.code", "0");
}

/// Commits everything and returns the commit's id.
fn committed(workspace: &Workspace) -> String {
    git(&workspace.path(""), &["init", "-q"]);
    git(&workspace.path(""), &["add", "-A"]);
    git(&workspace.path(""), &["commit", "-q", "-m", "all"]);
    git(&workspace.path(""), &["rev-parse", "HEAD"])
}

/// Runs, and holds that nothing ran because this file drifted, that the report says so, and that a replay agrees.
#[track_caller]
fn blocked(workspace: &Workspace, arguments: &[&str], path: &str) -> Value {
    let finished = workspace.referee(&[&["run"], arguments].concat()).exits(3);
    assert!(finished.stdout.contains("BLOCKED") && finished.stdout.contains(path), "{}", finished.stdout);
    let report = workspace.report("T001");
    let summary = &report["executionSummary"];
    assert_eq!((&summary["decision"], &summary["agentAction"]), (&json!("BLOCKED"), &json!("FIX_SPECIFICATION")));
    let told = |reason: &Value| reason.as_str().is_some_and(|reason| reason.starts_with(path));
    assert!(summary["reasons"].as_array().unwrap().iter().any(told), "{path} in {summary:#}");
    let drift = report["protection"]["drift"].as_array().unwrap();
    assert!(drift.iter().any(|drift| drift["path"] == path && drift["blocks"] == true), "{path} in {drift:#?}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    report
}

#[test]
fn a_project_as_it_is_locked_passes_and_says_what_it_was_held_against() {
    let workspace = node();
    let unlocked = workspace.referee(&["run"]).exits(0);
    assert!(unlocked.stderr.contains("nothing protects the specification and the tests"), "{}", unlocked.stderr);
    workspace.referee(&["lock", "check"]).exits(3);

    let locked = workspace.referee(&["lock"]).exits(0);
    assert!(locked.stdout.contains("protected files in referee.lock"), "{}", locked.stdout);
    workspace.referee(&["lock", "check"]).exits(0);
    let finished = workspace.referee(&["run"]).exits(0);
    assert!(finished.stdout.contains("compared with the lock"), "{}", finished.stdout);
    let report = workspace.report("T001");
    assert_eq!(report["protection"]["baseline"]["kind"], "lock", "{:#}", report["protection"]);
    assert_eq!(report["protection"]["drift"], json!([]));
    assert_eq!(report["protection"]["tests"].as_array().unwrap().len(), 2, "{:#}", report["protection"]);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
}

/// What is done, and the file that must be named.
type Attack = (&'static str, fn(&Workspace), &'static str);

/// Changes that an agent makes to get past the gate, and the file that must be named.
fn attacks() -> Vec<Attack> {
    vec![
        ("a deleted test file", |w| fs::remove_file(w.path("tests/quotes.test.js")).unwrap(), "tests/quotes.test.js"),
        (
            "a deleted test",
            |w| w.write("tests/quotes.test.js", "it('adds a quote', () => {});\n"),
            "tests/quotes.test.js",
        ),
        (
            "a skipped test",
            |w| w.write("tests/quotes.test.js", "it.skip('adds a quote', () => {});\nit('lists quotes', () => {});\n"),
            "tests/quotes.test.js",
        ),
        (
            "a runner that passes over tests",
            |w| w.write("jest.config.js", "module.exports = { testPathIgnorePatterns: ['.'] };\n"),
            "jest.config.js",
        ),
        ("a set-up that bends tests", |w| w.write("tools/setup.js", "global.it = () => {};\n"), "tools/setup.js"),
        (
            "a script that launders its exit code",
            |w| w.write("package.json", r#"{ "name": "quotes", "scripts": { "test": "jest || true" } }"#),
            "package.json",
        ),
        (
            "a configuration in package.json",
            |w| {
                w.write(
                    "package.json",
                    r#"{ "name": "quotes", "scripts": { "test": "jest" }, "jest": { "bail": 1 } }"#,
                );
            },
            "package.json",
        ),
        ("another configuration", |w| w.write("jest.config.json", "{}"), "jest.config.json"),
        ("a linter's configuration", |w| w.write("eslint.config.js", "export default [];\n"), "eslint.config.js"),
        ("CI", |w| w.write(".github/workflows/ci.yml", "on: never\n"), ".github/workflows/ci.yml"),
        ("the hook", |w| w.write(".claude/settings.json", "{}\n"), ".claude/settings.json"),
        ("another hook", |w| w.write(".cursor/hooks.json", "{}\n"), ".cursor/hooks.json"),
        ("the specification", |w| w.write("referee.yaml", "checks:\n  unit: 'true'\n"), "referee.yaml"),
        (
            "what is protected",
            |w| w.write("referee.yaml", "checks:\n  unit: npx jest\nprotect: { review: ['tests/**'] }\n"),
            "referee.yaml",
        ),
        (
            "a link in place of a file",
            |w| {
                fs::remove_file(w.path("jest.config.js")).unwrap();
                std::os::unix::fs::symlink("src/quotes.js", w.path("jest.config.js")).unwrap();
            },
            "jest.config.js",
        ),
    ]
}

#[test]
fn every_attack_is_blocked_by_the_lock_with_the_file_named() {
    for (name, attack, path) in attacks() {
        println!("{name}");
        let workspace = node();
        workspace.referee(&["lock"]).exits(0);
        attack(&workspace);
        let check = workspace.referee(&["lock", "check", "--format", "json"]).exits(3).json();
        assert_eq!((&check["holds"], &check["exitCode"]), (&json!(false), &json!(3)), "{check:#}");
        blocked(&workspace, &[], path);
    }
}

#[test]
fn every_attack_is_blocked_by_a_commit_too() {
    for (name, attack, path) in attacks() {
        println!("{name}");
        let workspace = node();
        let commit = committed(&workspace);
        attack(&workspace);
        // What it commits itself changes nothing.
        git(&workspace.path(""), &["add", "-A"]);
        git(&workspace.path(""), &["commit", "-q", "-m", "attack"]);
        let report = blocked(&workspace, &["--trusted", &commit], path);
        assert_eq!(report["protection"]["baseline"]["commit"], json!(commit));
    }
}

#[test]
fn an_honest_change_with_new_tests_passes() {
    for against in ["lock", "commit"] {
        let workspace = node();
        let commit = committed(&workspace);
        workspace.referee(&["run"]).exits(0);
        workspace.referee(&["lock"]).exits(0);
        workspace.write("src/quotes.js", "exports.add = () => 2;\nexports.remove = () => 0;\n");
        workspace.write("tests/remove.test.js", "it('removes a quote', () => {});\n");
        workspace.write(
            "tests/quotes.test.js",
            "it('adds a quote', () => { add(); });\nit('lists quotes', () => {});\nit('is new', () => {});\n",
        );
        workspace.write(
            "package.json",
            r#"{ "name": "quotes", "version": "2.0.0", "scripts": { "test": "jest" }, "dependencies": { "x": "1" } }"#,
        );
        workspace.write("Makefile", "all:\n");
        results(&workspace, &[("adds a quote", "✓"), ("lists quotes", "✓"), ("is new", "✓")]);
        let arguments: &[&str] = if against == "lock" { &["run"] } else { &["run", "--trusted", &commit] };
        let finished = workspace.referee(arguments).exits(0);
        assert!(finished.stdout.contains("tests/quotes.test.js: it was edited"), "{}", finished.stdout);
        let drift = workspace.report("T001")["protection"]["drift"].clone();
        assert_eq!(drift.as_array().unwrap().len(), 1, "{drift:#}");
        workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    }
}

#[test]
fn a_known_test_that_does_not_pass_any_more_keeps_the_run_from_being_judged() {
    let workspace = node();
    workspace.referee(&["run"]).exits(0);
    workspace.referee(&["lock"]).exits(0);
    for (tests, part) in [
        (vec![("adds a quote", "✓")], "is not among the tests that ran"),
        (vec![("adds a quote", "✓"), ("lists quotes", "○ skipped")], "was skipped"),
    ] {
        results(&workspace, &tests);
        let finished = workspace.referee(&["run"]).exits(3);
        let told = finished.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("`lists quotes`") && told.contains(part), "{told}");
        workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    }
}

#[test]
fn the_lock_itself_cannot_be_edited_or_removed() {
    let workspace = node();
    workspace.referee(&["lock"]).exits(0);
    let lock = fs::read_to_string(workspace.path("referee.lock")).unwrap();

    // Whoever changes a test and the lock with it changes what counts of neither.
    fs::remove_file(workspace.path("tests/quotes.test.js")).unwrap();
    workspace.write("referee.lock", lock.replace("frozen", "review").replace("additive", "review"));
    blocked(&workspace, &[], "tests/quotes.test.js");
    blocked(&workspace, &[], "referee.lock");
    fs::remove_file(workspace.path("referee.lock")).unwrap();
    let report = blocked(&workspace, &[], "referee.lock");
    assert!(report["executionSummary"]["reasons"].to_string().contains("the lock itself was removed"), "{report:#}");

    // A person who looked at it accepts it by locking again.
    workspace.referee(&["lock", "--yes"]).exits(0);
    workspace.referee(&["run"]).exits(0);
}

#[test]
fn a_lock_that_nobody_keeps_is_held_to_and_said_to_be_self_asserted() {
    let workspace = node();
    workspace.referee(&["lock"]).exits(0);
    let elsewhere = tempfile::tempdir().unwrap();
    let referee = |arguments: &[&str]| {
        let mut command = workspace.command(arguments);
        command.env("REFEREE_STATE_DIR", elsewhere.path());
        crate::support::finish(command.spawn().unwrap())
    };
    let finished: Finished = referee(&["run"]).exits(0);
    let told = finished.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("where agents can write"), "{told}");
    workspace.write("jest.config.js", "module.exports = { bail: 1 };\n");
    referee(&["run"]).exits(3);
    workspace.write("referee.lock", "{");
    let junk = referee(&["run"]).exits(3);
    assert!(junk.stderr.contains("cannot read referee.lock"), "{}", junk.stderr);
}

#[test]
fn a_check_that_rewrites_what_is_frozen_is_seen_after_the_run() {
    let workspace = node();
    workspace.write("referee.yaml", "checks:\n  unit: npx jest\n  sly: echo 'module.exports = {}' > jest.config.js\n");
    workspace.referee(&["lock"]).exits(0);
    let finished = workspace.referee(&["run"]).exits(3);
    let told = finished.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("jest.config.js") && told.contains("while the checks ran"), "{told}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn another_specification_than_the_one_that_was_locked_is_drift() {
    let workspace = node();
    workspace.referee(&["lock"]).exits(0);
    workspace.write("easy.yaml", "checks:\n  unit: 'true'\n");
    let finished = workspace.referee(&["run", "easy.yaml"]).exits(3);
    let told = finished.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("easy.yaml") && told.contains("not the specification that was locked"), "{told}");
}

#[test]
fn python_and_rust_projects_protect_what_their_tools_load() {
    let python = || {
        Workspace::with("checks:\n  unit: 'true'\n")
            .file("app.py", "x = 1\n")
            .file("pytest.ini", "[pytest]\n")
            .file("pyproject.toml", "[project]\nname = 'x'\n")
            .file("tests/test_app.py", "def test_one():\n    assert True\n\ndef test_two():\n    pass\n")
    };
    let rust = || {
        Workspace::with("checks:\n  unit: 'true'\n")
            .file("Cargo.toml", "[package]\nname = 'x'\n")
            .file("src/lib.rs", "")
            .file("tests/it.rs", "#[test]\nfn one() {}\n")
            .file("build.rs", "fn main() {}\n")
    };
    let attacks: [(&dyn Fn() -> Workspace, &str, &str, i32); 9] = [
        (&python, "conftest.py", "import pytest\n", 3),
        (&python, "tests/conftest.py", "import pytest\n", 3),
        (&python, "sitecustomize.py", "", 3),
        (&python, "pytest.ini", "[pytest]\naddopts = -k one\n", 3),
        (&python, "tests/test_app.py", "def test_one():\n    assert True\n", 3),
        (&python, "pyproject.toml", "[project]\nname = 'y'\n", 0),
        (&rust, ".cargo/config.toml", "[build]\nrustc-wrapper = 'x'\n", 3),
        (&rust, "tests/it.rs", "#[test]\n#[ignore]\nfn one() {}\n", 3),
        (&rust, "build.rs", "fn main() { }\n", 0),
    ];
    for (project, path, text, code) in attacks {
        let workspace = project();
        workspace.referee(&["lock"]).exits(0);
        workspace.write(path, text);
        let finished = workspace.referee(&["run"]).exits(code);
        assert!(finished.stdout.contains(path), "{path}: {}", finished.stdout);
    }
}

#[test]
fn explain_says_why_a_file_is_protected_and_how_to_go_on() {
    let workspace = node();
    workspace.referee(&["lock"]).exits(0);
    let all = workspace.referee(&["lock", "explain"]).exits(0).stdout;
    for part in
        ["frozen   referee.yaml", "additive tests/quotes.test.js", "a check is made of it: jest.config.js names it"]
    {
        assert!(all.contains(part), "{part} in {all}");
    }
    workspace.write("package.json", r#"{ "scripts": { "test": "true" } }"#);
    let one = workspace.referee(&["lock", "explain", "package.json"]).exits(0).stdout;
    for part in ["package.json#/scripts/test", "its value is another one", "it is a default", "referee lock"] {
        assert!(one.contains(part), "{part} in {one}");
    }
    let data = workspace.referee(&["lock", "explain", "src/quotes.js", "--format", "json"]).exits(0).json();
    assert_eq!((&data["files"][0]["mode"], &data["files"][0]["reason"]), (&Value::Null, &json!("no rule names it")));
}

#[test]
fn a_baseline_that_cannot_be_used_is_never_passed_over() {
    let workspace = node();
    let no_repository = workspace.referee(&["run", "--trusted", "main"]).exits(2);
    assert!(no_repository.stderr.contains("not in a readable git repository"), "{}", no_repository.stderr);
    committed(&workspace);
    let no_commit = workspace.referee(&["run", "--trusted", "gone"]).exits(2);
    assert!(no_commit.stderr.contains("`gone` is not a commit"), "{}", no_commit.stderr);
    assert!(!workspace.path("evidence").exists());
}
