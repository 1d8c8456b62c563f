//! `referee ci`, the GitHub Action and the hooks for pre-commit: a project that ran elsewhere runs again here.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Finished, Workspace, git, program, repository, skipped};

const GREEN: &str = "PASS tests/a.test.js\n  ✓ adds (1 ms)\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\nSnapshots:   0 total\nTime:        0.5 s\n";

const RED: &str = "FAIL tests/a.test.js\n  ✕ adds (1 ms)\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\nSnapshots:   0 total\nTime:        0.5 s\n";

/// A project in git. What its runner of tests says lies in files that git ignores, so the same tree can pass and fail.
fn project() -> Workspace {
    let workspace = Workspace::with("checks:\n  unit: npx jest\n  look: { file: src/a.js, contains: exports }\n")
        .file("src/a.js", "exports.add = () => 1;\n")
        .file(".gitignore", "node_modules/\njest.out\njest.code\n")
        .file("node_modules/.bin/jest", "#!/bin/sh\ncat jest.out\nexit $(cat jest.code)\n");
    fs::set_permissions(workspace.path("node_modules/.bin/jest"), fs::Permissions::from_mode(0o755)).unwrap();
    green(&workspace);
    git(&workspace.path(""), &["init", "-q"]);
    git(&workspace.path(""), &["add", "-A"]);
    git(&workspace.path(""), &["commit", "-q", "-m", "all"]);
    workspace
}

fn green(workspace: &Workspace) {
    workspace.write("jest.out", GREEN);
    workspace.write("jest.code", "0");
}

fn red(workspace: &Workspace) {
    workspace.write("jest.out", RED);
    workspace.write("jest.code", "1");
}

/// The project at another place, with another state directory: what CI has after the checkout.
fn checked_out(local: &Workspace) -> Workspace {
    let there = Workspace::new();
    let copied = Command::new("cp").arg("-a").arg(local.path(".")).arg(there.path("")).status().unwrap();
    assert!(copied.success());
    there
}

fn ci(workspace: &Workspace, more: &[&str]) -> Finished {
    let arguments: Vec<&str> = ["ci", "--format", "json"].iter().chain(more).copied().collect();
    workspace.referee(&arguments)
}

/// Decision, agreement, and findings, those that block with a mark.
#[track_caller]
fn told(finished: &Finished) -> String {
    let document = finished.json();
    let findings: Vec<String> = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            format!("{}{}", finding["kind"].as_str().unwrap(), if finding["blocking"] == true { "!" } else { "" })
        })
        .collect();
    let agreement = document["tasks"][0]["agreement"].as_str().unwrap();
    format!("{} {agreement} {}", document["decision"].as_str().unwrap(), findings.join(" ")).trim_end().to_owned()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A key, and its public half.
fn key(outside: &TempDir, name: &str) -> (PathBuf, PathBuf) {
    let directory = outside.path().canonicalize().unwrap();
    let (private, public) = (directory.join(format!("{name}.pem")), directory.join(format!("{name}.pub.pem")));
    Workspace::new().referee(&["key", "new", "--out", path(&private)]).exits(0);
    (private, public)
}

#[test]
fn a_run_that_does_not_pass_in_ci_is_a_ci_failure_that_names_what_failed() {
    let workspace = project();
    let passed = ci(&workspace, &[]).exits(0).json();
    assert_eq!((&passed["error"], &passed["buildError"]), (&Value::Null, &Value::Null));
    red(&workspace);
    let failed = ci(&workspace, &[]).exits(1);
    told(&failed);
    let document = failed.json();
    let error = &document["buildError"];
    assert_eq!((&error["type"], &error["context"]["cause"]), (&"ci_failed".into(), &"test_failed".into()), "{error:#}");
    assert_eq!(document["error"], error["message"]);
    assert!(error["stdoutTail"].as_str().unwrap().contains("1 failed"), "{error:#}");
    workspace.write("referee.yaml", "checks: {");
    let refused = ci(&workspace, &[]);
    assert_eq!(refused.json()["buildError"]["type"], "ci_failed", "{}", refused.stdout);
}

