use std::collections::BTreeMap;

use proptest::prelude::{Just, any, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::Strategy as Generator;
use proptest::{collection, prop_oneof, sample};
use referee_model::baseline::KnownTest;
use referee_model::debt::{DebtAssessment, DebtGeneration, DebtSummary};
use referee_model::diagnostic_log::DiagnosticLog;
use referee_model::id::ActionId;
use referee_model::outcome::{Judgement, Outcome, Rule};
use referee_model::plan::{Expectation, ToolPolicy};
use referee_model::reading::{Diagnostic, Level, TestCounts, TestFailure};
use referee_model::record::{Ending, Record, RunEnding, SkipReason};
use referee_model::report::{ActionHistory, Report};
use referee_model::severity::Severity;
use referee_model::verdict::Decision;

use super::*;
use crate::classify::{judge, judge_against};
use crate::criteria;
use crate::fixture::{
    answer, answered, by_content, ended, exited, findings, http, judged, line, nothing, plan, request, run, tests,
};

type Row<'a> = (&'a str, &'a [FindingRow], &'a [FindingRow], [u64; 4]);

type NumberRow = (&'static str, Vec<FindingRow>, usize, Vec<FindingRow>, usize, u64);

type TestRow = (&'static str, Vec<TestFailure>, Vec<TestFailure>, u64, Vec<usize>);

type Change<'a> = &'a dyn Fn(&mut Report);

/// One finding: file, rule, message and level.
type FindingRow = (&'static str, &'static str, &'static str, Level);

const A: FindingRow = ("src/a.ts", "TS1", "wrong", Level::Error);
const B: FindingRow = ("src/b.ts", "TS1", "wrong", Level::Error);
const WARNED: FindingRow = ("src/a.ts", "TS1", "wrong", Level::Warning);

fn diagnostic(found: FindingRow, at: u32) -> Diagnostic {
    let (file, code, message, level) = found;
    Diagnostic {
        file: Some(file.to_owned()),
        code: Some(code.to_owned()),
        message: message.to_owned(),
        level,
        line: Some(at),
        ..findings("tsc", 1, 0, 0).diagnostics.remove(0)
    }
}

/// Returns a reading of tsc of which this many findings are kept individually.
fn read_some(found: &[FindingRow], kept: usize) -> Reading {
    let mut reading = findings("tsc", 0, 0, 0);
    for (at, found) in (1..).zip(found) {
        reading.counts.add(Some(found.1), found.3, false);
        reading.diagnostics.push(diagnostic(*found, at));
    }
    reading.diagnostics.truncate(kept);
    reading
}

fn read(found: &[FindingRow]) -> Reading {
    read_some(found, usize::MAX)
}

fn report(plan: &Plan, actions: Vec<ActionReport>) -> Report {
    let run = run(RunEnding::Finished);
    let verdict = criteria::verdict(plan, &run, &actions, &BTreeMap::new(), criteria::EvaluatorOutput::default());
    let (diagnostics, debt) = (DiagnosticLog::default(), DebtAssessment::default());
    Report { plan: plan.clone(), run, actions, verdict, diagnostics, debt }
}

fn taken(action: &Action, record: Record, reading: Reading) -> TaskBaseline {
    let plan = plan(vec![action.clone()]);
    let report = report(&plan, vec![judged(&plan, action, record, reading)]);
    take(&report).unwrap().baseline
}

fn known(text: &str, code: i32, reading: &Reading) -> ActionBaseline {
    let action = line("STEP.1", text);
    taken(&action, exited(&action, code), reading.clone()).actions.remove(0)
}

/// Judges a step with this line, exit code and reading, compared with a baseline from `then`.
fn held(text: &str, then: (i32, &Reading), now: (i32, &Reading)) -> Judgement {
    let action = line("STEP.1", text);
    let plan = plan(vec![action.clone()]);
    let known = known(text, then.0, then.1);
    judge_against(&plan, &action, &exited(&action, now.0), now.1, Some(&known))
}

fn alone(text: &str, now: (i32, &Reading)) -> Judgement {
    let action = line("STEP.1", text);
    judge(&plan(vec![action.clone()]), &action, &exited(&action, now.0), now.1)
}

fn said(judgement: &Judgement) -> String {
    let decision = if judgement.blocking { "blocks" } else { "passes" };
    let (outcome, rule) = (judgement.outcome.as_str(), judgement.rule.as_str());
    format!("{outcome} {rule} {decision} {:?}: {}", judgement.severity, judgement.reason)
}

#[test]
fn a_finding_is_known_by_its_content_and_only_as_often_as_it_stood() {
    let error = |file, code, message| (file, code, message, Level::Error);
    let rows: &[Row<'_>] = &[
        ("the same", &[A, B], &[A, B], [2, 0, 0, 0]),
        ("in another order, on other lines", &[A, B], &[B, A], [2, 0, 0, 0]),
        ("one less", &[A, B], &[B], [1, 0, 0, 0]),
        ("none", &[A], &[], [0, 0, 0, 0]),
        ("one more of the same", &[A], &[A, A], [1, 0, 1, 0]),
        ("two of three were there", &[A, A], &[A, A, A], [2, 0, 1, 0]),
        ("another file", &[A], &[B], [0, 0, 1, 0]),
        ("another rule", &[A], &[error("src/a.ts", "TS2", "wrong")], [0, 0, 1, 0]),
        ("other words", &[A], &[error("src/a.ts", "TS1", "very wrong")], [0, 0, 1, 0]),
        ("other numbers", &[error("src/a.ts", "TS1", "line 3")], &[error("src/a.ts", "TS1", "line 9")], [1, 0, 0, 0]),
        ("a warning that became an error", &[WARNED], &[A], [0, 0, 1, 0]),
        ("an error that became a warning", &[A], &[WARNED], [0, 1, 0, 0]),
        ("an error covers a warning once", &[A], &[WARNED, A], [1, 0, 0, 1]),
        ("nothing was known", &[], &[A, WARNED], [0, 0, 1, 1]),
        ("a remark is none", &[], &[("src/a.ts", "TS1", "wrong", Level::Info)], [0, 0, 0, 0]),
    ];
    let action = line("STEP.1", "npx tsc");
    for (case, then, now, expected) in rows {
        let sorted = sort(&known("npx tsc", 0, &read(then)), &action, &read(now));
        let Tally { errors, warnings, .. } = sorted.standing.known;
        assert_eq!([errors, warnings, sorted.new.errors, sorted.new.warnings], *expected, "{case}");
        assert_eq!(sorted.standing.new_findings.len() as u64, sorted.new.errors + sorted.new.warnings, "{case}");
        assert!(!sorted.by_number, "{case}");
    }
}

#[test]
fn what_was_not_kept_one_by_one_is_known_by_the_numbers_of_its_rule() {
    let of = |rule: &'static str, number: usize| vec![("src/a.ts", rule, "wrong", Level::Error); number];
    // Baseline findings with the number kept, current findings, and how many are new.
    let rows: Vec<NumberRow> = vec![
        ("as many", of("TS1", 9), 4, of("TS1", 9), 4, 0),
        ("one more", of("TS1", 9), 4, of("TS1", 10), 4, 1),
        ("some less", of("TS1", 9), 4, of("TS1", 5), 4, 0),
        ("of another rule", of("TS1", 9), 4, of("TS2", 9), 4, 9),
        ("three before those that were kept", of("TS1", 9), 4, [of("TS1", 9), vec![B; 3]].concat(), 4, 3),
        ("others are kept now", of("TS1", 9), 4, [vec![B; 3], of("TS1", 6)].concat(), 4, 0),
        ("more than are kept by now", of("TS1", 3), 4, of("TS1", 9), 4, 6),
        ("others, and more than are kept", of("TS1", 3), 4, [vec![B; 3], of("TS1", 6)].concat(), 4, 6),
        ("all are kept by now", of("TS1", 9), 4, of("TS1", 4), 4, 0),
    ];
    let action = line("STEP.1", "npx tsc");
    for (case, then, kept_then, now, kept, expected) in rows {
        let known = known("npx tsc", 2, &read_some(&then, kept_then));
        let sorted = sort(&known, &action, &read_some(&now, kept));
        assert_eq!(sorted.new.errors, expected, "{case}");
        assert_eq!(sorted.standing.known.errors, now.len() as u64 - expected, "{case}");
    }
    // A summary may count more than was listed.
    let mut summed_up = read(&[A]);
    summed_up.counts.errors = 5;
    let known = known("npx tsc", 2, &summed_up);
    summed_up.counts.errors = 6;
    assert_eq!(sort(&known, &action, &summed_up).new.errors, 1);
    summed_up.counts.errors = u64::MAX;
    assert_eq!(sort(&known, &action, &summed_up).new.errors, u64::MAX - 5);
}

#[test]
fn only_findings_of_a_tool_that_worked_are_excused() {
    let (types, one, two) = ("npx tsc", read(&[A]), read(&[A, B]));
    let mut cut = read(&[A]);
    cut.notes.push("a document of tsc at byte 7 is broken or cut short".to_owned());
    let mut more_cut = cut.clone();
    more_cut.notes = vec!["a document of tsc at byte 99 is broken or cut short".to_owned()];
    let warned = read(&[WARNED]);
    let configuration = read(&[A, ("tsconfig.json", "TS5023", "Unknown compiler option", Level::Error)]);
    let rows = [
        held(types, (2, &one), (2, &one)),
        held(types, (2, &one), (2, &two)),
        held(types, (2, &one), (0, &one)),
        held(types, (2, &one), (0, &two)),
        held(types, (2, &one), (2, &nothing())),
        held(types, (2, &one), (0, &nothing())),
        held(types, (2, &one), (137, &one)),
        held(types, (2, &one), (3, &one)),
        held(types, (2, &one), (2, &cut)),
        held(types, (2, &cut), (2, &more_cut)),
        held(types, (2, &configuration), (2, &configuration)),
        held(types, (2, &one), (1, &by_content(one.clone()))),
        held(types, (2, &one), (1, &warned)),
        held("npx tsc && ./deploy", (1, &one), (1, &one)),
        held("npx eslint .", (1, &findings("eslint", 2, 1, 0)), (1, &findings("eslint", 2, 3, 0))),
        held("npx prettier --check .", (1, &findings("prettier", 0, 1, 0)), (1, &findings("prettier", 0, 1, 0))),
    ];
    let rows: Vec<String> =
        rows.iter().map(|judgement| format!("{}\n    {}", said(judgement), judgement.notes.join("\n    "))).collect();
    insta::assert_snapshot!(rows.join("\n"));
}

#[test]
fn all_that_policy_weighs_is_what_is_new() {
    let judged = |then: &Reading, now: &Reading, policy: ToolPolicy| {
        let action = line("STEP.1", "npx eslint .");
        let mut plan = plan(vec![action.clone()]);
        plan.policies.tools.insert("eslint".to_owned(), policy);
        let entry = known("npx eslint .", 0, then);
        let judgement = judge_against(&plan, &action, &exited(&action, 0), now, Some(&entry));
        (judgement.rule, judgement.blocking)
    };
    let (eight, ten, eleven) =
        (findings("eslint", 0, 8, 0), findings("eslint", 0, 10, 0), findings("eslint", 0, 11, 0));
    let limit = || ToolPolicy { max_warnings: Some(2), ..ToolPolicy::default() };
    // The limit applies to new warnings: 10 would exceed it by far, but only 2 of them are new.
    assert_eq!(judged(&eight, &eight, limit()), (Rule::FindingsKnown, false));
    assert_eq!(judged(&eight, &ten, limit()), (Rule::Findings, false));
    assert_eq!(judged(&eight, &eleven, limit()), (Rule::Findings, true));
    let strict = || ToolPolicy { treat_warnings_as_errors: true, ..ToolPolicy::default() };
    assert_eq!(judged(&eight, &eight, strict()), (Rule::FindingsKnown, false));
    assert_eq!(judged(&eight, &ten, strict()), (Rule::Findings, true));
    let ignoring = ToolPolicy { ignored_rules: vec!["rule".to_owned()], ..ToolPolicy::default() };
    assert_eq!(judged(&eight, &ten, ignoring), (Rule::FindingsIgnored, false));
}

#[test]
fn what_is_known_asks_for_nothing_and_stays_debt() {
    let one = read(&[A]);
    let judgement = held("npx tsc", (2, &one), (2, &one));
    assert_eq!((judgement.outcome, judgement.severity), (Outcome::ValidationFailure, Severity::Low));
    assert_eq!(judgement.remedy, None);
    let DebtGeneration::Item(DebtSummary { severity, title, file, .. }) = judgement.debt else {
        panic!("{:?}", judgement.debt)
    };
    assert_eq!(severity, Severity::Low);
    assert_eq!(title, "TypeScript Type Error in a.ts:1 (non-blocking)");
    assert_eq!(file.as_deref(), Some("src/a.ts"));
    // If something is new, only that is left to do.
    let DebtGeneration::Item(DebtSummary { title, file, .. }) = held("npx tsc", (2, &one), (2, &read(&[A, B]))).debt
    else {
        panic!()
    };
    assert_eq!(title, "TypeScript Type Error in b.ts:2");
    assert_eq!(file.as_deref(), Some("src/b.ts"));
}

fn failure(name: &str, file: Option<&str>) -> TestFailure {
    TestFailure { name: name.to_owned(), file: file.map(str::to_owned), ..TestFailure::default() }
}

/// Returns a reading of jest: this many passed, and these failed.
fn jest(passed: u64, failed: &[TestFailure]) -> Reading {
    let tests_failed = failed.iter().filter(|failure| !failure.suite).count() as u64;
    let mut reading = tests("jest", passed, tests_failed, 0);
    if let Some(results) = &mut reading.tests {
        results.failures = failed.to_vec();
    }
    reading
}

#[test]
fn a_failed_test_is_known_by_its_name_and_file() {
    let file = |name, file| failure(name, Some(file));
    let bare = |name| failure(name, None);
    let suite = || TestFailure { suite: true, ..bare("adds") };
    let rows: Vec<TestRow> = vec![
        ("the same", vec![file("adds", "a")], vec![file("adds", "a")], 1, vec![]),
        (
            "says something else",
            vec![TestFailure { message: "1".into(), ..bare("adds") }],
            vec![bare("adds")],
            1,
            vec![],
        ),
        ("another name", vec![bare("adds")], vec![bare("removes")], 0, vec![0]),
        ("another file", vec![file("adds", "a")], vec![file("adds", "b")], 0, vec![0]),
        ("a file that was not known", vec![bare("adds")], vec![file("adds", "b")], 1, vec![]),
        (
            "the same file goes first",
            vec![bare("adds"), file("adds", "b")],
            vec![file("adds", "b"), file("adds", "a")],
            2,
            vec![],
        ),
        ("once more", vec![bare("adds")], vec![bare("adds"), bare("adds")], 1, vec![1]),
        ("a suite that never ran", vec![bare("adds")], vec![suite()], 0, vec![0]),
        ("a suite that never ran then", vec![suite()], vec![suite()], 0, vec![0]),
    ];
    for (case, then, now, number, new) in rows {
        let entry = known("npx jest", 1, &jest(1, &then));
        let sorted = sort_tests(entry.tests.as_ref().unwrap(), jest(1, &now).tests.as_ref().unwrap());
        assert_eq!(sorted, SortedTests { known: number, new }, "{case}");
    }
}

#[test]
fn only_failed_tests_of_a_runner_that_worked_are_excused() {
    let (adds, removes) = (failure("adds", None), failure("removes", None));
    let then = jest(9, std::slice::from_ref(&adds));
    let mut unnamed = jest(9, std::slice::from_ref(&adds));
    unnamed.tests.as_mut().unwrap().counts = TestCounts { passed: 8, failed: 2, skipped: 0, total: 10 };
    let mut suites = jest(9, std::slice::from_ref(&adds));
    suites.tests.as_mut().unwrap().suites = Some(TestCounts { failed: 1, ..TestCounts::default() });
    let suite = TestFailure { suite: true, ..failure("b.test.ts", None) };
    let rows = [
        ("the same", held("npx jest", (1, &then), (1, &then))),
        ("more pass", held("npx jest", (1, &then), (1, &jest(12, std::slice::from_ref(&adds))))),
        ("one is new", held("npx jest", (1, &then), (1, &jest(9, &[adds.clone(), removes.clone()])))),
        ("all are new", held("npx jest", (1, &then), (1, &jest(9, &[removes])))),
        ("a suite never ran", held("npx jest", (1, &then), (1, &jest(9, &[adds.clone(), suite])))),
        ("more suites failed", held("npx jest", (1, &then), (1, &suites))),
        ("fewer ran", held("npx jest", (1, &then), (1, &jest(8, std::slice::from_ref(&adds))))),
        ("not all are named", held("npx jest", (1, &then), (1, &unnamed))),
        ("none ran", held("npx jest", (1, &then), (1, &jest(0, &[])))),
        ("all pass, and the runner failed", held("npx jest", (1, &then), (1, &jest(10, &[])))),
        ("another code", held("npx jest", (1, &then), (7, &then))),
        ("a code that is hidden now", held("npx jest", (1, &then), (0, &then))),
        ("a code that was hidden then", held("npx jest", (0, &then), (0, &then))),
        ("killed in a shell", held("npx jest", (137, &then), (137, &then))),
        ("no summary", held("npx jest", (1, &then), (1, &nothing()))),
        ("by content", held("npx jest", (1, &then), (1, &by_content(then.clone())))),
        ("something else in the line", held("npx jest && ./deploy", (1, &then), (1, &then))),
        ("the number of failures is the code", held("npx mocha", (3, &then), (1, &then))),
    ];
    let rows: Vec<String> = rows
        .iter()
        .map(|(case, judgement)| format!("{case}: {}\n    {}", said(judgement), judgement.notes.join("\n    ")))
        .collect();
    insta::assert_snapshot!(rows.join("\n"));
}

#[test]
fn what_is_expected_goes_first_and_tests_that_are_named_are_never_excused() {
    let then = jest(9, &[failure("adds", None)]);
    let judged = |expect: Expectation, red: bool| {
        let mut action = line("STEP.1", "npx jest");
        action.expect = Some(expect);
        let mut plan = plan(vec![action.clone()]);
        plan.red_phase = red;
        let entry = known("npx jest", 1, &then);
        let judgement = judge_against(&plan, &action, &exited(&action, 1), &then, Some(&entry));
        (judgement.rule, judgement.blocking, judgement.expected)
    };
    let none = Expectation { outcome: None, fail_to_pass: Vec::new(), pass_to_pass: Vec::new() };
    let named = || vec!["adds".to_owned()];
    assert_eq!(judged(none.clone(), false), (Rule::TestsFailedKnown, false, false));
    assert_eq!(judged(none.clone(), true), (Rule::ExpectedFailure, false, true));
    let outcome = |outcome| Expectation { outcome: Some(outcome), ..none.clone() };
    assert_eq!(judged(outcome(Outcome::TestFailure), false), (Rule::ExpectedFailure, false, true));
    assert!(judged(outcome(Outcome::Success), false).1);
    assert_eq!(judged(outcome(Outcome::ValidationFailure), false), (Rule::UnexpectedOutcome, true, false));
    assert_eq!(judged(Expectation { pass_to_pass: named(), ..none.clone() }, false), (Rule::NamedTests, true, false));
    assert_eq!(judged(Expectation { fail_to_pass: named(), ..none.clone() }, false), (Rule::NamedTests, true, false));
    let others = Expectation { pass_to_pass: vec!["removes".to_owned()], ..none };
    assert_eq!(judged(others, false), (Rule::NamedTests, true, false));
}

#[test]
fn nothing_but_findings_and_failed_tests_is_excused() {
    let entry = known("npx tsc", 2, &read(&[A]));
    let against = |action: &Action, record: &Record, reading: &Reading| {
        let plan = plan(vec![action.clone()]);
        let held = judge_against(&plan, action, record, reading, Some(&entry));
        assert_eq!(held, judge(&plan, action, record, reading));
        assert!(held.blocking, "{held:?}");
    };
    let types = line("STEP.1", "npx tsc");
    let deadline = Ending::DeadlineExceeded { timeout_ms: 1, of_task: false, killed: true };
    against(&types, &ended(&types, deadline), &read(&[A]));
    against(&types, &ended(&types, Ending::Signaled { signal: 11 }), &read(&[A]));
    against(&types, &ended(&types, Ending::Interrupted { killed: true }), &read(&[A]));
    let other = line("STEP.1", "./deploy");
    against(&other, &exited(&other, 1), &by_content(read(&[A])));
    let asked = http("STEP.1", request("http://localhost:3000/"));
    against(&asked, &answered(&asked, answer(404)), &nothing());
}

#[test]
fn an_action_is_found_by_its_name_and_where_several_have_it_by_its_id_too() {
    let named = |id: &str, name: &str| {
        let mut action = line(id, "npx tsc");
        name.clone_into(&mut action.name);
        action
    };
    let entry = |id: &str, name: &str| ActionBaseline {
        action: ActionId::parse(id).unwrap(),
        name: name.to_owned(),
        ..known("npx tsc", 2, &read(&[A]))
    };
    let found = |entries: &[(&str, &str)], actions: &[(&str, &str)]| {
        let mut baseline = taken(&line("STEP.1", "npx tsc"), exited(&line("STEP.1", "npx tsc"), 2), read(&[A]));
        baseline.actions = entries.iter().map(|(id, name)| entry(id, name)).collect();
        let plan = plan(actions.iter().map(|(id, name)| named(id, name)).collect());
        let of = |action| of_action(&baseline, &plan, action).map(|entry| entry.action.to_string());
        plan.actions.iter().map(of).collect::<Vec<_>>()
    };
    let id = |id: &str| Some(id.to_owned());
    // A check inserted before it changes its number, but not its name.
    assert_eq!(found(&[("STEP.1", "types")], &[("STEP.1", "lint"), ("STEP.2", "types")]), [None, id("STEP.1")]);
    // A new check has no known findings, whatever its number.
    assert_eq!(found(&[("STEP.1", "types")], &[("STEP.1", "types of tests")]), [None]);
    let twins = [("STEP.1", "types"), ("STEP.2", "types")];
    assert_eq!(found(&twins, &twins), [id("STEP.1"), id("STEP.2")]);
    // An action does not use the baseline of another one with the same name.
    assert_eq!(found(&[("STEP.2", "types")], &twins), [None, id("STEP.2")]);
}

#[test]
fn a_run_that_did_not_work_gives_no_baseline() {
    let (types, tests) = (line("STEP.1", "npx tsc"), line("STEP.2", "npx jest"));
    let plan = plan(vec![types.clone(), tests.clone()]);
    let refused = |change: &dyn Fn(&mut Report)| {
        let actions = vec![
            judged(&plan, &types, exited(&types, 2), read(&[A])),
            judged(&plan, &tests, exited(&tests, 1), jest(1, &[failure("adds", None)])),
        ];
        let mut report = report(&plan, actions);
        change(&mut report);
        take(&report).map(|taken| taken.notes)
    };
    assert_eq!(refused(&|_| {}), Ok(Vec::new()));
    let second = |report: &mut Report, record: Record, reading: Reading| {
        report.actions[1] = judged(&report.plan.clone(), &tests, record, reading);
    };
    let rows: [(Change<'_>, &str); 6] = [
        (&|report| second(report, exited(&tests, 127), nothing()), "STEP.2 check came out as EXECUTION_ERROR"),
        (
            &|report| {
                let ending = Ending::DeadlineExceeded { timeout_ms: 9, of_task: false, killed: false };
                second(report, ended(&tests, ending), nothing());
            },
            "STEP.2 check came out as TIMEOUT",
        ),
        (&|report| report.run.ending = RunEnding::Interrupted { signal: 15 }, "interrupted by signal 15"),
        (&|report| report.run.ending = RunEnding::Failed { message: "disk".to_owned() }, "Referee itself failed"),
        (&|report| report.actions.clear(), "no step of it ran"),
        (
            &|report| {
                let mut before = line("PREREQ.1", "npx tsc");
                before.phase = referee_model::plan::Phase::Prerequisite;
                report.actions[0] = judged(&report.plan.clone(), &before, exited(&before, 2), read(&[A]));
            },
            "PREREQ.1 check came out as PREREQUISITE_FAILURE",
        ),
    ];
    for (change, part) in rows {
        let reasons = refused(change).unwrap_err().join("; ");
        assert!(reasons.contains(part), "{reasons}");
    }
    // Actions that never ran or are expected to fail are not recorded, with a note.
    let notes =
        refused(&|report| report.actions[1].history = ActionHistory::Skipped(SkipReason::DeadlinePassed)).unwrap();
    assert!(notes[0].contains("STEP.2 check never ran"), "{notes:?}");
    let expected = refused(&|report| {
        if let ActionHistory::Ran(ran) = &mut report.actions[1].history {
            ran.judgement.expected = true;
        }
    });
    assert!(expected.unwrap()[0].contains("failed as is expected"));
}

#[test]
fn a_verdict_says_that_it_rests_on_a_baseline() {
    let types = line("STEP.1", "npx tsc");
    let plan = plan(vec![types.clone()]);
    let then = taken(&types, exited(&types, 2), read(&[A]));
    let verdict = |now: &[FindingRow]| {
        let record = exited(&types, if now.is_empty() { 0 } else { 2 });
        let reading = read(now);
        let judgement = judge_against(&plan, &types, &record, &reading, then.actions.first());
        let actions = vec![crate::fixture::judged_after(&types, Vec::new(), record, reading, judgement)];
        let mut verdict = report(&plan, actions.clone()).verdict;
        apply(&mut verdict, &then, Digest::from_bytes([3; 32]), &actions);
        (verdict.decision, verdict.reasons.last().cloned().unwrap())
    };
    let before = "compared with the baseline of 1970-01-01T00:00:09.000Z (exec-1): ";
    for (now, decision, text) in [
        (vec![A], Decision::Pass, "1 error stood in it and does not block; nothing is new"),
        (vec![A, B], Decision::Fail, "1 error stood in it and does not block; 1 error did not stand in it"),
        (vec![B], Decision::Fail, "it excused nothing; 1 error did not stand in it"),
        (vec![], Decision::Pass, "it excused nothing; nothing is new"),
    ] {
        assert_eq!(verdict(&now), (decision, format!("{before}{text}")));
    }
}

fn any_found() -> impl Generator<Value = Vec<FindingRow>> {
    let file = sample::select(vec!["src/a.ts", "src/b.ts"]);
    let rule = sample::select(vec!["TS1", "TS2"]);
    let message = sample::select(vec!["wrong", "missing"]);
    let level = sample::select(vec![Level::Error, Level::Error, Level::Warning, Level::Info]);
    collection::vec((file, rule, message, level), 0..12)
}

fn any_tests() -> impl Generator<Value = Vec<TestFailure>> {
    let name = sample::select(vec!["adds", "removes", "lists"]);
    let file = sample::select(vec![None, Some("a.test.ts"), Some("b.test.ts")]);
    let one = (name, file, prop_oneof![9 => Just(false), 1 => Just(true)])
        .prop_map(|(name, file, suite)| TestFailure { suite, ..failure(name, file) });
    collection::vec(one, 0..6)
}

fn counted(found: &[FindingRow]) -> u64 {
    found.iter().filter(|found| found.3 != Level::Info).count() as u64
}

proptest! {
    #[test]
    fn a_baseline_that_knows_nothing_changes_no_judgement(
        now in any_found(),
        kept in 0_usize..12,
        failed in any_tests(),
        code in prop_oneof![Just(0), Just(1), Just(2), any::<i32>()],
        text in sample::select(vec!["npx tsc", "npx jest", "npx eslint .", "./deploy"]),
        content in any::<bool>(),
    ) {
        let action = line("STEP.1", text);
        let plan = plan(vec![action.clone()]);
        let mut reading = read_some(&now, kept);
        reading.tests = jest(3, &failed).tests;
        if content {
            reading = by_content(reading);
        }
        let empty = ActionBaseline {
            findings: BTreeMap::new(),
            unlisted: BTreeMap::new(),
            tests: None,
            ..known("npx tsc", 0, &read(&[]))
        };
        let record = exited(&action, code);
        let held = judge_against(&plan, &action, &record, &reading, Some(&empty));
        prop_assert_eq!(held, judge(&plan, &action, &record, &reading));
    }

    #[test]
    fn a_run_held_against_itself_has_no_finding_or_failed_test_that_blocks(
        now in any_found(),
        kept in 0_usize..14,
        failed in any_tests(),
    ) {
        let reading = read_some(&now, kept);
        for code in [0, 2] {
            // A tool whose failure is not explained did not work, and provides no baseline.
            if alone("npx tsc", (code, &reading)).outcome != Outcome::ExecutionError {
                let judgement = held("npx tsc", (code, &reading), (code, &reading));
                prop_assert!(!judgement.blocking, "{:?}", judgement);
            }
        }
        let never_ran = failed.iter().any(|failure| failure.suite);
        let reading = jest(5, &failed);
        let judgement = held("npx jest", (1, &reading), (1, &reading));
        // A runner that failed although all tests passed is never excused.
        prop_assert_eq!(judgement.blocking, never_ran || failed.is_empty(), "{:?}", judgement);
    }

    #[test]
    fn one_more_finding_is_always_new_wherever_it_stands(
        then in any_found(),
        more in (any::<sample::Index>(), sample::select(vec![A, B])),
        kept in 0_usize..14,
        seed in any::<u64>(),
    ) {
        let mut now = then.clone();
        now.insert(more.0.index(then.len() + 1), more.1);
        // Lines, and so the order, may have changed.
        let turn = usize::try_from(seed % 97).unwrap() % now.len();
        now.rotate_left(turn);
        let known = known("npx tsc", 0, &read_some(&then, kept));
        let action = line("STEP.1", "npx tsc");
        let sorted = sort(&known, &action, &read_some(&now, kept));
        prop_assert!(sorted.new.errors >= 1, "{:?}", sorted);
        prop_assert_eq!(sorted.standing.known.total() + sorted.standing.new.total(), counted(&now));
        let judgement = held("npx tsc", (0, &read_some(&then, kept)), (2, &read_some(&now, kept)));
        prop_assert!(judgement.blocking, "{:?}", judgement);
    }

    #[test]
    fn no_junk_in_a_baseline_makes_sorting_fail(
        now in any_found(),
        errors in any::<u64>(),
        warnings in any::<u64>(),
        kept in 0_usize..12,
    ) {
        let mut known = known("npx tsc", 2, &read(&[A, B]));
        for finding in known.findings.values_mut() {
            (finding.errors, finding.warnings) = (errors, warnings);
        }
        let junk = referee_model::reading::RuleCounts { errors: warnings, warnings: errors, infos: 0 };
        known.unlisted = [("TS1", junk), ("", junk), (referee_model::limit::OTHER_RULES, junk)]
            .map(|(rule, counts)| (rule.to_owned(), counts))
            .into();
        let sorted = sort(&known, &line("STEP.1", "npx tsc"), &read_some(&now, kept));
        prop_assert_eq!(sorted.standing.known.total() + sorted.standing.new.total(), counted(&now));
        let test = KnownTest {
            fingerprint: *known.findings.keys().next().unwrap(),
            name: String::new(),
            file: None,
            message: String::new(),
        };
        let tests = referee_model::baseline::KnownTests { ran: errors, suites_failed: warnings, failed: vec![test] };
        let sorted = sort_tests(&tests, jest(1, &[failure("adds", None)]).tests.as_ref().unwrap());
        prop_assert_eq!(sorted, SortedTests { known: 0, new: vec![0] });
    }
}
