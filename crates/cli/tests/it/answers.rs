//! What makes a pass worth less is told wherever somebody reads that it is one: in every format of the gate, of CI and of a run, and
//! in the answer to every host's hook.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use referee_foreign::hook::payloads::staged;
use referee_model::hook::{AgentHost, HookMoment};

use crate::support::{Workspace, finish, git};

/// What is told of the project, each by words of its own, or by a key of a document.
const TOLD: [&[&str]; 5] = [
    &["WAIVED"],                                           // a waiver that lifted a failure
    &["4 ran, 5 in the best run"],                         // fewer tests
    &["tests/a.test.js"],                                  // an edit of tests
    &["pyproject.toml"],                                   // drift under review
    &["by its exit code alone", "\"exitCodeOnly\": true"], // a check of which the exit code alone tells
];

const SPECIFICATION: &str = "suppressions: report
checks:
  unit: npx jest
  types: npx tsc --noEmit
  quiet: { argv: [./quiet.sh], role: test }
protect: { additive: ['tests/**'], review: [pyproject.toml] }
";

fn jest(tests: u32) -> String {
    format!(
        "PASS a.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       {tests} passed, {tests} total\nSnapshots:   0 total\nTime:        0.5 s\nRan all test suites.\n"
    )
}

fn program(workspace: &Workspace, name: &str, text: &str) {
    workspace.write(name, format!("#!/bin/sh\n{text}\n"));
    fs::set_permissions(workspace.path(name), fs::Permissions::from_mode(0o755)).unwrap();
}

/// A project of which all is told, and whose gate passes.
fn project() -> Workspace {
    let workspace = Workspace::with(SPECIFICATION)
        .file("tests/a.test.js", "it('adds', () => {\n  expect(1).toBe(1);\n});\n")
        .file("pyproject.toml", "[project]\nname = 'a'\n")
        .file("jest.txt", jest(5))
        .file("tsc.code", "0")
        .file(".gitignore", "evidence/\nnode_modules/\n");
    program(&workspace, "node_modules/.bin/jest", "cat jest.txt");
    program(
        &workspace,
        "node_modules/.bin/tsc",
        "test $(cat tsc.code) = 0 || { echo \"a.ts(1,1): error TS2322: Type 'x'.\"; exit 2; }",
    );
    program(&workspace, "quiet.sh", "exit 0");
    git(&workspace.path(""), &["init", "-q"]);
    git(&workspace.path(""), &["add", "-A"]);
    git(&workspace.path(""), &["commit", "-q", "-m", "all"]);
    let text = |name: &str| workspace.state().join(name).to_str().unwrap().to_owned();
    let (key, public) = (text("ada.pem"), text("ada.pub.pem"));
    workspace.referee(&["key", "new", "--out", &key]).exits(0);
    workspace.trust_approver(&public, "Ada");
    workspace.referee(&["lock"]).exits(0);
    workspace.referee(&["enroll"]).exits(0);
    workspace.referee(&["run", "-q"]).exits(0);

    workspace.write("jest.txt", jest(4));
    workspace.write("tsc.code", "1");
    workspace.write("pyproject.toml", "[project]\nname = 'b'\n");
    workspace.write("tests/a.test.js", "it('adds', () => {\n  expect(1).toBeDefined();\n});\n");
    let waiver =
        ["waive", "--action", "types", "--reason", "the types are on their way", "--until", "3d", "--by", "Ada"];
    workspace.referee(&[&waiver[..], &["--key", &key]].concat()).exits(0);
    workspace.referee(&["run", "-q"]).exits(0);
    workspace
}

/// Makes one line of an answer, with what documents escape as it was.
fn plain(answer: &str) -> String {
    answer.replace('\\', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_format_and_every_hosts_hook_tells_what_a_pass_is_worth() {
    let workspace = project();
    let mut wrong = Vec::new();
    let mut hold = |what: &str, answer: &str| {
        let answer = plain(answer);
        let is_told = |told: &&[&str]| told.iter().any(|words| answer.contains(words));
        let missing: Vec<&[&str]> = TOLD.into_iter().filter(|told| !is_told(told)).collect();
        if !missing.is_empty() {
            wrong.push(format!("{what} does not tell {missing:?}:\n{answer}\n"));
        }
    };
    for arguments in [
        &["gate"][..],
        &["gate", "--format", "json"],
        &["gate", "--no-reuse"],
        &["run"],
        &["run", "--format", "json"],
        &["ci"],
        &["ci", "--format", "github"],
    ] {
        let answered = workspace.referee(arguments).exits(0);
        hold(&arguments.join(" "), &format!("{}{}", answered.stdout, answered.stderr));
    }
    let directory = workspace.path("");
    for host in AgentHost::ALL {
        let event = staged(host, HookMoment::AgentStops, directory.to_str().unwrap(), "told").unwrap();
        let mut command = workspace.command(&["hook", host.as_str()]);
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
        let answered = finish(child);
        hold(&format!("hook {host:?}"), &format!("{}{}", answered.stdout, answered.stderr));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