#[test]
fn a_run_that_comes_out_alike_elsewhere_agrees_and_what_came_along_is_kept() {
    let local = project();
    local.referee(&["run", "-q"]).exits(0);
    let there = checked_out(&local);
    let finished = ci(&there, &[]).exits(0);
    assert_eq!(told(&finished), "PASS agrees");
    let document = finished.json();
    let (here, brought) = (&document["tasks"][0]["here"], &document["tasks"][0]["there"]);
    assert_eq!(here["treeDigest"], brought["run"]["treeDigest"]);
    assert_ne!(here["executionId"], brought["run"]["executionId"]);
    assert_eq!(brought["provenance"], "self-asserted");
    // The run takes the task's place, and what came along goes to the history as it is.
    let kept = there.path(&format!("evidence/.history/T001/{}", brought["run"]["executionId"].as_str().unwrap()));
    there.referee(&["evidence", "verify", path(&kept)]).exits(0);
    // A verdict that was recorded does not answer in CI.
    let again = ci(&there, &[]).exits(0).json();
    assert_ne!(again["tasks"][0]["here"]["executionId"], here["executionId"]);
    // People read the same.
    let text = there.referee(&["ci"]).exits(0).told();
    assert!(text.contains("agrees with this run (self-asserted: unsigned"), "{text}");
    assert!(text.ends_with("in CI: PASS"), "{text}");
}

#[test]
fn a_run_that_comes_out_otherwise_here_is_a_finding_and_blocks_where_it_passed_only_there() {
    let local = project();
    local.referee(&["run", "-q"]).exits(0);
    let there = checked_out(&local);
    red(&there);
    let finished = ci(&there, &[]).exits(1);
    assert_eq!(told(&finished), "FAIL differs passed-only-there! check-passed-only-there!");
    let message = finished.json()["findings"][1]["message"].clone();
    assert_eq!(message, "STEP.1 unit passed there, and blocks here");

    red(&local);
    local.referee(&["run", "-q"]).exits(1);
    let there = checked_out(&local);
    green(&there);
    assert_eq!(told(&ci(&there, &[]).exits(0)), "PASS differs passed-only-here check-passed-only-here");
}

#[test]
fn what_is_stale_of_another_specification_missing_or_junk_is_not_compared_and_blocks_where_one_is_required() {
    let local = project();
    local.referee(&["run", "-q"]).exits(0);
    let stale = checked_out(&local);
    stale.write("src/a.js", "exports.add = () => 2;\n");
    assert_eq!(told(&ci(&stale, &[]).exits(0)), "PASS other-tree stale");

    let required = checked_out(&local);
    required.write("src/a.js", "exports.add = () => 2;\n");
    assert_eq!(told(&ci(&required, &["--require-attestation"]).exits(1)), "BLOCKED other-tree stale!");

    let missing = checked_out(&local);
    fs::remove_dir_all(missing.path("evidence")).unwrap();
    assert_eq!(told(&ci(&missing, &[]).exits(0)), "PASS missing missing");
    fs::remove_dir_all(missing.path("evidence")).unwrap();
    assert_eq!(told(&ci(&missing, &["--require-attestation"]).exits(1)), "BLOCKED missing missing!");
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(told(&ci(&missing, &["--attestation", path(empty.path())]).exits(1)), "BLOCKED missing missing!");

    // Junk that is named is no attestation, and a name of nothing is a mistake.
    let outside = tempfile::tempdir().unwrap();
    let junk = outside.path().join("junk.jsonl");
    fs::write(&junk, "{\"payload\": \"x\"}\nnothing\n").unwrap();
    assert_eq!(told(&ci(&missing, &["--attestation", path(&junk)]).exits(1)), "BLOCKED unverifiable unverifiable!");
    let refused = ci(&missing, &["--attestation", "nowhere"]).exits(2);
    assert_eq!(refused.json()["decision"], "BLOCKED");
    assert!(
        refused.json()["problem"].as_str().unwrap().contains("nowhere is neither an evidence directory nor a file")
    );
}

#[test]
fn evidence_that_was_changed_blocks_whatever_the_run_comes_to() {
    let local = project();
    local.referee(&["run", "-q"]).exits(0);
    for file in ["execution-report.json", "run.json", "STEP.1-unit.log"] {
        let there = checked_out(&local);
        let mut bytes = fs::read(there.path(&format!("evidence/T001/{file}"))).unwrap();
        bytes.extend_from_slice(b" ");
        there.write(&format!("evidence/T001/{file}"), bytes);
        assert_eq!(told(&ci(&there, &[]).exits(1)), "FAIL tampered tampered!", "{file}");
    }
}

