use std::fmt::Write as _;

use proptest::prelude::*;

use super::payloads::recorded;
use super::*;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../tests/hooks/", $name, ".json"))
    };
}

/// All recorded events, each with the host that it is given to.
const FIXTURES: [(AgentHost, &str); 27] = [
    (AgentHost::Claude, fixture!("claude/session-start")),
    (AgentHost::Claude, fixture!("claude/user-prompt-submit")),
    (AgentHost::Claude, fixture!("claude/post-tool-use")),
    (AgentHost::Claude, fixture!("claude/stop-continued")),
    (AgentHost::Claude, fixture!("claude/task-notification")),
    (AgentHost::Codex, fixture!("codex/session-start")),
    (AgentHost::Codex, fixture!("codex/spawned-agent-prompt")),
    (AgentHost::Copilot, fixture!("copilot/session-start")),
    (AgentHost::Copilot, fixture!("copilot/user-prompt-submitted")),
    (AgentHost::Copilot, fixture!("copilot/pre-tool-use")),
    (AgentHost::Copilot, fixture!("copilot/stop-pascal-case")),
    (AgentHost::Copilot, fixture!("copilot/spawned-agent-prompt")),
    (AgentHost::Copilot, fixture!("copilot/spawned-agent-stop")),
    (AgentHost::Copilot, fixture!("copilot/spawned-agent-stop-pascal-case")),
    (AgentHost::Copilot, fixture!("copilot/deeper-agent-subagent-stop")),
    (AgentHost::Copilot, fixture!("copilot/system-notification")),
    (AgentHost::Gemini, fixture!("gemini/before-agent")),
    (AgentHost::Gemini, fixture!("gemini/session-end")),
    (AgentHost::Qwen, fixture!("qwen/session-start")),
    (AgentHost::Qwen, fixture!("qwen/user-prompt-submit")),
    (AgentHost::Qwen, fixture!("qwen/prompt-of-a-tool")),
    (AgentHost::OpenCode, fixture!("opencode/user-prompt-submit")),
    (AgentHost::Cursor, fixture!("cursor/stop-aborted")),
    (AgentHost::Cursor, fixture!("cursor/before-submit-prompt")),
    (AgentHost::Cursor, fixture!("cursor/session-start")),
    (AgentHost::VsCode, fixture!("vscode/stop-snake-case")),
    (AgentHost::VsCode, fixture!("vscode/pre-compact")),
];

const GATED: [HookMoment; 3] = [HookMoment::AgentStops, HookMoment::SubagentStops, HookMoment::TaskCompletes];

fn everything() -> Vec<(AgentHost, &'static str)> {
    let gated = AgentHost::ALL.into_iter().flat_map(|host| GATED.map(|moment| (host, moment)));
    let gated = gated.filter_map(|(host, moment)| Some((host, recorded(host, moment)?)));
    FIXTURES.into_iter().chain(gated).collect()
}

#[test]
fn the_recorded_events_of_every_host_are_read() {
    let mut read = Vec::new();
    for (host, text) in everything() {
        read.push(format!("{:#?}", super::read(host, text.as_bytes()).unwrap()));
    }
    insta::assert_snapshot!(read.join("\n"));
}

#[test]
fn an_event_in_another_hosts_form_is_that_hosts() {
    let text = |host| recorded(host, HookMoment::AgentStops).unwrap();
    for (asked, given) in [
        (AgentHost::Claude, AgentHost::Copilot),
        (AgentHost::Claude, AgentHost::VsCode),
        (AgentHost::Claude, AgentHost::Cursor),
        (AgentHost::Copilot, AgentHost::VsCode),
        (AgentHost::VsCode, AgentHost::Copilot),
    ] {
        let event = super::read(asked, text(given).as_bytes()).unwrap();
        assert_eq!((event.host, event.moment), (given, HookMoment::AgentStops), "{asked:?}");
    }
    let snake = super::read(AgentHost::Claude, fixture!("copilot/stop-pascal-case").as_bytes()).unwrap();
    assert_eq!(snake.host, AgentHost::Copilot);
}

