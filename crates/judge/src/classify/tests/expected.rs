//! Expectations of an action beside success.

use referee_model::plan::Expectation;
use referee_model::reading::TestStatus;
use referee_model::record::http::{HttpEnding, NoAnswerCause};

use super::*;

fn expecting(mut action: Action, outcome: Outcome) -> Action {
    action.expect = Some(Expectation { outcome: Some(outcome), ..Expectation::default() });
    action
}

fn naming(mut action: Action, fail_to_pass: &[&str], pass_to_pass: &[&str]) -> Action {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    action.expect =
        Some(Expectation { outcome: None, fail_to_pass: names(fail_to_pass), pass_to_pass: names(pass_to_pass) });
    action
}

fn judged(action: &Action, record: &Record, reading: &Reading) -> Judgement {
    judge(&plan(vec![action.clone()]), action, record, reading)
}

fn in_red(action: &Action, record: &Record, reading: &Reading) -> Judgement {
    let mut plan = plan(vec![action.clone()]);
    plan.red_phase = true;
    judge(&plan, action, record, reading)
}

#[test]
fn a_declared_failure_is_expected_where_it_came_and_blocks_where_it_did_not() {
    use Outcome::{ExecutionError, Success, TestFailure, ValidationFailure};
    let expected = "expect/failed-as-expected passes Low";
    let (jest, tsc, eslint, deploy) = ("npx jest", "npx tsc", "npx eslint .", "./deploy");
    let failed = tests("jest", 1, 1, 0);
    for (text, outcome, code, reading, came) in [
        (jest, TestFailure, 1, failed.clone(), format!("TEST_FAILURE {expected}")),
        (jest, TestFailure, 0, failed.clone(), format!("TEST_FAILURE {expected}")),
        ("pytest", TestFailure, 1, nothing(), format!("TEST_FAILURE {expected}")),
        (tsc, ValidationFailure, 2, findings("tsc", 1, 0, 0), format!("VALIDATION_FAILURE {expected}")),
        (eslint, ValidationFailure, 0, findings("eslint", 0, 1, 0), format!("VALIDATION_FAILURE {expected}")),
        (deploy, ExecutionError, 1, nothing(), format!("EXECUTION_ERROR {expected}")),
        // No failure.
        (jest, TestFailure, 0, tests("jest", 2, 0, 0), "TEST_FAILURE expect/did-not-fail blocks High".to_owned()),
        (jest, TestFailure, 0, nothing(), "EXECUTION_ERROR test/ended-without-summary blocks High".to_owned()),
        (deploy, ExecutionError, 0, nothing(), "TEST_FAILURE expect/did-not-fail blocks High".to_owned()),
        (deploy, Outcome::Timeout, 0, nothing(), "TEST_FAILURE expect/did-not-fail blocks High".to_owned()),
        // Another failure.
        (tsc, TestFailure, 2, findings("tsc", 1, 0, 0), "TEST_FAILURE expect/other-outcome blocks Critical".to_owned()),
        (
            eslint,
            TestFailure,
            0,
            findings("eslint", 0, 1, 0),
            "TEST_FAILURE expect/other-outcome blocks High".to_owned(),
        ),
        (jest, ValidationFailure, 1, failed.clone(), "TEST_FAILURE expect/other-outcome blocks High".to_owned()),
        (jest, TestFailure, 1, nothing(), "EXECUTION_ERROR test/no-summary blocks High".to_owned()),
        (deploy, TestFailure, 1, nothing(), "EXECUTION_ERROR command/exit-unexpected blocks High".to_owned()),
        // No test failed, so it is not the intended failure.
        (jest, TestFailure, 1, tests("jest", 2, 0, 0), "TEST_FAILURE test/runner-failed blocks High".to_owned()),
        (jest, TestFailure, 1, tests("jest", 0, 0, 0), "TEST_FAILURE test/none-ran blocks High".to_owned()),
        // A tool that did not work is never the intended failure.
        (jest, ExecutionError, 1, nothing(), "EXECUTION_ERROR test/no-summary blocks High".to_owned()),
        (eslint, ExecutionError, 2, nothing(), "EXECUTION_ERROR validation/nothing-read blocks High".to_owned()),
        (deploy, ExecutionError, 127, nothing(), "EXECUTION_ERROR execution/command-not-found blocks High".to_owned()),
        // Explicit success.
        (jest, Success, 0, tests("jest", 2, 0, 0), "SUCCESS test/passed passes None".to_owned()),
        (jest, Success, 1, failed, "TEST_FAILURE test/failed blocks High".to_owned()),
        (
            eslint,
            Success,
            0,
            findings("eslint", 0, 1, 0),
            "VALIDATION_FAILURE expect/other-outcome blocks High".to_owned(),
        ),
    ] {
        let action = expecting(line("STEP.1", text), outcome);
        let judgement = judged(&action, &exited(&action, code), &reading);
        assert_eq!(told(&judgement), came, "{text} {outcome:?} {code}");
        let is_expected = judgement.rule == Rule::ExpectedFailure;
        assert_eq!(judgement.expected, is_expected);
        if is_expected {
            assert!(matches!(judgement.debt, DebtGeneration::None { .. }));
            assert_eq!(judgement.remedy, None);
        }
        assert!(!(judgement.exit_code_only && judgement.outcome != Success));
    }
}

