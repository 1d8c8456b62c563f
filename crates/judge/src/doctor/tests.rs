use serde_json::{Value, json};

use super::*;
use crate::doctor::command::{in_line, in_words};

fn file(path: &str, scope: Scope, content: impl Into<Vec<u8>>) -> HostFile {
    HostFile { path: format!("/work/{path}"), shown: path.to_owned(), scope, content: Ok(content.into()) }
}

fn asked(host: AgentHost, files: &[HostFile]) -> Examined {
    examine(&Question {
        host,
        used: Use::Project,
        project: "/work",
        files,
        deadline_ms: 290_000,
        written: &written_for(host),
        limits: &["It is no wall."],
    })
}

/// A line as it would be written for every event of a host.
fn written(host: AgentHost) -> String {
    format!(
        "/bin/sh -c 'exit 2' referee-hook 'no answer of referee hook codex' 60 referee hook {0} --deadline 60s",
        host.as_str()
    )
}

fn written_for(host: AgentHost) -> Vec<(&'static str, String)> {
    ["Stop", "SubagentStop", "AfterAgent", "agentStop", "subagentStop", "stop"]
        .map(|event| (event, written(host)))
        .to_vec()
}

/// What stands against a host, as `check grade`.
fn against(examined: &Examined) -> Vec<String> {
    let bad = examined.findings.iter().filter(|finding| finding.grade != Grade::Ok);
    bad.map(|finding| format!("{} {}", finding.check.as_str(), finding.grade.as_str())).collect()
}

fn claude() -> Value {
    let gated = json!([{ "hooks": [{ "type": "command", "command": "referee", "args": ["hook", "claude"], "timeout": 300,
        "onFailure": "block" }] }]);
    let other = json!([{ "hooks": [{ "type": "command", "command": "referee hook claude", "timeout": 30 }] }]);
    json!({ "hooks": {
        "Stop": gated, "SubagentStop": gated, "TaskCompleted": gated, "SessionStart": other, "UserPromptSubmit": other,
    } })
}

/// Claude Code's settings with one value changed.
fn changed(pointer: &str, value: Value) -> Vec<u8> {
    let mut settings = claude();
    match settings.pointer_mut(pointer) {
        Some(place) => *place = value,
        None => settings[pointer.trim_start_matches('/')] = value,
    }
    settings.to_string().into_bytes()
}

const SETTINGS: &str = ".claude/settings.json";

#[test]
fn a_whole_configuration_stands() {
    let examined = asked(AgentHost::Claude, &[file(SETTINGS, Scope::Project, claude().to_string())]);
    assert_eq!(against(&examined), [""; 0], "{examined:#?}");
    assert_eq!(examined.hooks.len(), 3, "the gated ones");
    assert!(examined.hooks.iter().all(|hook| hook.program == Program::Named("referee".to_owned())));
    assert!(examined.findings.iter().all(|finding| finding.subject.as_deref() == Some("claude")));
}

