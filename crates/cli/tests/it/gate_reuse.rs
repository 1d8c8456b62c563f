//! Recorded verdicts: reused where nothing that they rest on has changed, and in no other case, whatever an agent does.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Finished, Workspace, edit, finish, git};

/// A project whose one check calls a program that counts its calls, and that lies outside the workspace.
pub(crate) struct Counted {
    pub(crate) workspace: Workspace,
    outside: TempDir,
}

impl Counted {
    /// One whose checks pass, but for those that are added.
    pub(crate) fn new(more: &str) -> Self {
        let counted = Self { workspace: Workspace::new(), outside: tempfile::tempdir().unwrap() };
        fs::create_dir(counted.outside("bin")).unwrap();
        counted.program("bin/tool", "echo called >> \"$0.calls\"");
        let checks = "checks:\n  tool: tool\n  built: { file: dist/out.js }\n";
        counted.workspace.write("referee.yaml", format!("{checks}{more}"));
        counted.workspace.write("src/a.js", "1\n");
        counted.workspace.write("dist/out.js", "2\n");
        counted.workspace.write(".gitignore", "evidence/\ndist/\n*.local\n");
        counted.git(&["init", "-q"]);
        counted.git(&["add", "."]);
        counted.git(&["commit", "-qm", "start"]);
        counted
    }

    /// One with a verdict that is reused.
    fn recorded(more: &str) -> Self {
        let counted = Self::new(more);
        counted.referee(&["run", "-q"]).exits(0);
        counted.is_reused();
        counted
    }

    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.outside.path().canonicalize().unwrap().join(name)
    }

    fn program(&self, name: &str, line: &str) {
        let path = self.outside(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{line}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.workspace.command(arguments);
        command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.outside("bin").display()));
        command
    }

    pub(crate) fn referee(&self, arguments: &[&str]) -> Finished {
        finish(self.command(arguments).spawn().unwrap())
    }

    fn gate(&self) -> Value {
        self.referee(&["gate", "--format", "json"]).json()
    }

    /// How often the program was called.
    pub(crate) fn calls(&self) -> usize {
        fs::read_to_string(self.outside("bin/tool.calls")).unwrap_or_default().lines().count()
    }

    #[track_caller]
    fn is_reused(&self) {
        let before = self.calls();
        let answer = self.gate();
        assert_eq!(answer["basis"], "recorded", "{answer:#}");
        assert_eq!(self.calls(), before, "nothing ran");
    }

    /// Asks, and makes sure that no recorded verdict answered, for a reason that says this.
    #[track_caller]
    fn is_not_reused(&self, reason: &str) -> Value {
        let answer = self.gate();
        assert_eq!(why(&answer).map(|why| why.contains(reason)), Some(true), "{reason}: {answer:#}");
        assert_ne!(answer["basis"], "recorded");
        answer
    }

    fn git(&self, arguments: &[&str]) {
        git(&self.workspace.path(""), arguments);
    }

    /// The one receipt in the state directory.
    fn receipt(&self) -> PathBuf {
        let directory = fs::read_dir(self.workspace.state().join("receipts")).unwrap();
        let mut paths = directory.map(|entry| entry.unwrap().path());
        paths.find(|path| path.extension().is_some_and(|extension| extension == "json")).unwrap()
    }
}

/// Why no recorded verdict answered. None: one did, or nobody says.
fn why(answer: &Value) -> Option<&str> {
    let notes = answer["notes"].as_array().unwrap().iter();
    notes.filter_map(Value::as_str).find_map(|note| note.strip_prefix("no recorded verdict was reused: "))
}

