use proptest::prelude::*;
use referee_model::handback::{HandbackCode, HandbackFault, HandbackOutcome};
use referee_model::stage::check::{Check, CheckFailure, CheckKind};

use super::*;

type Inputs = BTreeMap<String, Digest>;

fn at(second: i64) -> Timestamp {
    Timestamp::from_millisecond(1_795_251_900_000 + second * 1_000)
}

fn inputs(files: &[(&str, u8)]) -> Inputs {
    files.iter().map(|(path, byte)| ((*path).to_owned(), Digest::from_bytes([*byte; 32]))).collect()
}

fn stage(name: &str) -> StageId {
    StageId::parse(name).unwrap()
}

fn fault() -> HandbackFault {
    HandbackFault { code: HandbackCode::Timeout, message: "late".to_owned(), context: None }
}

fn handback(reason: HandbackReason) -> Handback {
    let outcome = match reason {
        HandbackReason::Success => HandbackOutcome::Success { beside: None },
        HandbackReason::Error => HandbackOutcome::Error(fault()),
        HandbackReason::Question => HandbackOutcome::Question { beside: None },
    };
    Handback { outcome, description: "x".to_owned() }
}

fn outputs(failing: &[bool]) -> Checks {
    let check = |(number, fails): (usize, &bool)| Check {
        kind: CheckKind::FileExists,
        path: format!("run/output-data/{number}.json"),
        message: "looked".to_owned(),
        failure: fails.then(|| CheckFailure {
            action: "fix".to_owned(),
            schema: None,
            details: vec![],
            json_path: None,
        }),
    };
    Checks { checks: failing.iter().enumerate().map(check).collect(), warnings: Vec::new() }
}

/// Parameters of a case; the default is a valid success.
#[derive(Debug, Clone)]
struct Case {
    reason: HandbackReason,
    document: u8,
    written_at: Option<Timestamp>,
    ended: Option<u32>,
    state: StageState,
    attempt: u32,
    now: Inputs,
    sources: Vec<Source>,
    outputs: Checks,
    verdict: Decision<'static>,
    result: Option<(WfResultStatus, &'static str, i64)>,
    contradictions: Vec<StandingName>,
}

impl Default for Case {
    fn default() -> Self {
        Self {
            reason: HandbackReason::Success,
            document: 2,
            written_at: Some(at(10)),
            ended: None,
            state: StageState::Active,
            attempt: 2,
            now: inputs(&[("inputs/a.md", 1)]),
            sources: vec![Source { stage: stage("explore"), taken: 1, published: Some(1) }],
            outputs: outputs(&[false, false]),
            verdict: Decision::NotAsked,
            result: Some((WfResultStatus::Success, "specify", 9)),
            contradictions: Vec::new(),
        }
    }
}

impl Case {
    fn standing(&self) -> HandbackStanding {
        let (id, then) = (stage("specify"), inputs(&[("inputs/a.md", 1)]));
        let (handback, complaints) = (handback(self.reason), ["no JSON".to_owned()]);
        let about = stage(self.result.map_or("specify", |(_, stage, _)| stage));
        let contradiction = |name: &StandingName| objection(*name, "told", "do");
        judge(&Facts {
            stage: &id,
            document: match self.document {
                0 => Document::Missing,
                1 => Document::Invalid(&complaints),
                _ => Document::Valid { handback: &handback, written_at: self.written_at, ended: self.ended },
            },
            control: Control::Logged(Logged {
                state: self.state,
                attempt: self.attempt,
                accepted_at: Some(at(5)),
                inputs_then: &then,
                inputs_now: &self.now,
                sources: &self.sources,
            }),
            outputs: &self.outputs,
            verdict: self.verdict,
            result: self.result.map_or(ResultSaid::Absent, |(status, _, second)| ResultSaid::Said {
                status,
                stage: &about,
                completed_at: at(second),
            }),
            contradictions: self.contradictions.iter().map(contradiction).collect(),
        })
    }

