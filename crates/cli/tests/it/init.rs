//! `referee init`, on real directories: what it writes runs, and where there is nothing to check it says so.

use std::fs;

use crate::support::{Workspace, git};

/// A project of make whose tests are green.
fn green() -> Workspace {
    Workspace::new().file("Makefile", "all:\n\t@echo built\ntest: all\n\t@echo tested\n").file("README.md", "x")
}

#[test]
fn what_is_written_passes_an_honest_project_and_only_as_a_whole() {
    let workspace = green();
    let told = workspace.referee(&["init"]).exits(0);
    insta::assert_snapshot!(told.stdout);
    workspace.referee(&["check"]).exits(0);
    workspace.referee(&["run"]).exits(0);
    let whole = workspace.report("T001");
    assert_eq!(whole["executionSummary"]["scope"]["reduced"], false);
    for profile in ["smoke", "yolo"] {
        let run = workspace.referee(&["run", "--profile", profile]).exits(0);
        let warning = format!("this was a reduced run (profile {profile}, 1 step left out): it never counts as done");
        assert!(run.stdout.replace("\n    ", " ").contains(&warning), "{profile}: {}", run.stdout);
        let report = workspace.report("T001");
        assert_eq!(report["executionSummary"]["scope"]["reduced"], true, "{profile}");
        assert_eq!(report["executionSummary"]["scope"]["profile"], profile);
        assert_eq!(report["skippedActions"][0]["actionId"], "STEP.2", "{profile}");
    }
    workspace.referee(&["run", "--profile", "fast"]).exits(0);
    let fast = workspace.report("T001");
    assert_eq!(fast["skippedActions"], serde_json::json!([]));
    assert_eq!(fast["executionSummary"]["scope"]["reduced"], true, "only strict is the whole specification");
}

#[test]
fn a_broken_project_fails_what_was_written_for_it() {
    let workspace = green();
    workspace.referee(&["init", "-q"]).exits(0);
    workspace.write("Makefile", "all:\n\t@echo built\ntest: all\n\t@echo broken; exit 1\n");
    let code = workspace.referee(&["run"]).code;
    assert!(matches!(code, Some(1 | 6)), "{code:?}");
}

#[test]
fn nothing_that_is_there_is_overwritten_unless_that_is_asked_for() {
    let workspace = green().file("referee.yaml", "checks: {mine: 'true'}\n");
    let told = workspace.referee(&["init"]).exits(2);
    assert!(told.stderr.contains("referee.yaml already exists") && told.stderr.contains("--force"), "{}", told.stderr);
    let shown = workspace.referee(&["init", "--print"]).exits(0);
    assert!(shown.stdout.contains("make test"), "{}", shown.stdout);
    assert_eq!(fs::read_to_string(workspace.path("referee.yaml")).unwrap(), "checks: {mine: 'true'}\n");
    workspace.referee(&["init", "--force"]).exits(0);
    assert_eq!(fs::read_to_string(workspace.path("referee.yaml")).unwrap(), shown.stdout);
    let other = green().file("referee.json", "{}");
    other.referee(&["init", "--force"]).exits(2);
    assert!(!other.path("referee.yaml").exists());
}

