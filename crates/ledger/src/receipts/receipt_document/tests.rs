use std::collections::BTreeSet;

use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::fingerprint::Fingerprint;
use referee_model::gate::{Basis, CheckStanding, Edit, GateCheck};
use referee_model::id::TaskId;
use referee_model::outcome::Outcome;
use referee_model::plan::Role;
use referee_model::progress::Snapshot;
use referee_model::reading::{Level, TestCounts};
use referee_model::verdict::Exit;

use super::*;

fn digest(byte: u8) -> Digest {
    Digest::from_bytes([byte; 32])
}

fn task(decision: Decision, exit: Exit) -> GateTask {
    GateTask {
        task: TaskId::parse("T001").unwrap(),
        title: "quotes".to_owned(),
        execution: ExecutionId::parse("exec-1").unwrap(),
        basis: Basis::Ran,
        decision,
        exit,
        reduced: false,
        reasons: vec!["STEP.1 failed".to_owned()],
        edited: vec![Edit {
            path: "tests/a.test.js".to_owned(),
            since: "the lock".to_owned(),
            detail: "removed: test `adds`".to_owned(),
        }],
        weaker: vec!["fewer tests: 3 ran, 4 in the best run since the lock (fewer-tests, STEP.1 unit)".to_owned()],
        report: "/work/evidence/T001/execution-report.json".to_owned(),
        ended: Timestamp::from_millisecond(9_000),
        tests: Some(TestCounts { passed: 3, failed: 1, skipped: 0, total: 4 }),
        checks: vec![GateCheck {
            action: ActionId::parse("STEP.1").unwrap(),
            name: "unit".to_owned(),
            source: DiagnosticSource::Test,
            standing: CheckStanding::Blocking,
            role: Some(Role::Test),
            outcome: Some(Outcome::TestFailure),
            tests: Some(TestCounts { passed: 3, failed: 1, skipped: 0, total: 4 }),
            duration_ms: Some(12),
        }],
        snapshot: Snapshot {
            passed: decision == Decision::Pass,
            first_failure: Some(Fingerprint::version_1(digest(1))),
            failures: BTreeSet::from([Fingerprint::version_1(digest(1))]),
            reached: 0,
        },
    }
}

fn cause() -> Cause {
    Cause {
        task: Some(TaskId::parse("T001").unwrap()),
        check: Some("unit".to_owned()),
        tool: None,
        severity: Level::Error,
        file: Some("a.js".to_owned()),
        line: Some(3),
        column: None,
        code: Some("adds".to_owned()),
        message: "1 !== 2".to_owned(),
        output: Vec::new(),
    }
}

fn sample() -> Receipt {
    let file = |path: &str| KnownFile {
        path: path.to_owned(),
        sha256: Some(digest(5)),
        stamp: Some(FileStamp { bytes: 1, device: 2, inode: 3, mode: 0o100_755, modified: (4, 5), changed: (6, 7) }),
    };
    Receipt {
        workspace: "/work".to_owned(),
        kept_at: Timestamp::from_millisecond(10_000),
        execution_id: ExecutionId::parse("exec-1").unwrap(),
        seal_digest: digest(1),
        plan_digest: digest(2),
        tree_digest: digest(3),
        maker: Maker { engine_version: "1".to_owned(), judge_version: "1".to_owned(), program: file("/bin/referee") },
        manner: Manner {
            baseline: Some(ReceiptBaseline::Lock { digest: digest(8), approved_by: None }),
            drift: Some(digest(9)),
            sandbox: SandboxMode::Require,
            landlock: Some(6),
            signer: None,
        },
        environment: digest(4),
        programs: vec![ActionPrograms {
            action_id: ActionId::parse("STEP.1").unwrap(),
            programs: vec![NamedProgram { name: "node".to_owned(), path: "/bin/node".to_owned() }],
        }],
        files: vec![file("/bin/node"), KnownFile { path: "/work/dist".to_owned(), sha256: None, stamp: None }],
        dependencies: BTreeMap::from([("node_modules/.package-lock.json".to_owned(), digest(6))]),
        verdict: RecordedVerdict::new(&task(Decision::Fail, Exit::Failed), &[cause()], 4),
    }
}

#[test]
fn a_receipt_is_read_as_it_was_written_and_what_is_none_is_refused() {
    let bytes = KIND.encode(&sample()).unwrap();
    assert_eq!(KIND.decode::<Receipt>(&bytes).unwrap(), sample());
    let text = String::from_utf8(bytes).unwrap();
    for (wrong, part) in [
        (text.replace("\"receiptVersion\": \"1.0.0\"", "\"receiptVersion\": \"1.1.0\""), "use a newer Referee"),
        (text.replace("\"sealDigest\"", "\"forged\""), "unknown field"),
        (text.replace("\"FAIL\"", "\"DONE\""), "cannot read"),
        (text[..text.len() / 2].to_owned(), "cannot read"),
        (String::new(), "cannot read"),
    ] {
        let error = KIND.decode::<Receipt>(wrong.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_verdict_comes_back_as_a_recorded_one() {
    let (found, causes, causes_in_all) = sample().verdict.recorded().unwrap();
    let expected = GateTask { basis: Basis::Recorded, ..task(Decision::Fail, Exit::Failed) };
    assert_eq!((found, causes, causes_in_all), (expected, vec![cause()], 4));
}

#[test]
fn only_a_whole_run_that_passed_or_in_which_a_check_failed_is_ever_a_recorded_verdict() {
    let recorded = |task: &GateTask, causes: &[Cause]| RecordedVerdict::new(task, causes, 1).recorded().is_some();
    let passed = task(Decision::Pass, Exit::Passed);
    assert!(recorded(&passed, &[]));
    assert!(!recorded(&passed, &[cause()]), "a pass with a cause is inconsistent");
    assert!(!recorded(&task(Decision::Fail, Exit::Failed), &[]), "a failure without a cause does, too");
    assert!(!recorded(&GateTask { reduced: true, ..passed.clone() }, &[]));
    let unlike = Snapshot { passed: false, ..passed.snapshot.clone() };
    assert!(!recorded(&GateTask { snapshot: unlike, ..passed.clone() }, &[]));
    for (decision, exit) in [
        (Decision::Pass, Exit::Failed),
        (Decision::Fail, Exit::Passed),
        (Decision::Fail, Exit::Timeout),
        (Decision::Fail, Exit::Execution),
        (Decision::Blocked, Exit::NothingRan),
        (Decision::Blocked, Exit::Specification),
        (Decision::Blocked, Exit::Failed),
    ] {
        assert!(!recorded(&task(decision, exit), &[cause()]), "{decision:?} {exit:?}");
    }
}