#[test]
fn an_expected_failure_never_hides_what_did_not_work() {
    let command = line("STEP.1", "npx jest");
    let request = http("STEP.1", request("http://localhost:3000/"));
    let server = service("STEP.1", dev_server());
    let deadline = || Ending::DeadlineExceeded { timeout_ms: 10, of_task: true, killed: false };
    let late =
        HttpEnding::DeadlineExceeded { timeout_ms: 10, of_task: true, waiting_for: "head".to_owned(), status: None };
    let not_found = || Ending::CouldNotStart { cause: StartFailure::NotFound, message: String::new() };
    let unlogged = {
        let mut record = exited(&command, 1);
        if let Facts::Command(facts) = &mut record.facts {
            facts.log = None;
        }
        record
    };
    for (action, record, rule) in [
        (&command, ended(&command, not_found()), Rule::CouldNotStart),
        (&command, ended(&command, deadline()), Rule::Deadline),
        (&command, ended(&command, Ending::Interrupted { killed: false }), Rule::Interrupted),
        (&command, ended(&command, Ending::Signaled { signal: 11 }), Rule::Signaled),
        (&command, ended(&command, Ending::OutputLimitExceeded { limit_bytes: 1 }), Rule::OutputLimit),
        (&command, ended(&command, Ending::ProcessLimitExceeded { limit: 1 }), Rule::ResourceLimit),
        (&command, ended(&command, Ending::MemoryLimitExceeded { limit_bytes: 1 }), Rule::ResourceLimit),
        (&command, unlogged, Rule::FactsUnusable),
        (&request, exchanged(&request, http_facts(&request, HttpEnding::Interrupted)), Rule::Interrupted),
        (&request, unanswered(&request, NoAnswerCause::BadRequest), Rule::HttpNoAnswer),
        (&request, exchanged(&request, http_facts(&request, late)), Rule::Deadline),
        (&server, serviced(&server, service_facts(Readiness::PortTaken)), Rule::ServicePortTaken),
        (
            &server,
            serviced(&server, service_facts(Readiness::DeadlineExceeded { timeout_ms: 1, of_task: false })),
            Rule::ServiceNotReady,
        ),
    ] {
        for outcome in Outcome::ALL {
            let action = expecting(action.clone(), outcome);
            for judgement in [judged(&action, &record, &nothing()), in_red(&action, &record, &nothing())] {
                assert_eq!((judgement.rule, judgement.blocking), (rule, true), "{outcome:?}");
                assert!(!judgement.expected);
            }
        }
        assert_eq!(in_red(action, &record, &nothing()).rule, rule);
    }
    // A missing server can be the intended failure.
    let action = expecting(request.clone(), Outcome::ExecutionError);
    let gone = judged(&action, &unanswered(&action, NoAnswerCause::Refused), &nothing());
    assert_eq!(told(&gone), "EXECUTION_ERROR expect/failed-as-expected passes Low");
}

