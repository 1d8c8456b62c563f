//! Steps at once, reduced runs, and runs of what failed.

use serde_json::Value;

use crate::support::{Workspace, action};

/// A report without what differs from run to run.
fn stable(mut report: Value) -> Value {
    fn hide(value: &mut Value) {
        const DIFFERS: [&str; 14] = [
            "duration",
            "totalDuration",
            "actualDuration",
            "startTime",
            "endTime",
            "start",
            "end",
            "timestamp",
            "executionId",
            "processId",
            "generatedAt",
            "reportHash",
            "lastUpdate",
            "environment",
        ];
        match value {
            Value::Object(members) => {
                members.retain(|key, _| !DIFFERS.contains(&key.as_str()));
                members.values_mut().for_each(hide);
            }
            Value::Array(items) => items.iter_mut().for_each(hide),
            _ => {}
        }
    }
    hide(&mut report);
    report
}

#[test]
fn several_jobs_give_the_report_of_one_but_for_times() {
    let checks: Vec<String> = (0..12)
        .map(|number| format!("  c{number}: {{ run: 'echo {number}; sleep 0.0{number}', role: other }}\n"))
        .collect();
    let checks = checks.concat();
    let workspace = Workspace::with(&format!("checks:\n{checks}  last: {{ run: 'echo last', needs: [c3, c11] }}\n"));
    workspace.referee(&["run", "--jobs", "1"]).exits(0);
    let one = stable(workspace.report("T001"));
    workspace.referee(&["run", "--jobs", "6"]).exits(0);
    let six = stable(workspace.report("T001"));
    assert_eq!(one, six);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
}

#[test]
fn what_was_started_beside_a_failure_that_stops_is_listed_and_does_not_count() {
    let workspace = Workspace::with(
        "continueOnFailure: false
checks:
  quick: { run: 'true' }
  fails: { run: 'until test -e begun; do sleep 0.01; done; exit 3' }
  slow: { run: 'touch begun; sleep 60', grace: 200ms }
  never: { run: 'touch ran', needs: [slow] }
",
    );
    workspace.referee(&["run", "--jobs", "3"]).exits(6);
    let report = workspace.report("T001");
    assert_eq!(action(&report, "STEP.2")["status"], "EXECUTION_ERROR");
    let skipped = report["skippedActions"].as_array().unwrap();
    let reason = |id: &str| skipped.iter().find(|skipped| skipped["actionId"] == id).unwrap().to_string();
    assert!(reason("STEP.3").contains("STEP.2"), "{skipped:#?}");
    assert!(reason("STEP.4").contains("STEP.2"), "{skipped:#?}");
    assert!(!workspace.path("ran").exists());
    assert!(workspace.evidence("T001").keys().any(|name| name.starts_with("STEP.3")), "what came of it is kept");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn a_reduced_run_says_so_and_decides_on_what_ran() {
    let workspace = Workspace::with(
        "checks:\n  good: { run: 'true' }\n  bad: { run: 'exit 3' }\n  after bad: { run: 'true', needs: [bad] }\n",
    );
    workspace.referee(&["run"]).exits(6);
    let only = workspace.referee(&["run", "--only", "good"]).exits(0);
    assert!(only.stdout.to_lowercase().contains("reduced"), "{}", only.stdout);
    assert_eq!(workspace.report("T001")["executionSummary"]["scope"]["reduced"], true);
    workspace.referee(&["run", "--skip", "STEP.2"]).exits(0);
    assert_eq!(workspace.report("T001")["executionSummary"]["actionCounts"]["executed"], 1);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    let unknown = workspace.referee(&["run", "--only", "godo"]).exits(2);
    assert!(unknown.stderr.contains("godo"), "{}", unknown.stderr);
    workspace.referee(&["run", "--only", "good", "--skip", "good"]).exits(4);
}

#[test]
fn only_what_failed_is_run_again() {
    let workspace = Workspace::with(
        "checks:\n  good: { run: 'echo x >> good-runs' }\n  bad: { run: 'echo x >> bad-runs; test -e fixed' }\n",
    );
    workspace.referee(&["run", "--rerun-failed"]).exits(6);
    workspace.write("fixed", "");
    workspace.referee(&["run", "--rerun-failed"]).exits(0);
    let runs = |name: &str| std::fs::read_to_string(workspace.path(name)).unwrap().lines().count();
    assert_eq!((runs("good-runs"), runs("bad-runs")), (1, 2));
    // A step that was changed since is another step, whatever it is called.
    workspace.write("referee.yaml", "checks:\n  good: { run: 'echo y >> good-runs' }\n  bad: { run: 'true' }\n");
    workspace.referee(&["run"]).exits(0);
    workspace.write("referee.yaml", "checks:\n  good: { run: 'echo changed; exit 3' }\n  bad: { run: 'true' }\n");
    workspace.referee(&["run", "--rerun-failed"]).exits(6);
    assert_eq!(workspace.report("T001")["executionSummary"]["scope"]["reduced"], true);
}

#[test]
fn profiles_run_what_they_say() {
    let workspace = Workspace::with(
        "checks:\n  file: { file: referee.yaml }\n  test: { run: 'true', role: test, allowNoTests: true }\n  other: { run: 'true' }\n  labelled: { run: 'true', profile: smoke }\n",
    );
    for (profile, executed, reduced) in [("strict", 4, false), ("fast", 3, true), ("smoke", 2, true), ("yolo", 2, true)]
    {
        workspace.referee(&["run", "--profile", profile]).exits(0);
        let report = workspace.report("T001");
        assert_eq!(report["executionSummary"]["actionCounts"]["executed"], executed, "{profile}");
        assert_eq!(report["executionSummary"]["scope"]["reduced"], reduced, "{profile}");
        assert_eq!(report["executionSummary"]["scope"]["profile"], profile);
    }
}
