//! Whether the gate is really armed: a project that is, and one thing after another taken away from it (attack 9).

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Finished, Workspace, at_a_terminal, finish, git, program};

const SPECIFICATION: &str = "checks:\n  one: { argv: [\"true\"] }\n";

const SETTINGS: &str = ".claude/settings.json";

/// A project that is armed, and the home of its user.
struct Armed {
    workspace: Workspace,
    home: TempDir,
    /// Claude Code's settings as they are written.
    settings: Value,
}

impl Armed {
    fn new() -> Self {
        let workspace = Workspace::with(SPECIFICATION)
            .file(".github/workflows/ci.yml", "jobs: { check: { steps: [{ run: referee ci }] } }\n")
            .file(".gitignore", "evidence/\n");
        let named = program().to_str().unwrap();
        workspace.referee(&["hook", "config", "claude", "--write", "--program", named]).exits(0);
        let settings = serde_json::from_slice(&fs::read(workspace.path(SETTINGS)).unwrap()).unwrap();
        let armed = Self { workspace, home: tempfile::tempdir().unwrap(), settings };
        armed.git(&["init", "-q"]);
        armed.git(&["add", "-A"]);
        armed.git(&["commit", "-q", "-m", "all"]);
        for words in [&["enroll"][..], &["lock"], &["run"]] {
            armed.referee(words).exits(0);
        }
        armed
    }

    fn git(&self, words: &[&str]) {
        git(&self.workspace.path(""), words);
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.workspace.command(words);
        command.env("HOME", self.home.path());
        command
    }

    fn referee(&self, words: &[&str]) -> Finished {
        finish(self.command(words).spawn().unwrap())
    }

    /// Changes Claude Code's settings, and locks them so: what is left is what they say.
    fn set(&self, pointer: &str, value: Value) {
        let mut settings = self.settings.clone();
        match settings.pointer_mut(pointer) {
            Some(place) => *place = value,
            None => settings[pointer.trim_start_matches('/')] = value,
        }
        self.workspace.write(SETTINGS, settings.to_string());
        self.referee(&["lock", "--yes"]).exits(0);
    }

    /// Holds that this is found, and that the exit code says so.
    #[track_caller]
    fn finds(&self, id: &str, grade: &str) -> Value {
        found(&self.referee(&["doctor", "--format", "json"]), id, grade)
    }
}

#[track_caller]
fn found(finished: &Finished, id: &str, grade: &str) -> Value {
    let document = finished.json();
    let findings = document["findings"].as_array().unwrap();
    let is_meant = |finding: &&Value| finding["id"] == id && finding["grade"] == grade;
    let finding = findings.iter().find(is_meant).unwrap_or_else(|| panic!("no {grade} of {id} in {document:#}"));
    let is_problem = findings.iter().any(|finding| finding["grade"] == "problem");
    assert_eq!(
        (document["armed"].as_bool().unwrap(), finished.code),
        (!is_problem, Some(if is_problem { 3 } else { 0 }))
    );
    finding.clone()
}

/// Every file below a directory, with what it holds.
fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.insert(path.display().to_string(), Vec::new());
            all.extend(contents(&path));
        } else {
            all.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
    all
}

#[test]
fn an_armed_project_is_armed_and_looking_changes_nothing() {
    let armed = Armed::new();
    let look = || (contents(&armed.workspace.path("")), contents(&armed.workspace.state()));
    let before = look();
    let finished = armed.referee(&["doctor"]).exits(0);
    assert!(finished.told().contains("the gate is armed"), "{}", finished.stdout);
    let document = armed.referee(&["doctor", "--format", "json"]).exits(0).json();
    assert!(look() == before, "something was written");
    let problems: Vec<&Value> =
        document["findings"].as_array().unwrap().iter().filter(|finding| finding["grade"] == "problem").collect();
    assert!(problems.is_empty(), "{problems:#?}");
    for id in [
        "specification",
        "enrolment",
        "baseline",
        "drift",
        "protected",
        "hook",
        "hook-fail-closed",
        "hook-script",
        "program",
        "chain",
    ] {
        armed.finds(id, "ok");
    }
    armed.finds("last-verdict", "ok");
    // Nobody signs here, which is a warning.
    armed.referee(&["doctor", "--strict"]).exits(3);
    let quiet = armed.referee(&["doctor", "-q"]).exits(0);
    assert!(!quiet.told().contains("is enrolled by"), "what holds is left out: {}", quiet.stdout);
}