#[test]
fn an_action_can_be_expected_to_take_longer_than_its_own_deadline() {
    let command = expecting(line("STEP.1", "./hang"), Outcome::Timeout);
    let request = expecting(http("STEP.1", request("http://localhost:3000/")), Outcome::Timeout);
    let stopped = |killed| ended(&command, Ending::DeadlineExceeded { timeout_ms: 10, of_task: false, killed });
    let waiting =
        HttpEnding::DeadlineExceeded { timeout_ms: 10, of_task: false, waiting_for: "head".to_owned(), status: None };
    let given_up = exchanged(&request, http_facts(&request, waiting));
    for (action, record) in [(&command, stopped(false)), (&command, stopped(true)), (&request, given_up)] {
        let judgement = judged(action, &record, &nothing());
        assert_eq!(told(&judgement), "TIMEOUT expect/failed-as-expected passes Low");
        assert!(judgement.expected && judgement.remedy.is_none());
        assert!(matches!(judgement.debt, DebtGeneration::None { .. }));
        // Another expectation, or none, does not replace it.
        for other in [Outcome::TestFailure, Outcome::ExecutionError, Outcome::Success] {
            let action = expecting(action.clone(), other);
            assert_eq!(told(&judged(&action, &record, &nothing())), "TIMEOUT timeout/deadline blocks Medium");
        }
        let plain = Action { expect: None, ..action.clone() };
        assert_eq!(told(&in_red(&plain, &record, &nothing())), "TIMEOUT timeout/deadline blocks Medium");
    }
    assert_eq!(judged(&command, &exited(&command, 0), &nothing()).rule, Rule::UnexpectedSuccess);
}

#[test]
fn in_the_red_phase_tests_fail_and_nothing_else_does() {
    let jest = line("STEP.1", "npx jest");
    for (code, reading, came) in [
        (1, tests("jest", 1, 1, 0), "TEST_FAILURE expect/failed-as-expected passes Low"),
        (0, tests("jest", 2, 0, 0), "TEST_FAILURE expect/did-not-fail blocks High"),
        (0, nothing(), "EXECUTION_ERROR test/ended-without-summary blocks High"),
        (1, tests("jest", 2, 0, 0), "TEST_FAILURE test/runner-failed blocks High"),
        (1, tests("jest", 0, 0, 0), "TEST_FAILURE test/none-ran blocks High"),
        (1, nothing(), "EXECUTION_ERROR test/no-summary blocks High"),
    ] {
        assert_eq!(told(&in_red(&jest, &exited(&jest, code), &reading)), came, "exit {code}");
    }
    // A code that a failed build has as well is not a red phase, unless the output names a failed test.
    for text in ["go test ./...", "python -m unittest", "node --test", "cargo test", "npx vitest run", "npx mocha"] {
        let code = if text == "cargo test" { 101 } else { 1 };
        let action = line("STEP.1", text);
        let red = in_red(&action, &exited(&action, code), &nothing());
        assert_eq!(told(&red), "TEST_FAILURE test/failed-by-exit-code blocks High", "{text}");
        assert!(red.notes.iter().any(|note| note.contains("cannot be built")), "{:?}", red.notes);
        let mut reading = tests("runner", 0, 1, 0);
        reading.tests.as_mut().unwrap().authority = CountAuthority::Lines;
        let red = in_red(&action, &exited(&action, code), &reading);
        assert_eq!(told(&red), "TEST_FAILURE expect/failed-as-expected passes Low", "{text}");
        let mut reading = tests("runner", 0, 0, 0);
        reading.tests.as_mut().unwrap().suites = Some(TestCounts { failed: 1, total: 1, ..TestCounts::default() });
        let unbuilt = in_red(&action, &exited(&action, code), &reading);
        assert_eq!(told(&unbuilt), "TEST_FAILURE test/failed blocks High", "{text}");
        assert!(in_red(&action, &exited(&action, 127), &nothing()).blocking);
        assert!(in_red(&action, &exited(&action, 0), &nothing()).blocking);
    }
    let lint = line("STEP.1", "npx eslint .");
    let found = in_red(&lint, &exited(&lint, 1), &findings("eslint", 1, 0, 0));
    assert_eq!(told(&found), "VALIDATION_FAILURE validation/findings blocks High");
    assert_eq!(in_red(&lint, &exited(&lint, 0), &findings("eslint", 0, 0, 0)).outcome, Outcome::Success);
    // Requests are tests too; but one that passes, such as a health check, is normal.
    let asked = http("STEP.1", request("http://localhost:3000/api"));
    let missing = in_red(&asked, &answered(&asked, answer(404)), &nothing());
    assert_eq!(told(&missing), "TEST_FAILURE expect/failed-as-expected passes Low");
    assert_eq!(in_red(&asked, &answered(&asked, answer(200)), &nothing()).outcome, Outcome::Success);
    // The expectation of the action itself takes precedence over the phase.
    let green = expecting(jest.clone(), Outcome::Success);
    assert_eq!(in_red(&green, &exited(&green, 0), &tests("jest", 2, 0, 0)).outcome, Outcome::Success);
    assert!(in_red(&green, &exited(&green, 1), &tests("jest", 1, 1, 0)).blocking);
    // Prerequisites are not tests of the task.
    let before = line("PREREQ.1", "npx jest");
    assert_eq!(in_red(&before, &exited(&before, 0), &tests("jest", 2, 0, 0)).outcome, Outcome::Success);
    assert_eq!(in_red(&before, &exited(&before, 1), &tests("jest", 1, 1, 0)).outcome, Outcome::PrerequisiteFailure);
}