#[test]
fn an_empty_or_unknown_directory_says_so_and_nothing_is_written() {
    for (workspace, why) in [
        (Workspace::new(), "this directory is empty"),
        (Workspace::new().file("notes.txt", "x"), "no project is known here"),
        (
            Workspace::new().file("package.json", r#"{"scripts": {"dev": "x"}}"#),
            "nothing in this project can be checked yet",
        ),
        (Workspace::new().file("package.json", [0xff, 0, 1]), "no project is known here"),
    ] {
        for arguments in [&["init"][..], &["init", "--print"]] {
            let told = workspace.referee(arguments).exits(4);
            assert!(told.stderr.contains(why) && told.stdout.is_empty(), "{}{}", told.stdout, told.stderr);
        }
        let json = workspace.referee(&["init", "--format", "json"]).exits(4).json();
        assert_eq!((&json["written"], &json["specification"]), (&serde_json::Value::Null, &serde_json::Value::Null));
        assert!(!workspace.path("referee.yaml").exists());
    }
}

#[test]
fn what_was_found_is_told_as_data() {
    let workspace = green().file(".gitignore", "/evidence/\n");
    let json = workspace.referee(&["init", "--format", "json"]).exits(0).json();
    assert_eq!(json["written"], "referee.yaml");
    assert_eq!(json["checks"][1]["run"], "make test");
    assert_eq!(json["specification"].as_str().unwrap(), fs::read_to_string(workspace.path("referee.yaml")).unwrap());
    let told = workspace.referee(&["init", "--force"]).exits(0);
    assert!(!told.stdout.contains(".gitignore"), "what is ignored already is not asked for: {}", told.stdout);
    assert_eq!(fs::read_to_string(workspace.path(".gitignore")).unwrap(), "/evidence/\n");
}

#[test]
fn the_rationale_of_the_policies_stands_in_the_report() {
    let workspace = Workspace::new().file("Makefile", "CFLAGS = -Werror\nall:\n\t@echo built\n");
    workspace.referee(&["init"]).exits(0);
    workspace.referee(&["run"]).exits(0);
    let report = workspace.report("T001");
    let rationale = report["testSpecification"]["validationPolicyRationale"].as_str().unwrap();
    assert_eq!(rationale, "compilation: Makefile compiles with `-Werror`");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
}

#[test]
fn a_tool_that_would_edit_is_proposed_in_the_form_that_looks() {
    let workspace = Workspace::new()
        .file("package.json", r#"{"scripts": {"lint": "eslint --fix ."}, "devDependencies": {"eslint": "9"}}"#)
        .file("pyproject.toml", "[project]\nname = 'a'\ndependencies = ['ruff']\n[tool.ruff]\nfix = true\n")
        .file(
            ".github/workflows/ci.yml",
            "# run: mypy\njobs: {a: {steps: [{run: ruff check}, {run: 'echo flake8'}]}}\n",
        );
    let text = workspace.referee(&["init", "--print", "--no-run"]).exits(0).stdout;
    assert!(
        text.contains("npx eslint .,") && text.contains("ruff check --no-fix") && text.contains("as `--fix` does"),
        "{text}"
    );
    assert!(!text.contains("mypy") && !text.contains("flake8"), "{text}");
}

#[test]
fn a_deep_test_is_seen_and_without_one_no_test_check_is_written() {
    let deep = "src/test/java/com/acme/shop/orders/internal/deep/OrderTest.java";
    let text = Workspace::new().file("pom.xml", "").file(deep, "").referee(&["init", "--print"]).exits(0).stdout;
    assert!(text.contains("test: { run: mvn -B -ntp test,"), "{text}");
    let text = Workspace::new()
        .file("go.mod", "module a\n")
        .file("a.go", "package a\n")
        .referee(&["init", "--print"])
        .exits(0)
        .stdout;
    assert!(
        !text.contains("go test") && !text.contains("allowNoTests") && text.contains("no test of Go was found"),
        "{text}"
    );
}

#[test]
fn the_environment_of_python_makes_no_other_proposal_and_both_run() {
    let files = |workspace: Workspace| {
        workspace.file("setup.py", "").file(
            "test_a.py",
            "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n",
        )
    };
    let bare = files(Workspace::new());
    let text = bare.referee(&["init", "--print"]).exits(0).stdout;
    let with = files(Workspace::new()).file(".venv/bin/other", "");
    let line = "run: \"PATH=\\\"$PWD/.venv/bin:$PATH\\\" python3 -m unittest\"";
    assert!(text.contains(line) && with.referee(&["init", "--print"]).exits(0).stdout.contains(line), "{text}");
    for workspace in [bare, with] {
        workspace.referee(&["init", "-q"]).exits(0);
        workspace.referee(&["run"]).exits(0);
    }
}

#[test]
fn a_lock_that_git_ignores_is_said_to_be() {
    for (ignored, is_told) in [("*.lock\n", true), ("*.lock\n!referee.lock\n", false), ("", false)] {
        let workspace = green().file(".gitignore", ignored);
        git(&workspace.path(""), &["init", "-q"]);
        workspace.referee(&["init"]).exits(0);
        let told = workspace.referee(&["lock"]).exits(0);
        assert_eq!(told.stderr.contains("git add -f referee.lock"), is_told, "{ignored}: {}", told.stderr);
    }
}
