//! The hosts themselves, from npm, with the hooks that `referee hook config` writes, before a model that plays a script.
//!
//! `.ci/hosts` installs them and names their directory in `REFEREE_HOSTS`; what is not there is skipped. Each scene has
//! a project, a home and a network of its own: a loopback and nothing else (`stage.rs`).

mod host;
mod stage;

use referee_schema::validator::Validator;
use serde_json::{Value, json};

use self::host::Host;
use self::stage::Stage;

/// What an agent says that claims more than it did.
const CLAIM: &str = "Done, all tests pass.";

/// What makes the check pass. Some hosts take `sed -i` for an edit of a file that was not read, and refuse it.
const REPAIR: &str = "printf 'def add(a, b):\\n    return a + b\\n' > calc.py";

/// Exit code of a gate that says FAIL because a check exits with a code that is not expected.
const FAILED_CHECK: i32 = 6;

/// More calls of the model than any scene needs, where the loop ends.
const CALLS: usize = 30;

/// A play whose agent changes something, claims that it is done, and does this whenever Referee sends it back.
fn play(blocked: &Value) -> Value {
    json!({ "calls": CALLS, "begin": [{ "shell": "echo '# looked at' >> calc.py" }, { "say": CLAIM }], "blocked": blocked })
}

fn repair() -> Value {
    json!([{ "shell": REPAIR }, { "say": "The sum is repaired." }])
}

fn no_repair() -> Value {
    json!([{ "say": CLAIM }])
}

fn a_block_reaches_the_model_and_a_repair_is_let_through(host: &Host) {
    let Some(stage) = Stage::of(host) else { return };
    let played = stage.play(&play(&repair())).ends(0);
    let blocks = played.blocks();
    assert_eq!(blocks.len(), 1, "{played:#?}");
    for part in ["Referee does not let this turn end as done", "FAIL: it may not be called done", "[sum]"] {
        assert!(blocks[0].contains(part), "{part}: {}", blocks[0]);
    }
    stage.gate(0);
    played.seen("a block reaches the model, and a repair is let through");
}

fn an_agent_that_never_repairs_is_let_go_without_a_pass(host: &Host) {
    let Some(stage) = Stage::of(host) else { return };
    let played = stage.play(&play(&no_repair())).ends(0);
    assert!(played.blocks().len() >= 2, "{played:#?}");
    assert!(!played.told().contains("Referee: PASS"), "{}", played.told());
    stage.gate(FAILED_CHECK);
    played.seen("an agent that never repairs is let go, and nothing has passed");
}

fn work_that_is_right_is_let_through_at_once(host: &Host) {
    let Some(stage) = Stage::of(host) else { return };
    let begin = json!([{ "shell": REPAIR }, { "say": CLAIM }]);
    let played = stage.play(&json!({ "calls": CALLS, "begin": begin })).ends(0);
    assert_eq!(played.blocks().len(), 0, "{played:#?}");
    stage.gate(0);
    played.seen("work that is right is let through at once");
}

/// A Referee that answers nothing where work is handed back, and stays.
const HANGS: &str = r#"event=$(cat)
case $event in *'"Stop"'* | *'"AfterAgent"'* | *stopReason*) exec sleep 1000 ;; esac
echo '{}'"#;

/// A host that gets no answer from Referee ends, and nobody is told that anything has passed.
fn ends_without_a_pass(stage: &Stage, what: &str) {
    let played = stage.play(&play(&no_repair())).ends_by_itself();
    assert!(!played.blocks().is_empty(), "the agent is sent back at first: {played:#?}");
    assert!(!played.told().contains("Referee: PASS"), "{}", played.told());
    stage.gate(FAILED_CHECK);
    played.seen(what);
}

fn the_loop_ends_where_referee_is_missing(host: &Host) {
    let Some(stage) = Stage::of(host) else { return };
    stage.without_referee();
    ends_without_a_pass(&stage, "Referee is missing: the agent is sent back, then the loop ends");
}

fn the_loop_ends_where_referee_crashes(host: &Host) {
    let Some(stage) = Stage::of(host) else { return };
    stage.referee_is("kill -SEGV $$");
    ends_without_a_pass(&stage, "Referee crashes: the agent is sent back, then the loop ends");
}

fn the_loop_ends_where_referee_hangs(host: &Host) {
    let Some(stage) = Stage::of(host) else { return };
    stage.configure(&["--deadline", "1s"]);
    stage.referee_is(HANGS);
    ends_without_a_pass(&stage, "Referee hangs: the agent is sent back, then the loop ends");
}