#[test]
fn a_prerequisite_that_fails_as_expected_holds() {
    let action = expecting(line("PREREQ.1", "./is-clean"), Outcome::ExecutionError);
    let judgement = judged(&action, &exited(&action, 1), &nothing());
    assert_eq!((judgement.outcome, judgement.blocking, judgement.expected), (Outcome::Success, false, false));
    let clean = judged(&action, &exited(&action, 0), &nothing());
    assert_eq!((clean.outcome, clean.cause), (Outcome::PrerequisiteFailure, Some(Outcome::TestFailure)));
}

const PASSED: TestStatus = TestStatus::Passed;
const FAILED: TestStatus = TestStatus::Failed;
const SKIPPED: TestStatus = TestStatus::Skipped;

#[test]
fn a_named_test_goes_by_its_title_or_its_full_name_in_any_runner_s_way() {
    let mut reading = named_tests("jest", &[("quotes › api › adds a quote", PASSED)]);
    let results = reading.tests.as_mut().unwrap();
    results.cases[0].file = Some("tests/quotes.test.ts".to_owned());
    for (name, known) in [
        ("adds a quote", true),
        ("quotes api adds a quote", true),
        ("quotes > api > adds a quote", true),
        ("quotes › api › adds a quote", true),
        ("quotes::api::adds a quote", true),
        ("quotes.api.adds a quote", true),
        ("tests/quotes.test.ts > quotes > api > adds a quote", true),
        ("tests/quotes.test.ts::quotes::api::adds a quote", true),
        ("Adds a quote", false),
        ("adds a quot", false),
        ("api > adds a quote", false),
        ("quotes > api::adds a quote", false),
        ("tests/other.test.ts > quotes > api > adds a quote", false),
        ("", false),
    ] {
        let action = naming(line("STEP.1", "npx jest"), &[], &[name]);
        let judgement = judged(&action, &exited(&action, 0), &reading);
        let rule = if known { Rule::TestsPassed } else { Rule::NamedTests };
        assert_eq!((judgement.rule, judgement.blocking), (rule, !known), "{name}");
    }
}

#[test]
fn named_tests_must_come_out_as_expected() {
    let listed = named_tests("jest", &[("q › old", PASSED), ("q › new", PASSED), ("q › later", SKIPPED)]);
    let mixed =
        named_tests("jest", &[("q › old", PASSED), ("q › new", FAILED), ("a › twin", PASSED), ("b › twin", FAILED)]);
    let cut = tests("jest", 3, 0, 0);
    let rows: Vec<String> = [
        (vec!["new"], vec!["old"], 0, listed.clone()),
        (vec!["new"], vec!["later"], 0, listed.clone()),
        (vec!["gone"], vec!["old"], 0, listed.clone()),
        (vec!["a", "b", "c", "d", "e", "f", "g"], vec![], 0, listed.clone()),
        (vec!["new"], vec!["old"], 0, cut),
        (vec!["new"], vec!["old"], 0, nothing()),
        (vec!["new"], vec!["old"], 0, by_content(listed)),
        (vec!["new"], vec!["twin"], 1, mixed.clone()),
        (vec![], vec!["old"], 1, mixed),
    ]
    .into_iter()
    .map(|(fail_to_pass, pass_to_pass, code, reading)| {
        let action = naming(line("STEP.1", "npx jest"), &fail_to_pass, &pass_to_pass);
        let judgement = judged(&action, &exited(&action, code), &reading);
        assert_eq!(judgement.blocking, judgement.outcome != Outcome::Success);
        format!("{}\n  {} | {} | {:?}", told(&judgement), judgement.reason, judgement.advice, judgement.notes)
    })
    .collect();
    let rows = rows.join("\n");
    insta::assert_snapshot!(rows);
}

