//! `referee init` tries what it proposes: on real small projects, each of which comes out in its own way.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::support::{Finished, Workspace, finish, wait_until};

/// A project of make with these targets, each a line of shell.
fn make(targets: &[(&str, &str)]) -> Workspace {
    let rules: Vec<String> = targets.iter().map(|(name, line)| format!("{name}:\n\t@{line}\n")).collect();
    Workspace::new().file("Makefile", rules.concat())
}

/// A Node project with these scripts, whose dependencies count as installed.
fn node(scripts: &Value) -> Workspace {
    let package = serde_json::json!({ "name": "small", "private": true, "scripts": scripts });
    Workspace::new().file("package.json", package.to_string()).file(".gitignore", "node_modules/\n")
}

/// A tool of the project's own in node_modules, as a shell script.
fn tool(workspace: &Workspace, name: &str, script: &str) {
    let path = format!("node_modules/.bin/{name}");
    workspace.write(&path, format!("#!/bin/sh\n{script}"));
    fs::set_permissions(workspace.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
}

fn written(workspace: &Workspace) -> String {
    fs::read_to_string(workspace.path("referee.yaml")).unwrap()
}

/// All files of a workspace but those of installed tools, by path, with what they hold.
fn files(workspace: &Workspace) -> Vec<(String, Vec<u8>)> {
    fn walk(root: &Path, directory: &Path, found: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.push((path.strip_prefix(root).unwrap().display().to_string(), Vec::new()));
                walk(root, &path, found);
            } else {
                found.push((path.strip_prefix(root).unwrap().display().to_string(), fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    walk(&workspace.path(""), &workspace.path(""), &mut found);
    found.sort();
    found
}

#[track_caller]
fn of<'json>(json: &'json Value, list: &str, name: &str) -> &'json Value {
    let all = json[list].as_array().unwrap();
    all.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name} among {list}: {json:#}"))
}

#[track_caller]
fn init(workspace: &Workspace, arguments: &[&str]) -> Value {
    let told = workspace.referee(&[&["init", "--format", "json"], arguments].concat());
    told.json()
}

/// What the state directory holds of trials that are over.
fn remains_of_trials(workspace: &Workspace) -> usize {
    fs::read_dir(workspace.state().join("temporary")).map_or(0, Iterator::count)
}

/// A line of make that starts a process which hangs, writes down its id, and hangs itself.
fn sleeping(mark: &Path) -> String {
    format!("sleep 600 & echo $$! > {}; sleep 600", mark.display())
}

/// Whether the process of such a line is over.
fn is_over(mark: &Path) -> bool {
    let pid = fs::read_to_string(mark).unwrap();
    !Path::new("/proc").join(pid.trim()).exists()
}

const TESTS_PASS: &str = "import { test } from 'node:test';\ntest('adds', () => {});\n";
const TESTS_FAIL: &str = "import { test } from 'node:test';\nimport assert from 'node:assert';\ntest('adds', () => {});\n\
     test('takes away', () => assert.equal(1, 2));\n";

#[test]
fn what_passes_is_written_and_the_project_is_left_as_it_was() {
    let workspace = node(&serde_json::json!({ "test": "node --test" })).file("a.test.mjs", TESTS_PASS);
    let before = files(&workspace);
    let json = init(&workspace, &[]);
    assert_eq!(of(&json, "checks", "test")["trial"]["result"], "passes", "{json:#}");
    assert_eq!(json["notTried"], Value::Null);
    let after: Vec<_> = files(&workspace).into_iter().filter(|(path, _)| path != "referee.yaml").collect();
    assert_eq!(after, before);
    assert_eq!(remains_of_trials(&workspace), 0);
    workspace.referee(&["run"]).exits(0);
}

#[test]
fn tests_that_fail_honestly_stay_a_check_and_the_first_of_them_is_told() {
    let workspace = node(&serde_json::json!({ "test": "node --test" })).file("a.test.mjs", TESTS_FAIL);
    let told = workspace.referee(&["init"]).exits(0);
    assert!(told.told().contains("The tree does not pass yet: test: 1 of 2 tests failed"), "{}", told.stdout);
    assert!(told.told().contains("first: takes away"), "{}", told.stdout);
    assert!(written(&workspace).contains("\n  test: { run: npm test"), "{}", written(&workspace));
    workspace.referee(&["run"]).exits(1);
}

#[test]
fn findings_of_a_linter_stay_too() {
    let workspace = node(&serde_json::json!({ "lint": "eslint ." })).file("eslint.config.js", "");
    tool(
        &workspace,
        "eslint",
        "printf '%s\\n' \"$PWD/a.js\" '  1:1  error  Unexpected var  no-var' '' '✖ 1 problem (1 error, 0 warnings)'; exit 1\n",
    );
    let json = init(&workspace, &[]);
    let lint = of(&json, "checks", "lint");
    assert_eq!(lint["trial"]["result"], "fails", "{json:#}");
    assert!(lint["trial"]["finding"].as_str().unwrap().contains("Unexpected var"), "{lint:#}");
}

#[test]
fn a_tool_that_is_not_installed_is_a_comment_with_what_would_make_it_work() {
    let workspace = node(&serde_json::json!({ "test": "jest", "build": "node -e 0" })).file("package-lock.json", "{}");
    let json = init(&workspace, &[]);
    let test = of(&json, "notWorking", "test");
    assert_eq!(test["trial"]["result"], "does-not-work", "{json:#}");
    assert_eq!(test["trial"]["advice"], "run `npm ci`");
    assert_eq!(of(&json, "checks", "build")["trial"]["result"], "passes");
    let text = written(&workspace);
    assert!(
        text.contains("#   # not installed: ") && text.contains(": run `npm ci`\n#   test: { run: npm test"),
        "{text}"
    );
    assert!(!text.contains("\n  test:"), "{text}");
    workspace.referee(&["check"]).exits(0);
    workspace.referee(&["run"]).exits(0);
}

#[test]
fn where_nothing_works_nothing_is_written_and_what_was_tried_is_shown() {
    let workspace = node(&serde_json::json!({ "test": "jest" }));
    let told = workspace.referee(&["init"]).exits(4);
    assert!(told.stderr.contains("nothing that was tried works here; nothing was written"), "{}", told.stderr);
    assert!(told.stdout.contains("#   test: { run: npm test"), "{}", told.stdout);
    assert!(!workspace.path("referee.yaml").exists());
    let json = workspace.referee(&["init", "--format", "json"]).exits(4).json();
    assert_eq!(json["specification"], Value::Null);
    assert_eq!(of(&json, "notWorking", "test")["trial"]["result"], "does-not-work");
}

#[test]
fn what_hangs_is_stopped_and_is_a_comment() {
    let outside = tempfile::tempdir().unwrap();
    let mark = outside.path().join("runs");
    let workspace = make(&[("all", "echo built"), ("test", &sleeping(&mark))]);
    let told = workspace.referee(&["init", "--try-timeout", "1s"]).exits(0);
    let text = written(&workspace);
    assert!(text.contains("#   # does not end: ") && text.contains("#   test: { run: make test"), "{text}");
    assert!(told.stdout.contains("Not working here, as comments"), "{}", told.stdout);
    assert!(is_over(&mark));
}

#[test]
fn what_edits_files_is_a_comment_and_the_files_are_put_back() {
    let workspace = make(&[("all", "echo built"), ("test", "echo new > src.txt; rm -f gone.txt; echo tested")])
        .file("src.txt", "old\n")
        .file("gone.txt", "there\n");
    fs::set_permissions(workspace.path("gone.txt"), fs::Permissions::from_mode(0o640)).unwrap();
    let json = init(&workspace, &[]);
    let test = of(&json, "notWorking", "test");
    assert_eq!(test["trial"]["result"], "edits-files", "{json:#}");
    assert_eq!(test["trial"]["edited"], serde_json::json!(["gone.txt", "src.txt"]));
    assert_eq!(fs::read_to_string(workspace.path("src.txt")).unwrap(), "old\n");
    assert_eq!(fs::read_to_string(workspace.path("gone.txt")).unwrap(), "there\n");
    let mode = workspace.path("gone.txt").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(written(&workspace).contains("edits files of the project: gone.txt, src.txt"), "{}", written(&workspace));
}

#[test]
fn what_a_check_leaves_becomes_an_output_and_is_removed() {
    let line = "mkdir -p coverage/html && date +%N > coverage/html/x && date +%N > report.xml && touch Gemfile.lock";
    let workspace = make(&[("all", "echo built"), ("test", line)]);
    let json = init(&workspace, &[]);
    let paths: Vec<&str> =
        json["outputs"].as_array().unwrap().iter().map(|output| output["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["coverage", "report.xml"], "{json:#}");
    assert!(json["notes"].to_string().contains("Gemfile.lock"), "a lock file is an input: {json:#}");
    for gone in ["coverage", "report.xml", "Gemfile.lock"] {
        assert!(!workspace.path(gone).exists(), "{gone}");
    }
    // Twice, so that the second run finds what the first left, and writes it anew.
    for _ in 0..2 {
        workspace.referee(&["run"]).exits(0);
        let report = workspace.report("T001");
        assert!(!report.to_string().contains("was modified during the run"), "{report:#}");
    }
}

#[test]
fn what_nobody_runs_is_written_as_it_is_proposed_and_says_so() {
    let workspace = make(&[("all", "touch ran"), ("test", "touch ran")]);
    let json = init(&workspace, &["--no-run"]);
    assert!(!workspace.path("ran").exists());
    assert_eq!(json["checks"].as_array().unwrap().len(), 2);
    assert_eq!(of(&json, "checks", "test")["trial"], Value::Null);
    assert_eq!(json["notTried"], "--no-run");
    assert!(written(&workspace).contains("# Note: no check was tried"), "{}", written(&workspace));
}

#[test]
fn an_interruption_writes_nothing_and_leaves_nothing_behind() {
    let outside = tempfile::tempdir().unwrap();
    let mark = outside.path().join("runs");
    let line = format!("echo new > src.txt; touch left; {}", sleeping(&mark));
    let workspace = make(&[("all", "echo built"), ("test", &line)]).file("src.txt", "old\n");
    let child = workspace.command(&["init"]).spawn().unwrap();
    wait_until("the check runs", || fs::read_to_string(&mark).is_ok_and(|text| text.ends_with('\n')));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let told: Finished = finish(child).exits(130);
    assert!(told.stderr.contains("nothing was written"), "{}", told.stderr);
    assert!(!workspace.path("referee.yaml").exists() && !workspace.path("left").exists());
    assert_eq!(fs::read_to_string(workspace.path("src.txt")).unwrap(), "old\n");
    assert!(is_over(&mark));
    assert_eq!(remains_of_trials(&workspace), 0);
}

#[test]
fn what_needs_something_that_does_not_work_is_a_comment_too() {
    let workspace = Workspace::new()
        .file("CMakeLists.txt", "project(a)\nenable_testing()\nadd_test(NAME a COMMAND a)\n")
        .file("tests/test_a.py", "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n")
        .file("setup.py", "from setuptools import setup\nsetup(name='a')\n");
    tool(&workspace, "cmake", "exit 3\n");
    let mut command = workspace.command(&["init", "--format", "json"]);
    let path = format!("{}:{}", workspace.path("node_modules/.bin").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path);
    let json = finish(command.spawn().unwrap()).exits(0).json();
    let needing: Vec<&Value> = json["notWorking"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["trial"]["reason"].as_str().unwrap().starts_with("needs `"))
        .collect();
    assert!(!needing.is_empty(), "{json:#}");
    assert!(needing.iter().all(|check| check["trial"]["durationMs"].is_null()), "{json:#}");
    workspace.referee(&["check"]).exits(0);
}

#[test]
fn tests_of_pythons_own_runner_are_tried() {
    let workspace = Workspace::new().file("setup.py", "from setuptools import setup\nsetup(name='a')\n").file(
        "test_a.py",
        "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 2)\n",
    );
    let json = init(&workspace, &[]);
    let test = of(&json, "checks", "test");
    assert_eq!(test["trial"]["result"], "fails", "{json:#}");
    assert_eq!(json["outputs"], serde_json::json!([]), "__pycache__ is not an input anyway: {json:#}");
}

#[test]
fn no_test_at_all_is_no_check() {
    let workspace = node(&serde_json::json!({ "test": "node --test", "build": "node -e 0" })).file("a.mjs", "");
    let json = init(&workspace, &[]);
    let test = of(&json, "leftToPeople", "test");
    assert!(test["because"].as_str().unwrap().contains("no test yet"), "{json:#}");
    assert!(!written(&workspace).contains("allowNoTests"), "{}", written(&workspace));
}

#[test]
fn a_known_runner_that_prints_nothing_is_judged_by_its_exit_code() {
    let workspace = Workspace::new().file("package.json", r#"{"scripts": {}, "devDependencies": {"jest": "29"}}"#);
    workspace.write("a.test.js", "test('a', () => {});\n");
    tool(&workspace, "jest", "exit 0\n");
    let json = init(&workspace, &[]);
    let test = of(&json, "checks", "test");
    assert_eq!(test["exitCodeOnly"], true, "{json:#}");
    assert!(written(&workspace).contains("exitCodeOnly: true"), "{}", written(&workspace));
    workspace.referee(&["run"]).exits(0);
}

#[test]
fn a_known_runner_that_ends_without_its_summary_is_no_check() {
    let workspace = Workspace::new()
        .file("package.json", r#"{"scripts": {"build": "node -e 0"}, "devDependencies": {"jest": "29"}}"#);
    workspace.write("a.test.js", "test('a', () => {});\n");
    tool(&workspace, "jest", "echo RUNS a.test.js; exit 0\n");
    let json = init(&workspace, &[]);
    assert!(
        of(&json, "notWorking", "test")["trial"]["reason"].as_str().unwrap().contains("without its summary"),
        "{json:#}"
    );
}

/// Complains about every JSON and YAML file that .prettierignore does not name.
const PRETTIER: &str = "bad=0\nfor file in $(find . -name node_modules -prune -o -type f \\( -name '*.json' -o -name '*.yaml' \\) -print); do\n\
    name=${file#./}\n top=${name%%/*}\n\
    case $name in package.json) continue;; esac\n\
    grep -qsx -e \"$top/\" -e \"$top\" .prettierignore && continue\n\
    echo \"[warn] $name\"; bad=1\ndone\n\
    [ $bad = 0 ] && echo 'All matched files use Prettier code style!' && exit 0\n\
    echo '[warn] Code style issues found in the above file. Run Prettier with --write to fix.'; exit 1\n";

fn formatted() -> Workspace {
    let workspace = node(&serde_json::json!({ "format:check": "prettier --check .", "build": "node -e 0" }))
        .file(".github/workflows/ci.yml", "jobs: {a: {steps: [{run: npm run format:check}]}}\n");
    tool(&workspace, "prettier", PRETTIER);
    workspace
}

#[test]
fn a_formatter_that_reads_our_own_files_is_found_out_and_the_entry_is_told() {
    let workspace = formatted();
    let told = workspace.referee(&["init"]).exits(0);
    let text = told.told();
    assert!(text.contains("`format` reads Referee's own files, and fails; add to .prettierignore"), "{}", told.stdout);
    assert!(text.contains("evidence/ referee.yaml"), "{}", told.stdout);
    assert!(!workspace.path(".prettierignore").exists() && !workspace.path("evidence").exists());
    assert!(written(&workspace).contains("npm run format:check"));
    let json = init(&workspace, &["--force"]);
    assert_eq!(of(&json, "checks", "format")["trial"]["result"], "fails-beside-evidence", "{json:#}");
}

#[test]
fn our_own_files_fail_no_formatter_and_what_is_not_formatted_beside_them_does() {
    let workspace = formatted();
    workspace.referee(&["init"]).exits(0);
    assert!(written(&workspace).contains("ERRORS_AND_WARNINGS"), "{}", written(&workspace));
    for _ in 0..3 {
        workspace.referee(&["run"]).exits(0);
    }
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    workspace.write("src/data.json", "{}");
    let told = workspace.referee(&["gate"]).exits(1).told();
    assert!(told.contains("src/data.json") && !told.contains("- evidence/"), "{told}");
    let debt = workspace.report("T001")["technicalDebt"].to_string();
    assert!(!debt.contains("evidence/T001"), "{debt}");
}

#[test]
fn the_entry_is_written_where_that_is_asked_for_and_then_the_check_passes_for_good() {
    let workspace = formatted().file(".prettierignore", "dist/");
    let json = init(&workspace, &["--write-ignores"]);
    assert_eq!(json["ignores"][0]["written"], true, "{json:#}");
    assert_eq!(json["ignores"][0]["suffices"], true, "{json:#}");
    assert_eq!(of(&json, "checks", "format")["trial"]["result"], "passes");
    assert_eq!(fs::read_to_string(workspace.path(".prettierignore")).unwrap(), "dist/\nevidence/\nreferee.yaml\n");
    for _ in 0..2 {
        workspace.referee(&["run"]).exits(0);
    }
}

#[test]
fn a_check_of_licence_headers_finds_the_projects_own_in_what_is_written() {
    let checker = "for file in *.sh *.yaml; do [ -f $$file ] || continue; grep -q 'SPDX-License-Identifier: MIT' $$file || { echo $$file; exit 1; }; done; echo fine";
    let header = "#!/bin/sh\n# Copyright 2024 The Makers\n# SPDX-License-Identifier: MIT\n\n";
    let workspace = make(&[("all", "echo built"), ("check", checker)])
        .file("a.sh", format!("{header}echo a\n"))
        .file("b.sh", format!("{header}echo b\n"));
    let json = init(&workspace, &[]);
    assert_eq!(json["ignores"], serde_json::json!([]), "{json:#}");
    let text = written(&workspace);
    assert!(text.starts_with("# Copyright 2024 The Makers\n# SPDX-License-Identifier: MIT\n\n# Made by"), "{text}");
    for _ in 0..2 {
        workspace.referee(&["run"]).exits(0);
    }
}

#[test]
fn a_project_that_cannot_be_copied_is_not_tried_in_place() {
    let workspace = make(&[("all", "touch ran"), ("test", "touch ran")]);
    let large = fs::File::create(workspace.path("large.bin")).unwrap();
    large.set_len((1 << 30) + 1).unwrap();
    let json = init(&workspace, &[]);
    assert!(json["notTried"].as_str().unwrap().contains("are copied"), "{json:#}");
    assert!(!workspace.path("ran").exists());
    assert!(written(&workspace).contains("# Note: no check was tried"), "{}", written(&workspace));
}

#[test]
fn a_checker_that_finds_only_what_a_build_made_is_left_as_a_comment() {
    let scripts = serde_json::json!({ "build": "mkdir -p dist && echo x > dist/a.js", "lint": "eslint ." });
    let workspace = Workspace::new()
        .file(
            "package.json",
            serde_json::json!({ "scripts": scripts, "devDependencies": { "eslint": "9" } }).to_string(),
        )
        .file(".gitignore", "dist/\nnode_modules/\n");
    tool(
        &workspace,
        "eslint",
        "if [ -e dist/a.js ]; then printf '%s/dist/a.js\\n  1:1  error  Unexpected x  no-undef\\n\\n✖ 1 problem (1 error, 0 warnings)\\n' \"$PWD\"; exit 1; fi\n",
    );
    workspace.write("dist/a.js", "x\n");
    let json = init(&workspace, &[]);
    let lint = of(&json, "notWorking", "lint");
    assert!(lint["trial"]["reason"].as_str().unwrap().contains("dist/a.js"), "{json:#}");
    assert!(written(&workspace).contains("dist/a.js"), "{}", written(&workspace));
    workspace.write("src.js", "y\n");
    workspace.referee(&["run"]).exits(0);
}

#[test]
fn findings_that_the_policy_allows_are_told_and_the_tree_passes() {
    let workspace = node(&serde_json::json!({ "lint": "eslint ." })).file("eslint.config.js", "");
    let finding = "printf '%s\\n' \"$PWD/a.js\" '  1:1  warning  Unexpected var  no-var' '' '✖ 1 problem (0 errors, 1 warning)'\n";
    tool(&workspace, "eslint", finding);
    let told = workspace.referee(&["init"]).exits(0);
    assert!(!told.told().contains("does not pass yet"), "{}", told.stdout);
    assert!(told.told().contains("passes: 1 eslint warning"), "{}", told.stdout);
    let json = init(&workspace, &["--force"]);
    assert_eq!(of(&json, "checks", "lint")["trial"]["result"], "passes", "{json:#}");
    workspace.referee(&["run"]).exits(0);
}

#[test]
fn what_complains_of_a_lock_is_found_out_before_there_is_one() {
    let checker = "if [ -e referee.lock ]; then echo unapproved: referee.lock; exit 1; fi; echo fine";
    for ignored in ["", "*.lock\n"] {
        let workspace = make(&[("all", "echo built"), ("check", checker)]).file(".gitignore", ignored);
        let json = init(&workspace, &[]);
        assert!(json["ignores"][0]["lines"].to_string().contains("referee.lock"), "{json:#}");
        assert_eq!(of(&json, "checks", "test")["trial"]["result"], "fails-beside-evidence", "{json:#}");
        assert!(!workspace.path("referee.lock").exists() && !workspace.path("evidence").exists());
    }
    let mine = make(&[("all", "echo built"), ("check", "echo fine")]).file("referee.lock", "mine\n");
    init(&mine, &[]);
    assert_eq!(fs::read_to_string(mine.path("referee.lock")).unwrap(), "mine\n");
}

#[test]
fn what_a_formatter_needs_is_said_once() {
    let speaks = |json: &Value| json["notes"].to_string().contains("prettier looks at every file");
    let workspace = formatted();
    assert!(!speaks(&init(&workspace, &["--write-ignores"])));
    assert!(!written(&workspace).contains("looks at every file"), "{}", written(&workspace));
    let json = init(&formatted(), &["--no-run"]);
    assert!(speaks(&json) && json["notes"].to_string().contains("`evidence/`"), "{json:#}");
    assert!(!speaks(&init(&formatted().file(".gitignore", "evidence/\n"), &["--no-run"])));
}

#[test]
fn tox_is_tried_where_ci_runs_the_tests_by_it_and_their_runner_is_not_there() {
    let ini = "[tox]\nenvlist = py312\n[testenv]\ndeps = pytest\ncommands = pytest\n";
    let tried = |python: &str, tox: &str| {
        let workspace = Workspace::new()
            .file("tox.ini", ini)
            .file("test_a.py", "def test_a(): pass\n")
            .file(".gitignore", "node_modules/\n.venv/\n")
            .file(".github/workflows/ci.yml", "on: push\njobs: {a: {steps: [{run: tox}]}}\n")
            .file(".venv/bin/python3", format!("#!/bin/sh\n{python}"));
        fs::set_permissions(workspace.path(".venv/bin/python3"), fs::Permissions::from_mode(0o755)).unwrap();
        tool(&workspace, "tox", tox);
        let mut command = workspace.command(&["init", "--format", "json"]);
        let path = format!("{}:{}", workspace.path("node_modules/.bin").display(), std::env::var("PATH").unwrap());
        command.env("PATH", path);
        finish(command.spawn().unwrap()).json()
    };
    let absent = "echo 'python3: No module named pytest' >&2; exit 1\n";
    let passes = "echo '============= 1 passed in 0.01s ============='\n";
    let json = tried(absent, passes);
    let tox = of(&json, "checks", "tox");
    assert_eq!((&tox["run"], &tox["trial"]["result"]), (&"tox -e py".into(), &"passes".into()), "{json:#}");
    assert!(tox["because"].as_str().unwrap().contains("`test` by itself does not work here"), "{json:#}");
    of(&json, "notWorking", "test");
    let json = tried(passes, passes);
    of(&json, "leftToPeople", "tox");
    assert_eq!(of(&json, "checks", "test")["trial"]["result"], "passes", "{json:#}");
    let json = tried(absent, "exit 3\n");
    assert_eq!((of(&json, "notWorking", "tox")["trial"]["result"].as_str()), Some("does-not-work"), "{json:#}");
}
