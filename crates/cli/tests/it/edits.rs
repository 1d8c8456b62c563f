//! Edits of protected tests are named wherever somebody reads whether the work is done, also when they do not block.

use std::fs;

use serde_json::Value;

use crate::agent_run::{kept, typed, warned, with_agent};
use crate::support::Workspace;

const CHECKS: &str = "checks:\n  unit: sh check.sh\nprotect: { additive: ['tests/**'] }\n";

const TESTS: &str = "it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n";

/// What everybody is told of it.
const EDIT: &str = "edited since the lock: tests/a.test.js (removed: `expect(add(1, 2)).toBe(3);`)";

fn locked(workspace: Workspace) -> Workspace {
    let workspace = workspace.file("check.sh", "exit 0\n").file("tests/a.test.js", TESTS);
    workspace.referee(&["lock"]).exits(0);
    workspace
}

fn weakened() -> String {
    TESTS.replace("toBe(3)", "toBeDefined()")
}

#[test]
fn the_gate_names_what_was_edited_and_so_does_a_recorded_verdict() {
    let workspace = locked(Workspace::with(CHECKS));
    let untouched = workspace.referee(&["gate"]).exits(0);
    assert!(!untouched.told().contains("edited since"), "{untouched:?}");
    workspace.write("tests/a.test.js", weakened());
    let ran = workspace.referee(&["gate"]).exits(0);
    assert!(ran.told().contains(EDIT), "{ran:?}");
    let recorded = workspace.referee(&["gate", "--format", "json"]).exits(0).json();
    assert_eq!((&recorded["basis"], &recorded["decision"]), (&"recorded".into(), &"PASS".into()), "{recorded:#}");
    let edited = &recorded["tasks"][0]["edited"][0];
    assert_eq!((&edited["path"], &edited["since"]), (&"tests/a.test.js".into(), &"the lock".into()), "{recorded:#}");
    assert_eq!(edited["detail"], "removed: `expect(add(1, 2)).toBe(3);`");
    let again = workspace.referee(&["gate"]).exits(0).told();
    assert!(again.contains("recorded verdict") && again.contains(EDIT), "{again}");
    // `run` says it from the same facts.
    let run = workspace.referee(&["run"]).exits(0).told();
    assert!(run.contains("it was edited") && run.contains("removed: `expect(add(1, 2)).toBe(3);`"), "{run}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
}

#[test]
fn a_test_that_stands_elsewhere_now_is_named_where_it_stood() {
    let workspace = locked(Workspace::with(CHECKS));
    workspace.write("tests/a.test.js", "it('is new', () => {});\n");
    workspace.write("tests/b.test.js", TESTS);
    let told = workspace.referee(&["gate"]).exits(0).told();
    assert!(told.contains("edited since the lock: tests/a.test.js (removed: test `adds`)"), "{told}");
    // One that only got more is told, too, and nothing is said to be removed.
    let workspace = locked(Workspace::with(CHECKS));
    workspace.write("tests/a.test.js", format!("{TESTS}it('is new', () => {{}});\n"));
    let told = workspace.referee(&["gate"]).exits(0).told();
    assert!(
        told.contains("edited since the lock: tests/a.test.js (it was edited") && !told.contains("removed"),
        "{told}"
    );
}

#[test]
fn a_run_of_an_agent_warns_of_what_it_edited_whatever_it_comes_to() {
    let specification = format!("{CHECKS}  # and what the agent makes\n");
    let lines = "sed -i 's/toBe(3)/toBeDefined()/' tests/a.test.js";
    for (check, code) in [("exit 0", 0), ("exit 1", 6)] {
        let workspace = locked(with_agent(&specification, lines));
        workspace.write("check.sh", format!("{check}\n"));
        workspace.referee(&["lock"]);
        let finished = workspace.referee(&typed(&["--max-iterations", "2"]));
        assert_eq!(finished.code == Some(0), code == 0, "{finished:?}");
        assert!(finished.told().contains(EDIT), "{finished:?}");
        let run = kept(&workspace, "run.json");
        let edits = run["warnings"].as_array().unwrap().iter().filter(|warning| warning["type"] == "edited");
        assert!(warned(&run, "edited") && edits.count() == 1, "{run:#}");
    }
}

#[test]
fn the_loop_of_an_incident_names_what_was_edited() {
    let workspace =
        crate::incident_run::with_agent("touch src/done.txt; sed -i 's/toBe(3)/toBeDefined()/' tests/a.test.js")
            .file("tests/a.test.js", TESTS);
    let specification = fs::read_to_string(workspace.path("referee.yaml")).unwrap();
    workspace.write("referee.yaml", format!("{specification}protect: {{ additive: ['tests/**'] }}\n"));
    workspace.referee(&["lock"]).exits(0);
    crate::incident_run::approve(&workspace);
    let told = workspace.referee(&["incident", "run", "inc_1", "--agent", "sh agent.sh"]).exits(0).told();
    assert!(told.contains(EDIT), "{told}");
    let kept = fs::read(workspace.path(".referee/reports/error_runs/inc_1/run_result.json")).unwrap();
    let kept: Value = serde_json::from_slice(&kept).unwrap();
    assert_eq!((&kept["final_status"], &kept["edited"][0]), (&"resolved".into(), &EDIT.into()), "{kept:#}");
}