#[test]
fn a_hook_that_does_not_hold_is_found() {
    let armed = Armed::new();
    let stop = "/hooks/Stop/0/hooks/0";
    let plain = format!("{} hook claude", program().display());
    for (pointer, value, id, grade) in [
        ("/hooks/Stop", json!([]), "hook", "problem"),
        (stop, json!({ "command": plain, "timeout": 600, "onFailure": "block" }), "hook-fail-closed", "problem"),
        ("/hooks/Stop/0/hooks/0/timeout", json!(5), "hook-timeout", "problem"),
        ("/disableAllHooks", json!(true), "hook-switch", "problem"),
        ("/env", json!({ "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "2" }), "hook-cap", "warning"),
        ("/hooks/SubagentStop", json!([]), "hook-events", "warning"),
        (
            stop,
            json!({ "command": "/nowhere/referee hook claude", "timeout": 600, "onFailure": "block" }),
            "program",
            "problem",
        ),
        (
            stop,
            json!({ "command": "./referee hook claude", "timeout": 600, "onFailure": "block" }),
            "program",
            "problem",
        ),
        (
            stop,
            json!({ "command": "\"$GATE\" hook claude", "timeout": 600, "onFailure": "block" }),
            "program",
            "unknown",
        ),
    ] {
        armed.workspace.write("referee", "#!/bin/sh\n");
        fs::set_permissions(armed.workspace.path("referee"), fs::Permissions::from_mode(0o755)).unwrap();
        armed.set(pointer, value);
        armed.finds(id, grade);
    }
}

#[test]
fn a_command_that_may_call_nothing_is_not_armed() {
    let armed = Armed::new();
    let program = program().display();
    for line in [
        format!("true # {program} hook claude"),
        format!("false && {program} hook claude"),
        format!("{program} hook claude; exit 0"),
        format!("REFEREE_STATE_DIR=/tmp/x {program} hook claude"),
        format!("cd /tmp; {program} hook claude"),
    ] {
        armed.set("/hooks/Stop/0/hooks/0", json!({ "command": line, "timeout": 600, "onFailure": "block" }));
        let finding = armed.finds("hook", "problem");
        assert!(finding["fix"].as_str().unwrap().contains("`referee hook test claude`"), "{finding}");
    }
    armed.set("/env", json!({ "PATH": "/tmp" }));
    armed.finds("environment", "problem");
    // What is written for it is believed.
    fs::remove_file(armed.workspace.path(SETTINGS)).unwrap();
    let named = program.to_string();
    armed.referee(&["hook", "config", "claude", "--write", "--program", &named]).exits(0);
    armed.referee(&["lock", "--yes"]).exits(0);
    for id in ["hook", "hook-fail-closed", "hook-script", "program"] {
        armed.finds(id, "ok");
    }
}

#[test]
fn hooks_at_the_root_of_a_repository_are_found_for_a_project_further_down() {
    let armed = Armed::new();
    fs::create_dir(armed.workspace.path("part")).unwrap();
    for path in ["referee.yaml", "referee.lock"] {
        fs::remove_file(armed.workspace.path(path)).unwrap();
    }
    armed.git(&["add", "-A"]);
    armed.git(&["commit", "-q", "-m", "moved"]);
    armed.referee(&["enroll", "--remove", "--yes"]).exits(0);
    armed.workspace.write("part/referee.yaml", SPECIFICATION);
    armed.referee(&["-C", "part", "enroll"]).exits(0);
    let look = || armed.referee(&["-C", "part", "doctor", "--format", "json"]);
    found(&look(), "hook", "ok");
    found(&look(), "protected", "warning");
    let finding = found(&look(), "enrolment", "problem");
    assert!(finding["what"].as_str().unwrap().contains("opened there"), "{finding}");
}

#[test]
fn a_script_that_is_gone_or_changed_is_found_and_the_lock_sees_it() {
    let armed = Armed::new();
    let script = armed.workspace.path(".claude/hooks/referee.sh");
    let whole = fs::read(&script).unwrap();
    fs::write(&script, "echo '{}'\n").unwrap();
    let changed = armed.finds("hook-script", "problem");
    assert!(changed["what"].as_str().unwrap().contains("is not what this version writes"), "{changed}");
    let drift = armed.finds("drift", "problem");
    assert!(drift["what"].as_str().unwrap().contains(".claude/hooks/referee.sh"), "{drift}");
    fs::remove_file(&script).unwrap();
    let gone = armed.finds("hook-script", "problem");
    assert!(gone["fix"].as_str().unwrap().contains("referee hook config claude --write"), "{gone}");
    fs::write(&script, whole).unwrap();
    armed.finds("hook-script", "ok");
    let explained = armed.referee(&["doctor", "--explain", "hook-script"]).exits(0);
    assert!(explained.told().contains("checksum"), "{}", explained.stdout);
}

#[test]
fn hooks_of_a_directory_that_a_host_does_not_trust_are_not_armed() {
    let armed = Armed::new();
    let directory = fs::canonicalize(armed.workspace.path("")).unwrap().display().to_string();
    let look = |host: &str| armed.referee(&["doctor", "--host", host, "--format", "json"]);
    for (host, file, trust) in [
        ("gemini", ".gemini/trustedFolders.json", json!({ &directory: "TRUST_FOLDER" })),
        ("copilot", ".copilot/config.json", json!({ "trustedFolders": [&directory] })),
    ] {
        armed.referee(&["hook", "config", host, "--write"]).exits(0);
        armed.referee(&["lock", "--yes"]).exits(0);
        let lacking = found(&look(host), "hook-trust", "problem");
        assert!(lacking["fix"].as_str().unwrap().contains(&format!("{host} --user --write")), "{lacking}");
        let file = armed.home.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, trust.to_string()).unwrap();
        found(&look(host), "hook-trust", "ok");
        // The user's own hooks need no trust.
        fs::remove_file(&file).unwrap();
        armed.referee(&["hook", "config", host, "--write", "--user"]).exits(0);
        for name in [".gemini/settings.json", ".github/hooks/referee.json"] {
            drop(fs::remove_file(armed.workspace.path(name)));
        }
        armed.referee(&["lock", "--yes"]).exits(0);
        found(&look(host), "hook", "ok");
        let findings = look(host).json()["findings"].to_string();
        assert!(!findings.contains("hook-trust"), "{findings}");
    }
}

#[test]
fn a_version_of_claude_code_that_may_take_the_hooks_away_in_mid_session_is_told() {
    let armed = Armed::new();
    let package = armed.home.path().join("node_modules/@anthropic-ai/claude-code");
    fs::create_dir_all(package.join("bin")).unwrap();
    let program = package.join("bin/claude");
    fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", package.join("bin").display(), std::env::var("PATH").unwrap());
    let asked = |words: &[&str]| finish(armed.command(words).env("PATH", &path).spawn().unwrap());
    for (version, grade) in [("2.1.330", "ok"), ("2.0.14", "warning")] {
        let named = json!({ "name": "@anthropic-ai/claude-code", "version": version });
        fs::write(package.join("package.json"), named.to_string()).unwrap();
        let found = found(&asked(&["doctor", "--format", "json"]), "hook-version", grade);
        assert!(found["what"].as_str().unwrap().contains(version), "{found}");
        assert!(asked(&["hook", "test", "claude"]).told().contains(&format!("Claude Code {version}")));
    }
    fs::write(package.join("package.json"), "junk").unwrap();
    let findings = asked(&["doctor", "--format", "json"]).json()["findings"].to_string();
    assert!(!findings.contains("hook-version"), "nothing tells which version it is: {findings}");
}

/// The digest by which Codex trusts the hook of an event that has one entry.
fn digest(hooks: &Value, event: &str, name: &str) -> String {
    let handler = &hooks["hooks"][event][0]["hooks"][0];
    let identity = format!(
        r#"{{"event_name":"{name}","hooks":[{{"async":false,"command":{},"timeout":{},"type":"command"}}]}}"#,
        handler["command"], handler["timeout"]
    );
    let mut child = Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(identity.as_bytes()).unwrap();
    let printed = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    format!("sha256:{}", printed.split(' ').next().unwrap())
}

#[test]
fn a_hook_that_changed_since_codex_trusted_it_is_told() {
    let armed = Armed::new();
    let file = fs::canonicalize(armed.workspace.path("")).unwrap().join(".codex/hooks.json");
    let named = program().to_str().unwrap();
    armed.referee(&["hook", "config", "codex", "--write", "--program", named]).exits(0);
    armed.referee(&["lock", "--yes"]).exits(0);
    let hooks: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let state = |(event, name): (&str, &str)| {
        let digest = digest(&hooks, event, name);
        format!("[hooks.state.\"{}:{name}:0:0\"]\ntrusted_hash = \"{digest}\"\n", file.display())
    };
    let events = [
        ("Stop", "stop"),
        ("SubagentStop", "subagent_stop"),
        ("SessionStart", "session_start"),
        ("UserPromptSubmit", "user_prompt_submit"),
    ];
    let directory = file.ancestors().nth(2).unwrap().display();
    let trust = format!("[projects.\"{directory}\"]\ntrust_level = \"trusted\"\n{}", events.map(state).concat());
    let settings = armed.home.path().join(".codex/config.toml");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, trust).unwrap();
    let look = || armed.referee(&["doctor", "--host", "codex", "--format", "json"]);
    found(&look(), "hook-trust", "ok");
    armed.referee(&["hook", "config", "codex", "--write", "--program", named, "--deadline", "90s"]).exits(0);
    armed.referee(&["lock", "--yes"]).exits(0);
    let changed = found(&look(), "hook-trust", "problem");
    assert!(changed["what"].as_str().unwrap().contains("changed since"), "{changed}");
}

#[test]
fn another_program_than_this_one_is_told_and_never_started() {
    let armed = Armed::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let other = elsewhere.path().join("referee");
    let witness = elsewhere.path().join("started");
    fs::write(&other, format!("#!/bin/sh\n: > '{}'\n", witness.display())).unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
    let command = "/hooks/Stop/0/hooks/0/command";
    let line = armed.settings.pointer(command).unwrap().as_str().unwrap();
    armed.set(command, json!(line.replace(program().to_str().unwrap(), other.to_str().unwrap())));
    armed.finds("program", "warning");
    assert!(!witness.exists(), "it was started");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o777)).unwrap();
    armed.finds("program-owner", "problem");
}

