//! The register over runs.

use proptest::prelude::*;
use referee_model::debt::DebtAssessment;
use referee_model::diagnostic_log::{DiagnosticRegister, RegisteredDiagnostic, Sighting};
use referee_model::id::{ExecutionId, TaskId};
use referee_model::limit::{DIAGNOSTICS_REGISTERED, REGISTERED_RUNS};
use referee_model::plan::{EvidenceCapture, Strategy};
use referee_model::reading::TestStatus;
use referee_model::record::{RunEnding, SkipReason};
use referee_model::report::{ActionHistory, Report};
use referee_model::selection::{LeftOut, Profile, Scope};

use super::*;

/// Returns a judged run of these actions; the number determines its end.
fn run(number: u64, actions: Vec<ActionReport>) -> Report {
    let plan = fixture::plan(actions.iter().map(|report| report.action.clone()).collect());
    let mut run = fixture::run(RunEnding::Finished);
    run.execution = ExecutionId::parse(format!("exec-{number}")).unwrap();
    run.ended = Timestamp::from_millisecond(i64::try_from(number).unwrap() * 1_000);
    let verdict = crate::criteria::verdict(
        &plan,
        &run,
        &actions,
        &std::collections::BTreeMap::new(),
        crate::criteria::EvaluatorOutput::default(),
    );
    let diagnostics = log(&plan, &actions);
    Report { plan, run, actions, verdict, diagnostics, debt: DebtAssessment::default() }
}

fn types() -> Action {
    of_role("STEP.1", "types", Role::Typecheck)
}

fn judged(action: &Action, code: i32, reading: Reading) -> ActionReport {
    let plan = fixture::plan(vec![action.clone()]);
    fixture::judged(&plan, action, exited(action, code), reading)
}

/// Returns the type check with these errors; clean without any.
fn typed(messages: &[&str]) -> ActionReport {
    judged(&types(), if messages.is_empty() { 0 } else { 2 }, said(messages))
}

fn folded(runs: &[Report]) -> DiagnosticRegister {
    let mut register = DiagnosticRegister::default();
    for report in runs {
        assert!(fold(&mut register, report));
    }
    register
}

fn known<'a>(register: &'a DiagnosticRegister, message: &str) -> &'a RegisteredDiagnostic {
    register.entries.iter().find(|known| known.entry.message == message).unwrap()
}

fn is_cleared(register: &DiagnosticRegister, message: &str) -> bool {
    known(register, message).cleared.is_some()
}

#[test]
fn what_is_seen_again_counts_and_keeps_when_it_was_first_seen() {
    let register = folded(&[run(1, vec![typed(&["a"])]), run(2, vec![typed(&["new", "a"])])]);
    let old = known(&register, "a");
    assert_eq!(
        (old.count, old.runs, old.first_seen.at.as_millisecond(), old.last_seen.at.as_millisecond()),
        (2, 2, 1_000, 2_000)
    );
    assert_eq!(old.entry.line(), Some(2), "it moved, and is the same");
    assert_eq!((known(&register, "new").first_seen.execution.as_str(), known(&register, "new").runs), ("exec-2", 1));
}

#[test]
fn what_a_run_proves_gone_is_cleared_and_comes_back_under_the_same_entry() {
    let mut register = folded(&[run(1, vec![typed(&["a", "b"])]), run(2, vec![typed(&["b"])])]);
    assert_eq!(known(&register, "a").cleared.as_ref().map(|run| run.execution.as_str()), Some("exec-2"));
    assert!(!is_cleared(&register, "b"));
    assert!(fold(&mut register, &run(3, vec![typed(&[])])));
    assert!(is_cleared(&register, "b"));
    assert_eq!(known(&register, "a").cleared.as_ref().map(|run| run.execution.as_str()), Some("exec-2"));
    assert!(fold(&mut register, &run(4, vec![typed(&["a"])])));
    let back = known(&register, "a");
    assert_eq!((back.cleared.as_ref(), back.runs, back.first_seen.execution.as_str()), (None, 2, "exec-1"));
}

