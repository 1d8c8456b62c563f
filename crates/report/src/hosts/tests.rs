use proptest::prelude::*;
use referee_model::hook::ECHO;
use referee_model::limit::GATE_ANSWER_CHARACTERS;
use referee_schema::validator::Validator;

use super::*;

const GATED: [HookMoment; 3] = [HookMoment::AgentStops, HookMoment::SubagentStops, HookMoment::TaskCompletes];

const UNGATED: [HookMoment; 4] =
    [HookMoment::SessionBegins, HookMoment::PersonSpeaks, HookMoment::SessionEnds, HookMoment::Other];

fn exchange(reply: &HookReply) -> Exchange<'_> {
    Exchange { exit: Some(i32::from(reply.exit)), timed_out: false, stdout: &reply.stdout, stderr: &reply.stderr }
}

fn blocked(reason: &str) -> HookVerdict {
    HookVerdict::Block { reason: reason.to_owned() }
}

#[test]
fn every_answer_of_every_host_is_what_its_contract_says() {
    let verdicts = [
        ("nothing", HookVerdict::NoOpinion),
        ("allow", HookVerdict::Allow { note: None }),
        ("allow with a note", HookVerdict::Allow { note: Some("all 3 checks pass".to_owned()) }),
        ("block", blocked("FAIL: \"tests\"\n- src/a.ts:3 is wrong")),
    ];
    let mut told = String::new();
    for host in AgentHost::ALL {
        for (moment, event) in [
            (HookMoment::AgentStops, "Stop"),
            (HookMoment::SubagentStops, "SubagentStop"),
            (HookMoment::TaskCompletes, "TaskCompleted"),
            (HookMoment::PersonSpeaks, "beforeSubmitPrompt"),
        ] {
            for (name, verdict) in &verdicts {
                let reply = reply(host, moment, Some(event), verdict);
                let line = format!(
                    "{} {event}, {name}: exit {} {} {}",
                    host.as_str(),
                    reply.exit,
                    String::from_utf8(reply.stdout).unwrap(),
                    String::from_utf8(reply.stderr).unwrap()
                );
                told.push_str(line.trim_end());
                told.push('\n');
            }
        }
    }
    insta::assert_snapshot!(told);
}

/// Codex's published schema for the output of its stop hooks, in our words: no other keys, and a block needs a
/// reason that is not empty.
const CODEX_OUTPUT: &str = r#"{
    "type": "object",
    "additionalProperties": false,
    "properties": {
        "continue": {"type": "boolean"},
        "stopReason": {"type": ["string", "null"]},
        "suppressOutput": {"type": "boolean"},
        "systemMessage": {"type": ["string", "null"]},
        "decision": {"enum": ["block", null]},
        "reason": {"type": ["string", "null"]}
    },
    "if": {"properties": {"decision": {"const": "block"}}, "required": ["decision"]},
    "then": {"properties": {"reason": {"type": "string", "pattern": "\\S"}}, "required": ["reason"]}
}"#;

#[test]
fn codex_takes_every_answer_by_the_schema_that_it_publishes() {
    let schema = serde_json::from_str(CODEX_OUTPUT).unwrap();
    let schema = Validator::new(&schema).unwrap();
    let notes = [None, Some("passed".to_owned())];
    let verdicts: Vec<_> = notes
        .map(|note| HookVerdict::Allow { note })
        .into_iter()
        .chain([HookVerdict::NoOpinion, blocked(""), blocked("no")])
        .collect();
    for moment in GATED.into_iter().chain(UNGATED) {
        for verdict in &verdicts {
            let reply = reply(AgentHost::Codex, moment, None, verdict);
            let value: Value = serde_json::from_slice(&reply.stdout).unwrap();
            assert!(schema.complaints(&value, 3).0.is_empty(), "{value}");
        }
    }
}

#[test]
fn what_is_not_gated_is_never_blocked() {
    for host in AgentHost::ALL {
        for moment in UNGATED {
            let reply = reply(host, moment, None, &blocked("no"));
            assert_eq!((reply.stdout.as_slice(), reply.exit), (&b"{}"[..], 0), "{host:?} {moment:?}");
        }
    }
}

#[test]
fn what_stands_in_for_an_answer_blocks_and_holds_nothing_that_a_shell_reads() {
    for host in AgentHost::ALL {
        for moment in GATED {
            let reply = stand_in(host, moment, "Stop");
            assert!(
                matches!(reaction(host, moment, &exchange(&reply)), HostReaction::Blocked(_)),
                "{host:?} {moment:?}"
            );
            let text = [reply.stdout, reply.stderr].concat();
            assert!(!text.iter().any(|byte| b"'\\".contains(byte)), "{host:?}");
        }
        assert!(!limits(host).is_empty() && deadline_ms(host) < TIMEOUT_MS);
    }
}

