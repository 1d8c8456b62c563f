use proptest::prelude::*;
use referee_model::stage::check::{Check, CheckFailure, CheckKind};

use super::*;

fn objection(name: StandingName) -> Objection {
    Objection { name, message: format!("{} it is", name.as_str()), action: "fix it".to_owned() }
}

fn checks(failures: usize, passes: usize) -> Checks {
    let check = |is_failed: bool| Check {
        kind: CheckKind::FileExists,
        path: "run/output-data/a.json".to_owned(),
        message: "looked at".to_owned(),
        failure: is_failed.then(|| CheckFailure {
            action: "write it".to_owned(),
            schema: None,
            details: Vec::new(),
            json_path: None,
        }),
    };
    let checks = (0..failures).map(|_| check(true)).chain((0..passes).map(|_| check(false))).collect();
    Checks { checks, warnings: Vec::new() }
}

struct Case {
    state: StageState,
    contradictions: Vec<Objection>,
    outputs: Checks,
    verdict: SpecificationVerdict<'static>,
    handback: Lying,
    reason: Option<HandbackReason>,
    objections: Vec<Objection>,
}

impl Case {
    fn of(reason: Option<HandbackReason>, objections: &[StandingName]) -> Self {
        Self {
            state: StageState::Active,
            contradictions: Vec::new(),
            outputs: checks(0, 2),
            verdict: SpecificationVerdict::NotAsked,
            handback: if reason.is_some() { Lying::Handback } else { Lying::Nothing { waived: false } },
            reason,
            objections: objections.iter().copied().map(objection).collect(),
        }
    }

    fn decided(&self) -> Ending {
        let standing = HandbackStanding { reason: self.reason, objections: self.objections.clone() };
        decide(&Facts {
            state: self.state,
            contradictions: &self.contradictions,
            outputs: &self.outputs,
            verdict: self.verdict,
            handback: self.handback,
            standing: &standing,
        })
    }

    /// Returns the names of the objections that refuse it. Empty: it is not refused.
    fn refused(&self) -> Vec<StandingName> {
        match self.decided() {
            Ending::Refuse(objections) => objections.into_iter().map(|objection| objection.name).collect(),
            _ => Vec::new(),
        }
    }
}

const SUCCESS: Option<HandbackReason> = Some(HandbackReason::Success);
const ERROR: Option<HandbackReason> = Some(HandbackReason::Error);
const QUESTION: Option<HandbackReason> = Some(HandbackReason::Question);

#[test]
fn what_nothing_stands_against_ends_as_it_says() {
    assert_eq!(Case::of(SUCCESS, &[]).decided(), Ending::Publish);
    assert_eq!(Case::of(ERROR, &[StandingName::Error]).decided(), Ending::Error);
    assert_eq!(Case::of(QUESTION, &[StandingName::Question]).decided(), Ending::Question);
    assert_eq!(Case { verdict: SpecificationVerdict::Passed, ..Case::of(SUCCESS, &[]) }.decided(), Ending::Publish);
}

#[test]
fn a_success_is_refused_by_whatever_stands_against_it_all_at_once() {
    use StandingName::{LogContradicts, NotAsComposed, OutputsContradict, Stale, VerdictContradicts, WithoutControl};
    let case = Case {
        state: StageState::Completed,
        contradictions: vec![objection(StandingName::LogContradicts), objection(StandingName::NotAsComposed)],
        outputs: checks(2, 1),
        verdict: SpecificationVerdict::NotPassed("FAIL"),
        ..Case::of(SUCCESS, &[StandingName::Stale])
    };
    assert_eq!(
        case.refused(),
        [WithoutControl, Stale, OutputsContradict, VerdictContradicts, NotAsComposed, LogContradicts]
    );
    for name in StandingName::ALL {
        assert_eq!(Case::of(SUCCESS, &[name]).refused(), [name]);
        assert_eq!(Case { contradictions: vec![objection(name)], ..Case::of(SUCCESS, &[]) }.refused(), [name]);
    }
    assert_eq!(Case { outputs: checks(1, 5), ..Case::of(SUCCESS, &[]) }.refused(), [OutputsContradict]);
    // Without any check there is no pass.
    assert_eq!(Case { outputs: checks(0, 0), ..Case::of(SUCCESS, &[]) }.refused(), [OutputsContradict]);
    assert_eq!(
        Case { verdict: SpecificationVerdict::NotPassed("BLOCKED"), ..Case::of(SUCCESS, &[]) }.refused(),
        [VerdictContradicts]
    );
}

