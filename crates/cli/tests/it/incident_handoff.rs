//! An incident goes to an executor and comes back, as programs on both sides see it.

use std::fs;

use serde_json::{Value, json};

use crate::incident_approval::{ROOT, key, plan, standing, status, trust, workspace};
use crate::support::{Workspace, finish};

/// A workspace with an incident that is approved by a key.
fn approved() -> Workspace {
    let workspace = workspace();
    let ada = key(&workspace, "ada");
    trust(&workspace, &ada);
    workspace.referee(&["incident", "approve", "inc_1", "--key", ada.to_str().unwrap()]).exits(0);
    workspace
}

fn read(workspace: &Workspace, name: &str) -> Value {
    serde_json::from_slice(&fs::read(workspace.path(name)).unwrap()).unwrap()
}

const HAND_OFF: [&str; 5] = ["incident", "handoff", "inc_1", "--executor", "antigravity"];

/// IN-34, from the approval on.
#[test]
fn from_approval_to_the_executor_and_back_every_step_is_on_disk() {
    let workspace = approved();
    let package =
        workspace.referee(&[&HAND_OFF[..], &["--queue-dir", "q", "--format", "json"]].concat()).exits(0).json();
    assert_eq!(read(&workspace, "q/inc_1.json"), package);
    assert_eq!(read(&workspace, &format!("{ROOT}/error_handoffs/inc_1/handoff.json")), package);
    assert_eq!((&package["incident"]["id"], &package["incident"]["status"]), (&json!("inc_1"), &json!("approved")));
    assert_eq!(package["approval"]["approver"], "ada@example.org");
    assert_eq!(standing(&workspace).trim(), "handed_off");
    let incident = read(&workspace, &format!("{ROOT}/error_inbox/inc_1/incident.json"));
    assert_eq!(incident["handoff_executor"], "antigravity");
    assert_eq!(incident["approved_at"].as_str().map(|time| time.ends_with("+00:00")), Some(true));

    let other = workspace.referee(&["incident", "ack", "inc_1", "--executor", "another"]).exits(1);
    assert!(other.stderr.contains("was handed to \"antigravity\""), "{}", other.stderr);
    workspace.referee(&["incident", "ack", "inc_1", "--executor", "antigravity", "--note", "on it"]).exits(0);
    assert_eq!(standing(&workspace).trim(), "running");
    assert_eq!(read(&workspace, &format!("{ROOT}/error_handoffs/inc_1/accept.json"))["state"], "agent");

    workspace.write("done.json", r#"{"reason": "success", "description": "all done"}"#);
    let told = workspace.referee(&["incident", "ack", "inc_1", "--result", "done.json"]).exits(0).told();
    assert!(told.contains("nothing that ran shows it") && told.contains("--single-iteration"), "{told}");
    assert_eq!(standing(&workspace).trim(), "running", "a claim resolves nothing");
    let failed =
        json!({ "reason": "error", "description": "no", "error": { "code": "EXTERNAL_FAILURE", "message": "502" } });
    workspace.write("failed.json", failed.to_string());
    let told = workspace.referee(&["incident", "ack", "inc_1", "--result", "failed.json"]).exits(0).told();
    assert!(told.contains("EXTERNAL_FAILURE (External service or API failure outside agent control)"), "{told}");
    assert_eq!(standing(&workspace).trim(), "escalated");
    assert_eq!(read(&workspace, &format!("{ROOT}/error_handoffs/inc_1/handback.json")), failed);
}

/// IN-05, IN-06.
#[test]
fn what_is_not_approved_or_stands_in_the_way_is_refused_and_nothing_changes() {
    let workspace = workspace();
    let queue = [&HAND_OFF[..], &["--queue-dir", "q"]].concat();
    assert!(workspace.referee(&queue).exits(1).stderr.contains("cannot take the step `handoff`"));
    // An agent that writes the word into the file has no approval for all that.
    status(&workspace, "approved");
    assert!(workspace.referee(&queue).exits(1).stderr.contains("its plan is not approved"));
    assert!(!workspace.path("q").exists());
    let workspace = approved();
    workspace.write("q/inc_1.json", "{}");
    let before = fs::read(workspace.path(&format!("{ROOT}/error_inbox/inc_1/incident.json"))).unwrap();
    assert!(workspace.referee(&queue).exits(1).stderr.contains("holds another package"));
    assert_eq!(fs::read_to_string(workspace.path("q/inc_1.json")).unwrap(), "{}");
    assert_eq!(fs::read(workspace.path(&format!("{ROOT}/error_inbox/inc_1/incident.json"))).unwrap(), before);
    assert!(!workspace.path(&format!("{ROOT}/error_handoffs/inc_1")).exists());
    workspace.referee(&[&queue[..], &["--force"]].concat()).exits(0);
    assert_eq!(read(&workspace, "q/inc_1.json")["status"], "ok");
    workspace.referee(&["incident", "handoff", "inc_1"]).exits(2);
}

#[test]
fn the_queue_is_named_at_the_prompt_else_by_our_variable_else_by_the_seeds() {
    for (variables, typed, meant) in [
        (&[("AX_ANTIGRAVITY_HANDOFF_DIR", "ax")][..], &[][..], "ax"),
        (&[("AX_ANTIGRAVITY_HANDOFF_DIR", "ax"), ("REFEREE_HANDOFF_DIR", "ours")], &[], "ours"),
        (&[("AX_ANTIGRAVITY_HANDOFF_DIR", "ax"), ("REFEREE_HANDOFF_DIR", "ours")], &["--queue-dir", "typed"], "typed"),
    ] {
        let workspace = approved();
        let mut command = workspace.command(&[&HAND_OFF[..], typed].concat());
        finish(command.envs(variables.iter().copied()).spawn().unwrap()).exits(0);
        for place in ["ax", "ours", "typed"] {
            assert_eq!(workspace.path(&format!("{place}/inc_1.json")).exists(), place == meant, "{place} {meant}");
        }
    }
}

#[test]
fn a_recalled_incident_is_approved_again_unless_its_plan_was_changed_meanwhile() {
    let workspace = approved();
    let queue = [&HAND_OFF[..], &["--queue-dir", "q"]].concat();
    workspace.referee(&queue).exits(0);
    assert!(workspace.referee(&["incident", "recall", "inc_1"]).exits(0).stdout.contains("is approved"));
    assert_eq!((standing(&workspace).trim(), workspace.path("q/inc_1.json").exists()), ("approved", false));
    workspace.referee(&queue).exits(0);
    workspace.referee(&queue).exits(0);
    plan(&workspace, "Something else", &[]);
    let refused = workspace.referee(&["incident", "ack", "inc_1", "--executor", "antigravity"]).exits(1);
    assert!(refused.stderr.contains("the plan was changed after ada approved it"), "{}", refused.stderr);
    assert!(workspace.referee(&["incident", "recall", "inc_1"]).exits(0).stdout.contains("approve it again"));
    assert_eq!(standing(&workspace).trim(), "plan_proposed");
    workspace.referee(&["incident", "recall", "inc_1"]).exits(1);
}

#[test]
fn a_handback_that_is_none_is_refused_with_every_complaint() {
    let workspace = approved();
    workspace.referee(&HAND_OFF).exits(0);
    workspace.write("good.json", r#"{"reason": "question", "description": "which API?"}"#);
    let early = workspace.referee(&["incident", "ack", "inc_1", "--result", "good.json"]).exits(1);
    assert!(early.stderr.contains("nobody has taken incident inc_1"), "{}", early.stderr);
    workspace.referee(&["incident", "ack", "inc_1", "--executor", "antigravity"]).exits(0);
    workspace.write("bad.json", r#"{"reason": "error", "error": {"code": "NOPE"}, "extra": 1}"#);
    let told = workspace.referee(&["incident", "ack", "inc_1", "--result", "bad.json"]).exits(2).stderr;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["\"extra\" is not known", "`description` is missing", "/error/code", "`message` is missing"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    workspace.referee(&["incident", "ack", "inc_1", "--result", "absent.json"]).exits(2);
    workspace.referee(&["incident", "ack", "inc_1", "--result", "-"]).exits(2);
    let kept = workspace.path(&format!("{ROOT}/error_handoffs/inc_1/handback.json"));
    assert!(!kept.exists());
    workspace.referee(&["incident", "ack", "inc_1", "--result", "good.json"]).exits(0);
    assert!(kept.exists());
    assert_eq!(standing(&workspace).trim(), "running");
    // Whoever is to answer reads the question.
    let told = workspace.referee(&["incident", "show", "inc_1"]).exits(0).told();
    assert!(told.contains("handed back question: which API?"), "{told}");
    let shown = workspace.referee(&["incident", "show", "inc_1", "--format", "json"]).exits(0).json();
    assert_eq!(shown["handback"]["reason"], "question");
}
