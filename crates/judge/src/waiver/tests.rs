use std::collections::BTreeMap;

use referee_model::id::Digest;
use referee_model::reading::{Level, Reading};
use referee_model::record::{Ending, Record, RunEnding, StartFailure};
use referee_model::report::ActionHistory;
use referee_model::run_context::Protection;
use referee_model::run_context::protection::{Drift, DriftChange, Mode, Suppression, TrustedBaseline, Weakening};
use referee_model::run_context::suppression::SuppressionKind;
use referee_model::run_context::weakening::WeakeningKind;
use referee_model::verdict::{Decision, OverallStatus};

use super::*;
use crate::criteria;
use crate::fixture::{by_content, ended, exited, findings, judged, line, nothing, plan, run, tests};

/// Start of the runs of these tests, in milliseconds.
const BEGAN: i64 = 1_000_000;

fn waiver(id: &str, scope: WaiverScope) -> Waiver {
    Waiver {
        id: id.to_owned(),
        digest: Some(Digest::from_bytes([1; 32])),
        standing: WaiverStanding::Signed {
            key: "key".to_owned(),
            approver: "Ada".to_owned(),
            terms: WaiverTerms {
                scope,
                reason: "the registry is down".to_owned(),
                person: "Ada".to_owned(),
                given: Timestamp::from_millisecond(0),
                until: Timestamp::from_millisecond(BEGAN + 1),
            },
        },
    }
}

fn lasting(id: &str, scope: WaiverScope, given: i64, until: i64) -> Waiver {
    let mut waiver = waiver(id, scope);
    if let WaiverStanding::Signed { terms, .. } = &mut waiver.standing {
        (terms.given, terms.until) = (Timestamp::from_millisecond(given), Timestamp::from_millisecond(until));
    }
    waiver
}

fn refused(id: &str) -> Waiver {
    let standing = WaiverStanding::Refused { reason: "its key is not trusted".to_owned() };
    Waiver { id: id.to_owned(), digest: None, standing }
}

fn step(task: Option<&str>, action: &str) -> WaiverScope {
    WaiverScope::Action { task: task.map(str::to_owned), action: action.to_owned() }
}

fn rule(tool: &str, rule: &str) -> WaiverScope {
    WaiverScope::Rule { tool: tool.to_owned(), rule: rule.to_owned() }
}

/// A run of one action beside a step that passes, with these waivers.
struct Case {
    plan: Plan,
    run: RunRecord,
    actions: Vec<ActionReport>,
}

impl Case {
    fn of(action: &Action, record: impl Fn(&Action) -> Record, reading: Reading, waivers: Vec<Waiver>) -> Self {
        let passes = line("STEP.9", "true");
        Self::alone(
            vec![(action.clone(), record(action), reading), (passes.clone(), exited(&passes, 0), nothing())],
            waivers,
        )
    }

    fn alone(made: Vec<(Action, Record, Reading)>, waivers: Vec<Waiver>) -> Self {
        let plan = plan(made.iter().map(|(action, ..)| action.clone()).collect());
        let mut run = run(RunEnding::Finished);
        run.started = Timestamp::from_millisecond(BEGAN);
        run.ended = Timestamp::from_millisecond(BEGAN + 9_000);
        run.run_context.waivers = waivers;
        let actions = made
            .into_iter()
            .map(|(action, mut record, reading)| {
                (record.span.started, record.span.ended) = (run.started, run.started);
                let mut report = judged(&plan, &action, record, reading);
                if let ActionHistory::Ran(ran) = report.history {
                    let lifted = Waivers::of(&run).lift(&plan, &action, *ran, None);
                    report.history = ActionHistory::Ran(Box::new(lifted));
                }
                report
            })
            .collect();
        Self { plan, run, actions }
    }

    fn verdict(&self) -> Verdict {
        let output = criteria::EvaluatorOutput::default();
        let mut verdict = criteria::verdict(&self.plan, &self.run, &self.actions, &BTreeMap::new(), output);
        apply(&mut verdict, &self.run, &self.actions);
        verdict
    }
}

/// Returns a reading of eslint with this many errors of each rule.
fn found(rules: &[(&str, u64)]) -> Reading {
    let mut reading = findings("eslint", 0, 0, 0);
    for (rule, number) in rules {
        for _ in 0..*number {
            reading.counts.add(Some(rule), Level::Error, false);
        }
    }
    reading
}

fn states(verdict: &Verdict) -> Vec<(&str, WaiverState)> {
    verdict.waivers.iter().map(|used| (used.waiver.id.as_str(), used.state)).collect()
}