/// A task of a specification with several, whose one check is this command.
pub(crate) fn task(id: &str, command: &str) -> Value {
    json!({
        "taskId": id,
        "title": format!("the task {id}"),
        "description": "A task of a specification with several, described at the length that is asked for.",
        "validationCriteria": {
            "successConditions": [{ "condition": "STEP.1.success === true", "description": "it works" }]
        },
        "completionCriteria": { "allStepsMustPass": true },
        "testExecution": { "steps": [{
            "actionId": "STEP.1",
            "type": "TERMINAL_COMMAND",
            "description": "the tool that is counted",
            "parameters": { "command": command, "workingDirectory": "." },
        }] },
    })
}

#[test]
fn a_pass_is_reused_as_long_as_nothing_changes_and_never_where_a_run_is_asked_for() {
    let counted = Counted::new("");
    let first = counted.gate();
    assert_eq!((&first["decision"], &first["basis"]), (&"PASS".into(), &"ran".into()));
    assert_eq!(why(&first), Some("no earlier run left a verdict that may be reused"));
    counted.is_reused();
    counted.referee(&["gate"]).exits(0);
    counted.is_reused();
    assert_eq!(counted.calls(), 1);
    let anew = counted.referee(&["gate", "--no-reuse", "--format", "json"]).exits(0).json();
    assert_eq!((&anew["basis"], why(&anew), counted.calls()), (&"ran".into(), None, 2));
    counted.referee(&["run", "-q"]).exits(0);
    counted.is_reused();
}

#[test]
fn a_failure_is_reused_with_its_causes_and_never_becomes_a_pass() {
    let counted = Counted::new("  wanted: { file: src/b.js }\n");
    let ran = counted.referee(&["gate", "--format", "json"]).exits(1).json();
    let recorded = counted.referee(&["gate", "--format", "json"]).exits(1).json();
    assert_eq!((&ran["basis"], &recorded["basis"]), (&"ran".into(), &"recorded".into()));
    for key in ["decision", "exitCode", "causes", "causesInAll", "next"] {
        assert_eq!(ran[key], recorded[key], "{key}");
    }
    assert!(recorded["causes"][0]["message"].as_str().unwrap().contains("src/b.js"), "{recorded:#}");
    counted.workspace.write("src/b.js", "");
    counted.is_not_reused("src/b.js has changed");
    counted.referee(&["gate"]).exits(0);
}

#[test]
fn whatever_it_rests_on_and_is_changed_has_the_checks_run() {
    type Change = fn(&Counted);
    let rows: [(&str, Change); 16] = [
        ("the inputs have changed: src/a.js (modified)", |counted| counted.workspace.write("src/a.js", "3\n")),
        ("the inputs have changed: src/new.js (added)", |counted| counted.workspace.write("src/new.js", "")),
        ("the inputs have changed: src/a.js (removed)", |counted| {
            fs::remove_file(counted.workspace.path("src/a.js")).unwrap();
        }),
        ("the specification has changed", |counted| {
            edit(&counted.workspace.path("referee.yaml"), |text| format!("{text}# less\n"));
        }),
        ("dist/out.js has changed", |counted| counted.workspace.write("dist/out.js", "3\n")),
        ("dist/out.js has changed", |counted| fs::remove_file(counted.workspace.path("dist/out.js")).unwrap()),
        ("bin/tool has changed", |counted| counted.program("bin/tool", "echo called >> \"$0.calls\"; :")),
        ("installed dependencies have changed", |counted| {
            counted.workspace.write("node_modules/.package-lock.json", "{}");
        }),
        ("installed dependencies have changed", |counted| counted.workspace.write(".env.local", "MODE=easy\n")),
        ("there are waivers", |counted| counted.workspace.write(".referee/waivers/junk.json", "{}")),
        ("the evidence of the latest run is gone", |counted| {
            fs::remove_dir_all(counted.workspace.path("evidence/T001")).unwrap();
        }),
        ("does not match its seal", |counted| {
            edit(&counted.workspace.path("evidence/T001/run.json"), |text| format!("{text} "));
        }),
        ("does not match its seal", |counted| counted.workspace.write("evidence/T001/more.json", "{}")),
        ("is not the latest run of its chain", |counted| {
            edit(&counted.workspace.path("evidence/T001/seal.json"), |text| format!("{text} "));
        }),
        ("cannot read", |counted| fs::write(counted.receipt(), "{\"receiptVersion\"").unwrap()),
        ("left a verdict that may be reused", |counted| fs::remove_file(counted.receipt()).unwrap()),
    ];
    for (reason, change) in rows {
        let counted = Counted::recorded("");
        change(&counted);
        let before = counted.calls();
        counted.is_not_reused(reason);
        assert_eq!(counted.calls(), before + 1, "{reason}");
    }
}

