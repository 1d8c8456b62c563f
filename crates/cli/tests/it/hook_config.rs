//! What configures a hook at a host, and whether what is installed blocks.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Finished, Workspace, finish, program};

const HOSTS: [&str; 8] = ["claude", "codex", "copilot", "gemini", "qwen", "opencode", "cursor", "vscode"];

/// A user's settings, laid out as no program would.
const SETTINGS: &str = r#"{
  "permissions": { "allow": ["Bash(npm test)"],  "deny": [] },
  "hooks": {
    "Stop": [ { "hooks": [ { "type": "command", "command": "notify-send done" } ] } ]
  },
  "model": "opus"
}
"#;

fn read(workspace: &Workspace, name: &str) -> String {
    fs::read_to_string(workspace.path(name)).unwrap()
}

#[test]
fn the_configuration_is_printed_alone_and_the_place_beside_it() {
    for host in HOSTS {
        let workspace = Workspace::with("checks: {a: 'true'}\n");
        let printed = workspace.referee(&["hook", "config", host]).exits(0);
        if host == "opencode" {
            assert!(printed.stdout.contains("session.idle"), "a plugin: {}", printed.stdout);
        } else {
            assert!(printed.json()["hooks"].is_object(), "{host}");
        }
        assert!(printed.stderr.contains("this belongs into ."), "{}", printed.stderr);
        assert_eq!(fs::read_dir(workspace.path("")).unwrap().count(), 1, "nothing is written");
        workspace.referee(&["hook", "config", host, "--write"]).exits(0);
        let directory = match host {
            "copilot" | "vscode" => ".github/hooks",
            "opencode" => ".opencode/plugin",
            _ => &format!(".{host}"),
        };
        let files = fs::read_dir(workspace.path(directory)).unwrap().map(|entry| entry.unwrap().path());
        let file = files
            .into_iter()
            .find(|path| path.extension().is_some_and(|ending| ending == "json" || ending == "js"))
            .unwrap();
        assert_eq!(fs::read_to_string(file).unwrap(), printed.stdout, "{host}");
        let script = if directory.ends_with("hooks") { "referee.sh" } else { "hooks/referee.sh" };
        let script = fs::read_to_string(workspace.path(directory).join(script)).unwrap();
        assert!(printed.stderr.contains("referee.sh") && script.contains("gave no answer"), "{host}");
    }
}