#[test]
fn configurations_of_junk_are_found_and_nothing_hangs_or_crashes() {
    let armed = Armed::new();
    for junk in ["{", "[]", "{\"hooks\": 7}", "\u{feff}{}", "// comment\n{}"] {
        armed.workspace.write(SETTINGS, junk);
        armed.finds("hook-file", "problem");
        armed.finds("drift", "problem");
    }
    let file = armed.workspace.path(SETTINGS);
    fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    armed.finds("hook-file", "problem");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("nowhere", &file).unwrap();
    armed.finds("hook-file", "problem");
    fs::remove_file(&file).unwrap();
    armed.finds("hook", "problem");
}

#[test]
fn a_host_without_a_hook_counts_where_the_project_uses_it_or_it_is_asked_for() {
    let armed = Armed::new();
    let cursor = found(&armed.referee(&["doctor", "--host", "cursor", "--format", "json"]), "hook", "problem");
    assert!(cursor["fix"].as_str().unwrap().contains("referee hook config cursor --write"), "{cursor}");
    found(&armed.referee(&["doctor", "--host", "claude", "--format", "json"]), "hook", "ok");
    fs::create_dir(armed.home.path().join(".gemini")).unwrap();
    assert_eq!(armed.finds("hook", "warning")["subject"], "gemini", "this machine uses it");
    armed.workspace.write(".codex/config.toml", "[features]\nhooks = false\n");
    assert_eq!(armed.finds("hook", "problem")["subject"], "codex");
    assert_eq!(armed.finds("hook-switch", "problem")["subject"], "codex");
    armed.referee(&["doctor", "--host", "emacs"]).exits(2);
}

