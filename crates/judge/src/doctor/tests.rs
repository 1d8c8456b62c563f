use serde_json::{Value, json};

use super::*;
use crate::doctor::command::{in_line, in_words};

fn file(path: &str, scope: Scope, content: impl Into<Vec<u8>>) -> HostFile {
    let script = Script { path: format!("/work/{path}.sh"), shown: format!("{path}.sh"), fault: None };
    HostFile { path: format!("/work/{path}"), shown: path.to_owned(), scope, content: Ok(content.into()), script }
}

fn asked(host: AgentHost, files: &[HostFile]) -> Examined {
    examine(&Question {
        host,
        used: Use::Project,
        project: "/work",
        files,
        deadline_ms: 290_000,
        written: &written_for(host),
        trust: &Trust::Unasked,
        limits: &["It is not a wall."],
    })
}

/// Returns the line that Referee would write for an event of a host, in a file of each scope.
fn written(host: AgentHost, event: &str) -> String {
    format!("sh -c 'exit 2' referee hook {} --deadline 60s {event}", host.as_str())
}

fn written_for(host: AgentHost) -> Vec<Written<'static>> {
    let events =
        ["Stop", "SubagentStop", "TaskCompleted", "AfterAgent", "agentStop", "subagentStop", "stop"].into_iter();
    let of_scope = |scope| move |event| Written { scope, event, line: written(host, event) };
    [Scope::Project, Scope::User].into_iter().flat_map(|scope| events.clone().map(of_scope(scope))).collect()
}

/// Returns the bad findings about a host, as `check grade`.
fn against(examined: &Examined) -> Vec<String> {
    let bad = examined.findings.iter().filter(|finding| finding.grade != Grade::Ok);
    bad.map(|finding| format!("{} {}", finding.check.as_str(), finding.grade.as_str())).collect()
}

fn claude() -> Value {
    let gated = |event| {
        let line = written(AgentHost::Claude, event).replace("60s", "290s");
        json!([{ "hooks": [{ "type": "command", "command": line, "timeout": 300 }] }])
    };
    let other = json!([{ "hooks": [{ "type": "command", "command": "referee hook claude", "timeout": 30 }] }]);
    json!({ "hooks": {
        "Stop": gated("Stop"), "SubagentStop": gated("SubagentStop"), "TaskCompleted": gated("TaskCompleted"),
        "SessionStart": other, "UserPromptSubmit": other, "PreToolUse": other, "ConfigChange": other,
    } })
}

