//! Rulings 9 and 10: a tool that fails for its findings is let pass only by a policy that names the case, never by the level
//! that findings were given.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Workspace, action, skipped};

/// Runs one check under a policy; returns the exit code and the check's result.
fn judged(workspace: &Workspace, line: &str, policy: &Value) -> (i32, Value) {
    let document = json!({ "checks": { "lint": { "run": line, "timeout": "5m" } }, "policy": policy });
    workspace.write("referee.yaml", document.to_string());
    let finished = workspace.referee(&["run"]);
    let result = action(&workspace.report("T001"), "STEP.1").clone();
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(i32::from(finished.code != Some(0)));
    (finished.code.unwrap(), result)
}

#[track_caller]
fn blocks(workspace: &Workspace, line: &str, policy: &Value, rule: &str) {
    let (code, result) = judged(workspace, line, policy);
    assert_eq!((code, &result["status"]), (1, &json!("VALIDATION_FAILURE")), "{line} {policy}: {result:#}");
    assert_eq!(result["classification"]["rule"], rule, "{line} {policy}: {result:#}");
    assert_eq!(result["blocking"], true, "{line} {policy}");
}

#[track_caller]
fn passes(workspace: &Workspace, line: &str, policy: &Value) {
    let (code, result) = judged(workspace, line, policy);
    assert_eq!((code, &result["blocking"]), (0, &json!(false)), "{line} {policy}: {result:#}");
}

/// Puts a program of this name into `bin` that prints a text and exits with a code.
fn stand_in(workspace: &Workspace, name: &str, text: &str, code: i32) {
    workspace.write(&format!("bin/{name}.txt"), text);
    workspace.write(&format!("bin/{name}"), format!("#!/bin/sh\ncat \"$0.txt\"\nexit {code}\n"));
    fs::set_permissions(workspace.path(&format!("bin/{name}")), fs::Permissions::from_mode(0o755)).unwrap();
}

const ESLINT: &str = "\n/w/a.js\n  1:2  warning  Odd  no-odd\n\n✖ 1 problem (0 errors, 1 warning)\n\n";

#[test]
fn what_go_vet_finds_blocks() {
    if !Command::new("go").arg("version").output().is_ok_and(|output| output.status.success()) {
        skipped("no go");
        return;
    }
    let workspace = Workspace::new()
        .file("go.mod", "module demo\n\ngo 1.21\n")
        .file("main.go", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Printf(\"%d\\n\", \"text\") }\n");
    blocks(&workspace, "go vet ./...", &json!({}), "validation/findings");
    blocks(&workspace, "go vet ./...", &json!({ "linting": "BLOCK_ON_ERRORS_ONLY" }), "validation/findings");
    passes(&workspace, "go vet ./...", &json!({ "linting": "WARN_ONLY" }));
    passes(&workspace, "go vet ./...", &json!({ "govet": { "blockOn": "NEVER" } }));
}

#[test]
fn what_tools_without_levels_find_blocks() {
    let workspace = Workspace::new();
    for (program, line, text, code) in [
        (
            "golangci-lint",
            "./bin/golangci-lint run",
            "main.go:10:6: Error return value is not checked (errcheck)\n\tf()\n\t ^\n1 issues:\n* errcheck: 1\n",
            1,
        ),
        ("staticcheck", "./bin/staticcheck ./...", "main.go:5:2: should use x (S1000)\n", 1),
        ("codespell", "./bin/codespell", "./a.md:1: teh ==> the\n", 65),
        (
            "pydocstyle",
            "./bin/pydocstyle",
            "a.py:1 at module level:\n        D100: Missing docstring in public module\n",
            1,
        ),
    ] {
        stand_in(&workspace, program, text, code);
        blocks(&workspace, line, &json!({}), "validation/findings");
        passes(&workspace, line, &json!({ "linting": "WARN_ONLY" }));
    }
}

#[test]
fn a_linter_that_fails_for_warnings_or_remarks_is_let_pass_only_by_a_policy_that_names_it() {
    let workspace = Workspace::new();
    stand_in(&workspace, "eslint", ESLINT, 1);
    let line = "./bin/eslint . --max-warnings 0";
    let rule = "validation/exit-not-forgiven";
    blocks(&workspace, line, &json!({}), rule);
    blocks(&workspace, line, &json!({ "eslint": { "blockOn": "BLOCK_ON_ERRORS_ONLY" } }), rule);
    for policy in [
        json!({ "eslint": { "maxWarnings": 1 } }),
        json!({ "eslint": { "blockOn": "WARN_ONLY" } }),
        json!({ "eslint": { "enabled": false } }),
        json!({ "eslint": { "ignoredRules": ["no-odd"] } }),
        json!({ "linting": "NEVER" }),
    ] {
        passes(&workspace, line, &policy);
    }
    // What fails nothing needs no forgiveness.
    stand_in(&workspace, "eslint", ESLINT, 0);
    passes(&workspace, line, &json!({}));
    stand_in(&workspace, "shellcheck", "a.sh:2:3: note: Double quote to prevent globbing. [SC2086]\n", 1);
    blocks(&workspace, "./bin/shellcheck -f gcc a.sh", &json!({}), rule);
    // Formatters only warn by seed 1's own default.
    stand_in(
        &workspace,
        "prettier",
        "Checking formatting...\n[warn] a.js\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.\n",
        1,
    );
    passes(&workspace, "./bin/prettier --check .", &json!({}));
}