#[test]
fn what_protects_the_gate_is_missed() {
    let armed = Armed::new();
    armed.workspace.write(".github/workflows/more.yml", "on: push\n");
    let open = armed.finds("protected", "problem");
    assert!(open["what"].as_str().unwrap().contains("more.yml"), "{open}");
    armed.workspace.write(".github/workflows/ci.yml", "on: push\n");
    let drift = armed.finds("drift", "problem");
    assert!(drift["what"].as_str().unwrap().contains(".github/workflows/ci.yml"), "{drift}");
    armed.finds("ci", "warning");
    fs::remove_dir_all(armed.workspace.state().join("locks")).unwrap();
    armed.finds("baseline", "warning");
    fs::remove_file(armed.workspace.path("referee.lock")).unwrap();
    armed.finds("baseline", "problem");
    armed.referee(&["enroll", "--trusted", "main"]).exits(0);
    armed.finds("baseline", "ok");
    armed.git(&["add", "-A"]);
    armed.git(&["commit", "-q", "-m", "more"]);
    let moved = armed.finds("baseline", "warning");
    assert!(moved["what"].as_str().unwrap().contains("main was commit"), "{moved}");
    armed.finds("drift", "problem");
    armed.referee(&["enroll", "--trusted", "main"]).exits(0);
    armed.finds("baseline", "ok");
    armed.finds("drift", "ok");
    armed.finds("protected", "ok");
}