/// Returns Claude Code's settings with one value changed.
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
    let call = "/hooks/Stop/0/hooks/0";
    let plain = |line: &str| json!({ "type": "command", "command": line, "timeout": 300 });
    for (pointer, value, told) in [
        ("/hooks/Stop", json!([]), "hook problem"),
        ("/hooks", json!({}), "hook problem"),
        (call, plain("referee hook codex"), "hook problem"),
        ("/hooks/Stop/0/hooks/0/type", json!("prompt"), "hook problem"),
        ("/hooks/SessionStart", json!([]), "hook-events warning"),
        ("/hooks/TaskCompleted", json!([]), "hook-events warning"),
        ("/hooks/PreToolUse", json!([]), "hook-events warning"),
        ("/hooks/ConfigChange", json!([]), "hook-events warning"),
        (call, json!({ "command": "referee hook claude", "onFailure": "block" }), "hook-fail-closed problem"),
        ("/hooks/Stop/0/hooks/0/timeout", json!(290), "hook-timeout problem"),
        ("/hooks/Stop/0/hooks/0/timeout", json!(0.2), "hook-timeout problem"),
        (call, plain("referee hook claude --deadline 10m"), "hook-timeout problem"),
        (call, plain("referee hook claude --deadline=soon"), "hook-timeout unknown"),
        ("/disableAllHooks", json!(true), "hook-switch problem"),
        ("/env", json!({ "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "1" }), "hook-cap warning"),
        ("/env", json!({ "REFEREE_STATE_DIR": "/tmp/x" }), "environment problem"),
        ("/env", json!({ "LD_PRELOAD": "/tmp/x" }), "environment problem"),
        ("/env", json!({ "REFEREE_JOBS": "1" }), "environment warning"),
        (call, plain("referee hook claude --help"), "hook problem"),
        (call, plain("referee -C /tmp hook claude"), "hook problem"),
        (call, plain("true # referee hook claude"), "hook problem"),
        (call, plain(&format!("{} || true", written(AgentHost::Claude, "Stop"))), "hook problem"),
        (call, plain(&written(AgentHost::Claude, "SessionStart")), "hook problem"),
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
    let line = written(AgentHost::Claude, "Stop");
    let background = json!({ "command": line, "timeout": 300, "async": true });
    let examined = asked(AgentHost::Claude, &[file(SETTINGS, Scope::Project, changed(call, background))]);
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
        trust: &Trust::Unasked,
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
    let group =
        |line: &str, timeout: u64| json!([{ "hooks": [{ "type": "command", "command": line, "timeout": timeout }] }]);
    let events = |host: AgentHost, events: &[&str], entry: &dyn Fn(&str) -> Value| -> Value {
        events.iter().map(|event| ((*event).to_owned(), entry(&written(host, event)))).collect()
    };
    let cursor = |line: &str| json!([{ "command": line, "timeout": 400, "failClosed": true, "loop_limit": 20 }]);
    let open = |_: &str| json!([{ "command": "referee hook cursor", "timeout": 400, "failClosed": true }]);
    let cursor_events = ["stop", "subagentStop", "sessionStart", "beforeSubmitPrompt"];
    let copilot = |_: &str| json!([{ "type": "command", "bash": "referee hook copilot", "timeoutSec": 400 }]);
    let copilot_events = ["agentStop", "subagentStop", "sessionStart", "userPromptSubmitted"];
    let gemini = |line: &str| group(line, 400_000);
    let codex = |line: &str| group(line, 100);
    let gemini_events = ["AfterAgent", "SessionStart", "BeforeAgent"];
    let codex_events = ["Stop", "SubagentStop", "SessionStart", "UserPromptSubmit"];
    for (host, content, told) in [
        (
            AgentHost::Cursor,
            json!({ "version": 1, "hooks": events(AgentHost::Cursor, &cursor_events, &cursor) }),
            vec![],
        ),
        (
            AgentHost::Cursor,
            json!({ "hooks": events(AgentHost::Cursor, &cursor_events, &cursor) }),
            vec!["hook-file problem"],
        ),
        (
            AgentHost::Cursor,
            json!({ "version": 1, "hooks": events(AgentHost::Cursor, &cursor_events, &open) }),
            vec!["hook-fail-closed problem", "hook-cap warning"],
        ),
        (
            AgentHost::Copilot,
            json!({ "version": 1, "hooks": events(AgentHost::Copilot, &copilot_events, &copilot) }),
            vec!["hook-fail-closed problem", "host-limits warning"],
        ),
        (
            AgentHost::Gemini,
            json!({ "hooks": events(AgentHost::Gemini, &gemini_events, &gemini) }),
            vec!["host-limits warning"],
        ),
        (
            AgentHost::Gemini,
            json!({ "hooksConfig": { "enabled": false, "disabled": ["referee"] }, "hooks": events(AgentHost::Gemini, &gemini_events, &gemini) }),
            vec!["hook-switch problem", "hook-switch problem", "host-limits warning"],
        ),
        (
            AgentHost::Codex,
            json!({ "$schema": "x", "hooks": events(AgentHost::Codex, &codex_events, &codex) }),
            vec!["hook-file problem", "host-limits warning", "hook-trust problem"],
        ),
    ] {
        let examined = asked(host, &[file("hooks.json", Scope::Project, content.to_string())]);
        assert_eq!(against(&examined), told, "{content}");
    }
}

#[test]
fn what_codex_trusts_is_told_by_its_own_digest() {
    let line = written(AgentHost::Codex, "Stop");
    let handler = json!({ "type": "command", "command": line, "timeout": 600 });
    let hooks = json!({ "hooks": { "Stop": [{ "hooks": [handler] }] } }).to_string();
    let digest = super::codex::digest("Stop", None, &line, &handler);
    let trust = |rest: &str| format!("# [projects.\"/\"]\n[projects.\"/work\"]\ntrust_level = \"trusted\"\n{rest}");
    let state = &format!("[hooks.state.\"/work/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"{digest}\"\n");
    for (settings, told) in [
        (String::new(), "hook-trust problem"),
        (state.to_owned(), "hook-trust problem"),
        (trust(""), "hook-trust problem"),
        (trust(&state.replace("stop:0", "stop:1")), "hook-trust problem"),
        (trust(&state.replace("sha256:", "sha256:0")), "hook-trust problem"),
        (trust(&format!("{state}enabled = false\n")), "hook-trust problem"),
        (trust(state), "hook-trust ok"),
        (trust(&format!("{state}][")), "hook-trust problem"),
        (trust(&format!("{state}][")), "hook-file problem"),
        (trust(&format!("{state}[features]\nhooks = false # for now\n")), "hook-switch problem"),
    ] {
        let files = [
            file(".codex/hooks.json", Scope::Project, hooks.clone()),
            file(".codex/config.toml", Scope::User, settings.clone()),
        ];
        let examined = asked(AgentHost::Codex, &files);
        let found = examined.findings.iter().map(|found| format!("{} {}", found.check.as_str(), found.grade.as_str()));
        let found: Vec<String> = found.collect();
        assert!(found.contains(&told.to_owned()), "{settings}: {found:?}");
    }
    let in_reach =
        [file(".codex/hooks.json", Scope::Project, hooks), file(".codex/config.toml", Scope::Project, trust(state))];
    let found = against(&asked(AgentHost::Codex, &in_reach));
    assert!(found.contains(&"hook-trust problem".to_owned()), "a project cannot trust itself: {found:?}");
}

#[test]
fn a_digest_is_of_compact_json_with_what_a_hook_has_by_default() {
    let known = |text: &str| {
        use sha2::{Digest, Sha256};
        Sha256::digest(text).iter().fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"))
    };
    let of = |event, matcher, handler: Value| super::codex::digest(event, matcher, "a \"b\"", &handler);
    assert_eq!(
        of("Stop", Some("x"), json!({})),
        known(r#"{"event_name":"stop","hooks":[{"async":false,"command":"a \"b\"","timeout":600,"type":"command"}]}"#)
    );
    assert_eq!(
        of("SessionStart", Some("new"), json!({ "timeout": 50, "async": true, "statusMessage": "asks" })),
        known(
            r#"{"event_name":"session_start","hooks":[{"async":true,"command":"a \"b\"","statusMessage":"asks","timeout":50,"type":"command"}],"matcher":"new"}"#
        )
    );
}

#[test]
fn a_script_that_is_gone_or_changed_and_a_directory_that_is_not_trusted_are_problems() {
    let whole = file(SETTINGS, Scope::Project, claude().to_string());
    let script = Script { fault: Some("is gone"), ..whole.script.clone() };
    let examined = asked(AgentHost::Claude, &[HostFile { script, ..whole }]);
    assert_eq!(against(&examined), ["hook-script problem"]);

    let events = ["AfterAgent", "SessionStart", "BeforeAgent"];
    let entry = |event| json!([{ "hooks": [{ "command": written(AgentHost::Gemini, event), "timeout": 400_000 }] }]);
    let hooks: Value = events.iter().map(|event| ((*event).to_owned(), entry(event))).collect();
    let content = json!({ "hooks": hooks }).to_string();
    let of = |scope: Scope, trust: &Trust| {
        against(&examine(&Question {
            host: AgentHost::Gemini,
            used: Use::Project,
            project: "/work",
            files: &[file(".gemini/settings.json", scope, content.clone())],
            deadline_ms: 290_000,
            written: &written_for(AgentHost::Gemini),
            trust,
            limits: &["It is not a wall."],
        }))
    };
    let lacking = Trust::Lacking("trustedFolders.json".to_owned());
    assert_eq!(of(Scope::Project, &lacking), ["host-limits warning", "hook-trust problem"]);
    assert_eq!(of(Scope::User, &lacking), ["host-limits warning"], "the user's own run everywhere");
    assert_eq!(of(Scope::Project, &Trust::Given("trustedFolders.json".to_owned())), ["host-limits warning"]);
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