#[test]
fn a_hook_that_fails_is_open_but_where_the_plugin_is_ours() {
    let rows = [
        (None, false, "", ""),
        (Some(0), true, "{}", ""),
        (Some(1), false, "", "error"),
        (Some(139), false, "", ""),
        (Some(0), false, "not JSON", ""),
        (Some(0), false, "{\"decision\":", ""),
    ];
    for (exit, timed_out, stdout, stderr) in rows {
        let exchange = Exchange { exit, timed_out, stdout: stdout.as_bytes(), stderr: stderr.as_bytes() };
        for host in AgentHost::ALL {
            let reaction = reaction(host, HookMoment::AgentStops, &exchange);
            let is_open = matches!(reaction, HostReaction::Open(_));
            // opencode's plugin is Referee's own.
            let is_blocked = matches!(reaction, HostReaction::Blocked(_)) && host == AgentHost::OpenCode;
            assert!(is_open || is_blocked, "{host:?} {exchange:?}: {reaction:?}");
        }
    }
}

#[test]
fn a_turn_that_a_hook_ends_is_ended_where_the_host_knows_the_word() {
    let stdout = br#"{"continue":false,"stopReason":"nothing was judged","decision":"block","reason":"no"}"#;
    let exchange = Exchange { exit: Some(0), timed_out: false, stdout, stderr: b"" };
    for host in [AgentHost::Claude, AgentHost::Codex, AgentHost::Gemini] {
        let reaction = reaction(host, HookMoment::AgentStops, &exchange);
        assert_eq!(reaction, HostReaction::Ended("nothing was judged".to_owned()), "{host:?}");
    }
    let reaction = reaction(AgentHost::Copilot, HookMoment::AgentStops, &exchange);
    assert_eq!(reaction, HostReaction::Blocked("no".to_owned()));
}

#[test]
fn an_edit_is_denied_and_a_change_of_settings_is_blocked_at_claude_code_alone() {
    let refused = |host, moment, event| {
        let reply = reply(host, moment, Some(event), &blocked("it arms the gate"));
        serde_json::from_slice::<Value>(&reply.stdout).unwrap()
    };
    let edit = refused(AgentHost::Claude, HookMoment::ToolIsUsed, "PreToolUse");
    assert_eq!(
        edit["hookSpecificOutput"],
        json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "[referee] it arms the gate",
        })
    );
    let settings = refused(AgentHost::Claude, HookMoment::ConfigurationChanges, "ConfigChange");
    assert_eq!(settings["decision"], "block");
    for host in AgentHost::ALL.into_iter().filter(|host| *host != AgentHost::Claude) {
        for moment in [HookMoment::ToolIsUsed, HookMoment::ConfigurationChanges] {
            assert_eq!(refused(host, moment, "PreToolUse"), json!({}), "{host:?}");
        }
    }
}

#[test]
fn exit_code_2_blocks_only_where_the_contract_says_so() {
    for (host, with_words, without) in [
        (AgentHost::Claude, true, true),
        (AgentHost::Codex, true, false),
        (AgentHost::Copilot, false, false),
        (AgentHost::Gemini, true, true),
        (AgentHost::Qwen, true, false),
        (AgentHost::OpenCode, true, true),
        (AgentHost::Cursor, false, false),
        (AgentHost::VsCode, true, false),
    ] {
        for (stderr, blocks) in [(&b"why"[..], with_words), (b" ", without)] {
            let exchange = Exchange { exit: Some(2), timed_out: false, stdout: b"", stderr };
            let reaction = reaction(host, HookMoment::AgentStops, &exchange);
            assert_eq!(matches!(reaction, HostReaction::Blocked(_)), blocks, "{host:?} {stderr:?}");
        }
    }
}

#[test]
fn of_a_reason_that_is_too_long_the_beginning_and_the_end_are_kept() {
    let long = format!("FAIL\n{}\nnext: fix it\nreport: /p/evidence", "- a cause 🦀\n".repeat(2_000));
    let reply = reply(AgentHost::Claude, HookMoment::AgentStops, None, &blocked(&long));
    let HostReaction::Blocked(told) = reaction(AgentHost::Claude, HookMoment::AgentStops, &exchange(&reply)) else {
        panic!()
    };
    assert!(told.starts_with("[referee] FAIL\n- a cause") && told.contains("[…]"), "{told}");
    assert!(told.ends_with("next: fix it\nreport: /p/evidence"));
    assert!((9_400..=GATE_ANSWER_CHARACTERS).contains(&told.encode_utf16().count()));
}

proptest! {
    #[test]
    fn whatever_a_reason_holds_the_host_reads_a_block_with_it(
        reason in prop_oneof![any::<String>(), "[\\x00-\\x1f\"\\\\🦀é]{9400,9700}", "[a-z ]{9490,9520}"],
        host in 0_usize..AgentHost::ALL.len(),
        moment in 0_usize..3,
    ) {
        let (host, moment) = (AgentHost::ALL[host], GATED[moment]);
        let reply = reply(host, moment, Some("Stop"), &blocked(&reason));
        let HostReaction::Blocked(told) = reaction(host, moment, &exchange(&reply)) else {
            return Err(TestCaseError::fail(format!("not blocked: {reply:?}")));
        };
        prop_assert!(told.starts_with(ECHO.trim_end()));
        prop_assert!(told.encode_utf16().count() <= GATE_ANSWER_CHARACTERS);
        prop_assert!(reply.stdout.len() + reply.stderr.len() < 128 * 1024);
        if reason.encode_utf16().count() < 9_000 && !reason.trim_start().starts_with(ECHO.trim_end()) {
            prop_assert!(told.ends_with(reason.trim()) || reason.trim().is_empty());
        }
    }
}
