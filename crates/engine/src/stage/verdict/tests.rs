use std::collections::BTreeMap;

use proptest::prelude::*;
use referee_model::gate::Cause;
use referee_model::id::TaskId;
use referee_model::reading::Level;

use super::*;

fn specification() -> StageSpecification {
    StageSpecification {
        bytes: Vec::new(),
        file: PathBuf::from("/work/runs/run-1/stages/build/specification/gate.yaml"),
        workspace: PathBuf::from("/work"),
        digest: Digest::from_bytes([7; 32]),
        run_directory: PathBuf::from("/work/runs/run-1"),
        stage: StageId::parse("build").unwrap(),
    }
}

fn answer(decision: Decision, exit: Exit, causes: Vec<Cause>) -> GateAnswer {
    GateAnswer {
        causes_in_all: causes.len() as u64,
        causes,
        next: "fix it".to_owned(),
        ..GateAnswer::of(decision, exit, Vec::new())
    }
}

fn cause(message: &str) -> Cause {
    Cause {
        task: Some(TaskId::parse("T001").unwrap()),
        check: Some("unit".to_owned()),
        tool: None,
        severity: Level::Error,
        file: Some("src/a.rs".to_owned()),
        line: Some(7),
        column: None,
        code: None,
        message: message.to_owned(),
        output: Vec::new(),
    }
}

#[test]
fn a_verdict_says_the_first_cause_and_how_many_more_there_are() {
    let verdict =
        specification().verdict(&answer(Decision::Fail, Exit::Failed, vec![cause("one\nis two"), cause("x")]));
    assert_eq!((verdict.decision.as_str(), verdict.exit), ("FAIL", exit_code::FAILED));
    assert_eq!(verdict.reason, "unit: src/a.rs:7: one is two and 1 more");
    assert_eq!(verdict.evidence, None, "nothing ran");
    let silent = specification().verdict(&answer(Decision::Blocked, Exit::NothingRan, Vec::new()));
    assert_eq!((silent.reason.as_str(), silent.exit), ("fix it", exit_code::NOTHING_RAN));
}

#[test]
fn only_a_pass_that_exits_as_one_is_one() {
    for (decision, exit) in [
        (Decision::Pass, Exit::Timeout),
        (Decision::Pass, Exit::Interrupted { signal: 2 }),
        (Decision::Fail, Exit::Passed),
        (Decision::Blocked, Exit::Passed),
        (Decision::Blocked, Exit::Interrupted { signal: 2 }),
    ] {
        let verdict = specification().verdict(&answer(decision, exit, Vec::new()));
        assert_ne!(verdict.decision, "PASS", "{decision:?} {exit:?}");
        assert_ne!(verdict.exit, exit_code::PASSED, "{decision:?} {exit:?}");
    }
    let interrupted = specification().verdict(&answer(Decision::Blocked, Exit::Interrupted { signal: 2 }, Vec::new()));
    assert_eq!(interrupted.exit, exit_code::INTERRUPTED);
}

proptest! {
    #[test]
    fn a_reason_is_one_line_that_can_be_kept(text in "\\PC{0,3000}|[ \\n\\r\\t\u{e4}]{0,3000}") {
        let verdict = blocked(&text);
        prop_assert!(!verdict.reason.contains(['\n', '\r']));
        prop_assert!(verdict.reason.chars().count() <= limit::STAGE_REASON_CHARACTERS + 1);
        prop_assert_eq!((verdict.decision.as_str(), verdict.exit), ("BLOCKED", exit_code::SPECIFICATION));
    }
}

#[test]
fn a_log_that_cannot_be_believed_vouches_for_nothing() {
    let composed = Composed {
        run_id: referee_model::stage::id::StageRunId::new("2026-11-22", 1).unwrap(),
        at: referee_model::time::Timestamp::from_millisecond(0),
        workspace: "/work".to_owned(),
        stages: Vec::new(),
        files: BTreeMap::new(),
    };
    for (trust, illegal, known) in [
        (LogTrust::Absent, None, None),
        (LogTrust::Unknown, None, Some(&composed)),
        (LogTrust::Broken("line 2".to_owned()), None, Some(&composed)),
        (LogTrust::Differs("it is gone".to_owned()), None, None),
        (LogTrust::Kept, Some("line 3".to_owned()), Some(&composed)),
        (LogTrust::Kept, None, None),
    ] {
        let shown = format!("{trust:?}");
        let history = History { trust, illegal, composed: known.cloned(), stages: BTreeMap::new() };
        let path = StagePath::parse("specification/gate.yaml").unwrap();
        let why = vouching(&history, &path).unwrap_err();
        assert!(why.starts_with("nothing vouches for the specification"), "{shown}: {why}");
    }
}