#[test]
fn a_failed_test_that_is_listed_without_the_others_is_known_to_have_failed() {
    let mut reading = tests("jest", 3, 1, 0);
    let name = "quotes › adds a quote".to_owned();
    reading.tests.as_mut().unwrap().failures = vec![TestFailure { name, ..TestFailure::default() }];
    for name in ["adds a quote", "quotes adds a quote", "quotes > adds a quote"] {
        let action = naming(line("STEP.1", "npx jest"), &[name], &[]);
        let red = in_red(&action, &exited(&action, 1), &reading);
        assert_eq!(told(&red), "TEST_FAILURE expect/failed-as-expected passes Low", "{name}");
        let green = judged(&action, &exited(&action, 1), &reading);
        assert!(green.notes.iter().any(|note| note.contains("` failed")), "{:?}", green.notes);
    }
}

#[test]
fn in_the_red_phase_the_new_tests_still_fail_and_the_old_ones_pass() {
    let both = naming(line("STEP.1", "npx jest"), &["new"], &["old"]);
    for (old, new, rule) in [
        (PASSED, FAILED, Rule::ExpectedFailure),
        (FAILED, FAILED, Rule::NamedTests),
        (PASSED, SKIPPED, Rule::NamedTests),
        (FAILED, PASSED, Rule::NamedTests),
    ] {
        let reading = named_tests("jest", &[("old", old), ("new", new), ("other", FAILED)]);
        let judgement = in_red(&both, &exited(&both, 1), &reading);
        assert_eq!((judgement.rule, judgement.blocking), (rule, rule == Rule::NamedTests), "{old:?} {new:?}");
        assert_eq!((judgement.outcome, judgement.expected), (Outcome::TestFailure, rule == Rule::ExpectedFailure));
    }
}

#[test]
fn only_test_runs_can_have_named_tests() {
    for (action, record) in [
        {
            let action = naming(line("STEP.1", "./deploy"), &["new"], &[]);
            (action.clone(), exited(&action, 0))
        },
        {
            let action = naming(http("STEP.1", request("http://localhost/")), &["new"], &[]);
            (action.clone(), answered(&action, answer(200)))
        },
    ] {
        let judgement = judged(&action, &record, &nothing());
        assert_eq!(told(&judgement), "TEST_FAILURE expect/named-tests blocks High");
    }
}

#[test]
fn what_blocks_is_not_said_to_be_allowed() {
    let warning = findings("eslint", 0, 1, 0);
    for (outcome, reason) in [
        (Outcome::Success, "SUCCESS is expected of it: 1 eslint warning"),
        (
            Outcome::TestFailure,
            "TEST_FAILURE is expected of it, and it came out as VALIDATION_FAILURE: 1 eslint warning",
        ),
        (Outcome::Timeout, "TIMEOUT is expected of it, and it came out as VALIDATION_FAILURE: 1 eslint warning"),
    ] {
        let action = expecting(line("STEP.1", "npx eslint ."), outcome);
        let mut plan = plan(vec![action.clone()]);
        for strategy in [Strategy::ErrorsOnly, Strategy::WarnOnly] {
            plan.policies.categories.insert(Category::Linting, strategy);
            let judgement = judge(&plan, &action, &exited(&action, 0), &warning);
            assert_eq!((judgement.reason.as_str(), judgement.blocking), (reason, true), "{outcome:?}");
            assert!(!judgement.advice.contains("when convenient"), "{}", judgement.advice);
        }
    }
}
