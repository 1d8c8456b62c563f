//! What stays on disk, and what happens to it: tampering, dead runs, secrets.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use crate::support::{Workspace, action, finish, processes_with, wait_until};

const TWO_CHECKS: &str = "checks:\n  speak: 'echo hello; echo aside >&2'\n  look: { file: referee.yaml, minSize: 1 }\n";

fn sealed() -> Workspace {
    let workspace = Workspace::with(TWO_CHECKS);
    workspace.referee(&["run", "-q"]).exits(0);
    workspace
}

#[test]
fn a_run_leaves_report_plan_run_journal_seal_and_a_record_and_log_for_each_action() {
    let workspace = sealed();
    let names: Vec<String> = workspace.evidence("T001").into_keys().collect();
    assert_eq!(
        names,
        [
            "STEP.1-speak.json",
            "STEP.1-speak.log",
            "STEP.2-look.json",
            "debt-standing.json",
            "execution-report.json",
            "journal.jsonl",
            "plan.json",
            "run.json",
            "seal.json",
            "technical-debt-data.json",
        ]
    );
    assert_eq!(workspace.staged("T001"), Vec::<std::path::PathBuf>::new());
}

type Change = fn(&Workspace);

#[test]
fn every_kind_of_change_after_the_seal_is_found_and_named() {
    let directory = "evidence/T001";
    let changes: [(&str, Change); 8] = [
        ("STEP.1-speak.log", |workspace| workspace.write("evidence/T001/STEP.1-speak.log", "hullo\naside\n")),
        ("execution-report.json", |workspace| {
            let path = workspace.path("evidence/T001/execution-report.json");
            fs::write(&path, fs::read_to_string(&path).unwrap().replace("\"SUCCESS\"", "\"Success\"")).unwrap();
        }),
        ("STEP.2-look.json", |workspace| fs::remove_file(workspace.path("evidence/T001/STEP.2-look.json")).unwrap()),
        ("extra.txt", |workspace| workspace.write("evidence/T001/extra.txt", "")),
        ("STEP.9-speak.log", |workspace| {
            fs::rename(
                workspace.path("evidence/T001/STEP.1-speak.log"),
                workspace.path("evidence/T001/STEP.9-speak.log"),
            )
            .unwrap();
        }),
        ("run.json", |workspace| {
            let (one, other) = (workspace.path("evidence/T001/run.json"), workspace.path("evidence/T001/plan.json"));
            let (first, second) = (fs::read(&one).unwrap(), fs::read(&other).unwrap());
            fs::write(&one, second).unwrap();
            fs::write(&other, first).unwrap();
        }),
        ("journal.jsonl", |workspace| {
            let path = workspace.path("evidence/T001/journal.jsonl");
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text.lines().skip(1).collect::<Vec<_>>().join("\n")).unwrap();
        }),
        ("STEP.1-speak.log", |workspace| {
            let path = workspace.path("evidence/T001/STEP.1-speak.log");
            let elsewhere = workspace.path("elsewhere.log");
            fs::rename(&path, &elsewhere).unwrap();
            symlink(&elsewhere, &path).unwrap();
        }),
    ];
    for (named, change) in changes {
        let workspace = sealed();
        workspace.referee(&["evidence", "verify", directory]).exits(0);
        change(&workspace);
        let finished = workspace.referee(&["evidence", "verify", directory, "--replay"]).exits(4);
        assert!(finished.stdout.contains(named), "{named}: {}", finished.stdout);
    }
}

#[test]
fn evidence_without_a_seal_is_not_verifiable() {
    let workspace = sealed();
    fs::remove_file(workspace.path("evidence/T001/seal.json")).unwrap();
    workspace.referee(&["evidence", "verify", "evidence/T001"]).exits(3);
    // Without a head of the chain nothing proves that the seal was another.
    workspace.write("evidence/T001/seal.json", "{ junk");
    fs::remove_dir_all(workspace.state().join("chains")).unwrap();
    workspace.referee(&["evidence", "verify", "evidence/T001"]).exits(3);
    workspace.referee(&["evidence", "verify", "nowhere"]).exits(2);
}

#[test]
fn a_resealed_forgery_is_caught_by_the_replay() {
    let workspace = Workspace::with("checks: {fails: exit 3}\n");
    workspace.referee(&["run", "-q"]).exits(6);
    let report = workspace.path("evidence/T001/execution-report.json");
    let forged =
        fs::read_to_string(&report).unwrap().replace("\"FAIL\"", "\"PASS\"").replace("EXECUTION_ERROR", "SUCCESS");
    // The forger also fits the seal to the new bytes; only the evidence itself still speaks against him.
    fs::write(&report, &forged).unwrap();
    let seal = workspace.path("evidence/T001/seal.json");
    let mut document: serde_json::Value = serde_json::from_slice(&fs::read(&seal).unwrap()).unwrap();
    let digest = sha256(&forged, &workspace);
    for file in document["files"].as_array_mut().unwrap() {
        if file["path"] == "execution-report.json" {
            file["bytes"] = forged.len().into();
            file["sha256"] = digest.clone().into();
        }
    }
    fs::write(&seal, serde_json::to_vec_pretty(&document).unwrap()).unwrap();
    let finished = workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(4);
    assert!(finished.stdout.contains("execution-report.json"), "{}", finished.stdout);
}