#[test]
fn a_program_that_is_put_in_front_of_another_is_not_overlooked() {
    let counted = Counted::new("");
    let path = format!("{}:{}:/usr/bin:/bin", counted.outside("first").display(), counted.outside("bin").display());
    let gate = || finish(counted.command(&["gate", "--format", "json"]).env("PATH", &path).spawn().unwrap()).json();
    gate();
    assert_eq!(gate()["basis"], "recorded");
    counted.program("first/tool", ":");
    let answer = gate();
    assert_eq!(why(&answer), Some("STEP.1 would start other programs"), "{answer:#}");
}

#[test]
fn variables_that_commands_are_passed_must_be_the_same_and_others_reach_nobody() {
    let counted = Counted::recorded("");
    let with = |name: &str, value: &str| {
        finish(counted.command(&["gate", "--format", "json"]).env(name, value).spawn().unwrap()).json()
    };
    // No command is given it, so it makes no difference to any run.
    assert_eq!(with("NODE_OPTIONS", "--require ./evil.js")["basis"], "recorded");
    assert_eq!(with("REFEREE_SOMETHING", "else")["basis"], "recorded");
    let answer = with("PYENV_VERSION", "pypy-nine");
    assert_eq!(why(&answer), Some("the variables that commands are passed have changed"), "{answer:#}");
    // Where it is declared it is passed on, and the specification is another one.
    edit(&counted.workspace.path("referee.yaml"), |text| {
        format!("{text}env: {{ NODE_OPTIONS: --require ./evil.js }}\n")
    });
    counted.is_not_reused("the specification has changed");
    // What is kept tells nobody a value.
    let receipt = fs::read_to_string(counted.receipt()).unwrap();
    assert!(!receipt.contains("evil.js") && !receipt.contains("pypy"), "{receipt}");
}

#[test]
fn an_old_pass_that_is_put_back_over_a_failure_answers_nothing() {
    let counted = Counted::recorded("");
    let (evidence, kept) = (counted.workspace.path("evidence/T001"), counted.outside("kept"));
    crate::support::copy(&evidence, &kept);
    let receipt = fs::read(counted.receipt()).unwrap();
    fs::remove_file(counted.workspace.path("dist/out.js")).unwrap();
    counted.referee(&["gate"]).exits(1);
    fs::remove_dir_all(&evidence).unwrap();
    crate::support::copy(&kept, &evidence);
    counted.is_not_reused("is not the latest run of its chain");
    // Nor does the old receipt, where the agent could write it.
    fs::write(counted.receipt(), receipt).unwrap();
    counted.is_not_reused("a later run left no verdict that may be reused");
    counted.referee(&["gate"]).exits(1);
}

#[test]
fn a_receipt_that_says_otherwise_than_the_sealed_report_answers_nothing() {
    let counted = Counted::new("  wanted: { file: src/b.js }\n");
    counted.referee(&["gate"]).exits(1);
    edit(&counted.receipt(), |text| {
        let mut receipt: Value = serde_json::from_str(&text).unwrap();
        let verdict = &mut receipt["verdict"];
        verdict["task"]["decision"] = "PASS".into();
        verdict["task"]["exitCode"] = 0.into();
        verdict["causes"] = Value::Array(Vec::new());
        verdict["snapshot"]["passed"] = true.into();
        receipt.to_string()
    });
    let answer = counted.is_not_reused("not what the sealed report says");
    assert_eq!(answer["decision"], "FAIL");
}