#[test]
fn a_prompt_that_no_person_typed_is_no_persons() {
    let moment = |host, text: &str| super::read(host, text.as_bytes()).unwrap().moment;
    for (host, prompt) in [
        (AgentHost::Claude, fixture!("claude/task-notification")),
        (AgentHost::Codex, fixture!("codex/spawned-agent-prompt")),
        (AgentHost::Copilot, fixture!("copilot/spawned-agent-prompt")),
        (AgentHost::Copilot, fixture!("copilot/system-notification")),
    ] {
        assert_eq!(moment(host, prompt), HookMoment::Other, "{prompt}");
    }
    assert_eq!(moment(AgentHost::Claude, fixture!("claude/user-prompt-submit")), HookMoment::PersonSpeaks);
}

#[test]
fn an_agent_with_a_session_of_its_own_belongs_to_the_agent_that_started_it() {
    for (asked, text, deeper) in [
        (AgentHost::Copilot, fixture!("copilot/spawned-agent-stop"), false),
        (AgentHost::Copilot, fixture!("copilot/spawned-agent-stop-pascal-case"), false),
        (AgentHost::Claude, fixture!("copilot/spawned-agent-stop-pascal-case"), false),
        (AgentHost::Copilot, fixture!("copilot/deeper-agent-subagent-stop"), true),
    ] {
        let event = super::read(asked, text.as_bytes()).unwrap();
        assert_eq!((event.moment, event.worker_has_session), (HookMoment::SubagentStops, true), "{text}");
        let (session, worker) = if deeper { ("child", "grandchild") } else { ("root", "child") };
        assert_eq!((event.session.as_deref(), event.worker.as_deref()), (Some(session), Some(worker)), "{text}");
    }
    let of_claude =
        super::read(AgentHost::Claude, recorded(AgentHost::Claude, HookMoment::SubagentStops).unwrap().as_bytes());
    assert!(!of_claude.unwrap().worker_has_session);
}

#[test]
fn two_events_of_one_stop_have_one_time() {
    let of = |text: &str| super::read(AgentHost::Copilot, text.as_bytes()).unwrap().at;
    let (camel, pascal) = (fixture!("copilot/spawned-agent-stop"), fixture!("copilot/spawned-agent-stop-pascal-case"));
    assert!(of(camel).is_some());
    assert_eq!(of(camel), of(pascal));
    assert_eq!(of(&camel.replace("1795406524836", "\"soon\"")), None, "junk is no time, and no error");
}

#[test]
fn a_byte_order_mark_is_passed_over_and_an_unknown_event_is_some_other() {
    let marked = [b"\xef\xbb\xbf", fixture!("cursor/stop-aborted").as_bytes()].concat();
    assert!(super::read(AgentHost::Cursor, &marked).unwrap().aborted);
    let other = fixture!("claude/session-start").replace("SessionStart", "TeammateIdle");
    let other = super::read(AgentHost::Claude, other.as_bytes()).unwrap();
    assert_eq!((other.moment, other.name.as_str()), (HookMoment::Other, "TeammateIdle"));
}