#[test]
fn a_project_that_was_taken_out_of_the_gate_is_seen() {
    let armed = Armed::new();
    armed.referee(&["enroll", "--remove", "--yes"]).exits(0);
    armed.finds("removal", "warning");
    armed.finds("enrolment", "ok");
    armed.git(&["rm", "-q", "--cached", "referee.yaml"]);
    armed.git(&["commit", "-q", "-m", "out"]);
    armed.finds("removal", "problem");
    armed.finds("enrolment", "problem");
    armed.referee(&["enroll"]).exits(0);
    armed.finds("removal", "warning");
    fs::remove_file(armed.workspace.path("referee.yaml")).unwrap();
    armed.finds("specification", "problem");
    armed.workspace.write("referee.yaml", "checks: [");
    armed.finds("specification", "problem");
}

#[test]
fn a_state_directory_that_holds_nothing_is_found() {
    let armed = Armed::new();
    let with_state = |directory: &Path| {
        finish(armed.command(&["doctor", "--format", "json"]).env("REFEREE_STATE_DIR", directory).spawn().unwrap())
    };
    let inside = armed.workspace.path(".state");
    fs::create_dir(&inside).unwrap();
    found(&with_state(&inside), "state-directory", "problem");
    let file = armed.home.path().join("file");
    fs::write(&file, "").unwrap();
    found(&with_state(&file), "state-directory", "problem");
    found(&with_state(&file), "enrolment", "problem");
    found(&with_state(&armed.home.path().join("new")), "state-directory", "warning");
    let state = armed.workspace.state();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    armed.finds("state-directory", "problem");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).unwrap();
    armed.finds("state-directory", "warning");
}