#[test]
fn a_signature_is_asked_for_by_name_and_statements_do_by_themselves() {
    let local = project();
    let outside = tempfile::tempdir().unwrap();
    let ((private, public), (_, other)) = (key(&outside, "ada"), key(&outside, "eve"));
    local.referee(&["run", "-q", "--key", path(&private)]).exits(0);

    let there = checked_out(&local);
    let finished = ci(&there, &["--local-key", path(&public), "--require-attestation"]).exits(0);
    assert_eq!(told(&finished), "PASS agrees");
    assert_eq!(finished.json()["tasks"][0]["there"]["provenance"], "trusted");
    let of_others = ci(&checked_out(&local), &["--local-key", path(&other)]).exits(1);
    assert_eq!(told(&of_others), "FAIL tampered tampered!");
    assert!(of_others.stdout.contains("is signed by others: signature: signed by"), "{}", of_others.stdout);
    assert_eq!(ci(&checked_out(&local), &[]).exits(0).json()["tasks"][0]["there"]["provenance"], "unknown-key");

    // The statements alone, somewhere else.
    let statements = outside.path().join("local.intoto.jsonl");
    fs::copy(local.path("evidence/T001/attestation.intoto.jsonl"), &statements).unwrap();
    let there = checked_out(&local);
    fs::remove_dir_all(there.path("evidence")).unwrap();
    let by_statements = ["--attestation", path(&statements), "--local-key", path(&public), "--require-attestation"];
    assert_eq!(told(&ci(&there, &by_statements).exits(0)), "PASS agrees");
    red(&there);
    assert_eq!(told(&ci(&there, &by_statements).exits(1)), "FAIL differs passed-only-there! check-passed-only-there!");
    green(&there);
    let wanted_other = ["--attestation", path(&statements), "--local-key", path(&other)];
    assert_eq!(told(&ci(&there, &wanted_other).exits(1)), "FAIL tampered tampered!");
    // One character of a payload.
    let text = fs::read_to_string(&statements).unwrap().replacen("\"payload\":\"ey", "\"payload\":\"eX", 2);
    fs::write(&statements, text).unwrap();
    assert_eq!(told(&ci(&there, &by_statements).exits(1)), "BLOCKED unverifiable unverifiable!");

    // Unsigned evidence, where a signature is asked for.
    let unsigned = project();
    unsigned.referee(&["run", "-q"]).exits(0);
    assert_eq!(
        told(&ci(&checked_out(&unsigned), &["--local-key", path(&public)]).exits(1)),
        "BLOCKED unverifiable unverifiable!"
    );
}

#[test]
fn the_evidence_of_the_run_is_copied_where_it_is_asked_for_and_takes_nobodys_place() {
    let there = project();
    let outside = tempfile::tempdir().unwrap();
    let directory = outside.path().canonicalize().unwrap().join("out");
    ci(&there, &["--evidence", path(&directory)]).exits(0);
    there.referee(&["evidence", "verify", "--replay", path(&directory.join("T001"))]).exits(0);
    assert_eq!(
        fs::read(directory.join("T001/seal.json")).unwrap(),
        fs::read(there.path("evidence/T001/seal.json")).unwrap()
    );
    let before = there.report("T001");
    let refused = ci(&there, &["--evidence", path(&directory)]).exits(2);
    assert!(refused.json()["problem"].as_str().unwrap().contains("already exists"), "{}", refused.stdout);
    assert_eq!(there.report("T001"), before, "nothing ran");
}

/// Runs with the files that GitHub gives a step, and returns what was written to them: outputs and summary.
fn on_github(workspace: &Workspace, arguments: &[&str]) -> (Finished, String, String) {
    let files = tempfile::tempdir().unwrap();
    let (outputs, summary) = (files.path().join("output"), files.path().join("summary"));
    fs::write(&outputs, "before=1\n").unwrap();
    let mut command = workspace.command(arguments);
    command.env("GITHUB_OUTPUT", &outputs).env("GITHUB_STEP_SUMMARY", &summary);
    let finished = crate::support::finish(command.spawn().unwrap());
    (finished, fs::read_to_string(outputs).unwrap(), fs::read_to_string(summary).unwrap_or_default())
}