#[test]
fn documents_that_do_not_belong_together_are_caught_with_and_without_the_replay() {
    type Forgery = fn(&mut serde_json::Value);
    let forgeries: [(&str, Forgery); 3] = [
        ("another task", |seal| seal["taskId"] = "T777".into()),
        ("another plan", |seal| seal["planDigest"] = "0".repeat(64).into()),
        ("time", |seal| seal["sealedAt"] = "2001-01-01T00:00:00.000Z".into()),
    ];
    for (named, forge) in forgeries {
        let workspace = sealed();
        let path = workspace.path("evidence/T001/seal.json");
        let mut seal: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        forge(&mut seal);
        fs::write(&path, serde_json::to_vec_pretty(&seal).unwrap()).unwrap();
        for replay in [&["--replay"][..], &[]] {
            let finished = workspace.referee(&[&["evidence", "verify", "evidence/T001"], replay].concat()).exits(4);
            assert!(finished.told().contains(named), "{named}: {}", finished.stdout);
        }
    }
}

#[test]
fn a_copy_says_that_nothing_is_known_of_later_runs_and_another_tasks_name_is_caught() {
    let workspace = sealed();
    fs::create_dir(workspace.path("copies")).unwrap();
    for (name, code) in [("kept", 0), ("T002", 4)] {
        let copied = std::process::Command::new("cp")
            .args([
                "-r",
                workspace.path("evidence/T001").to_str().unwrap(),
                workspace.path(&format!("copies/{name}")).to_str().unwrap(),
            ])
            .status()
            .unwrap();
        assert!(copied.success());
        let finished = workspace.referee(&["evidence", "verify", &format!("copies/{name}"), "--replay"]).exits(code);
        assert!(finished.stdout.contains("T001"), "{}", finished.stdout);
    }
}

#[test]
fn an_action_that_swaps_or_changes_the_evidence_of_the_run_ends_without_a_verdict() {
    let attacks = [
        // The directory is replaced by one with the same files, and later output lands in the hidden one.
        "D=$(echo STAGING/*/T001/*); mv $D hidden; mkdir $D; cp hidden/* $D/",
        // An earlier log is rewritten, in the same length.
        "sed -i s/hello/howdy/ STAGING/*/T001/*/STEP.1-speak.log",
        // The journal gains a line.
        "D=$(echo STAGING/*/T001/*) && echo '{}' >> $D/journal.jsonl",
        // A file appears that no action left.
        "D=$(echo STAGING/*/T001/*) && touch $D/STEP.9-more.log",
        // The plan is put in the place of the run's own.
        "sed -i s/hello/howdy/ STAGING/*/T001/*/plan.json",
    ];
    for attack in attacks {
        // The directory lies outside the workspace; whoever may write there all the same is told.
        let workspace = Workspace::new();
        let attack = attack.replace("STAGING", workspace.state().join("staging").to_str().unwrap());
        let check = serde_json::Value::from(attack.as_str());
        workspace
            .write("referee.yaml", format!("checks:\n  speak: echo hello\n  attack: {check}\n  after: echo after\n"));
        let finished = workspace.referee(&["run"]).exits(74);
        assert!(!finished.stdout.contains("PASS"), "{attack}: {}", finished.stdout);
        assert!(!workspace.path("evidence/T001/seal.json").exists(), "{attack}: nothing was published");
    }
}