#[test]
fn each_thing_that_is_taken_away_is_told() {
    let stop = "/hooks/Stop/0/hooks/0";
    for (pointer, value, told) in [
        ("/hooks/Stop", json!([]), "hook problem"),
        ("/hooks", json!({}), "hook problem"),
        ("/hooks/Stop/0/hooks/0/args", json!(["hook", "codex"]), "hook problem"),
        ("/hooks/Stop/0/hooks/0/type", json!("prompt"), "hook problem"),
        ("/hooks/SessionStart", json!([]), "hook-events warning"),
        ("/hooks/TaskCompleted", json!([]), "hook-events warning"),
        ("/hooks/Stop/0/hooks/0/onFailure", json!("continue"), "hook-fail-closed problem"),
        ("/hooks/Stop/0/hooks/0/timeout", json!(290), "hook-timeout problem"),
        ("/hooks/Stop/0/hooks/0/timeout", json!(0.2), "hook-timeout problem"),
        ("/hooks/Stop/0/hooks/0/args", json!(["hook", "claude", "--deadline", "10m"]), "hook-timeout problem"),
        ("/hooks/Stop/0/hooks/0/args", json!(["hook", "claude", "--deadline=soon"]), "hook-timeout unknown"),
        ("/disableAllHooks", json!(true), "hook-switch problem"),
        ("/env", json!({ "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "1" }), "hook-cap warning"),
        ("/env", json!({ "REFEREE_STATE_DIR": "/tmp/x" }), "environment problem"),
        ("/env", json!({ "LD_PRELOAD": "/tmp/x" }), "environment problem"),
        ("/env", json!({ "REFEREE_JOBS": "1" }), "environment warning"),
        ("/hooks/Stop/0/hooks/0/args", json!(["hook", "claude", "--help"]), "hook problem"),
        ("/hooks/Stop/0/hooks/0/args", json!(["-C", "/tmp", "hook", "claude"]), "hook problem"),
        ("/hooks/Stop/0/hooks/0", json!({ "command": "true # referee hook claude", "timeout": 300 }), "hook problem"),
        ("/hooks/Stop", json!("referee"), "hook-file problem"),
    ] {
        let examined = asked(AgentHost::Claude, &[file(SETTINGS, Scope::Project, changed(pointer, value.clone()))]);
        let found: Vec<String> = examined
            .findings
            .iter()
            .map(|finding| format!("{} {}", finding.check.as_str(), finding.grade.as_str()))
            .collect();
        assert!(found.iter().any(|found| found == told), "{pointer} {value}: {found:?}");
    }
    let background = json!({ "command": "referee hook claude", "onFailure": "block", "timeout": 300, "async": true });
    let examined = asked(AgentHost::Claude, &[file(SETTINGS, Scope::Project, changed(stop, background))]);
    assert_eq!(against(&examined), ["hook-fail-closed problem"]);
}

#[test]
fn where_a_hook_stands_counts() {
    let whole = claude().to_string();
    let user = asked(AgentHost::Claude, &[file(SETTINGS, Scope::User, whole.clone())]);
    assert_eq!(against(&user), ["hook warning"]);
    let both = asked(
        AgentHost::Claude,
        &[file(SETTINGS, Scope::Project, whole.clone()), file("user.json", Scope::User, whole.clone())],
    );
    assert_eq!(against(&both), ["hook warning"], "it is asked twice");
    let managed = file("managed.json", Scope::Managed, r#"{ "allowManagedHooksOnly": true }"#);
    let refused = asked(AgentHost::Claude, &[file(SETTINGS, Scope::Project, whole.clone()), managed]);
    assert_eq!(against(&refused), ["hook-switch problem"]);
    let machine = Question {
        host: AgentHost::Gemini,
        used: Use::Machine,
        project: "/work",
        files: &[],
        deadline_ms: 1,
        written: &[],
        limits: &[],
    };
    assert_eq!(against(&examine(&machine)), ["hook warning"]);
}

#[test]
fn junk_is_a_finding_and_never_a_hook() {
    for junk in ["{", "[]", "null", "\u{feff}{}", "{\"hooks\": 1}", "{\"hooks\": {\"Stop\": {}}}"] {
        let examined = asked(AgentHost::Claude, &[file(SETTINGS, Scope::Project, junk)]);
        assert_eq!(against(&examined), ["hook-file problem", "hook problem"], "{junk}");
    }
    let unreadable = HostFile { content: Err("permission denied".to_owned()), ..file(SETTINGS, Scope::Project, "") };
    assert_eq!(against(&asked(AgentHost::Claude, &[unreadable])), ["hook-file problem", "hook problem"]);
    assert_eq!(against(&asked(AgentHost::Claude, &[file(SETTINGS, Scope::Project, "")])), ["hook problem"]);
}

#[test]
fn other_hosts_are_read_in_their_own_form() {
    let line = &written(AgentHost::Codex);
    let group =
        |line: &str, timeout: u64| json!([{ "hooks": [{ "type": "command", "command": line, "timeout": timeout }] }]);
    let events = |events: &[&str], entry: &Value| -> Value {
        events.iter().map(|event| ((*event).to_owned(), entry.clone())).collect()
    };
    let cursor = json!([{ "command": "referee hook cursor", "timeout": 400, "failClosed": true, "loop_limit": 20 }]);
    let open = json!([{ "command": "referee hook cursor", "timeout": 400 }]);
    let cursor_events = ["stop", "subagentStop", "sessionStart", "beforeSubmitPrompt"];
    let copilot = json!([{ "type": "command", "bash": "referee hook copilot", "timeoutSec": 400 }]);
    let copilot_events = ["agentStop", "subagentStop", "sessionStart", "userPromptSubmitted"];
    let gemini = group(&written(AgentHost::Gemini), 400_000);
    let gemini_events = ["AfterAgent", "SessionStart", "BeforeAgent"];
    let codex_events = ["Stop", "SubagentStop", "SessionStart", "UserPromptSubmit"];
    for (host, content, told) in [
        (AgentHost::Cursor, json!({ "version": 1, "hooks": events(&cursor_events, &cursor) }), vec![]),
        (AgentHost::Cursor, json!({ "hooks": events(&cursor_events, &cursor) }), vec!["hook-file problem"]),
        (
            AgentHost::Cursor,
            json!({ "version": 1, "hooks": events(&cursor_events, &open) }),
            vec!["hook-fail-closed problem", "hook-cap warning"],
        ),
        (
            AgentHost::Copilot,
            json!({ "version": 1, "hooks": events(&copilot_events, &copilot) }),
            vec!["hook-fail-closed warning", "host-limits warning"],
        ),
        (AgentHost::Gemini, json!({ "hooks": events(&gemini_events, &gemini) }), vec!["host-limits warning"]),
        (
            AgentHost::Gemini,
            json!({ "hooksConfig": { "enabled": false, "disabled": ["referee"] }, "hooks": events(&gemini_events, &gemini) }),
            vec!["hook-switch problem", "hook-switch problem", "host-limits warning"],
        ),
        (
            AgentHost::Codex,
            json!({ "$schema": "x", "hooks": events(&codex_events, &group(line, 100)) }),
            vec!["hook-file problem", "host-limits warning", "hook-trust problem"],
        ),
    ] {
        let examined = asked(host, &[file("hooks.json", Scope::Project, content.to_string())]);
        assert_eq!(against(&examined), told, "{content}");
    }
}

#[test]
fn what_codex_trusts_is_never_told_as_sure() {
    let entry = json!([{ "hooks": [{ "command": "referee hook codex || exit 2", "timeout": 600 }] }]);
    let hooks = json!({ "hooks": { "Stop": entry } }).to_string();
    let trust = |rest: &str| format!("# [projects.\"/\"]\n[projects.\"/work\"]\ntrust_level = \"trusted\"\n{rest}");
    let state = "[hooks.state.\"/work/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:00\"\n";
    for (settings, told) in [
        (String::new(), "hook-trust problem"),
        (state.to_owned(), "hook-trust problem"),
        (trust(""), "hook-trust problem"),
        (trust(&state.replace("stop:0", "stop:1")), "hook-trust problem"),
        (trust(&format!("{state}enabled = false\n")), "hook-trust problem"),
        (trust(state), "hook-trust unknown"),
        (trust(&format!("{state}[features]\nhooks = false # for now\n")), "hook-switch problem"),
    ] {
        let files = [
            file(".codex/hooks.json", Scope::Project, hooks.clone()),
            file(".codex/config.toml", Scope::User, settings.clone()),
        ];
        let found = against(&asked(AgentHost::Codex, &files));
        assert!(found.contains(&told.to_owned()), "{settings}: {found:?}");
    }
    let in_reach =
        [file(".codex/hooks.json", Scope::Project, hooks), file(".codex/config.toml", Scope::Project, trust(state))];
    let found = against(&asked(AgentHost::Codex, &in_reach));
    assert!(found.contains(&"hook-trust problem".to_owned()), "a project cannot trust itself: {found:?}");
}

#[test]
fn the_program_of_a_command_is_found_or_unknown() {
    let named = |name: &str| Some(Program::Named(name.to_owned()));
    for (line, program) in [
        ("referee hook claude", named("referee")),
        ("/opt/bin/referee hook claude --deadline 5m", named("/opt/bin/referee")),
        ("'/opt/my tools/referee' hook claude", named("/opt/my tools/referee")),
        ("/opt/my\\ tools/referee hook claude", named("/opt/my tools/referee")),
        ("o=$(referee hook claude) || exit 2", named("referee")),
        (
            "sh -c '\"$@\"' 'no answer of referee hook claude' 60 /usr/bin/referee hook 'claude'",
            named("/usr/bin/referee"),
        ),
        ("\"$REFEREE\" hook claude", Some(Program::Unknown)),
        ("env X=1 other hook claude", Some(Program::Unknown)),
        ("hook claude", None),
        ("referee hook claudette", None),
        ("referee webhook claude", None),
        ("referee hook codex", None),
        ("echo done", None),
    ] {
        let found = in_line(AgentHost::Claude, line).map(|call| call.program);
        assert_eq!(found, program, "{line}");
    }
    let words = |words: &[&str]| in_words(AgentHost::Claude, words).map(|call| (call.program, call.key));
    assert_eq!(words(&["referee", "-C", "x", "hook", "claude"]), Some((Program::Named("referee".to_owned()), None)));
    assert_eq!(
        words(&["sh", "-c", "referee hook claude --key agent:ci"]),
        Some((Program::Named("referee".to_owned()), Some("agent:ci".to_owned())))
    );
    assert_eq!(words(&["sh", "-c", "true"]), None);
}

proptest::proptest! {
    #[test]
    fn nothing_in_a_configuration_makes_the_rules_panic(
        text in "\\PC{0,60}(hook ?(claude|codex))?[\"'\\\\ )]{0,3}\\PC{0,20}",
        toml in "(\\[|\\]|=|\"|#|\\n|[a-z.]){0,60}",
        at in 0..400usize,
    ) {
        let mut settings = changed("/hooks/Stop/0/hooks/0/command", Value::from(text.clone()));
        settings.truncate(at.max(1));
        for host in AgentHost::ALL {
            let line = json!({ "version": 1, "hooks": { "stop": [{ "command": &text }], "Stop": [{ "command": &text, "args": [&text] }] } });
            let files = [
                file("a.json", Scope::Project, settings.clone()),
                file("b.json", Scope::User, line.to_string()),
                file("config.toml", Scope::User, toml.clone()),
            ];
            let examined = asked(host, &files);
            proptest::prop_assert!(examined.findings.iter().any(|finding| finding.grade != Grade::Ok));
        }
    }
}