#[test]
fn what_did_not_look_clears_nothing() {
    let action = types();
    let ended = |ending| {
        let plan = fixture::plan(vec![types()]);
        fixture::judged(&plan, &types(), ended(&types(), ending), fixture::nothing())
    };
    let skipped =
        ActionReport { action: action.clone(), history: ActionHistory::Skipped(SkipReason::LeftOut(LeftOut::Named)) };
    let renamed = judged(&Action { name: "other".to_owned(), ..types() }, 0, fixture::nothing());
    let blind = Action { evidence: EvidenceCapture { stdout: false, ..EvidenceCapture::default() }, ..types() };
    let mut cut_short = said(&["b"]);
    cut_short.counts.add(None, Level::Error, false);
    let rows = [
        ("it could not work", judged(&action, 2, fixture::nothing())),
        ("it was killed", ended(Ending::Signaled { signal: 9 })),
        ("its time was up", ended(Ending::DeadlineExceeded { timeout_ms: 1, of_task: false, killed: false })),
        ("it was skipped", skipped),
        ("it is no longer in the plan", renamed),
        ("its output was not kept", judged(&blind, 0, fixture::nothing())),
        ("more was found than is listed", judged(&action, 2, cut_short)),
    ];
    for (row, report) in rows {
        let register = folded(&[run(1, vec![typed(&["a"])]), run(2, vec![report])]);
        assert!(!is_cleared(&register, "a"), "{row}");
    }
    let mut reduced = run(2, vec![typed(&[])]);
    reduced.run.scope = Scope { profile: Profile::Fast, reduced: true };
    let register = folded(&[run(1, vec![typed(&["a"])]), reduced]);
    assert!(!is_cleared(&register, "a") && register.runs[1].reduced);
}

#[test]
fn an_action_that_works_again_clears_its_own_failure() {
    let broken = judged(&types(), 2, fixture::nothing());
    let register = folded(&[run(1, vec![broken]), run(2, vec![typed(&["a"])])]);
    let own = register.entries.iter().find(|known| known.entry.tool.is_none()).unwrap();
    assert!(own.cleared.is_some() && !is_cleared(&register, "a"));
}

#[test]
fn the_check_is_known_by_its_name_wherever_it_stands() {
    let other = of_role("STEP.1", "lint", Role::Lint);
    let moved = Action { id: ActionId::parse("STEP.2").unwrap(), ..types() };
    let second = run(2, vec![judged(&other, 0, fixture::nothing()), judged(&moved, 2, said(&["a"]))]);
    let register = folded(&[run(1, vec![typed(&["a"])]), second]);
    assert_eq!((register.entries.len(), known(&register, "a").runs, is_cleared(&register, "a")), (1, 2, false));
}

#[test]
fn findings_that_policy_hides_are_not_gone() {
    let command = Work::Command(fixture::command("npx tsc --noEmit"));
    let action = Action { name: "types".to_owned(), ..fixture::action("STEP.1", command) };
    let mut hidden = run(2, Vec::new());
    hidden.plan = fixture::plan(vec![action.clone()]);
    hidden.plan.policies.categories.insert(Category::TypeChecking, Strategy::Never);
    hidden.actions = vec![fixture::judged(&hidden.plan, &action, exited(&action, 2), said(&["a"]))];
    let register = folded(&[run(1, vec![judged(&action, 2, said(&["a"]))]), hidden]);
    assert_eq!((known(&register, "a").runs, is_cleared(&register, "a")), (1, false));
}

#[test]
fn a_test_that_is_skipped_is_not_mended() {
    let unit = of_role("STEP.1", "unit", Role::Test);
    let failing = || judged(&unit, 1, failed_tests(1, &[("quotes › adds", "expected 1")]));
    let with = |status| {
        judged(&unit, 0, fixture::named_tests("jest", &[("quotes › adds", status), ("b", TestStatus::Passed)]))
    };
    let message = "quotes › adds: expected 1";
    assert!(!is_cleared(&folded(&[run(1, vec![failing()]), run(2, vec![with(TestStatus::Skipped)])]), message));
    assert!(is_cleared(&folded(&[run(1, vec![failing()]), run(2, vec![with(TestStatus::Passed)])]), message));
    let none_ran = judged(&unit, 0, fixture::tests("jest", 0, 0, 0));
    assert!(!is_cleared(&folded(&[run(1, vec![failing()]), run(2, vec![none_ran])]), message));
}

#[test]
fn tasks_do_not_touch_one_another() {
    let mut other = run(2, vec![typed(&[])]);
    other.plan.task = TaskId::parse("T002").unwrap();
    let register = folded(&[run(1, vec![typed(&["a"])]), other]);
    assert!(!is_cleared(&register, "a"));
}