#[test]
fn a_waiver_of_a_step_lifts_that_step_alone_while_it_holds() {
    use WaiverState::{Applied, Expired, NotYet, Refused, Unused};
    let unit = line("STEP.2", "npx jest");
    let rows = [
        ("its id", waiver("w", step(None, "STEP.2")), Applied),
        ("its name", waiver("w", step(None, &unit.name)), Applied),
        ("in this task", waiver("w", step(Some("T001"), "STEP.2")), Applied),
        ("in another task", waiver("w", step(Some("T002"), "STEP.2")), Unused),
        ("another step", waiver("w", step(None, "STEP.22")), Unused),
        ("part of its id", waiver("w", step(None, "STEP")), Unused),
        ("a rule of its runner", waiver("w", rule("jest", "fails")), Unused),
        ("a file", waiver("w", WaiverScope::File { path: "STEP.2".to_owned() }), Unused),
        ("a weakening", waiver("w", WaiverScope::Weakening { subject: "STEP.2".to_owned() }), Unused),
        ("given this moment", lasting("w", step(None, "STEP.2"), BEGAN, BEGAN + 1), Applied),
        ("given later", lasting("w", step(None, "STEP.2"), BEGAN + 1, BEGAN + 2), NotYet),
        ("ended this moment", lasting("w", step(None, "STEP.2"), 0, BEGAN), Expired),
        ("refused", refused("w"), Refused),
    ];
    for (name, waiver, state) in rows {
        let case = Case::of(&unit, |action| exited(action, 1), tests("jest", 3, 2, 0), vec![waiver]);
        let verdict = case.verdict();
        assert_eq!(states(&verdict), [("w", state)], "{name}");
        let passes = state == Applied;
        assert_eq!(verdict.decision, if passes { Decision::Pass } else { Decision::Fail }, "{name}");
        assert_eq!(verdict.blocking.is_empty(), passes, "{name}");
        let judgement = &case.actions[0].ran().unwrap().judgement;
        assert_eq!(judgement.outcome, Outcome::TestFailure, "{name}: the outcome stays");
        if passes {
            assert_eq!(verdict.overall, OverallStatus::PartialSuccess);
            assert!(verdict.reasons.iter().any(|reason| reason.starts_with("WAIVED STEP.2")), "{:?}", verdict.reasons);
        }
    }
}

#[test]
fn a_waiver_of_a_step_lifts_what_did_not_work_and_never_what_was_not_judged() {
    let not_found = |action: &Action| {
        ended(action, Ending::CouldNotStart { cause: StartFailure::NotFound, message: String::new() })
    };
    let deadline =
        |action: &Action| ended(action, Ending::DeadlineExceeded { timeout_ms: 1, killed: true, of_task: false });
    let interrupted = |action: &Action| ended(action, Ending::Interrupted { killed: false });
    let of = |id: &str, record: &dyn Fn(&Action) -> Record| {
        let action = line(id, "npx jest");
        let case = Case::of(&action, record, nothing(), vec![waiver("w", step(None, id))]);
        case.verdict().decision
    };
    assert_eq!(of("STEP.2", &not_found), Decision::Pass);
    assert_eq!(of("STEP.2", &deadline), Decision::Pass);
    assert_ne!(of("STEP.2", &interrupted), Decision::Pass);
    assert_ne!(of("STEP.2", &crate::fixture::not_executed), Decision::Pass);
    assert_ne!(of("PREREQ.1", &not_found), Decision::Pass, "a prerequisite is never waived");
    assert_ne!(of("PREREQ.1", &|action| exited(action, 1)), Decision::Pass, "a prerequisite is never waived");
}

#[test]
fn a_run_of_nothing_but_waived_steps_that_did_no_work_is_no_pass() {
    let action = line("STEP.2", "npx jest");
    let record = ended(&action, Ending::CouldNotStart { cause: StartFailure::NotFound, message: String::new() });
    let case = Case::alone(vec![(action, record, nothing())], vec![waiver("w", step(None, "STEP.2"))]);
    let verdict = case.verdict();
    assert_eq!(verdict.decision, Decision::Blocked);
    assert!(verdict.completion.reason.contains("no step ran"), "{}", verdict.completion.reason);
}