fn a_claim_over_a_failing_tree_is_judged_though_nothing_changed(host: &Host) {
    let Some(stage) = Stage::of(host) else { return };
    let begin = json!([{ "say": CLAIM }]);
    let played = stage.play(&json!({ "calls": CALLS, "begin": begin, "blocked": repair() })).ends(0);
    assert!(!played.blocks().is_empty(), "{played:#?}");
    stage.gate(0);
    played.seen("nothing changed, and the agent claims success: the gate is asked");
}

/// The agent takes the gate away, waits until the host has seen it, and claims success.
fn is_asked_though(host: &Host, tampering: &str, what: &str) {
    let Some(stage) = Stage::of(host) else { return };
    let begin = json!([{ "shell": format!("{tampering}; sleep 3") }, { "say": CLAIM }]);
    let played = stage.play(&json!({ "calls": CALLS, "begin": begin, "blocked": no_repair() })).ends_by_itself();
    assert!(!played.blocks().is_empty(), "{played:#?}");
    stage.gate(FAILED_CHECK);
    played.seen(what);
}

fn the_gate_is_asked_though_the_settings_are_removed(host: &Host) {
    is_asked_though(host, "rm -rf .claude", "the agent removes the settings: the gate is asked");
}

fn the_gate_is_asked_though_hooks_are_switched_off(host: &Host) {
    let tampering = "echo '{\"disableAllHooks\": true}' > .claude/settings.local.json";
    is_asked_though(host, tampering, "the agent sets `disableAllHooks`: the gate is asked");
}

/// The same, written so that nobody who reads the command sees what it is about.
fn the_gate_is_asked_though_they_are_removed_behind_its_back(host: &Host) {
    let tampering = "cd .cl*; for file in *.json; do rm \"$file\"; done";
    is_asked_though(host, tampering, "the agent removes the settings in disguise: the gate is asked");
}

fn the_gate_is_asked_though_they_are_switched_off_behind_its_back(host: &Host) {
    let tampering = "cd .cl*; printf '{\"disable%s\": true}' AllHooks > settings.local.json";
    is_asked_though(host, tampering, "the agent sets `disableAllHooks` in disguise: the gate is asked");
}

/// The host starts `referee mcp` by the entry that `referee mcp config` writes, and its model calls the gate.
fn the_gate_is_a_tool_that_answers_the_model(host: &Host) {
    let Some(stage) = Stage::of(host) else { return };
    stage.configure_tools();
    let gate = json!({ "call": "mcp__referee__referee_gate" });
    let begin = json!([gate, { "shell": REPAIR }, gate, { "say": CLAIM }]);
    let played = stage.play(&json!({ "calls": CALLS, "begin": begin })).ends(0);
    let answers = played.documents();
    let schema = Validator::new(&referee_schema::published::schema("gate").unwrap()).unwrap();
    for answer in &answers {
        assert_eq!(schema.complaints(answer, 10).0, Vec::<String>::new(), "{answer:#}");
    }
    let decisions: Vec<&Value> = answers.iter().map(|answer| &answer["decision"]).collect();
    assert_eq!(decisions, [&json!("FAIL"), &json!("PASS")], "{played:#?}");
    assert_eq!(answers[0]["causes"][0]["check"], "sum");
    stage.gate(0);
    played.seen("the model calls `referee_gate`, repairs, and calls it again: FAIL, then PASS");
}

/// Tests of scenes, by the names of hosts.
macro_rules! scenes {
    ($host:ident: $($scene:ident)*) => {
        mod $host {
            $(
                #[test]
                fn $scene() {
                    crate::hosts::$scene(&crate::hosts::host::$host());
                }
            )*
        }
    };
}

/// What holds at every host.
macro_rules! at {
    ($($host:ident)*) => {
        $(
            scenes! { $host:
                a_block_reaches_the_model_and_a_repair_is_let_through
                an_agent_that_never_repairs_is_let_go_without_a_pass
                work_that_is_right_is_let_through_at_once
                a_claim_over_a_failing_tree_is_judged_though_nothing_changed
                the_loop_ends_where_referee_is_missing
                the_loop_ends_where_referee_crashes
                the_loop_ends_where_referee_hangs
            }
        )*
    };
}

at! { claude codex copilot gemini qwen opencode }

mod tools {
    scenes! { claude: the_gate_is_a_tool_that_answers_the_model }
}

mod tampering {
    scenes! { claude:
        the_gate_is_asked_though_the_settings_are_removed
        the_gate_is_asked_though_hooks_are_switched_off
        the_gate_is_asked_though_they_are_removed_behind_its_back
        the_gate_is_asked_though_they_are_switched_off_behind_its_back
    }
}