#[test]
fn an_older_pass_never_takes_the_place_of_a_newer_failure() {
    let workspace = Workspace::with(
        "checks: {a: 'if [ -e flag ]; then exit 1; fi; touch flag; until [ -e go ]; do sleep 0.05; done'}\n",
    );
    let older = workspace.command(&["run", "-q"]).spawn().unwrap();
    wait_until("the older run is under way", || workspace.path("flag").exists());
    workspace.referee(&["run", "-q"]).exits(6);
    workspace.write("go", "");
    finish(older).exits(0);
    assert_eq!(workspace.report("T001")["executionSummary"]["decision"], "FAIL");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn secrets_in_names_and_paths_are_nowhere_in_the_evidence() {
    let workspace = Workspace::with(
        "env: {DB_PASSWORD: hunter2hunter2}\nchecks:\n  hunter2hunter2: { file: hunter2hunter2.txt }\n  in: { run: 'true', cwd: hunter2hunter2 }\n",
    )
    .file("hunter2hunter2/x", "");
    let finished = workspace.referee(&["run", "--format", "jsonl"]).exits(1);
    for (name, bytes) in workspace.evidence("T001") {
        assert!(!name.contains("hunter2") && !String::from_utf8_lossy(&bytes).contains("hunter2"), "{name}");
    }
    assert!(!finished.stdout.contains("hunter2"), "{}", finished.stdout);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

/// The digest by a program that is not ours.
fn sha256(text: &str, workspace: &Workspace) -> String {
    workspace.write("forged", text);
    let output = std::process::Command::new("sha256sum").arg(workspace.path("forged")).output().unwrap();
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

#[test]
fn a_later_run_replaces_the_earlier_one_and_keeps_it_in_the_history() {
    let workspace = sealed();
    let first = workspace.report("T001")["authenticity"]["executionId"].as_str().unwrap().to_owned();
    workspace.referee(&["run", "-q"]).exits(0);
    let second = workspace.report("T001")["authenticity"]["executionId"].as_str().unwrap().to_owned();
    assert_ne!(first, second);
    let history = format!("evidence/.history/T001/{first}");
    workspace.referee(&["evidence", "verify", &history, "--replay"]).exits(0);
}

#[test]
fn a_run_that_was_killed_blocks_the_earlier_pass_until_the_task_is_run_again() {
    let workspace = sealed();
    workspace.write("referee.yaml", "checks:\n  wait: 'touch started; sleep 600'\n");
    let mut killed = workspace.command(&["run"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the check has started", || workspace.path("started").exists());
    killed.kill().unwrap();
    killed.wait().unwrap();

    let finished = workspace.referee(&["evidence", "verify", "evidence/T001"]).exits(3);
    assert!(finished.stdout.contains("never sealed"), "{}", finished.stdout);

    workspace.write("referee.yaml", TWO_CHECKS);
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    assert!(fs::read_dir(workspace.path("evidence/.history/T001")).unwrap().count() >= 2, "nothing is deleted");
}

#[test]
fn two_runs_of_one_task_at_once_do_not_mix() {
    let workspace = Workspace::with("checks: {a: 'echo a; sleep 0.3; echo b', b: 'echo c'}\n");
    let runs: Vec<_> = (0..4).map(|_| workspace.command(&["run", "-q"]).spawn().unwrap()).collect();
    for run in runs {
        finish(run).exits(0);
    }
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    let history: Vec<_> =
        fs::read_dir(workspace.path("evidence/.history/T001")).unwrap().map(|entry| entry.unwrap()).collect();
    assert_eq!(history.len(), 3);
    for run in history {
        let directory = format!("evidence/.history/T001/{}", run.file_name().to_str().unwrap());
        workspace.referee(&["evidence", "verify", &directory, "--replay"]).exits(0);
    }
}

#[test]
fn secrets_of_the_environment_and_the_specification_are_nowhere_in_the_evidence() {
    let workspace = Workspace::with(
        "env: {DEPLOY_TOKEN: declared-and-very-secret-4711, PLAIN: nothing-special}\nchecks:\n  leak: 'echo \"$DEPLOY_TOKEN $PLAIN ghp_0123456789abcdefghijklmnopqrstuvwxyz\"; printf \"inherited-secret\"; printf -- \"-%s\\n\" 0815abcdef >&2'\n  split: 'printf declared-and-very; sleep 0.2; echo -secret-4711'\n",
    );
    let child = workspace
        .command(&["run", "--format", "jsonl"])
        .env("MY_API_KEY", "inherited-secret-0815abcdef")
        .spawn()
        .unwrap();
    let finished = finish(child).exits(0);
    for (name, bytes) in workspace.evidence("T001") {
        let text = String::from_utf8_lossy(&bytes);
        for secret in
            ["declared-and-very-secret-4711", "inherited-secret-0815abcdef", "ghp_0123456789abcdefghijklmnopqrstuvwxyz"]
        {
            assert!(!text.contains(secret), "{secret} stands in {name}: {text}");
        }
    }
    assert!(!finished.stdout.contains("declared-and-very-secret"), "{}", finished.stdout);
    let log = workspace.evidence("T001")["STEP.1-leak.log"].clone();
    assert!(String::from_utf8_lossy(&log).contains("nothing-special"), "what is not a secret stays");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
}

#[test]
fn where_evidence_cannot_be_written_there_is_no_verdict() {
    let workspace = Workspace::with(TWO_CHECKS).file("evidence", "a file where the directory should be");
    let finished = workspace.referee(&["run"]).exits(74);
    assert!(finished.stderr.contains("evidence"), "{}", finished.stderr);
}

#[test]
fn an_action_that_removes_the_evidence_directory_ends_without_a_verdict() {
    let workspace = Workspace::with("checks: {destroy: rm -rf evidence, after: 'true'}\n");
    workspace.referee(&["run"]).exits(74);
}

#[test]
fn what_a_dead_engine_left_running_is_found_by_its_marker() {
    let workspace = Workspace::with("checks:\n  wait: 'touch started; exec sleep 600'\n");
    let mut killed = workspace.command(&["run"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the check has started", || workspace.path("started").exists());
    killed.kill().unwrap();
    killed.wait().unwrap();
    let dead = workspace.staged("T001").pop().unwrap();
    let marker = format!("REFEREE_EXECUTION={}", dead.file_name().unwrap().to_str().unwrap());
    assert!(!processes_with(&marker).is_empty());
    workspace.write("referee.yaml", TWO_CHECKS);
    workspace.referee(&["run", "-q"]).exits(0);
    wait_until("nothing of the dead run is left", || processes_with(&marker).is_empty());
    assert_eq!(action(&workspace.report("T001"), "STEP.1")["status"], "SUCCESS");
}