#[test]
fn a_waiver_of_a_rule_lifts_only_where_all_that_blocks_is_of_it() {
    let lint = line("STEP.1", "npx eslint .");
    let quotes = || waiver("q", rule("eslint", "quotes"));
    let semi = || waiver("s", rule("eslint", "semi"));
    let beyond = |mut reading: Reading, errors| {
        reading.counts.errors += errors;
        reading
    };
    let rows = [
        ("all of it", found(&[("quotes", 3)]), 1, vec![quotes()], true),
        ("in another case", found(&[("Quotes", 3)]), 1, vec![quotes()], true),
        ("one of another rule", found(&[("quotes", 3), ("semi", 1)]), 1, vec![quotes()], false),
        ("two waivers for two rules", found(&[("quotes", 3), ("semi", 1)]), 1, vec![quotes(), semi()], true),
        ("another tool's rule", found(&[("quotes", 3)]), 1, vec![waiver("q", rule("stylelint", "quotes"))], false),
        ("its rule under another plugin", found(&[("style/quotes", 3)]), 1, vec![quotes()], false),
        ("more than is listed", beyond(found(&[("quotes", 3)]), 1), 1, vec![quotes()], false),
        ("the tool also broke", found(&[("quotes", 3)]), 2, vec![quotes()], false),
        ("read by content", by_content(found(&[("quotes", 3)])), 1, vec![quotes()], false),
        ("not signed", found(&[("quotes", 3)]), 1, vec![refused("q")], false),
        ("expired", found(&[("quotes", 3)]), 1, vec![lasting("q", rule("eslint", "quotes"), 0, BEGAN)], false),
    ];
    for (name, reading, code, waivers, passes) in rows {
        let case = Case::of(&lint, |action| exited(action, code), reading, waivers);
        let verdict = case.verdict();
        assert_eq!(verdict.decision == Decision::Pass, passes, "{name}: {:?}", verdict.reasons);
        assert_eq!(verdict.waivers.iter().any(|used| used.state == WaiverState::Applied), passes, "{name}");
    }
}

#[test]
fn a_judgement_that_merely_says_that_it_is_waived_blocks_all_the_same() {
    let unit = line("STEP.2", "npx jest");
    let mut case = Case::of(&unit, |action| exited(action, 1), tests("jest", 3, 2, 0), vec![refused("w")]);
    if let ActionHistory::Ran(ran) = &mut case.actions[0].history {
        ran.judgement.blocking = false;
        ran.judgement.waived = vec!["w".to_owned()];
    }
    let verdict = case.verdict();
    assert_eq!(verdict.decision, Decision::Fail);
    assert_eq!(states(&verdict), [("w", WaiverState::Refused)]);
}

#[test]
fn waivers_of_files_and_weakenings_lift_what_they_name_and_say_so() {
    let file = |path: &str| WaiverScope::File { path: path.to_owned() };
    let weaker = |subject: &str| WaiverScope::Weakening { subject: subject.to_owned() };
    let passes = line("STEP.1", "true");
    let mut case = Case::of(
        &passes,
        |action| exited(action, 0),
        nothing(),
        vec![waiver("f", file("tests/a.py")), waiver("g", file("tests/b.py")), waiver("w", weaker("types"))],
    );
    let drift = |path: &str| Drift {
        path: path.to_owned(),
        pointer: None,
        mode: Mode::Frozen,
        change: DriftChange::Modified,
        detail: String::new(),
        removed: None,
        blocks: true,
    };
    let suppression = |path: &str| Suppression {
        path: path.to_owned(),
        line: 3,
        kind: SuppressionKind::SkippedTest,
        text: String::new(),
        blocks: true,
    };
    case.run.run_context.protection = Some(Protection {
        baseline: TrustedBaseline::Lock { digest: Digest::from_bytes([2; 32]), approved_by: None },
        files: 2,
        drift: vec![drift("tests/a.py"), drift("tests/c.py")],
        tests: Vec::new(),
        suppressions: vec![suppression("tests/a.py")],
        weakenings: vec![Weakening {
            kind: WeakeningKind::CheckRemoved,
            subject: "types".to_owned(),
            before: "tsc".to_owned(),
            after: String::new(),
            blocks: true,
        }],
        notes: Vec::new(),
    });
    assert!(Waivers::of(&case.run).of_file("tests/a.py").is_some());
    assert!(
        Waivers::of(&case.run).of_file("tests/c.py").is_none() && Waivers::of(&case.run).of_file("tests/").is_none()
    );
    assert!(
        Waivers::of(&case.run).of_weakening("types").is_some() && Waivers::of(&case.run).of_weakening("type").is_none()
    );
    let verdict = case.verdict();
    assert_eq!(
        states(&verdict),
        [("f", WaiverState::Applied), ("g", WaiverState::Unused), ("w", WaiverState::Applied)]
    );
    assert_eq!(verdict.waivers[0].applied_to, ["drift of tests/a.py", "skipped-test in tests/a.py:3"]);
    assert_eq!(verdict.waivers[2].applied_to, ["check-removed of types"]);
    case.run.started = Timestamp::from_millisecond(BEGAN + 1);
    assert!(Waivers::of(&case.run).of_file("tests/a.py").is_none(), "it has ended");
    assert_eq!(Waivers::of(&case.run).notices().len(), 3);
}