#[test]
fn other_hooks_and_settings_are_kept_and_what_was_there_lies_beside() {
    let workspace = Workspace::new().file(".claude/settings.json", SETTINGS);
    let told = workspace.referee(&["hook", "config", "claude", "--write"]).exits(0).stdout;
    assert!(told.contains("settings.json.before-referee") && told.contains("referee hook test claude"), "{told}");
    let text = read(&workspace, ".claude/settings.json");
    assert!(text.contains(r#""permissions": { "allow": ["Bash(npm test)"],  "deny": [] }"#), "{text}");
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["hooks"]["Stop"][0]["hooks"][0]["command"], "notify-send done");
    let ours = &value["hooks"]["Stop"][1]["hooks"][0];
    assert_eq!((&ours["onFailure"], &ours["timeout"]), (&Value::Null, &Value::from(300)));
    assert!(ours["command"].as_str().unwrap().len() < 260, "{ours}");
    assert_eq!(value["hooks"]["PreToolUse"][0]["matcher"], "Bash|Edit|MultiEdit|NotebookEdit|Write");
    assert!(value["hooks"]["ConfigChange"].is_array());
    assert_eq!(read(&workspace, ".claude/settings.json.before-referee"), SETTINGS);

    let again = workspace.referee(&["hook", "config", "claude", "--write"]).exits(0).stdout;
    assert!(again.contains("holds these hooks already"), "{again}");
    workspace.referee(&["hook", "config", "claude", "--write", "--deadline", "15m"]).exits(0);
    let value: Value = serde_json::from_str(&read(&workspace, ".claude/settings.json")).unwrap();
    assert_eq!(value["hooks"]["Stop"].as_array().unwrap().len(), 2, "replaced, not doubled");
    let ours = &value["hooks"]["Stop"][1]["hooks"][0];
    assert_eq!(ours["timeout"], 930);
    assert!(ours["command"].as_str().unwrap().ends_with("referee hook claude --deadline 900s Stop"));
}

#[test]
fn what_would_be_lost_or_lead_elsewhere_is_left_as_it_is() {
    let commented = format!("// mine\n{SETTINGS}");
    let outside = tempfile::tempdir().unwrap();
    for (content, reason) in [
        (commented.as_str(), "no plain JSON"),
        ("{\"hooks\": []}", "cannot be read as events"),
        ("{\"hooks\": {}, \"hooks\": {}}", "appears twice"),
    ] {
        let workspace = Workspace::new().file(".claude/settings.json", content);
        let refused = workspace.referee(&["hook", "config", "claude", "--write"]).exits(2);
        assert!(refused.stderr.contains(reason) && refused.stderr.contains("by hand"), "{}", refused.stderr);
        assert_eq!(read(&workspace, ".claude/settings.json"), content);
    }
    let linked = Workspace::new();
    symlink(outside.path(), linked.path(".claude")).unwrap();
    linked.referee(&["hook", "config", "claude", "--write"]).exits(2);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    for wrong in [["--deadline", "0s"], ["--deadline", "7h"], ["--deadline", "soon"], ["--program", "bin/referee"]] {
        Workspace::new().referee(&["hook", "config", "claude", wrong[0], wrong[1]]).exits(2);
    }
}

#[test]
fn hooks_that_are_switched_off_are_told() {
    let workspace = Workspace::new().file(".claude/settings.json", "{\"disableAllHooks\": true}");
    let told = workspace.referee(&["hook", "config", "claude", "--write"]).exits(0).stdout;
    assert!(told.contains("nothing is gated until"), "{told}");
    let tested = workspace.referee(&["hook", "test", "claude"]).exits(3);
    assert!(tested.stderr.contains("switches all hooks off"), "{}", tested.stderr);
}

#[test]
fn the_projects_file_is_that_of_the_repository_and_the_users_that_of_the_home_directory() {
    let workspace = Workspace::new().file("deep/er/readme.md", "");
    fs::create_dir(workspace.path(".git")).unwrap();
    workspace.referee(&["-C", "deep/er", "hook", "config", "cursor", "--write"]).exits(0);
    assert!(workspace.path(".cursor/hooks.json").is_file());
    let home = tempfile::tempdir().unwrap();
    let user = |variable: &str, host: &str| {
        let mut command = workspace.command(&["hook", "config", host, "--write", "--user"]);
        finish(command.env(variable, home.path()).spawn().unwrap()).exits(0)
    };
    user("HOME", "gemini");
    user("CODEX_HOME", "codex");
    for file in [".gemini/settings.json", ".gemini/hooks/referee.sh", "hooks.json", "hooks/referee.sh"] {
        assert!(home.path().join(file).is_file(), "{file}");
    }
}

/// Runs `hook test` with a program in Referee's place.
fn tested(workspace: &Workspace, host: &str, referee: &str) -> Finished {
    let programs = programs(referee);
    with_path(workspace, host, programs.path(), &workspace.path(""))
}

/// A directory with a script in Referee's place.
fn programs(referee: &str) -> TempDir {
    let programs = tempfile::tempdir().unwrap();
    let path = programs.path().join("referee");
    fs::write(&path, format!("#!/bin/sh\n{referee}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    programs
}

fn with_path(workspace: &Workspace, host: &str, directory: &Path, home: &Path) -> Finished {
    let mut command = workspace.command(&["hook", "test", host]);
    let path = format!("{}:/usr/bin:/bin", directory.display());
    finish(command.env("PATH", path).env("HOME", home).spawn().unwrap())
}

/// Judges by the specification alone, and answers in each host's way.
const HONEST: &str = r#"
event=$(cat)
case $2:$event in
    *ConfigChange*) [ -f .claude/settings.json ] || [ -f "$HOME/.claude/settings.json" ] && { echo '{}'; exit; } ;;
    *PreToolUse*settings.json*)
        echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}'; exit ;;
    *PreToolUse*) echo '{}'; exit ;;
    *) [ -f referee.yaml ] && ! grep -q 'exit 1' referee.yaml && { echo '{}'; exit; } ;;
esac
case $2:$event in
    claude:*TaskCompleted*) echo no >&2; exit 2 ;;
    gemini:*) echo '{"decision":"deny","reason":"no"}' ;;
    cursor:*) echo '{"followup_message":"no"}' ;;
    vscode:*SubagentStop*) echo '{"decision":"block","reason":"no"}' ;;
    vscode:*) echo '{"hookSpecificOutput":{"hookEventName":"Stop","decision":"block","reason":"no"}}' ;;
    *) echo '{"decision":"block","reason":"no"}' ;;