#[test]
fn runs_that_may_come_out_otherwise_are_never_reused() {
    let rows = [
        ("  asks: { http: \"http://127.0.0.1:9/\", status: 200 }\n", "a check asks a server"),
        ("services:\n  web: { run: sleep 60, ready: \"http://127.0.0.1:9/\", timeout: 1s }\n", "checks need a service"),
        ("  some: { file: \"src/*.js\" }\n", "by a pattern"),
        ("  slow: { run: sleep 60, timeout: 100ms }\n", "left a verdict that may be reused"),
        ("  broken: exit 9\n", "left a verdict that may be reused"),
        ("  writes: date +%N >> src/a.js\n", "left a verdict that may be reused"),
        ("profile: smoke\n", "left a verdict that may be reused"),
    ];
    for (more, reason) in rows {
        let counted = Counted::new(more);
        counted.gate();
        counted.is_not_reused(reason);
    }
    // A run of a part says nothing of the whole.
    let counted = Counted::recorded("");
    counted.referee(&["run", "-q", "--only", "tool"]).exits(0);
    counted.is_not_reused("a later run left no verdict");
    counted.is_reused();
    // One in a tree that was built for it says nothing of the workspace.
    counted.referee(&["gate", "--clean-room"]);
    counted.is_not_reused("a later run left no verdict");
}

#[test]
fn a_later_run_that_died_leaves_nothing_to_be_reused() {
    let counted = Counted::recorded("");
    counted.program("bin/tool", "echo called >> \"$0.calls\"; while [ ! -e \"$0.go\" ]; do sleep 0.02; done");
    let mut run = counted.command(&["run", "-q"]).spawn().unwrap();
    crate::support::wait_until("the check runs", || counted.calls() == 2);
    run.kill().unwrap();
    run.wait().unwrap();
    // The tool is as it was again; the run that died is not forgotten.
    counted.program("bin/tool", "echo called >> \"$0.calls\"");
    fs::write(counted.outside("bin/tool.go"), "").unwrap();
    counted.is_not_reused("a later run of the task goes on, or died");
    counted.is_reused();
}

#[test]
fn how_the_run_was_made_must_be_how_it_is_asked_for() {
    let counted = Counted::new("");
    // Calls are counted outside the workspace, where nobody in a sandbox may write.
    counted.program("bin/tool", ":");
    counted.referee(&["run", "-q"]).exits(0);
    counted.is_reused();
    let answer = counted.referee(&["gate", "--format", "json", "--sandbox=on"]).json();
    assert_eq!(why(&answer), Some("commands are to be confined in another way"), "{answer:#}");
    counted.is_not_reused("commands are to be confined in another way");
    counted.is_reused();
    let trusted = |reference: &str| counted.referee(&["gate", "--format", "json", "--trusted", reference]).json();
    assert_eq!(why(&trusted("HEAD")), Some("what protected files are compared with has changed"));
    assert_eq!(trusted("HEAD")["basis"], "recorded");
    counted.git(&["commit", "-q", "--allow-empty", "-m", "another"]);
    assert_eq!(why(&trusted("HEAD")), Some("what protected files are compared with has changed"));
    counted.referee(&["lock"]).exits(0);
    counted.is_not_reused("");
    counted.is_reused();
}

#[test]
fn a_protected_file_that_is_no_input_is_held_against_the_lock_each_time() {
    let counted = Counted::new("protect: { frozen: [settings.local] }\n");
    counted.workspace.write("settings.local", "strict\n");
    counted.referee(&["lock"]).exits(0);
    counted.referee(&["run", "-q"]).exits(0);
    counted.is_reused();
    counted.workspace.write("settings.local", "lenient\n");
    let answer = counted.referee(&["gate", "--format", "json"]).exits(3).json();
    assert_eq!(why(&answer), Some("protected files have changed"), "{answer:#}");
    assert_eq!(answer["decision"], "BLOCKED");
    counted.workspace.write("settings.local", "strict\n");
    counted.referee(&["gate"]).exits(0);
}

