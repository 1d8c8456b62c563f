//! For any run, the replayed report equals the live one, byte for byte.

use proptest::prelude::*;

use crate::support::Workspace;

/// What checks of a random specification do: every kind of ending, and output of every known tool.
const ACTS: &[&str] = &[
    "exit 0",
    "exit 1",
    "exit 3",
    "kill -9 $$",
    "echo plain; echo aside >&2",
    "printf 'a.ts(1,2): error TS1005: x expected.\\n'; exit 2",
    "printf 'a.ts(1,2): error TS1005: x expected.\\n'",
    "printf '\\n/w/a.js\\n  1:2  error  No  no-undef\\n\\n✖ 1 problem (1 error, 0 warnings)\\n'; exit 1",
    "printf 'Checking formatting...\\n'; printf '[warn] a.ts\\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.\\n' >&2; exit 1",
    "printf 'PASS a.test.js\\n\\nTest Suites: 1 passed, 1 total\\nTests:       2 passed, 2 total\\nSnapshots:   0 total\\nTime:        0.5 s\\n' >&2",
    "printf 'FAIL a.test.js\\n  ● adds\\n\\n    expect(received).toBe(expected)\\n\\nTest Suites: 1 failed, 1 total\\nTests:       1 failed, 2 passed, 3 total\\nSnapshots:   0 total\\nTime:        0.5 s\\n' >&2; exit 1",
    "printf '\\377\\376\\000 not text'; exit 1",
    "yes | head -c 300000; exit 1",
    "no-such-program-anywhere",
    "sleep 600",
    "sleep 600 & echo left",
    "printf '{\"numTotalTests\": 1, '",
];

const ROLES: &[&str] = &["test", "typecheck", "lint", "format", "compile", "other"];

#[derive(Debug, Clone)]
struct Check {
    act: usize,
    role: usize,
    phase: u8,
    needs_first: bool,
}

fn check() -> impl Strategy<Value = Check> {
    (0..ACTS.len(), 0..ROLES.len(), 0..6_u8, any::<bool>()).prop_map(|(act, role, phase, needs_first)| Check {
        act,
        role,
        phase,
        needs_first,
    })
}

fn specification(checks: &[Check], continue_on_failure: bool) -> String {
    let mut phases: [Vec<serde_json::Value>; 3] = Default::default();
    for (number, check) in checks.iter().enumerate() {
        let phase = match check.phase {
            0 if number > 0 => 0,
            5 => 2,
            _ => 1,
        };
        let mut body = serde_json::json!({ "run": ACTS[check.act], "role": ROLES[check.role], "timeout": "300ms", "grace": "100ms" });
        if check.needs_first && !phases[phase].is_empty() {
            body["needs"] = phases[phase][0]["name"].clone();
        }
        phases[phase].push(serde_json::json!({ "name": format!("check {number}"), "body": body }));
    }
    phases[1].push(serde_json::json!({ "name": "last", "body": { "file": "referee.yaml", "minSize": 1 } }));
    let map = |items: &[serde_json::Value]| {
        items
            .iter()
            .map(|item| (item["name"].as_str().unwrap().to_owned(), item["body"].clone()))
            .collect::<serde_json::Map<_, _>>()
    };
    let mut document = serde_json::json!({ "checks": map(&phases[1]), "continueOnFailure": continue_on_failure });
    for (key, items) in [("prerequisites", &phases[0]), ("cleanup", &phases[2])] {
        if !items.is_empty() {
            document[key] = map(items).into();
        }
    }
    document.to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_gives_the_live_report_byte_for_byte(
        checks in proptest::collection::vec(check(), 1..6),
        continue_on_failure in any::<bool>(),
    ) {
        let workspace = Workspace::with(&specification(&checks, continue_on_failure));
        let run = workspace.referee(&["run", "--format", "json"]);
        let code = run.code.unwrap();
        prop_assert!([0, 1, 4, 5, 6, 7].contains(&code), "{run:?}");
        let verified = workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]);
        prop_assert_eq!(verified.code, Some(i32::from(code != 0)), "{:?}", verified);
        let report = workspace.report("T001");
        let passed = report["executionSummary"]["decision"] == "PASS";
        prop_assert_eq!(passed, code == 0);
        let counts = &report["executionSummary"]["actionCounts"];
        let number = |key: &str| counts[key].as_u64().unwrap();
        prop_assert_eq!(number("total"), number("executed") + number("skipped"));
        prop_assert_eq!(number("total"), number("prerequisites") + number("steps") + number("cleanup"));
        let results: u64 = report["executionSummary"]["actionResults"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
        prop_assert_eq!(results, number("executed"));
    }
}
