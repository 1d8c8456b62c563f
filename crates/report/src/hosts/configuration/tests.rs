use super::*;

fn wanted(host: AgentHost) -> HookRequest<'static> {
    HookRequest { host, reach: Reach::Project, program: "referee", deadline_ms: 270_000 }
}

#[test]
fn the_configuration_of_every_host_is_what_its_contract_says() {
    let all: Vec<String> = AgentHost::ALL
        .iter()
        .map(|host| format!("// {}\n{}", place(*host).project, document(&wanted(*host))))
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn what_is_written_is_found_again_and_covers_every_gated_event() {
    for host in AgentHost::ALL {
        let wanted = HookRequest { program: "/opt/a b/it's/referee", ..wanted(host) };
        let found = installed(host, document(&wanted).as_bytes()).unwrap();
        let expected = hooks(&wanted);
        assert_eq!(found.len(), expected.len(), "{host:?}");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!((found.event.as_str(), found.moment), (expected.event, expected.moment));
            assert_eq!(found.called, Called::Line(expected.command.clone()));
            assert_eq!(found.timeout_ms, Some(expected.timeout_ms));
            assert!(expected.timeout_ms > 20_000 + 10_000);
        }
    }
}

const SETTINGS: &str = r#"{
  "permissions": { "allow": ["Bash(npm test)"],   "deny": [] },
  "hooks": {
    "Stop": [
      { "matcher": "", "hooks": [ { "type": "command", "command": "notify-send done" } ] },
      {
        "hooks": [
          { "type": "command", "command": "echo first" },
          { "type": "command", "command": "referee", "args": ["hook", "claude"], "timeout": 300 },
          { "type": "command", "command": "echo last" }
        ]
      }
    ],
    "PreToolUse": [ {"matcher": "Bash", "hooks": [ {"type": "command", "command": "./guard.sh"} ] } ],
    "SessionEnd": [ { "hooks": [ { "type": "command", "command": "referee hook claude" } ] } ]
  },
  "model": "opus",
  "bigNumber": 123456789012345678901234567890
}
"#;

#[test]
fn other_hooks_and_settings_stay_as_they_are_and_ours_is_replaced() {
    let merged = merged(&wanted(AgentHost::Claude), SETTINGS.as_bytes()).unwrap();
    assert_eq!((merged.replaced, merged.is_switched_off), (2, false));
    insta::assert_snapshot!(merged.text);
    let again = super::merged(&wanted(AgentHost::Claude), merged.text.as_bytes()).unwrap();
    assert_eq!((again.text, again.replaced), (merged.text, 7), "merging again changes nothing");
}

#[test]
fn merging_into_nothing_is_the_configuration_alone() {
    for host in AgentHost::ALL {
        for nothing in ["", "\n", "{}"] {
            assert_eq!(merged(&wanted(host), nothing.as_bytes()).unwrap().text, document(&wanted(host)));
        }
    }
}

#[test]
fn an_exec_form_and_switched_off_hooks_are_recognised() {
    let found = installed(AgentHost::Claude, SETTINGS.as_bytes()).unwrap();
    let words = ["referee", "hook", "claude"].map(str::to_owned).to_vec();
    assert_eq!(found[0].called, Called::Program(words));
    assert_eq!(found[0].timeout_ms, Some(300_000));
    let off = SETTINGS.replacen('{', "{\"disableAllHooks\": true,", 1);
    assert!(merged(&wanted(AgentHost::Claude), off.as_bytes()).unwrap().is_switched_off);
    assert!(installed(AgentHost::Claude, off.as_bytes()).unwrap_err().to_string().contains("switches all hooks off"));
}

#[test]
fn what_cannot_be_merged_is_refused_with_the_reason() {
    let huge = format!("{{\"x\": \"{}\"}}", "y".repeat(5 << 20));
    let deep = format!("{{\"hooks\": {{\"stop\": {}{}}}}}", "[".repeat(10_000), "]".repeat(10_000));
    let rows = [
        ("{ // mine\n \"hooks\": {} }", "a comment"),
        ("{\"hooks\": {},}", "comma"),
        ("[]", "no plain JSON object"),
        ("{\"hooks\": []}", "`hooks` cannot be read as events"),
        ("{\"hooks\": {\"stop\": {}}}", "`hooks.stop` is not a list"),
        ("{\"hooks\": {}, \"hooks\": {}}", "`hooks` appears twice"),
        ("{\"hooks\": {\"stop\": [], \"stop\": []}}", "`stop` appears twice"),
        ("{\"version\": 2}", "only version 1"),
        ("{\"version\": 1, \"hooks\"", "no plain JSON"),
        (huge.as_str(), "larger than"),
        (deep.as_str(), "`hooks.stop` is not a list"),
    ];
    for (text, reason) in rows {
        let error = merged(&wanted(AgentHost::Cursor), text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_program_that_cannot_be_quoted_everywhere_is_refused() {
    for program in ["", "bin/referee", "a\\b", "/a\nb"] {
        assert!(check_program(program).is_err(), "{program:?}");
    }
    for program in ["referee", "/opt/a b/it's/referee"] {
        assert!(check_program(program).is_ok(), "{program:?}");
    }
}

#[test]
fn another_program_can_be_put_in_the_place_of_one_that_is_named_by_its_path() {
    let put = |program: &'static str| {
        let wanted = HookRequest { program, ..wanted(AgentHost::Codex) };
        let hook = installed(AgentHost::Codex, document(&wanted).as_bytes()).unwrap().remove(2);
        let put = hook.with_program(AgentHost::Codex, "/tmp/fake/referee");
        (hook.called, put)
    };
    let (of_path, unchanged) = put("referee");
    assert_eq!(of_path, unchanged);
    for program in ["/opt/referee", "/opt/a b/referee", "/opt/it's/o'referee"] {
        let (_, Called::Line(line)) = put(program) else { panic!("no line") };
        assert!(line.ends_with(" '/tmp/fake/referee' hook codex --deadline 270s Stop"), "{line}");
    }
}

#[test]
fn a_command_is_short_and_says_nothing_that_reads_like_a_verdict() {
    for host in AgentHost::ALL {
        for reach in [Reach::Project, Reach::User, Reach::Managed] {
            for hook in hooks(&HookRequest { reach, ..wanted(host) }) {
                let line = &hook.command;
                // Claude Code is the host that shows the command to the model.
                let most = if host == AgentHost::Claude { 260 } else { 360 };
                assert!(line.len() <= most, "{host:?} {}: {} {line}", hook.event, line.len());
                for word in ["died", "no answer", "not installed", "fail"] {
                    assert!(!line.contains(word), "{word}: {line}");
                }
            }
        }
    }
}

#[test]
fn a_script_lies_in_the_hooks_directory_beside_the_configuration() {
    for (configuration, script) in [
        (".claude/settings.json", ".claude/hooks/referee.sh"),
        (".github/hooks/referee-vscode.json", ".github/hooks/referee.sh"),
        ("hooks/referee.json", "hooks/referee.sh"),
        ("settings.json", "hooks/referee.sh"),
    ] {
        assert_eq!(script_beside(configuration), script);
    }
}