#[test]
fn the_register_is_bounded_and_what_was_cleared_first_goes_first() {
    let template = known(&folded(&[run(1, vec![typed(&["a"])])]), "a").clone();
    let mut register = DiagnosticRegister::default();
    let number = |number: usize| {
        let digest = referee_model::id::Digest::from_bytes({
            let mut bytes = [0; 32];
            bytes[..8].copy_from_slice(&(number as u64).to_be_bytes());
            bytes
        });
        let mut known = template.clone();
        known.entry.fingerprint = referee_model::fingerprint::Fingerprint::version_1(digest);
        known.cleared = (number >= 5).then(|| Sighting {
            execution: ExecutionId::parse("exec-0").unwrap(),
            at: Timestamp::from_millisecond(i64::try_from(number).unwrap()),
        });
        known
    };
    register.entries = (0..DIAGNOSTICS_REGISTERED).map(number).collect();
    let gone = [5, 6].map(|at| register.entries[at].entry.fingerprint);
    let mut elsewhere = run(2, vec![typed(&["new", "newer"])]);
    elsewhere.plan.task = TaskId::parse("T002").unwrap();
    assert!(fold(&mut register, &elsewhere));
    assert_eq!((register.entries.len(), register.dropped), (DIAGNOSTICS_REGISTERED, 2));
    assert!(register.entries.iter().all(|known| !gone.contains(&known.entry.fingerprint)));
}

#[test]
fn old_runs_are_forgotten_but_never_the_last_of_a_task() {
    let mut first = run(0, vec![typed(&[])]);
    first.plan.task = TaskId::parse("T002").unwrap();
    let mut register = folded(&[first]);
    for number in 1..=REGISTERED_RUNS as u64 + 5 {
        assert!(fold(&mut register, &run(number, Vec::new())));
    }
    assert_eq!(register.runs.len(), REGISTERED_RUNS);
    assert_eq!(register.runs[0].task.as_str(), "T002");
    assert_eq!(register.runs[1].execution.as_str(), "exec-7");
}

#[test]
fn a_view_is_by_the_order_of_runs() {
    let register =
        folded(&[run(1, vec![typed(&["a", "b"])]), run(9, vec![typed(&["b", "c"])]), run(3, vec![typed(&["c", "d"])])]);
    let told = |since: Since<'_>| {
        let view = view(&register, None, since).unwrap();
        let messages = |known: &[&RegisteredDiagnostic]| -> String {
            let mut messages: Vec<_> = known.iter().map(|known| known.entry.message.clone()).collect();
            messages.sort();
            messages.concat()
        };
        (messages(&view.standing), messages(&view.cleared))
    };
    let pair = |standing: &str, cleared: &str| (standing.to_owned(), cleared.to_owned());
    let id = |text: &str| ExecutionId::parse(text).unwrap();
    assert_eq!(told(Since::Beginning), pair("cd", "ab"));
    assert_eq!(told(Since::LatestRun), pair("d", "b"));
    assert_eq!(told(Since::After(&id("exec-1"))), pair("cd", "ab"));
    assert_eq!(told(Since::After(&id("exec-9"))), pair("d", "b"));
    assert_eq!(told(Since::After(&id("exec-3"))), pair("", ""));
    assert_eq!(view(&register, None, Since::After(&id("exec-2"))), None);
    let other = TaskId::parse("T009").unwrap();
    assert_eq!(view(&register, Some(&other), Since::Beginning).unwrap().standing.len(), 0);
}

proptest! {
    #[test]
    fn the_same_run_twice_is_once(runs in prop::collection::vec(prop::collection::vec(0_usize..4, 0..4), 1..6)) {
        const MESSAGES: [&str; 4] = ["a", "b", "c", "d"];
        let mut register = DiagnosticRegister::default();
        for (number, shown) in (1_u64..).zip(&runs) {
            let messages: Vec<&str> = shown.iter().map(|at| MESSAGES[*at]).collect();
            let report = run(number, vec![typed(&messages)]);
            prop_assert!(fold(&mut register, &report));
            let once = register.clone();
            prop_assert!(!fold(&mut register, &report));
            prop_assert_eq!(&register, &once);
            for known in &register.entries {
                prop_assert_eq!(known.cleared.is_none(), messages.contains(&known.entry.message.as_str()));
                prop_assert!(known.runs <= number && known.runs <= known.count && known.first_seen.at <= known.last_seen.at);
            }
        }
    }
}