#[test]
fn keys_in_reach_are_found_and_nothing_of_them_is_told() {
    let armed = Armed::new();
    armed.finds("signing-key", "warning");
    let directory = armed.home.path().join(".config/referee");
    for (name, role) in [("key", "runner"), ("ada", "approver")] {
        armed.referee(&["key", "new", "--name", name]).exits(0);
        let public = directory.join(format!("{name}.pub.pem"));
        let typed = ["key", "trust", public.to_str().unwrap(), "--name", name, "--as", role];
        at_a_terminal(&armed.command(&typed), "").exits(0);
    }
    armed.finds("trust-store", "ok");
    armed.finds("approver-key", "problem");
    let private = fs::read_to_string(directory.join("ada.pem")).unwrap();
    let secret = private.lines().nth(1).unwrap();
    let told = armed.referee(&["doctor", "--format", "json"]);
    assert!(!told.stdout.contains(secret) && !told.stderr.contains(secret));
    fs::rename(directory.join("ada.pem"), directory.join("ada.elsewhere")).unwrap();
    armed.finds("approver-key", "ok");
    let with_key =
        |key: &str| finish(armed.command(&["doctor", "--format", "json"]).env("REFEREE_KEY", key).spawn().unwrap());
    found(&with_key(directory.join("key.pem").to_str().unwrap()), "signing-key", "warning");
    armed.workspace.write("key.pem", fs::read(directory.join("key.pem")).unwrap());
    found(&with_key("key.pem"), "signing-key", "problem");
    let given = with_key(&private);
    found(&given, "signing-key", "problem");
    assert!(!given.stdout.contains(secret) && !given.stderr.contains(secret));
    fs::write(armed.workspace.state().join("trust/trust.json"), "{").unwrap();
    armed.finds("trust-store", "problem");
}

#[test]
fn runs_that_were_tampered_with_are_found() {
    let armed = Armed::new();
    armed.referee(&["run"]).exits(0);
    let (place, history) = (armed.workspace.path("evidence/T001"), armed.workspace.path("evidence/.history/T001"));
    let earlier = fs::read_dir(&history).unwrap().next().unwrap().unwrap().path();
    let latest = armed.home.path().join("latest");
    assert!(Command::new("cp").arg("-a").arg(&place).arg(&latest).status().unwrap().success());
    fs::remove_dir_all(&place).unwrap();
    assert!(Command::new("cp").arg("-a").arg(&earlier).arg(&place).status().unwrap().success());
    armed.finds("chain", "problem");
    fs::remove_dir_all(&place).unwrap();
    assert!(Command::new("cp").arg("-a").arg(&latest).arg(&place).status().unwrap().success());
    armed.finds("chain", "ok");
    fs::write(place.join("execution-report.json"), "{}").unwrap();
    armed.finds("last-verdict", "problem");
    fs::remove_dir_all(&place).unwrap();
    armed.finds("last-verdict", "warning");
}

#[test]
fn held_out_checks_that_are_gone_are_found() {
    let armed = Armed::new();
    let held_out = armed.home.path().join("held-out.yaml");
    fs::write(&held_out, SPECIFICATION).unwrap();
    armed.referee(&["enroll", "--held-out", held_out.to_str().unwrap()]).exits(0);
    armed.finds("held-out", "ok");
    fs::write(&held_out, "checks: [").unwrap();
    armed.finds("held-out", "problem");
    fs::remove_file(&held_out).unwrap();
    armed.finds("held-out", "problem");
}

#[test]
fn variables_that_weaken_are_named_without_their_values() {
    let armed = Armed::new();
    let weakened = finish(
        armed
            .command(&["doctor", "--format", "json"])
            .env("REFEREE_WORKSPACE", "/somewhere/secret")
            .env("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "1")
            .spawn()
            .unwrap(),
    );
    let finding = found(&weakened, "environment", "warning");
    assert!(finding["what"].as_str().unwrap().contains("REFEREE_WORKSPACE"), "{finding}");
    assert!(!weakened.stdout.contains("/somewhere/secret"));
    found(&weakened, "hook-cap", "warning");
}

#[test]
fn a_directory_of_nothing_is_not_armed_and_a_finding_is_explained() {
    let workspace = Workspace::new();
    let finished = finish(workspace.command(&["doctor"]).env("HOME", workspace.path("")).spawn().unwrap()).exits(3);
    assert!(finished.told().contains("the gate is NOT armed"), "{}", finished.stdout);
    let explained = workspace.referee(&["doctor", "--explain", "hook-fail-closed"]).exits(0);
    assert!(explained.told().contains("fix: Run `referee hook config HOST --write`"), "{}", explained.stdout);
    let unknown = workspace.referee(&["doctor", "--explain", "nothing"]).exits(2);
    assert!(unknown.stderr.contains("specification, enrolment"), "{}", unknown.stderr);
}
