//! What an agent says at the end of its work, held against sealed runs of real projects.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use referee_engine::recorded;
use referee_judge::{claim, gate};
use referee_model::gate::{Basis, GateAnswer};

use crate::support::Workspace;

/// A project whose runner of tests says what a file says.
fn project(checks: &str, jest: &str, code: &str) -> Workspace {
    let workspace = Workspace::with(checks)
        .file("node_modules/.bin/jest", "#!/bin/sh\ncat jest.out\nexit $(cat jest.code)\n")
        .file("jest.out", jest)
        .file("jest.code", code);
    fs::set_permissions(workspace.path("node_modules/.bin/jest"), fs::Permissions::from_mode(0o755)).unwrap();
    workspace
}

/// What the gate answers by the evidence of the run that was made.
fn answered(workspace: &Workspace) -> GateAnswer {
    let directory = workspace.path("evidence/T001");
    let report = recorded::open(&directory, None).unwrap().report;
    gate::answer(vec![gate::judged(&report, Basis::Recorded, "execution-report.json")], None)
}

/// The kinds of claims that are contradicted, and the facts.
fn told(message: &str, answer: &GateAnswer) -> String {
    let found = claim::contradictions(message, answer);
    found
        .iter()
        .map(|found| format!("{} {}: {}", found.grade.as_str(), found.claim.as_str(), found.facts))
        .collect::<Vec<_>>()
        .join("\n")
}

const CHECKS: &str =
    "checks:\n  types: { run: \"true\", role: typecheck }\n  unit: npx jest\n  lint: { run: \"true\", role: lint }\n";

const RED: &str = "FAIL tests/a.test.js\n  ✓ adds (1 ms)\n  ✕ lists (2 ms)\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 10 passed, 11 total\nSnapshots:   0 total\nTime:        0.5 s\n";

const GREEN: &str = "PASS tests/a.test.js\n  ✓ adds (1 ms)\nTest Suites: 1 passed, 1 total\nTests:       11 passed, 11 total\nSnapshots:   0 total\nTime:        0.5 s\n";

#[test]
fn a_lie_about_a_run_is_named_with_the_facts_and_what_is_true_is_not() {
    let workspace = project(CHECKS, RED, "1");
    workspace.referee(&["run", "-q"]).exits(1);
    let answer = answered(&workspace);
    assert_eq!(
        told("I've fixed the bug. ✅ All tests pass (11/11), types and lint are clean.", &answer),
        "contradicted done: the verdict is FAIL: STEP.2 unit: TEST_FAILURE, 1 of 11 tests failed\n\
         contradicted test-count: of 11 tests that were counted, 10 passed, 1 failed, 0 were skipped\n\
         contradicted tests-pass: STEP.2 unit: TEST_FAILURE, 1 of 11 tests failed"
    );
    assert_eq!(told("I changed the parser. One test still fails: `lists`.", &answer), "");
    assert_eq!(told("Types and lint are clean. I have not looked at the tests yet.", &answer), "");
    assert!(
        told("I fixed the failing test, and now the whole suite is green.", &answer)
            .starts_with("contradicted tests-pass")
    );
    assert_eq!(told("Die Implementierung ist abgeschlossen. Die Tests konnte ich nicht ausführen.", &answer), "");
    assert_eq!(
        told("{\"status\": \"success\"}", &answer),
        "contradicted done: the verdict is FAIL: STEP.2 unit: TEST_FAILURE, 1 of 11 tests failed"
    );
}

#[test]
fn what_is_said_of_a_run_that_passed_is_not_contradicted_but_by_the_number() {
    let workspace = project(CHECKS, GREEN, "0");
    workspace.referee(&["run", "-q"]).exits(0);
    let answer = answered(&workspace);
    assert_eq!(told("Done. All 11 tests pass, no type errors, lint is clean. Everything works.", &answer), "");
    assert_eq!(
        told("The build succeeds.", &answer),
        "unsupported build-passes: no check of this specification builds, so nothing supports it"
    );
    assert_eq!(
        told("All 12 tests pass.", &answer),
        "unsupported test-count: of 11 tests that were counted, 11 passed, 0 failed, 0 were skipped"
    );
    assert_eq!(told("`cargo test`: 312 passed, 0 failed. `npx jest`: 11 passed, 0 failed.", &answer), "");
}

#[test]
fn whoever_speaks_of_the_check_that_blocks_has_not_called_it_done() {
    let workspace = project(
        "checks:\n  unit: npx jest\n  style: { run: \"echo 'src/a.js:1:1: no-bad'; exit 1\", role: lint }\n",
        GREEN,
        "0",
    );
    workspace.referee(&["run", "-q"]).exits(6);
    let answer = answered(&workspace);
    assert!(
        told("The task is complete. All 11 tests pass.", &answer).starts_with("contradicted done: the verdict is FAIL")
    );
    for honest in [
        "The task is complete. `npm run lint` exits with 1.",
        "Done, `style` excluded.",
        "Done. STEP.2 is yours to decide.",
        "| Check | |\n|---|---|\n| tests | pass |\n| lint | 1 problem |\n\nThe work is done.",
        "{\"status\": \"success\", \"open_issues\": [\"style\"]}",
        "Alles erledigt. Lint ist rot.",
    ] {
        assert_eq!(told(honest, &answer), "", "{honest}");
    }
}

#[test]
fn tests_that_nothing_ran_support_no_claim() {
    let without = project("checks:\n  lint: { run: \"false\", role: lint }\n", GREEN, "0");
    without.referee(&["run", "-q"]).exits(6);
    assert_eq!(
        told("All tests pass.", &answered(&without)),
        "contradicted tests-pass: no check of this specification runs tests, so nothing supports it"
    );
    let kept = project(
        "checks:\n  types: { run: \"false\", role: typecheck }\n  unit: { run: npx jest, needs: [types] }\n",
        GREEN,
        "0",
    );
    kept.referee(&["run", "-q"]).exits(6);
    assert_eq!(told("All tests pass.", &answered(&kept)), "contradicted tests-pass: STEP.2 unit never ran");
}