#[test]
fn what_cannot_be_read_says_why() {
    let stop = recorded(AgentHost::Claude, HookMoment::AgentStops).unwrap();
    let utf_16: Vec<u8> = stop.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let deep = format!("{{\"cwd\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let long = vec![b' '; limit::HOOK_EVENT_BYTES + 1];
    let without = |key: &str| stop.replace(key, "x_unknown");
    let twice = stop.replace("\"effort\"", "\"cwd\"");
    let rows: [(&str, AgentHost, Vec<u8>); 16] = [
        ("nothing", AgentHost::Claude, Vec::new()),
        ("blanks", AgentHost::Claude, b" \n".to_vec()),
        ("too long", AgentHost::Claude, long),
        ("UTF-16", AgentHost::Claude, utf_16),
        ("UTF-8", AgentHost::Claude, b"{\"cwd\": \"\xff\"}".to_vec()),
        ("half", AgentHost::Claude, stop.as_bytes()[..stop.len() / 2].to_vec()),
        ("two", AgentHost::Claude, [stop, stop].concat().into_bytes()),
        ("a list", AgentHost::Claude, b"[]".to_vec()),
        ("deep", AgentHost::Claude, deep.into_bytes()),
        ("a key twice", AgentHost::Claude, twice.into_bytes()),
        ("no name", AgentHost::Claude, without("hook_event_name").into_bytes()),
        ("no session", AgentHost::Claude, without("session_id").into_bytes()),
        ("no directory", AgentHost::Claude, without("cwd").into_bytes()),
        ("another type", AgentHost::Claude, stop.replace("false", "\"no\"").into_bytes()),
        ("a relative directory", AgentHost::Claude, stop.replace("/home/dev/project\"", "project\"").into_bytes()),
        ("no event", AgentHost::Copilot, b"{\"sessionId\": \"s\", \"cwd\": \"/p\"}".to_vec()),
    ];
    let mut told = String::new();
    for (name, host, bytes) in rows {
        let error = super::read(host, &bytes).unwrap_err();
        let _ = writeln!(told, "{name}: {error}");
    }
    insta::assert_snapshot!(told);
}

proptest! {
    #[test]
    fn no_mutation_of_a_recorded_event_makes_a_panic(
        which in any::<prop::sample::Index>(),
        asked in 0_usize..6,
        at in any::<prop::sample::Index>(),
        with in prop::collection::vec(any::<u8>(), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let all = everything();
        let (_, text) = all[which.index(all.len())];
        let mut bytes = text.as_bytes().to_vec();
        let at = at.index(bytes.len());
        let end = (at + with.len()).min(bytes.len());
        bytes.splice(at..end, with);
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len() + 1)]] {
            let read = super::read(AgentHost::ALL[asked], bytes);
            if let Ok(event) = read {
                prop_assert!(event.directory.is_none_or(|directory| directory.is_absolute()));
            }
            let _ = transcript::last_message(AgentHost::ALL[asked], None, bytes);
        }
    }
}

#[test]
fn what_a_tool_of_claude_code_is_about_to_do_is_read_and_of_others_nothing() {
    let of = |event: &str, tool: &str, input: &str| {
        let text = format!(
            r#"{{"session_id":"s","cwd":"/p","hook_event_name":"{event}","tool_name":"{tool}","tool_input":{input}}}"#
        );
        super::read(AgentHost::Claude, text.as_bytes()).unwrap().tool
    };
    let path = r#"{"file_path":"/p/a","notebook_path":"/p/b","command":"rm a"}"#;
    for tool in ["Edit", "MultiEdit", "Write"] {
        assert_eq!(of("PreToolUse", tool, path), Some(ToolUse::Edit("/p/a".into())), "{tool}");
    }
    assert_eq!(of("PreToolUse", "NotebookEdit", path), Some(ToolUse::Edit("/p/b".into())));
    assert_eq!(of("PreToolUse", "Bash", path), Some(ToolUse::Shell("rm a".to_owned())));
    for (event, tool, input) in [
        ("PostToolUse", "Write", path),
        ("PreToolUse", "Read", path),
        ("PreToolUse", "Write", "{}"),
        ("PreToolUse", "Bash", "[]"),
        ("PreToolUse", "Bash", r#"{"command":7}"#),
    ] {
        assert_eq!(of(event, tool, input), None, "{event} {tool} {input}");
    }
}

#[test]
fn an_event_whose_name_has_blanks_is_that_event_and_one_of_blanks_alone_has_no_name() {
    for (asked, key, session, names) in [
        (AgentHost::Claude, "hook_event_name", "session_id", [" Stop", "Stop\\n", "\\tStop\u{a0}"]),
        (AgentHost::Gemini, "hook_event_name", "session_id", ["AfterAgent ", "After Agent", " \u{2003}AfterAgent"]),
        (AgentHost::VsCode, "hookEventName", "sessionId", ["Stop ", "S top", "\\r\\nStop"]),
    ] {
        let read = |name: &str| {
            let text = format!(r#"{{"{session}":"s","cwd":"/p","{key}":"{name}"}}"#);
            super::read(asked, text.as_bytes())
        };
        for name in names {
            let event = read(name).unwrap();
            assert_eq!(event.moment, HookMoment::AgentStops, "{name:?}");
            assert!(!event.name.contains(char::is_whitespace), "{name:?}");
        }
        assert!(matches!(read(" \\t "), Err(super::HookError::Unnamed { .. })));
    }
    let written = r#"{"session_id":"s","cwd":"/p","hook_event_name":" PreToolUse ","tool_name":"Bash","tool_input":{"command":"rm a"}}"#;
    assert!(super::read(AgentHost::Claude, written.as_bytes()).unwrap().tool.is_some());
}