#[test]
fn on_github_what_blocks_is_annotated_and_summary_and_outputs_are_written() {
    let local = project();
    local.referee(&["run", "-q"]).exits(0);
    let there = checked_out(&local);
    red(&there);
    let (finished, outputs, summary) = on_github(&there, &["ci", "--format", "github"]);
    let finished = finished.exits(1);
    assert!(finished.stdout.lines().all(|line| line.starts_with("::")), "{}", finished.stdout);
    assert!(finished.stdout.contains("::error title=attestation::"), "{}", finished.stdout);
    let report = there.path("evidence/T001/execution-report.json");
    assert_eq!(
        outputs,
        format!("before=1\ndecision=FAIL\nexit-code=1\nreport={}\nagreement=differs\n", report.display())
    );
    assert!(summary.starts_with("## Referee: FAIL\n") && summary.contains("### What blocks"), "{summary}");

    let (finished, outputs, _) = on_github(&project(), &["ci", "--format", "github"]);
    assert!(finished.exits(0).stdout.contains("::notice title=Referee%3A PASS::"));
    assert!(outputs.contains("decision=PASS\n"), "{outputs}");

    // Without a specification nothing is judged, which is said there, too.
    let (finished, outputs, summary) = on_github(&Workspace::new(), &["ci", "--format", "github"]);
    assert!(finished.exits(3).stdout.starts_with("::error title=Referee%3A BLOCKED::"));
    assert!(outputs.contains("decision=BLOCKED\nexit-code=3\n") && summary.contains("BLOCKED"), "{outputs} {summary}");
}

/// The scripts of a composite action, in order.
fn scripts(action: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut depth = None;
    for line in action.lines() {
        let indent = line.len() - line.trim_start().len();
        if depth.is_some_and(|depth| indent <= depth && !line.trim().is_empty()) {
            depth = None;
        }
        if depth.is_some() {
            let script = found.last_mut().unwrap();
            script.push_str(line);
            script.push('\n');
        } else if line.trim() == "run: |" {
            depth = Some(indent);
            found.push(String::new());
        }
    }
    found
}