esac"#;

#[test]
fn what_is_installed_as_it_is_written_blocks_where_it_must_and_only_there() {
    for host in HOSTS {
        let workspace = Workspace::new();
        workspace.referee(&["hook", "config", host, "--write"]).exits(0);
        let told = tested(&workspace, host, HONEST).exits(0).stdout;
        assert!(told.contains("blocks where it must, and only there"), "{told}");
        assert!(told.contains("Referee hangs until its time is up: blocked"), "{told}");
        assert!(told.contains("the script of the hook was changed: blocked"), "{told}");
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        let ended = told.contains("goes on after a block already: the turn is ended");
        assert_eq!(ended, ["claude", "codex", "gemini", "opencode"].contains(&host), "{told}");
        assert_eq!(fs::read_dir(workspace.state().join("temporary")).unwrap().count(), 0, "nothing is left");
    }
}

#[test]
fn a_hook_that_lets_through_is_told_with_what_it_lets_through() {
    let workspace = Workspace::new();
    let none = workspace.referee(&["hook", "test", "cursor"]).exits(3).stdout;
    assert!(none.contains("no hook of Referee is installed for Cursor"), "{none}");
    workspace.write(".cursor/hooks.json", r#"{"version": 1, "hooks": {"stop": [{"command": "referee hook cursor"}]}}"#);
    let told = tested(&workspace, "cursor", "echo '{}'").exits(3).told();
    for row in [
        "a check fails: not blocked, and must be",
        "all checks pass: not blocked",
        "Referee is not there: the host goes on as if there were no hook: it exited with 127",
        "Referee prints something else: the host goes on",
        "subagentStop no hook is called there",
        "the gate is not armed",
    ] {
        assert!(told.contains(row), "{row}: {told}");
    }
}

#[test]
fn a_program_that_is_named_by_its_path_is_tried_too() {
    let workspace = Workspace::new();
    let programs = tempfile::Builder::new().prefix("it's a ").tempdir().unwrap();
    let path = programs.path().join("referee");
    fs::write(&path, format!("#!/bin/sh\n{HONEST}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    workspace.referee(&["hook", "config", "codex", "--write", "--program", path.to_str().unwrap()]).exits(0);
    with_path(&workspace, "codex", Path::new("/usr/bin"), &workspace.path("")).exits(0);
}

#[test]
fn referee_itself_blocks_where_it_must_at_every_host() {
    for host in HOSTS {
        let workspace = Workspace::new();
        workspace.referee(&["hook", "config", host, "--write"]).exits(0);
        with_path(&workspace, host, program().parent().unwrap(), &workspace.path("")).exits(0);
    }
}

#[test]
fn hooks_of_a_user_are_tried_with_the_users_own_script() {
    for host in ["claude", "codex", "gemini"] {
        let (workspace, home) = (Workspace::new(), tempfile::tempdir().unwrap());
        let mut command = workspace.command(&["hook", "config", host, "--write", "--user"]);
        finish(command.env("HOME", home.path()).spawn().unwrap()).exits(0);
        let programs = programs(HONEST);
        let told = with_path(&workspace, host, programs.path(), home.path()).exits(0).stdout;
        assert!(told.contains("the script of the hook is gone: blocked"), "{told}");
    }
}

#[test]
fn the_administrators_settings_are_those_of_claude_code_and_name_their_own_script() {
    let workspace = Workspace::new();
    let printed = workspace.referee(&["hook", "config", "claude", "--managed"]).exits(0);
    let line = printed.json()["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let (directory, script) = ("/etc/claude-code", "/etc/claude-code/hooks/referee.sh");
    if cfg!(target_os = "linux") {
        assert!(line.contains(&format!("f=\"{script}\"")), "{line}");
        assert!(printed.stderr.contains(&format!("{directory}/managed-settings.json")), "{}", printed.stderr);
    }
    let refused = workspace.referee(&["hook", "config", "codex", "--managed"]).exits(2);
    assert!(refused.stderr.contains("try --user"), "{}", refused.stderr);
    workspace.referee(&["hook", "config", "claude", "--managed", "--user"]).exits(2);
}