#[test]
fn a_signed_run_is_reused_with_its_signature_and_a_signer_is_demanded_where_one_is_named() {
    let counted = Counted::recorded("");
    let key = counted.outside("key.pem");
    let key = key.to_str().unwrap();
    counted.referee(&["key", "new", "--out", key]).exits(0);
    let signed = || counted.referee(&["gate", "--format", "json", "--key", key]).json();
    assert_eq!(why(&signed()), Some("the recorded run is not signed by the key that is to sign"));
    assert_eq!(signed()["basis"], "recorded");
    // Nobody is asked for: what is signed is good enough.
    counted.is_reused();
    let attestation = counted.workspace.path("evidence/T001/attestation.intoto.jsonl");
    let bytes = fs::read(&attestation).unwrap();
    edit(&attestation, |text| text.replacen("\"sig\":\"", "\"sig\":\"AAAA", 1));
    counted.is_not_reused("the signature of the recorded run is invalid");
    signed();
    fs::write(&attestation, bytes).unwrap();
    counted.is_not_reused("the signature of the recorded run is invalid");
    signed();
    fs::remove_file(&attestation).unwrap();
    counted.is_not_reused("the signature of the recorded run is invalid");
}

#[test]
fn without_a_state_directory_nothing_is_reused() {
    let counted = Counted::new("");
    for _ in 0..2 {
        let mut command = counted.command(&["gate", "--format", "json"]);
        command.env_remove("REFEREE_STATE_DIR").env_remove("XDG_STATE_HOME").env_remove("HOME");
        let answer = finish(command.spawn().unwrap()).exits(0).json();
        assert_eq!(why(&answer), Some("there is no directory for the user's state"), "{answer:#}");
    }
    assert_eq!(counted.calls(), 2);
}

#[test]
fn all_tasks_of_a_specification_answer_from_their_records_or_all_run() {
    let counted = Counted::new("");
    let task = |id: &str| task(id, "tool");
    let tasks = json!({ "T001": task("T001"), "T002": task("T002") });
    let specification = json!({ "schemaVersion": "2.0.0", "tasks": tasks });
    counted.workspace.write("referee.yaml", specification.to_string());
    let first = counted.gate();
    assert_eq!((&first["decision"], first["tasks"].as_array().unwrap().len()), (&"PASS".into(), 2), "{first:#}");
    counted.is_reused();
    fs::remove_dir_all(counted.workspace.path("evidence/T002")).unwrap();
    counted.is_not_reused("T002: the evidence of the latest run is gone");
    counted.is_reused();
}

#[test]
fn what_is_no_input_by_the_word_of_whoever_works_there_is_not_overlooked() {
    let counted = Counted::new("");
    let target = counted.outside("data");
    fs::write(&target, "one").unwrap();
    std::os::unix::fs::symlink(&target, counted.workspace.path("src/link")).unwrap();
    counted.referee(&["run", "-q"]).exits(0);
    counted.is_reused();
    fs::write(&target, "two").unwrap();
    counted.is_not_reused("what a link among the inputs leads to has changed");

    counted.workspace.write(".git/info/exclude", "bad.txt\n");
    counted.workspace.write("bad.txt", "");
    counted.is_not_reused("the inputs have changed: .git/info/exclude (added)");
    counted.is_reused();
    counted.workspace.write(".git/info/exclude", "");
    counted.is_not_reused("the inputs have changed");

    let (index, aside) = (counted.workspace.path(".git/index"), counted.workspace.path(".git/aside"));
    fs::rename(&index, &aside).unwrap();
    counted.is_not_reused("git's index cannot be read");
    let answer = counted.is_not_reused("no verdict");
    assert!(
        answer["notes"].to_string().contains("no verdict of T001 is reused: which files are inputs is not known"),
        "{answer:#}"
    );
    fs::rename(&aside, &index).unwrap();
    counted.referee(&["run", "-q"]).exits(0);
    counted.is_reused();
    counted.git(&["update-index", "--split-index"]);
    counted.is_not_reused("it is a split index");
}