#[test]
fn an_error_or_a_question_needs_control_and_a_log_that_holds_and_nothing_more() {
    use StandingName as Name;
    let holds_up = [
        Name::Missing,
        Name::Invalid,
        Name::WithoutControl,
        Name::Stale,
        Name::RecordContradicts,
        Name::LogContradicts,
    ];
    for (reason, ending) in [(ERROR, Ending::Error), (QUESTION, Ending::Question)] {
        for name in Name::ALL {
            let case = Case {
                outputs: checks(3, 0),
                verdict: SpecificationVerdict::NotPassed("it did not run"),
                ..Case::of(reason, &[name])
            };
            if holds_up.contains(&name) {
                assert_eq!(case.refused(), [name]);
            } else {
                assert_eq!(case.decided(), ending, "{}", name.as_str());
            }
        }
        let beside = Case { contradictions: vec![objection(Name::LogContradicts)], ..Case::of(reason, &[]) };
        assert_eq!(beside.refused(), [Name::LogContradicts]);
        for state in StageState::ALL.into_iter().filter(|state| *state != StageState::Active) {
            assert_eq!(Case { state, ..Case::of(reason, &[]) }.refused(), [Name::WithoutControl]);
        }
    }
}

#[test]
fn a_handback_that_is_missing_is_passed_over_only_by_a_persons_word_and_one_that_is_there_never() {
    use StandingName::{Invalid, Missing, OutputsContradict, VerdictContradicts, WithoutControl};
    let waived =
        |objections: &[StandingName]| Case { handback: Lying::Nothing { waived: true }, ..Case::of(None, objections) };
    assert_eq!(Case::of(None, &[Missing]).refused(), [Missing]);
    assert_eq!(Case::of(None, &[]).refused(), [Missing]);
    assert_eq!(waived(&[Missing]).decided(), Ending::Publish);
    assert_eq!(Case { outputs: checks(1, 0), ..waived(&[Missing]) }.refused(), [OutputsContradict]);
    assert_eq!(Case { verdict: SpecificationVerdict::NotPassed("x"), ..waived(&[]) }.refused(), [VerdictContradicts]);
    assert_eq!(Case { state: StageState::Pending, ..waived(&[]) }.refused(), [WithoutControl]);
    assert_eq!(waived(&[Invalid]).refused(), [Invalid]);
    assert_eq!(Case { handback: Lying::Junk, ..Case::of(None, &[]) }.refused(), [Invalid]);
    // Two observations at different times contradict each other: nothing is decided.
    assert!(!Case { handback: Lying::Junk, ..Case::of(SUCCESS, &[]) }.refused().is_empty());
    assert!(!Case { handback: Lying::Nothing { waived: true }, ..Case::of(ERROR, &[]) }.refused().is_empty());
    assert!(!Case { handback: Lying::Handback, ..Case::of(None, &[]) }.refused().is_empty());
}

#[test]
fn every_code_but_a_cancelled_one_becomes_an_incident() {
    for code in HandbackCode::ALL {
        assert_eq!(class(code).is_none(), code == HandbackCode::Cancelled, "{}", code.as_str());
    }
}

proptest! {
    #[test]
    fn nothing_is_published_that_anything_stands_against(
        state in 0_usize..6, failures in 0_usize..3, passes in 0_usize..3, verdict in 0_usize..3, lying in 0_usize..4,
        reason in 0_usize..4, names in proptest::collection::vec(0_usize..13, 0..3),
        contradictions in proptest::collection::vec(0_usize..13, 0..2),
    ) {
        let lying = [Lying::Nothing { waived: false }, Lying::Nothing { waived: true }, Lying::Junk, Lying::Handback][lying];
        let case = Case {
            state: StageState::ALL[state],
            contradictions: contradictions.iter().map(|name| objection(StandingName::ALL[*name])).collect(),
            outputs: checks(failures, passes),
            verdict: [SpecificationVerdict::NotAsked, SpecificationVerdict::Passed, SpecificationVerdict::NotPassed("x")][verdict],
            handback: lying,
            reason: [None, SUCCESS, ERROR, QUESTION][reason],
            objections: names.iter().map(|name| objection(StandingName::ALL[*name])).collect(),
        };
        let waived = lying == Lying::Nothing { waived: true } && case.reason.is_none();
        let is_only = |objections: &[Objection]| {
            objections.iter().all(|objection| waived && objection.name == StandingName::Missing)
        };
        match case.decided() {
            Ending::Publish => {
                prop_assert!(waived || (lying == Lying::Handback && case.reason == SUCCESS));
                prop_assert!(case.state == StageState::Active && case.outputs.is_pass());
                prop_assert!(!matches!(case.verdict, SpecificationVerdict::NotPassed(_)));
                prop_assert!(is_only(&case.objections) && is_only(&case.contradictions));
            }
            Ending::Error => prop_assert!(case.reason == ERROR && case.state == StageState::Active),
            Ending::Question => prop_assert!(case.reason == QUESTION && case.state == StageState::Active),
            Ending::Refuse(objections) => prop_assert!(!objections.is_empty()),
        }
    }
}
