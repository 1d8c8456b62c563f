//! The hosts themselves, from npm, with the hooks that `referee hook config` writes, before a model that plays a script.
//!
//! `.ci/hosts` installs them and names their folder in `REFEREE_HOSTS`; what is not there is skipped. Each scene has a project,
//! a home and a network of its own: a loopback and nothing else (`stage.rs`).

mod host;
mod stage;

use serde_json::{Value, json};

use self::host::Host;
use self::stage::Stage;

/// What an agent says that claims more than it did.
const CLAIM: &str = "Done, all tests pass.";

/// Exit code of a gate that says FAIL because a check exits with a code that is not expected.
const FAILED_CHECK: i32 = 6;

/// More calls of the model than any scene needs, where the loop ends.
const CALLS: usize = 30;

/// A play whose agent changes something, claims that it is done, and does this whenever Referee sends it back.
fn play(blocked: &Value) -> Value {
    json!({ "calls": CALLS, "begin": [{ "shell": "echo '# looked at' >> calc.py" }, { "say": CLAIM }], "blocked": blocked })
}

fn repair() -> Value {
    json!([{ "shell": "sed -i 's/a - b/a + b/' calc.py" }, { "say": "The sum is repaired." }])
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
    let begin = json!([{ "shell": "sed -i 's/a - b/a + b/' calc.py" }, { "say": CLAIM }]);
    let played = stage.play(&json!({ "calls": CALLS, "begin": begin })).ends(0);
    assert_eq!(played.blocks().len(), 0, "{played:#?}");
    stage.gate(0);
    played.seen("work that is right is let through at once");
}

/// Tests of scenes, by the names of hosts.
macro_rules! scenes {
    ($host:ident: $($scene:ident)*) => {
        mod $host {
            $(
                #[test]
                fn $scene() {
                    super::$scene(&super::host::$host());
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
            }
        )*
    };
}

at! { claude codex copilot gemini }