#[test]
fn an_input_that_is_changed_and_changed_back_leaves_nothing_to_be_reused_and_a_tool_that_writes_clean_files_is_no_fault()
 {
    // What the check saw is not what is left: the next question has it run again.
    let counted = Counted::new("");
    counted.workspace.write("lib", "bad\n");
    counted.program(
        "bin/tool",
        "echo called >> \"$0.calls\"; echo good > lib; grep -q good lib; code=$?; echo bad > lib; exit $code",
    );
    assert_eq!(counted.gate()["basis"], "ran");
    counted.is_not_reused("no earlier run left a verdict that may be reused");
    let notices = counted.workspace.report("T001").to_string();
    assert!(notices.contains("hold what they held before: lib"), "{notices}");

    // Formatters write what they find.
    let clean = Counted::new("  last: \"grep -q 1 src/a.js\"\n");
    clean.program("bin/tool", "cp src/a.js src/b.js && mv src/b.js src/a.js");
    assert_eq!(clean.gate()["decision"], "PASS");
}

#[test]
fn a_file_outside_the_workspace_that_a_command_names_is_held_too() {
    // One that nobody touched for long is the one that the run saw; one that was just made, and a directory, may be
    // another.
    Counted::recorded("  named: test -e /etc/passwd 2>/dev/null\n");
    let counted = Counted::new("");
    let script = counted.outside("check.sh");
    fs::write(&script, "exit 0\n").unwrap();
    for named in [format!("sh {}", script.display()), format!("ls {}", counted.outside("bin").display())] {
        edit(&counted.workspace.path("referee.yaml"), |text| format!("{text}  more: {named}\n"));
        counted.referee(&["gate"]).exits(0);
        counted.is_not_reused("left a verdict that may be reused");
        edit(&counted.workspace.path("referee.yaml"), |text| text.replace(&format!("  more: {named}\n"), ""));
    }
}

#[test]
fn a_run_of_an_enrolled_project_is_held_against_the_commit_that_the_gate_asks_for() {
    let counted = Counted::new("");
    counted.referee(&["enroll", "--trusted", "HEAD"]).exits(0);
    counted.referee(&["run", "-q"]).exits(0);
    counted.is_reused();
    // The same commit by another name is the same.
    counted.referee(&["gate", "--trusted", "HEAD~0", "--format", "json"]).exits(0);
    assert!(!counted.workspace.report("T001").to_string().contains("are compared with the commit"));
    counted.git(&["commit", "-q", "--allow-empty", "-m", "another"]);
    counted.referee(&["run", "--trusted", "HEAD"]).exits(0);
    assert!(counted.workspace.report("T001").to_string().contains("are compared with the commit"));
}

#[test]
fn a_product_of_the_checks_that_keeps_verdicts_from_being_reused_is_named() {
    let checks = "checks:\n  unit: 'date +%N > report.xml; true'\n";
    let workspace = Workspace::with(checks);
    let ask = || workspace.referee(&["gate", "--format", "json"]).exits(0).json();
    let first = ask()["notes"].to_string();
    assert!(
        first.contains("no verdict of this run of T001 is reused") && first.contains("report.xml (added)"),
        "{first}"
    );
    let second = ask();
    let why = why(&second).unwrap();
    assert!(why.contains("left a verdict") && why.contains("report.xml") && why.contains("`outputs`"), "{why}");
    workspace.write("referee.yaml", format!("{checks}outputs: [report.xml]\n"));
    ask();
    assert_eq!(ask()["basis"], "recorded");
}
