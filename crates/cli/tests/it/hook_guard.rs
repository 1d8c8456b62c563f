//! What keeps the gate where it is while a session of Claude Code runs, through the real program.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Workspace, finish};

const SETTINGS: &str = ".claude/settings.json";

/// An enrolled project with Claude Code's hooks.
fn gated() -> Workspace {
    let workspace = Workspace::with("checks: {a: 'true'}\n");
    workspace.referee(&["hook", "config", "claude", "--write"]).exits(0);
    workspace.referee(&["enroll"]).exits(0);
    workspace
}

/// Tells `referee hook claude` of an event, and returns what it answers.
fn told(workspace: &Workspace, mut event: Value) -> Value {
    event["session_id"] = json!("session-1");
    event["cwd"] = json!(workspace.path(""));
    let mut child = workspace.command(&["hook", "claude"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    finish(child).exits(0).json()
}

fn used(workspace: &Workspace, tool: &str, input: &Value) -> Value {
    let event = json!({ "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input });
    told(workspace, event)["hookSpecificOutput"].clone()
}

fn changed(workspace: &Workspace) -> Value {
    let file = workspace.path(SETTINGS);
    told(workspace, json!({ "hook_event_name": "ConfigChange", "source": "project_settings", "file_path": file }))
}

#[test]
fn an_edit_of_what_arms_the_gate_is_denied_before_it_happens() {
    let workspace = gated();
    let file = |name: &str| json!({ "file_path": workspace.path(name), "content": "{}" });
    for (tool, input) in [
        ("Write", file(SETTINGS)),
        ("Edit", file(".claude/settings.local.json")),
        ("MultiEdit", file(".claude/hooks/referee.sh")),
        ("NotebookEdit", json!({ "notebook_path": workspace.path(SETTINGS) })),
        ("Bash", json!({ "command": "rm -rf .claude" })),
        ("Bash", json!({ "command": "echo '{\"disableAllHooks\":true}' > .claude/settings.local.json" })),
    ] {
        let denied = used(&workspace, tool, &input);
        assert_eq!(denied["permissionDecision"], "deny", "{tool} {input}: {denied}");
        let why = denied["permissionDecisionReason"].as_str().unwrap();
        assert!(why.contains(".claude/") && why.contains("arms the gate"), "{why}");
    }
}

#[test]
fn what_reads_or_edits_other_files_is_nobodys_business() {
    let workspace = gated();
    for (tool, input) in [
        ("Write", json!({ "file_path": workspace.path("src/a.py"), "content": "x" })),
        ("Edit", json!({ "file_path": workspace.path("referee.yaml.md") })),
        ("Read", json!({ "file_path": workspace.path(SETTINGS) })),
        ("Bash", json!({ "command": "cat .claude/settings.json && git checkout -- .claude/settings.json" })),
        ("Bash", json!({ "command": "npm test > out.txt" })),
        ("Write", json!({})),
        ("Write", json!("junk")),
    ] {
        assert_eq!(used(&workspace, tool, &input), Value::Null, "{tool} {input}");
    }
}

#[test]
fn a_link_to_what_arms_the_gate_is_followed() {
    let workspace = gated();
    std::os::unix::fs::symlink(workspace.path(".claude"), workspace.path("other")).unwrap();
    let denied = used(&workspace, "Write", &json!({ "file_path": workspace.path("other/settings.json") }));
    assert_eq!(denied["permissionDecision"], "deny");
}

#[test]
fn settings_that_take_the_gate_away_are_not_taken_over() {
    let workspace = gated();
    assert_eq!(changed(&workspace), json!({}), "nothing is the matter with them");
    let text = fs::read_to_string(workspace.path(SETTINGS)).unwrap();
    let mut settings: Value = serde_json::from_str(&text).unwrap();
    settings["permissions"] = json!({ "allow": ["Bash(npm test)"] });
    workspace.write(SETTINGS, settings.to_string());
    assert_eq!(changed(&workspace), json!({}), "another setting is free");

    let mut without = settings.clone();
    without["hooks"].as_object_mut().unwrap().remove("Stop");
    let mut off = settings.clone();
    off["disableAllHooks"] = json!(true);
    let mut nothing = settings.clone();
    nothing["hooks"]["Stop"][0]["hooks"][0]["command"] = json!("true # referee hook claude");
    for content in [without.to_string(), off.to_string(), nothing.to_string(), "{".to_owned(), "{}".to_owned()] {
        workspace.write(SETTINGS, &content);
        let answer = changed(&workspace);
        assert_eq!(answer["decision"], "block", "{content}: {answer}");
        assert!(answer["reason"].as_str().unwrap().contains("take the gate away"), "{answer}");
    }
    fs::remove_file(workspace.path(SETTINGS)).unwrap();
    assert_eq!(changed(&workspace)["decision"], "block", "they are deleted");
    workspace.write(SETTINGS, &text);
    workspace.write(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    assert_eq!(changed(&workspace)["decision"], "block", "one's own settings switch them off");
}

#[test]
fn in_a_project_that_is_not_enrolled_there_is_no_opinion() {
    let workspace = Workspace::new();
    workspace.referee(&["hook", "config", "claude", "--write"]).exits(0);
    assert_eq!(used(&workspace, "Write", &json!({ "file_path": workspace.path(SETTINGS) })), Value::Null);
    fs::remove_file(workspace.path(SETTINGS)).unwrap();
    assert_eq!(changed(&workspace), json!({}));
}