    fn names(&self) -> String {
        let standing = self.standing();
        standing.objections.iter().map(|objection| objection.name.as_str()).collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn a_success_that_nothing_objects_to_holds() {
    let standing = Case::default().standing();
    assert_eq!(standing, HandbackStanding { reason: Some(HandbackReason::Success), objections: Vec::new() });
    assert!(standing.holds());
}

/// Each row has one fault; the table is that of the module's documentation.
#[test]
fn each_thing_that_is_wrong_has_its_name() {
    use HandbackReason::{Error, Question};
    use WfResultStatus::{Failure, Partial, Success};
    let case = Case::default;
    let changed = || inputs(&[("inputs/a.md", 2)]);
    let again = |published| vec![Source { stage: stage("explore"), taken: 1, published }];
    let failing = Decision::Other { decision: "FAIL", reason: "2 tests fail" };
    let table = [
        (Case { document: 0, ..case() }, "handback_missing"),
        (Case { document: 1, ..case() }, "handback_invalid"),
        (Case { reason: Error, result: None, ..case() }, "handback_error"),
        (Case { reason: Question, ..case() }, "handback_question"),
        (Case { written_at: Some(at(4)), ..case() }, "stale_handback"),
        (Case { written_at: Some(at(5)), ..case() }, ""),
        (Case { written_at: None, ..case() }, "stale_handback"),
        (Case { ended: Some(1), ..case() }, ""),
        (Case { ended: Some(1), reason: Error, result: None, ..case() }, "handback_error"),
        (Case { ended: Some(2), state: StageState::Completed, ..case() }, "without_control"),
        (Case { now: changed(), ..case() }, "inputs_changed"),
        (Case { now: inputs(&[]), ..case() }, "inputs_changed"),
        (Case { now: inputs(&[("inputs/a.md", 1), ("inputs/b.md", 1)]), ..case() }, ""),
        (Case { sources: again(Some(2)), ..case() }, "inputs_changed"),
        (Case { sources: again(None), ..case() }, "inputs_changed"),
        (Case { document: 0, now: changed(), ..case() }, "handback_missing inputs_changed"),
        (Case { reason: Error, now: changed(), result: None, ..case() }, "handback_error"),
        (Case { outputs: outputs(&[false, true]), ..case() }, "outputs_contradict"),
        (Case { outputs: outputs(&[]), ..case() }, "outputs_contradict"),
        (Case { reason: Question, outputs: outputs(&[true]), ..case() }, "handback_question"),
        (Case { verdict: failing, ..case() }, "verdict_contradicts"),
        (Case { verdict: Decision::Unknown, ..case() }, "verdict_contradicts"),
        (Case { verdict: Decision::Pass, ..case() }, ""),
        (Case { reason: Error, verdict: failing, result: None, ..case() }, "handback_error"),
        (Case { result: None, ..case() }, ""),
        (Case { result: Some((Failure, "specify", 9)), ..case() }, "result_contradicts"),
        (Case { result: Some((Partial, "specify", 9)), ..case() }, "result_contradicts"),
        (Case { result: Some((Success, "explore", 9)), ..case() }, "result_contradicts"),
        (Case { result: Some((Success, "specify", 4)), ..case() }, ""),
        (Case { result: Some((Success, "specify", 5)), ..case() }, ""),
        (Case { result: Some((Failure, "explore", 4)), ..case() }, "result_contradicts result_contradicts"),
        (Case { reason: Error, ..case() }, "handback_error result_contradicts"),
        (Case { reason: Error, result: Some((Failure, "specify", 9)), ..case() }, "handback_error"),
        (Case { reason: Error, result: Some((Partial, "specify", 9)), ..case() }, "handback_error"),
        (Case { reason: Error, result: Some((Success, "specify", 4)), ..case() }, "handback_error"),
        (Case { reason: Question, result: Some((Failure, "specify", 4)), ..case() }, "handback_question"),
    ];
    for (case, names) in table {
        assert_eq!(case.names(), names, "{case:#?}");
    }
    for state in StageState::ALL {
        let names = if state == StageState::Active { "" } else { "without_control" };
        assert_eq!(Case { state, ..case() }.names(), names, "{state:?}");
        let names = Case { state, attempt: 0, document: 0, ..case() }.names();
        assert_eq!(names.contains("without_control"), state != StageState::Active, "{state:?}");
    }
}

#[test]
fn everything_is_told_at_once_in_one_order() {
    let contradictions =
        vec![StandingName::LogContradicts, StandingName::RecordContradicts, StandingName::NotAsComposed];
    let everything = Case {
        written_at: Some(at(1)),
        now: inputs(&[]),
        outputs: outputs(&[true]),
        verdict: Decision::Unknown,
        result: Some((WfResultStatus::Partial, "specify", 9)),
        contradictions: contradictions.clone(),
        ..Case::default()
    };
    assert_eq!(
        everything.names(),
        "stale_handback inputs_changed outputs_contradict verdict_contradicts result_contradicts record_contradicts \
         not_as_composed log_contradicts"
    );
    for document in [0, 1] {
        let case = Case { document, contradictions: contradictions.clone(), ..Case::default() };
        assert_eq!(case.standing().objections.len(), 4, "what the log says counts without a handback too");
    }
    assert!(everything.standing().objections.iter().all(|told| !told.message.is_empty() && !told.action.is_empty()));
}

fn without_log(control: Control<'_>, contradictions: Vec<Objection>) -> HandbackStanding {
    let (id, handback, outputs) = (stage("specify"), handback(HandbackReason::Success), outputs(&[false]));
    judge(&Facts {
        stage: &id,
        document: Document::Valid { handback: &handback, written_at: Some(at(3)), ended: None },
        control,
        outputs: &outputs,
        verdict: Decision::NotAsked,
        result: ResultSaid::Absent,
        contradictions,
    })
}

#[test]
fn a_run_without_a_log_is_gone_by_its_accept_and_one_with_a_broken_log_by_nothing() {
    assert!(without_log(Control::Unvouched { accepted_at: None }, Vec::new()).holds());
    assert!(without_log(Control::Unvouched { accepted_at: Some(at(3)) }, Vec::new()).holds());
    let late = without_log(Control::Unvouched { accepted_at: Some(at(4)) }, Vec::new());
    assert_eq!(late.objections[0].name, StandingName::Stale);
    let broken = without_log(Control::Unsound("line 3 does not follow"), Vec::new());
    assert_eq!(broken.objections.iter().map(|told| told.name).collect::<Vec<_>>(), [StandingName::LogContradicts]);
    assert!(broken.objections[0].message.contains("line 3 does not follow"));
    let told = vec![objection(StandingName::LogContradicts, "line 3", "look")];
    assert_eq!(without_log(Control::Unsound("line 3"), told.clone()).objections, told, "it is told once");
}

#[test]
fn a_result_that_cannot_be_read_bears_no_success_out() {
    let (id, outputs) = (stage("specify"), outputs(&[false]));
    for (reason, names) in [(HandbackReason::Success, 1), (HandbackReason::Error, 1), (HandbackReason::Question, 1)] {
        let handback = handback(reason);
        let standing = judge(&Facts {
            stage: &id,
            document: Document::Valid { handback: &handback, written_at: Some(at(3)), ended: None },
            control: Control::Unvouched { accepted_at: None },
            outputs: &outputs,
            verdict: Decision::NotAsked,
            result: ResultSaid::Unreadable("it is empty"),
            contradictions: Vec::new(),
        });
        assert_eq!(standing.objections.len(), names, "{reason:?}");
        let is_about_result = standing.objections[0].name == StandingName::ResultContradicts;
        assert_eq!(is_about_result, reason == HandbackReason::Success);
    }
}

#[test]
fn what_is_listed_is_bounded() {
    let many = Case { outputs: outputs(&[true; 1_000]), ..Case::default() }.standing();
    let message = &many.objections[0].message;
    assert!(message.contains("1000 of 1000 checks fail") && message.ends_with("and 990 more"), "{message}");
}

fn any_case() -> impl Strategy<Value = Case> {
    let document = (
        prop::sample::select(HandbackReason::ALL.to_vec()),
        0_u8..3,
        prop::option::of((0_i64..12).prop_map(at)),
        prop::option::of(0_u32..4),
    );
    let control = (prop::sample::select(StageState::ALL.to_vec()), 0_u32..4, 0_u8..3, prop::option::of(0_u32..3));
    let decisions = [
        Decision::NotAsked,
        Decision::Pass,
        Decision::Unknown,
        Decision::Other { decision: "BLOCKED", reason: "drift" },
    ];
    let statuses = [WfResultStatus::Success, WfResultStatus::Failure, WfResultStatus::Partial];
    let result = (prop::sample::select(statuses.to_vec()), prop::sample::select(vec!["specify", "explore"]), 0_i64..12);
    let found = (
        prop::collection::vec(any::<bool>(), 0..4),
        prop::sample::select(decisions.to_vec()),
        prop::option::of(result),
        prop::collection::vec(prop::sample::select(StandingName::ALL.to_vec()), 0..3),
    );
    (document, control, found).prop_map(|(document, control, found)| Case {
        reason: document.0,
        document: document.1,
        written_at: document.2,
        ended: document.3,
        state: control.0,
        attempt: control.1,
        now: inputs(&[("inputs/a.md", control.2)]),
        sources: vec![Source { stage: stage("explore"), taken: 1, published: control.3 }],
        outputs: outputs(&found.0),
        verdict: found.1,
        result: found.2,
        contradictions: found.3,
    })
}

proptest! {
    #[test]
    fn what_holds_is_a_success_that_everything_bears_out(case in any_case()) {
        let standing = case.standing();
        let names: Vec<StandingName> = standing.objections.iter().map(|told| told.name).collect();
        prop_assert!(names.is_sorted());
        prop_assert_eq!(&standing, &case.standing());
        if standing.holds() {
            prop_assert_eq!((standing.reason, case.document), (Some(HandbackReason::Success), 2));
            prop_assert!(case.state == StageState::Active && case.outputs.is_pass() && case.contradictions.is_empty());
            prop_assert!(matches!(case.verdict, Decision::NotAsked | Decision::Pass));
            prop_assert!(case.now == inputs(&[("inputs/a.md", 1)]) && case.sources[0].published == Some(1));
            prop_assert!(case.written_at >= Some(at(5)));
            let is_borne_out =
                |(status, stage, second)| (status, stage) == (WfResultStatus::Success, "specify") && second >= 5;
            prop_assert!(case.result.is_none_or(is_borne_out));
        } else {
            prop_assert!(!names.is_empty(), "what does not hold says why");
        }
    }
}
