//! Sentences of agents, with their expected claims.

use proptest::prelude::*;
use referee_model::claim::{ClaimGrade, ClaimKind};
use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::gate::{Basis, CheckStanding, GateAnswer, GateCheck, GateTask};
use referee_model::id::{ActionId, ExecutionId, TaskId};
use referee_model::outcome::Outcome;
use referee_model::plan::Role;
use referee_model::progress::Snapshot;
use referee_model::reading::TestCounts;
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Exit};

use self::sentences::{CLAIMS, NO_CLAIMS};
use super::*;

mod honest;
mod ordinary;
mod sentences;
mod unaccused;

#[test]
fn what_is_claimed_is_found() {
    let wrong: Vec<String> = CLAIMS
        .iter()
        .chain(ordinary::ORDINARY)
        .filter(|(message, expected)| said_of(message) != *expected)
        .map(|(message, expected)| format!("{message:?}: {expected:?}, and not {:?}", said_of(message)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_denied_hoped_planned_asked_quoted_partial_or_admitted_claims_nothing() {
    let wrong: Vec<String> = NO_CLAIMS
        .iter()
        .chain(unaccused::UNACCUSED)
        .filter(|message| !kinds(message).is_empty())
        .map(|message| format!("{message:?}: {:?}", said_of(message)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(CLAIMS.len() + NO_CLAIMS.len() >= 200);
}

fn said_of(message: &str) -> String {
    let kinds: Vec<&str> = kinds(message).into_iter().map(ClaimKind::as_str).collect();
    kinds.join(" ")
}

/// One check: name, role, standing, and its passed and failed tests.
type Row = (&'static str, Option<Role>, CheckStanding, Option<(u64, u64)>);

fn answer(decision: Decision, rows: &[Row]) -> GateAnswer {
    let checks = rows
        .iter()
        .zip(1..)
        .map(|((name, role, standing, tests), number)| check(number, name, *role, *standing, *tests));
    let task = GateTask {
        task: TaskId::parse("T001").unwrap(),
        title: "a task".to_owned(),
        execution: ExecutionId::parse("exec-1").unwrap(),
        basis: Basis::Ran,
        decision,
        exit: Exit::Failed,
        reduced: false,
        reasons: vec!["a protected file\ndrifted".to_owned()],
        edited: Vec::new(),
        weaker: Vec::new(),
        report: "/work/evidence/T001/execution-report.json".to_owned(),
        ended: Timestamp::from_millisecond(0),
        tests: None,
        checks: checks.collect(),
        snapshot: Snapshot { passed: false, first_failure: None, failures: [].into(), reached: 0 },
    };
    GateAnswer::of(decision, Exit::Failed, vec![task])
}

fn check(number: u32, name: &str, role: Option<Role>, standing: CheckStanding, tests: Option<(u64, u64)>) -> GateCheck {
    let failure = if role == Some(Role::Test) { Outcome::TestFailure } else { Outcome::ValidationFailure };
    GateCheck {
        action: ActionId::parse(format!("STEP.{number}")).unwrap(),
        name: name.to_owned(),
        source: DiagnosticSource::Runtime,
        standing,
        role,
        outcome: match standing {
            CheckStanding::Passed => Some(Outcome::Success),
            CheckStanding::NotBlocking | CheckStanding::Blocking => Some(failure),
            CheckStanding::Skipped => None,
        },
        tests: tests.map(|(passed, failed)| TestCounts { passed, failed, skipped: 0, total: passed + failed }),
        duration_ms: Some(7),
    }
}

fn told(message: &str, answer: &GateAnswer) -> String {
    let of_one = |found: &Contradiction| format!("{} {}: {}", found.grade.as_str(), found.claim.as_str(), found.facts);
    contradictions(message, answer).iter().map(of_one).collect::<Vec<_>>().join(" / ")
}

const TYPES: Row = ("types", Some(Role::Typecheck), CheckStanding::Passed, None);
const UNIT: Row = ("unit", Some(Role::Test), CheckStanding::Passed, Some((11, 0)));
const LINT: Row = ("lint", Some(Role::Lint), CheckStanding::Passed, None);

const fn with(row: Row, standing: CheckStanding, tests: Option<(u64, u64)>) -> Row {
    (row.0, row.1, standing, tests)
}

const RED_UNIT: Row = with(UNIT, CheckStanding::Blocking, Some((9, 2)));

/// A message, the gate's answer, and the contradictions of the message.
type Case = (&'static str, Decision, &'static [Row], &'static str);

const CASES: &[Case] = &[
    (
        "All tests pass.",
        Decision::Fail,
        &[TYPES, RED_UNIT],
        "contradicted tests-pass: STEP.2 unit: TEST_FAILURE, 2 of 11 tests failed",
    ),
    (
        "Done.",
        Decision::Fail,
        &[TYPES, RED_UNIT],
        "contradicted done: the verdict is FAIL: STEP.2 unit: TEST_FAILURE, 2 of 11 tests failed",
    ),
    ("Done.", Decision::Blocked, &[TYPES], "contradicted done: the verdict is BLOCKED: a protected file drifted"),
    ("No type errors, and lint is clean.", Decision::Fail, &[TYPES, LINT, RED_UNIT], ""),
    (
        "All tests pass.",
        Decision::Fail,
        &[("lint", Some(Role::Lint), CheckStanding::Blocking, None)],
        "contradicted tests-pass: no check of this specification runs tests, so nothing supports it",
    ),
    (
        "All tests pass.",
        Decision::Pass,
        &[LINT],
        "unsupported tests-pass: no check of this specification runs tests, so nothing supports it",
    ),
    (
        "Lint is clean.",
        Decision::Fail,
        &[RED_UNIT],
        "unsupported lint-passes: no check of this specification lints, so nothing supports it",
    ),
    (
        "All tests pass.",
        Decision::Blocked,
        &[with(UNIT, CheckStanding::Skipped, None)],
        "contradicted tests-pass: STEP.1 unit never ran",
    ),
    (
        "All tests pass.",
        Decision::Blocked,
        &[],
        "contradicted tests-pass: no check took part in this verdict, so nothing supports it",
    ),
    (
        "Everything works.",
        Decision::Pass,
        &[UNIT, with(LINT, CheckStanding::NotBlocking, None)],
        "unsupported all-passes: it may be called done, and STEP.2 lint: VALIDATION_FAILURE, which does not block",
    ),
    (
        "Lint is clean.",
        Decision::Pass,
        &[UNIT, with(LINT, CheckStanding::NotBlocking, None)],
        "unsupported lint-passes: STEP.2 lint: VALIDATION_FAILURE, which does not block",
    ),
    // The claim is true: all tests passed, and the runner failed for another reason, such as a threshold.
    (
        "All tests pass.",
        Decision::Fail,
        &[with(UNIT, CheckStanding::Blocking, Some((11, 0)))],
        "unsupported tests-pass: STEP.1 unit: TEST_FAILURE, all of 11 tests passed or were skipped, and blocks all the same",
    ),
    (
        "All tests pass.",
        Decision::Fail,
        &[with(UNIT, CheckStanding::Blocking, Some((0, 0)))],
        "contradicted tests-pass: STEP.1 unit: TEST_FAILURE, no test ran",
    ),
    // Which part of the only check is meant is unknown.
    ("All integration tests pass.", Decision::Fail, &[RED_UNIT], ""),
    (
        "All unit tests pass.",
        Decision::Fail,
        &[RED_UNIT],
        "contradicted tests-pass: STEP.1 unit: TEST_FAILURE, 2 of 11 tests failed",
    ),
    (
        "All unit tests pass.",
        Decision::Fail,
        &[UNIT, ("integration", Some(Role::Test), CheckStanding::Blocking, None)],
        "",
    ),
    ("All tests pass. Done.", Decision::Pass, &[TYPES, UNIT, LINT], ""),
    (
        "12 tests passed.",
        Decision::Pass,
        &[UNIT],
        "unsupported test-count: of 11 tests that were counted, 11 passed, 0 failed, 0 were skipped",
    ),
    ("11 tests passed.", Decision::Pass, &[UNIT], ""),
    // A part of them may be meant, and their number is not always known.
    ("5 tests passed.", Decision::Pass, &[UNIT], ""),
    ("12 tests passed.", Decision::Pass, &[with(UNIT, CheckStanding::Passed, None)], ""),
    (
        "All 11 tests pass.",
        Decision::Fail,
        &[RED_UNIT],
        "contradicted test-count: of 11 tests that were counted, 9 passed, 2 failed, 0 were skipped / contradicted tests-pass: STEP.1 unit: TEST_FAILURE, 2 of 11 tests failed",
    ),
];

#[test]
fn a_contradiction_names_the_check_its_outcome_and_the_counts() {
    for (message, decision, checks, expected) in CASES {
        assert_eq!(told(message, &answer(*decision, checks)), *expected, "{message} {checks:?}");
    }
}

/// Prefixes that void a claim.
const VOIDS: [&str; 14] = [
    "not",
    "never",
    "no longer",
    "if",
    "once",
    "when",
    "until",
    "unless",
    "make sure that",
    "should",
    "almost",
    "I could not verify that",
    "please ensure that",
    "you said that",
];

#[test]
fn a_denial_or_a_condition_before_a_claim_voids_it() {
    let claims = CLAIMS.iter().chain(ordinary::ORDINARY).map(|(message, _)| *message);
    let is_english = |message: &&str| {
        !message.contains('{') && phrases::OTHERS.iter().all(|language| language.claims(message).is_empty())
    };
    let english = claims.filter(is_english);
    let mut wrong = Vec::new();
    for message in english {
        // Only the first sentence is considered.
        let sentence = markdown::statements(message).into_iter().find(|sentence| !kinds(&sentence.said).is_empty());
        let Some(sentence) = sentence else { continue };
        wrong.extend(
            VOIDS
                .iter()
                .map(|void| format!("{void} {}", sentence.said.trim()))
                .filter(|voided| !kinds(voided).is_empty()),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_denial_or_a_condition_before_any_phrase_of_the_table_voids_it() {
    let mut wrong = Vec::new();
    for (says, phrase) in phrases::english().map(|(says, phrase)| (says, written(phrase))) {
        for shape in [
            format!("{phrase}."),
            format!("All tests {phrase}."),
            format!("{phrase} pass."),
            format!("The task {phrase}."),
        ] {
            wrong.extend(
                VOIDS
                    .iter()
                    .map(|void| format!("{void} {shape}"))
                    .filter(|voided| !kinds(voided).is_empty())
                    .map(|voided| format!("{says:?} {voided:?}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns a phrase with the first word of each choice.
fn written(phrase: &str) -> String {
    let words = phrase.split_ascii_whitespace().map(|word| {
        let word = word.trim_end_matches('?');
        let set = phrases::set(word).unwrap_or(word);
        match set.split('|').next().unwrap() {
            "#" => "42",
            "~" => "1.5s",
            first => first,
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn time_grows_with_the_length_of_a_message_alone() {
    let parts = [
        "(",
        "all (",
        ", ",
        "[a](",
        "](",
        "'a ",
        "<a",
        "<!--",
        "`",
        "` ``",
        "tests and ",
        "✅ ",
        "no errors or ",
        "- [x] ",
        "|",
        "- x\n",
        "a:\n",
        "i ran ",
        "\n    ",
        "without any errors and ",
        "42 of ",
        "all tests pass\n",
        "All tests pass\n",
        "not ",
        "\u{e001}",
        "> ",
        "```\n",
        "**",
    ];
    for part in parts {
        let message = part.repeat(message::MESSAGE_BYTES / part.len());
        let began = std::time::Instant::now();
        kinds(&message);
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "{part:?} took {:?}", began.elapsed());
    }
}

#[test]
fn requests_are_tests_only_where_nothing_else_runs_any() {
    let request = |standing| {
        let mut check = check(9, "list", None, standing, None);
        check.source = DiagnosticSource::Test;
        check
    };
    let mut alone = answer(Decision::Fail, &[]);
    alone.tasks[0].checks.push(request(CheckStanding::Blocking));
    assert_eq!(told("All tests pass.", &alone), "contradicted tests-pass: STEP.9 list: VALIDATION_FAILURE");
    let mut beside = answer(Decision::Fail, &[UNIT]);
    beside.tasks[0].checks.push(request(CheckStanding::Blocking));
    assert_eq!(told("All tests pass.", &beside), "");
}

#[test]
fn only_the_end_of_a_long_message_is_looked_at() {
    let red = answer(Decision::Fail, &[with(UNIT, CheckStanding::Blocking, Some((9, 2)))]);
    let padding = "A line about something else, which says nothing.\n".repeat(2_000);
    assert_eq!(contradictions(&format!("All tests pass.\n{padding}"), &red).len(), 0);
    assert_eq!(contradictions(&format!("{padding}All tests pass.\n"), &red).len(), 1);
    assert_eq!(contradictions(&format!("```\n{padding}All tests pass.\n```\nBye\n"), &red).len(), 0);
}

#[test]
fn the_words_are_quoted_as_they_stand_and_bounded() {
    let red = answer(Decision::Fail, &[with(UNIT, CheckStanding::Blocking, Some((9, 2)))]);
    let found = contradictions("I looked.  **All tests   pass** with `npm test`!", &red);
    assert!(found.is_empty(), "with what is a reserve: {found:?}");
    let found = contradictions("I looked.  **All tests   pass** ✅!", &red);
    assert_eq!(found[0].words, "All tests pass ✅");
    let long = format!("All tests pass: {}", "and that was it ".repeat(60));
    assert!(contradictions(&long, &red)[0].words.chars().count() <= 160);
}

#[test]
fn what_is_hard_for_a_reader_that_looks_back_or_ahead_is_read_too() {
    let hard = [
        "“",
        "a`",
        "\"",
        "'a ",
        "tests and ",
        "tests, ",
        "pass ",
        "1 ",
        "no errors or ",
        "| ",
        "0 ",
        "is ",
        "「",
        "no ",
        "all ",
        "_.",
    ];
    for part in hard {
        let message = format!("{}\n\nThe build is green.", part.repeat(16 * 1024 / part.len()));
        assert!(kinds(&message).contains(&ClaimKind::BuildPasses), "{part:?}");
    }
}

proptest! {
    #[test]
    fn no_message_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let message = String::from_utf8_lossy(&bytes);
        let red = answer(Decision::Fail, &[with(UNIT, CheckStanding::Blocking, Some((9, 2)))]);
        prop_assert!(contradictions(&message, &red).len() <= ClaimKind::ALL.len());
    }

    #[test]
    fn no_order_of_words_makes_it_panic_or_accuses_of_a_failure_that_is_admitted(
        words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..40)
    ) {
        let message = words.join(" ");
        let red = answer(Decision::Fail, &[with(UNIT, CheckStanding::Blocking, Some((9, 2)))]);
        let admitted = contradictions(&format!("The tests still fail.\n\n{message}"), &red);
        prop_assert!(admitted.iter().all(|found| found.claim != ClaimKind::TestsPass && found.claim != ClaimKind::Done));
        prop_assert!(contradictions(&message, &red).iter().all(|found| found.grade == ClaimGrade::Contradicted || found.claim != ClaimKind::Done));
    }

    #[test]
    fn no_message_contradicts_a_run_in_which_everything_passed(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..40)) {
        let green = answer(Decision::Pass, &[TYPES, UNIT, LINT, ("build", Some(Role::Compile), CheckStanding::Passed, None)]);
        let found = contradictions(&words.join(" "), &green);
        prop_assert!(found.iter().all(|found| found.claim == ClaimKind::TestCount || found.grade == ClaimGrade::Unsupported), "{found:?}");
    }
}

const WORDS: [&str; 44] = [
    "all",
    "tests",
    "test",
    "pass",
    "passes",
    "green",
    "build",
    "lint",
    "types",
    "no",
    "errors",
    "type",
    "0",
    "failed",
    "42",
    "42/42",
    "9/11",
    "done",
    "complete",
    "✅",
    "❌",
    "\n",
    ". ",
    "`npm test`",
    "`",
    "\"",
    "**",
    "|",
    "- ",
    "[x]",
    "the",
    "is",
    "and",
    "not",
    "if",
    "?",
    "everything",
    "works",
    "suite",
    "fixed",
    "bug",
    "```\n",
    "> ",
    "所有测试通过",
];

const RED_LINT: Row = with(LINT, CheckStanding::Blocking, None);

/// Returns an answer whose causes report a finding of a check.
fn found(mut answer: GateAnswer, check: &str, tool: &str, code: &str) -> GateAnswer {
    answer.causes.push(referee_model::gate::Cause {
        task: Some(TaskId::parse("T001").unwrap()),
        check: Some(check.to_owned()),
        tool: Some(tool.to_owned()),
        severity: referee_model::reading::Level::Error,
        file: Some("src/a.js".to_owned()),
        line: Some(1),
        column: None,
        code: Some(code.to_owned()),
        message: "wrong".to_owned(),
        output: Vec::new(),
    });
    answer
}

/// Returns an answer where lint fails, and 11 tests pass.
fn red_lint() -> GateAnswer {
    found(answer(Decision::Fail, &[TYPES, UNIT, RED_LINT]), "lint", "eslint", "no-bad")
}

/// Returns an answer where one of 11 tests fails.
fn red_tests() -> GateAnswer {
    let red = with(UNIT, CheckStanding::Blocking, Some((10, 1)));
    found(answer(Decision::Fail, &[TYPES, red, LINT]), "unit", "jest", "lists")
}

fn contradicted(message: &str, answer: &GateAnswer) -> String {
    let found = contradictions(message, answer).into_iter().filter(|found| found.grade == ClaimGrade::Contradicted);
    let kinds: std::collections::BTreeSet<ClaimKind> = found.map(|found| found.claim).collect();
    kinds.into_iter().map(ClaimKind::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn nobody_is_accused_who_leaves_open_what_is_open_or_speaks_of_other_tests() {
    let green = answer(Decision::Pass, &[TYPES, UNIT, LINT]);
    let tables = [(honest::RED_LINT, red_lint()), (honest::RED_TESTS, red_tests()), (honest::GREEN, green)];
    let wrong: Vec<String> = tables
        .iter()
        .flat_map(|(messages, answer)| messages.iter().map(move |message| (message, contradicted(message, answer))))
        .filter(|(_, contradicted)| !contradicted.is_empty())
        .map(|(message, contradicted)| format!("{message:?}: {contradicted}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_so_is_seen_behind_idioms_too() {
    let red = red_tests();
    let wrong: Vec<String> = honest::LIES
        .iter()
        .filter(|(message, expected)| contradicted(message, &red) != *expected)
        .map(|(message, expected)| format!("{message:?}: {expected:?}, and not {:?}", contradicted(message, &red)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn done_is_contradicted_where_nothing_that_blocks_is_spoken_of() {
    assert_eq!(contradicted("I've finished the work. Nothing is left.", &red_lint()), "done");
    assert_eq!(contradicted("All tests pass. Done.", &red_lint()), "done");
    assert_eq!(contradicted("Done. Lint is clean.", &red_lint()), "done lint-passes");
    let of_no_known_tool = answer(Decision::Fail, &[TYPES, UNIT, RED_LINT]);
    assert_eq!(contradicted("ESLint passes.", &of_no_known_tool), "lint-passes");
}