fn bash(script: &str, directory: &Path, variables: &[(&str, &str)]) -> Output {
    Command::new("bash")
        .args(["--noprofile", "--norc", "-c", script])
        .current_dir(directory)
        .env_clear()
        .envs(["PATH", "HOME"].into_iter().filter_map(|name| Some((name, std::env::var(name).ok()?))))
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

#[test]
fn the_action_is_well_formed_pins_what_it_uses_and_its_steps_run() {
    let action = fs::read_to_string(repository().join("action.yml")).unwrap();
    let well_formed =
        Workspace::with("checks:\n  action: { file: action.yml, valid: yaml }\n").file("action.yml", &action);
    well_formed.referee(&["run", "-q"]).exits(0);
    for line in action.lines().filter(|line| line.trim_start().starts_with("uses:")) {
        let pin = line.rsplit('@').next().unwrap();
        assert!(pin.len() == 40 && pin.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
    }
    let scripts = scripts(&action);
    assert_eq!(scripts.len(), 2);
    for script in &scripts {
        // What is typed by others reaches a script as a variable, never as its text.
        assert!(!script.contains("${{"), "{script}");
        let read = Command::new("bash").args(["-n", "-c", script]).output().unwrap();
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    }

    let there = project();
    let runner = tempfile::tempdir().unwrap();
    let outputs = runner.path().join("output");
    let given = |more: &[(&str, &str)]| -> Vec<(String, String)> {
        let own = [("RUNNER_TEMP", path(runner.path())), ("GITHUB_OUTPUT", path(&outputs))];
        own.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let run = |script: &str, more: &[(&str, &str)]| {
        let variables = given(more);
        let variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        bash(script, &there.path(""), &variables)
    };
    let placed = run(&scripts[0], &[("INPUT_PATH", path(program())), ("INPUT_UPLOAD", "True")]);
    assert!(placed.status.success(), "{}", String::from_utf8_lossy(&placed.stderr));
    let told = fs::read_to_string(&outputs).unwrap();
    let output = |name: &str| told.lines().find_map(|line| line.strip_prefix(&format!("{name}="))).unwrap().to_owned();
    assert_eq!(output("upload"), "true");
    let (program, evidence, state) = (output("program"), output("evidence"), there.state());
    let head = git(&there.path(""), &["rev-parse", "HEAD"]);
    let inputs = [
        ("INPUT_PROGRAM", program.as_str()),
        ("INPUT_EVIDENCE", evidence.as_str()),
        ("INPUT_SPECIFICATION", "referee.yaml"),
        ("INPUT_KEY", ""),
        ("INPUT_TRUSTED", head.as_str()),
        ("INPUT_SANDBOX", "off"),
        ("INPUT_ATTESTATION", ""),
        ("INPUT_LOCAL_KEY", ""),
        ("INPUT_REQUIRE", "false"),
        ("INPUT_ARGS", "--jobs\n2\n"),
        ("REFEREE_STATE_DIR", path(&state)),
    ];
    let ran = run(&scripts[1], &inputs);
    assert!(ran.status.success(), "{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(fs::read_to_string(&outputs).unwrap().contains("decision=PASS\n"));
    assert!(Path::new(&evidence).join("T001/seal.json").is_file());

    // The step fails as Referee does.
    red(&there);
    let required = inputs.map(|(name, value)| match name {
        "INPUT_REQUIRE" => (name, "True"),
        "INPUT_EVIDENCE" => (name, path(runner.path())),
        _ => (name, value),
    });
    assert_eq!(run(&scripts[1], &required).status.code(), Some(1));
    assert!(fs::read_to_string(&outputs).unwrap().contains("decision=FAIL\n"));
    // What is neither yes nor no, and an argument on a line of its own that is none, end it.
    for (wrong, value) in [("INPUT_REQUIRE", "maybe"), ("INPUT_ARGS", "--jobs 2\n--no-such-option")] {
        let inputs = required.map(|(name, given)| (name, if name == wrong { value } else { given }));
        assert_eq!(run(&scripts[1], &inputs).status.code(), Some(2), "{wrong}");
    }
}

/// A pre-commit that is installed once for all test runs. None: the network does not give it.
fn pre_commit() -> Option<PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pre-commit");
    let program = directory.join("bin/pre-commit");
    let works = || Command::new(&program).arg("--version").output().is_ok_and(|output| output.status.success());
    if works() {
        return Some(program);
    }
    let made = Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&directory)
        .output()
        .is_ok_and(|output| output.status.success());
    let pip = directory.join("bin/pip");
    let installed = made
        && Command::new(pip)
            .args(["install", "--quiet", "pre-commit==4.7.0"])
            .output()
            .is_ok_and(|output| output.status.success());
    (installed && works()).then_some(program)
}

#[test]
fn the_hooks_are_well_formed_and_pre_commit_runs_them() {
    let hooks = repository().join(".pre-commit-hooks.yaml");
    let script = repository().join(".ci/pre-commit");
    let text = fs::read_to_string(&hooks).unwrap();
    for (key, times) in [
        ("- id: referee-", 2),
        ("  entry: .ci/pre-commit ", 2),
        ("  pass_filenames: false", 2),
        ("  stages: [", 2),
        ("  language: script", 2),
    ] {
        assert_eq!(text.matches(key).count(), times, "{key}");
    }
    let read = Command::new("bash").arg("-n").arg(&script).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let Some(pre_commit) = pre_commit() else {
        skipped("pre-commit could not be installed");
        return;
    };

    // The repository of the hooks, without the rest of it.
    let own = tempfile::tempdir().unwrap();
    fs::create_dir(own.path().join(".ci")).unwrap();
    fs::copy(&hooks, own.path().join(".pre-commit-hooks.yaml")).unwrap();
    fs::copy(&script, own.path().join(".ci/pre-commit")).unwrap();
    git(own.path(), &["init", "-q"]);
    git(own.path(), &["add", "-A"]);
    git(own.path(), &["commit", "-q", "-m", "hooks"]);
    let revision = git(own.path(), &["rev-parse", "HEAD"]);

    let there = project();
    there.write(
        ".pre-commit-config.yaml",
        format!(
            "repos:\n- repo: {}\n  rev: {revision}\n  hooks:\n  - id: referee-check\n  - id: referee-gate\n",
            own.path().display()
        ),
    );
    git(&there.path(""), &["add", ".pre-commit-config.yaml"]);
    let home = tempfile::tempdir().unwrap();
    let run = || {
        let search = format!("{}:{}", path(program().parent().unwrap()), std::env::var("PATH").unwrap());
        let output = Command::new(&pre_commit)
            .args(["run", "--all-files", "--color", "never"])
            .current_dir(there.path(""))
            .env_remove("GIT_DIR")
            .env("PATH", search)
            .env("PRE_COMMIT_HOME", home.path())
            .env("REFEREE_STATE_DIR", there.state())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, told) = run();
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.contains("referee check") && told.contains("referee gate") && told.matches("Passed").count() == 2,
        "{told}"
    );
    // Another tree, since a verdict that was recorded for the same one answers.
    red(&there);
    there.write("src/a.js", "exports.add = () => 3;\n");
    let (code, told) = run();
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("- exit code: 1"), "{told}");
}

#[test]
fn where_nothing_ran_the_document_says_so_alone_on_standard_output() {
    let broken = Workspace::with("checks:\n  a: { ru: x }\n");
    let finished = ci(&broken, &[]).exits(3);
    let document: Value = finished.json();
    assert_eq!((document["decision"].clone(), document["exitCode"].clone()), ("BLOCKED".into(), 3.into()));
    assert!(document["tasks"].as_array().unwrap().is_empty() && !finished.stderr.is_empty());
}
