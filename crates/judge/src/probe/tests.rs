use referee_model::debt::DebtAssessment;
use referee_model::diagnostic_log::DiagnosticLog;
use referee_model::plan::Action;
use referee_model::reading::{Reading, TestCase, TestFailure};
use referee_model::record::Ending;

use super::*;
use crate::fixture::{self, ended, exited, judged, line, nothing, plan, run, words};

const FILE: &str = "tests/test_a.py";

fn unit() -> Action {
    line("STEP.1", "pytest")
}

/// Returns a reading of pytest with the results of a file's tests.
fn read(cases: &[(&str, Option<&str>, TestStatus)]) -> Reading {
    let number = |wanted| cases.iter().filter(|(.., status)| *status == wanted).count() as u64;
    let mut reading = fixture::tests("pytest", number(TestStatus::Passed), number(TestStatus::Failed), 0);
    let case = |(title, file, status): &(&str, Option<&str>, TestStatus)| TestCase {
        ancestors: Vec::new(),
        title: (*title).to_owned(),
        file: file.map(str::to_owned),
        status: *status,
        duration_ms: None,
    };
    if let Some(results) = &mut reading.tests {
        results.cases = cases.iter().map(case).collect();
    }
    reading
}

fn suite_failure(file: &str) -> Reading {
    let mut reading = fixture::tests("pytest", 1, 1, 0);
    if let Some(results) = &mut reading.tests {
        let failure = TestFailure { name: file.to_owned(), suite: true, ..TestFailure::default() };
        results.failures.push(failure);
    }
    reading
}

fn report(actions: Vec<ActionReport>, ending: RunEnding) -> Report {
    let plan = plan(actions.iter().map(|report| report.action.clone()).collect());
    let run = run(ending);
    let verdict = crate::criteria::by_rules(&plan, &run, &actions, &BTreeMap::new());
    Report { plan, run, actions, verdict, diagnostics: DiagnosticLog::default(), debt: DebtAssessment::default() }
}

fn came_to(actions: Vec<ActionReport>, ending: RunEnding) -> String {
    let expected = BTreeMap::from([(unit().id, 2)]);
    let names = BTreeSet::from(["test_new".to_owned()]);
    let tests = ChangedTests { files: &[FILE.to_owned()], names: &names };
    match result(&report(actions, ending), &expected, tests) {
        ProbeResult::Passed => "passed".to_owned(),
        ProbeResult::Failed { tests, others } => format!("failed {} others: {others}", tests.join(", ")),
        ProbeResult::Unusable { reason } => reason,
    }
}

fn exit(code: i32, reading: Reading) -> ActionReport {
    judged(&plan(vec![unit()]), &unit(), exited(&unit(), code), reading)
}

#[test]
fn a_run_comes_to_what_its_tests_came_to() {
    use TestStatus::{Failed, Passed};
    let other = Some("tests/test_b.py");
    let rows: [(i32, Reading, &str); 10] = [
        (0, read(&[("a", Some(FILE), Passed), ("b", other, Passed)]), "passed"),
        // A test that is not collected does not pass.
        (0, read(&[("b", other, Passed)]), "failed  others: true"),
        (1, read(&[("a", Some(FILE), Failed), ("b", other, Passed)]), "failed a others: false"),
        (1, read(&[("a", Some(FILE), Failed), ("b", other, Failed)]), "failed a others: true"),
        (1, read(&[("a", Some(FILE), Passed), ("b", other, Failed)]), "failed  others: true"),
        (1, read(&[("x::test_new", None, Failed), ("b", other, Passed)]), "failed x::test_new others: false"),
        (1, read(&[("x::test_old", None, Failed), ("b", other, Passed)]), "failed  others: true"),
        (1, suite_failure(FILE), "failed tests/test_a.py others: false"),
        (1, suite_failure("/room/tests/test_a.py"), "failed /room/tests/test_a.py others: false"),
        (2, words("SyntaxError: invalid syntax"), "failed  others: true"),
    ];
    for (code, reading, expected) in rows {
        let shown = format!("{code} {:?}", reading.tests);
        assert_eq!(came_to(vec![exit(code, reading)], RunEnding::Finished), expected, "{shown}");
    }
}

#[test]
fn a_limit_of_time_or_an_interruption_convicts_nobody() {
    let stopped = |ending| judged(&plan(vec![unit()]), &unit(), ended(&unit(), ending), nothing());
    let timeout = Ending::DeadlineExceeded { timeout_ms: 1_000, of_task: false, killed: false };
    let told = came_to(vec![stopped(timeout)], RunEnding::Finished);
    assert!(told.contains("limit of time"), "{told}");
    let passed = || exit(0, fixture::tests("pytest", 2, 0, 0));
    let told = came_to(vec![passed()], RunEnding::Interrupted { signal: 2 });
    assert!(told.contains("interrupted"), "{told}");
    // Failures before that are known all the same.
    let failed = exit(1, read(&[("a", Some(FILE), TestStatus::Failed)]));
    assert_eq!(came_to(vec![failed], RunEnding::Interrupted { signal: 2 }), "failed a others: true");
}

#[test]
fn checks_that_say_how_many_tests_passed_are_asked_and_no_others() {
    let lint = line("STEP.2", "npx eslint .");
    let mut failed = exit(1, fixture::tests("pytest", 1, 1, 0));
    failed.action.id = lint.id.clone();
    let number = |reading: Reading| checks(&[exit(0, reading), failed.clone()]).into_iter().collect::<Vec<_>>();
    assert_eq!(number(fixture::tests("pytest", 3, 0, 1)), [(unit().id, 3)]);
    assert_eq!(number(nothing()), []);
    let mut unnumbered = fixture::tests("pytest", 0, 0, 0);
    unnumbered.tests.as_mut().unwrap().authority = CountAuthority::Unnumbered;
    assert!(number(unnumbered).iter().all(|(_, tests)| *tests == 0));
}

#[test]
fn tests_that_no_check_ran_are_told_by_their_files() {
    use TestStatus::Passed;
    let names = BTreeSet::new();
    let files = [FILE.to_owned()];
    let is_run = |reading: Reading| {
        let actions = [exit(0, reading)];
        is_run(&actions, &checks(&actions), ChangedTests { files: &files, names: &names })
    };
    assert!(is_run(read(&[("a", Some(FILE), Passed)])));
    assert!(is_run(read(&[("a", None, Passed)])));
    assert!(!is_run(read(&[("b", Some("tests/test_b.py"), Passed)])));
    assert!(is_run(fixture::tests("pytest", 2, 0, 0)), "a runner that names none may have run it");
}
