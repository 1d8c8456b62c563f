//! Items shown by an action's evidence: rows of rulings 11 and 19.

use referee_model::limit::DEBT_LOG_LINES_KEPT;

use super::*;

#[test]
fn findings_are_an_item_for_each_distinct_one_and_collect_their_places() {
    let reading = read_findings(
        "tsc",
        vec![
            finding("tsc", Level::Error, "TS2345", "src/a.ts", 12, "Argument of type 'A' is not assignable"),
            finding("tsc", Level::Error, "TS2304", "src/b.ts", 3, "Cannot find name 'x'"),
            finding("tsc", Level::Error, "TS2345", "src/a.ts", 90, "Argument of type 'A' is not assignable"),
        ],
    );
    let action = types();
    let plan = plan(vec![action.clone()]);
    let items = assessed(&plan, &action, exited(&action, 2), reading, &empty()).items;
    assert_eq!(
        items.iter().map(in_short).collect::<Vec<_>>(),
        [
            "CRITICAL VALIDATION_MISSING ×2: TypeScript TS2345 in src/a.ts: Argument of type 'A' is not assignable",
            "CRITICAL VALIDATION_MISSING ×1: TypeScript TS2304 in src/b.ts: Cannot find name 'x'",
        ]
    );
    let case = &items[0].case;
    let lines: Vec<_> = case.places.iter().map(|place| place.line).collect();
    assert_eq!(lines, [Some(12), Some(90)]);
    assert_eq!(
        case.guidance.steps,
        [
            "Line 12 of src/a.ts: TS2345 Argument of type 'A' is not assignable",
            "Line 90 of src/a.ts: TS2345 Argument of type 'A' is not assignable",
        ]
    );
    assert_eq!(case.guidance.acceptance, ["`npx tsc --noEmit` reports no TS2345 in src/a.ts"]);
    assert_eq!(case.guidance.files, ["src/a.ts"]);
    assert_eq!(case.evidence.files, ["STEP.1.log", "STEP.1-types.json", "STEP.1-diagnostics.json"]);
    assert_eq!(case.details.context.related_failures, []);
}

#[test]
fn the_lines_of_the_log_that_show_a_failure_are_listed_and_bounded() {
    let mut reading = read_findings("tsc", vec![finding("tsc", Level::Error, "TS1", "src/a.ts", 1, "wrong"); 3]);
    for (found, range) in reading.diagnostics.iter_mut().zip([(10, 20), (20, 300), (900, 910)]) {
        (found.origin.start, found.origin.end) = range;
    }
    let action = types();
    let plan = plan(vec![action.clone()]);
    let mut listed = |lines: &[(u64, u32)]| {
        reading.log_lines = lines.iter().copied().collect();
        let items = assessed(&plan, &action, exited(&action, 2), reading.clone(), &empty()).items;
        items[0].case.evidence.log_lines.clone()
    };
    // Two findings on one line, one over several; the line of one is unknown.
    assert_eq!(listed(&[(10, 4), (19, 4), (20, 4), (299, 6), (900, 9)]), [4, 5, 6]);
    let all: Vec<u32> = (4..4 + u32::try_from(DEBT_LOG_LINES_KEPT).unwrap()).collect();
    assert_eq!(listed(&[(10, 4), (19, 4), (20, 5), (299, u32::MAX), (900, 9), (909, 9)]), all);
    assert!(listed(&[]).is_empty());
}

/// Severity of a finding by strategy and options; the table of policies is evaluated for each finding alone.
#[test]
fn each_finding_is_as_grave_as_policy_makes_it() {
    use Strategy::{ErrorsAlways, ErrorsAndWarnings, ErrorsOnly, WarnOnly};
    let policy = |strategy| ToolPolicy { block_on: Some(strategy), ..ToolPolicy::default() };
    let rows: Vec<(&str, ToolPolicy, &[&str])> = vec![
        ("errors always", policy(ErrorsAlways), &["CRITICAL e", "MEDIUM w", "MEDIUM v"]),
        ("errors only", policy(ErrorsOnly), &["HIGH e", "MEDIUM w", "MEDIUM v"]),
        ("both", policy(ErrorsAndWarnings), &["HIGH e", "HIGH w", "HIGH v"]),
        ("warn only", policy(WarnOnly), &["LOW e", "LOW w", "LOW v"]),
        ("disabled", ToolPolicy { enabled: false, ..policy(ErrorsAlways) }, &["LOW e", "LOW w", "LOW v"]),
        ("never", policy(Strategy::Never), &[]),
        ("over the limit", ToolPolicy { max_warnings: Some(1), ..policy(ErrorsOnly) }, &["HIGH e", "HIGH w", "HIGH v"]),
        (
            "at the limit",
            ToolPolicy { max_warnings: Some(2), ..policy(ErrorsOnly) },
            &["HIGH e", "MEDIUM w", "MEDIUM v"],
        ),
        (
            "an ignored rule",
            ToolPolicy { ignored_rules: vec!["w".to_owned()], ..policy(ErrorsOnly) },
            &["HIGH e", "MEDIUM v"],
        ),
        (
            "a promoted rule",
            ToolPolicy { error_on_rules: vec!["w".to_owned()], ..policy(ErrorsAlways) },
            &["CRITICAL e", "CRITICAL w", "MEDIUM v"],
        ),
        (
            "warnings as errors",
            ToolPolicy { treat_warnings_as_errors: true, ..policy(ErrorsOnly) },
            &["HIGH e", "HIGH w", "HIGH v"],
        ),
    ];
    for (row, policy, expected) in rows {
        let action = named(line("STEP.1", "npx eslint ."), "lint");
        let mut plan = plan(vec![action.clone()]);
        plan.policies.tools.insert("eslint".to_owned(), policy);
        let reading = read_findings(
            "eslint",
            vec![
                finding("eslint", Level::Error, "e", "src/a.js", 1, "an error"),
                finding("eslint", Level::Warning, "w", "src/a.js", 2, "a warning"),
                finding("eslint", Level::Warning, "v", "src/a.js", 3, "another one"),
                finding("eslint", Level::Info, "i", "src/a.js", 4, "a remark"),
            ],
        );
        let mut items: Vec<(u32, String)> = assessed(&plan, &action, exited(&action, 1), reading, &empty())
            .items
            .iter()
            .map(|item| {
                assert_eq!(item.case.category, DebtCategory::Refactor);
                let place = item.case.places[0].line.unwrap();
                (place, format!("{} {}", item.case.severity.as_str(), item.case.details.original_error.error_type))
            })
            .collect();
        items.sort();
        assert_eq!(items.into_iter().map(|(_, item)| item).collect::<Vec<_>>(), expected, "{row}");
    }
}

#[test]
fn failed_tests_are_an_item_each() {
    let action = named(line("STEP.2", "npx jest"), "unit");
    let mut sum = failure("quotes › sums up", "src/a.test.ts", 12, "expect(received).toBe(expected)");
    sum.expected = Some("4".to_owned());
    sum.received = Some("5".to_owned());
    sum.stack = Some("at sum (/project/src/sum.ts:3:9)\nat node:internal/x:1:1".to_owned());
    let suite = TestFailure { suite: true, ..failure("src/b.test.ts", "src/b.test.ts", 1, "SyntaxError: bad") };
    let plan = plan(vec![action.clone()]);
    let reading = read_tests(3, vec![sum, suite]);
    let items = assessed(&plan, &action, exited(&action, 1), reading, &empty()).items;
    assert_eq!(
        items.iter().map(in_short).collect::<Vec<_>>(),
        [
            "HIGH VALIDATION_MISSING ×1: Failed Test: quotes › sums up",
            "HIGH VALIDATION_MISSING ×1: Failed Suite: src/b.test.ts",
        ]
    );
    let guidance = &items[0].case.guidance;
    assert_eq!(guidance.files, ["src/a.test.ts", "src/sum.ts"]);
    assert_eq!(
        guidance.steps,
        ["Make the test `quotes › sums up` pass (line 12 of src/a.test.ts): `4` is expected, and `5` came"]
    );
    assert_eq!(guidance.acceptance, ["`npx jest`: the test `quotes › sums up` passes"]);
    let test = items[0].case.test_failure.as_ref().unwrap();
    assert_eq!((test.kind, test.expected.as_deref(), test.actual.as_deref()), (FailedKind::Test, Some("4"), Some("5")));
    assert_eq!(items[1].case.details.original_error.error_type, "SyntaxError");
    assert_eq!(items[1].case.test_failure.as_ref().unwrap().kind, FailedKind::Suite);
}

/// A failure without findings or named tests is one item of the whole action.
#[test]
fn whatever_else_fails_is_one_item_with_what_the_judgement_says_of_it() {
    let jest = || named(line("STEP.1", "npx jest"), "unit");
    let get = || named(http("STEP.1", request("http://localhost:3000/api/quotes")), "list");
    let deadline = Ending::DeadlineExceeded { timeout_ms: 10_000, of_task: false, killed: true };
    let missing = Ending::CouldNotStart { cause: StartFailure::NotFound, message: "no eslint".to_owned() };
    let server = || named(line("PREREQ.1", "npx tsc"), "build");
    let rows: Vec<(Action, Record, Reading, &str)> = vec![
        (
            get(),
            answered(&get(), answer(404)),
            nothing(),
            "CRITICAL API_ENDPOINT_MISSING ×1: API Endpoint Missing: GET /api/quotes",
        ),
        (
            get(),
            answered(&get(), answer(503)),
            nothing(),
            "CRITICAL BUSINESS_LOGIC_ERROR ×1: Server Error 503: GET /api/quotes",
        ),
        (
            get(),
            answered(&get(), answer(418)),
            nothing(),
            "HIGH VALIDATION_MISSING ×1: Unexpected Status 418: GET /api/quotes",
        ),
        (
            jest(),
            exited(&jest(), 1),
            tests("jest", 5, 2, 0),
            "HIGH VALIDATION_MISSING ×1: Failed Tests: 2 of 7 tests failed (jest)",
        ),
        (
            types(),
            exited(&types(), 2),
            nothing(),
            "HIGH INTEGRATION_FAILURE ×1: TypeScript did not work: exit code 2 of tsc, and no finding could be read",
        ),
        (types(), ended(&types(), missing), nothing(), "HIGH INTEGRATION_FAILURE ×1: TypeScript did not work"),
        (jest(), ended(&jest(), deadline), words("…"), "MEDIUM PERFORMANCE_ISSUE ×1: Operation Timeout: unit"),
        (server(), exited(&server(), 2), type_errors(2), "CRITICAL INTEGRATION_FAILURE ×1: Prerequisite failed: build"),
        (
            file("STEP.1", FileExpectation::Present(FileContent::default())),
            found(&file("STEP.1", FileExpectation::Absent), FileState::Missing),
            nothing(),
            "HIGH VALIDATION_MISSING ×1: dist/server.js",
        ),
    ];
    for (action, record, reading, expected) in rows {
        let left = left(&action, record, reading);
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(left[0].starts_with(expected), "{}\n{expected}", left[0]);
    }
}

#[test]
fn nothing_is_left_by_what_passes_is_expected_or_says_nothing_of_the_project() {
    let action = types();
    let interrupted = ended(&action, Ending::Interrupted { killed: false });
    for (record, reading) in [(exited(&action, 0), nothing()), (interrupted, type_errors(1))] {
        assert_eq!(left(&action, record, reading), [""; 0]);
    }
    let mut expected = named(line("STEP.1", "npx jest"), "unit");
    expected.expect = Some(referee_model::plan::Expectation {
        outcome: Some(referee_model::outcome::Outcome::TestFailure),
        ..Default::default()
    });
    let reading = read_tests(0, vec![failure("a", "a.test.ts", 1, "no")]);
    assert_eq!(left(&expected, exited(&expected, 1), reading), [""; 0]);
    let mut off = plan(vec![action.clone()]);
    off.debt.enabled = false;
    let assessment = assessed(&off, &action, exited(&action, 2), type_errors(3), &empty());
    assert_eq!((assessment.items.len(), assessment.capacity.items_max), (0, 6));
    let skipped = ActionReport { action, history: ActionHistory::Skipped(SkipReason::DeadlinePassed) };
    assert_eq!(assess(&plan(Vec::new()), &done(), &[skipped], &empty()).items, []);
}

#[test]
fn severities_that_are_not_listed_leave_nothing() {
    let action = named(line("STEP.1", "npx eslint ."), "lint");
    let mut plan = plan(vec![action.clone()]);
    plan.debt.severities = vec![Severity::Critical, Severity::High];
    let reading = read_findings(
        "eslint",
        vec![
            finding("eslint", Level::Error, "e", "a.js", 1, "an error"),
            finding("eslint", Level::Warning, "w", "a.js", 2, "a warning"),
        ],
    );
    let items = assessed(&plan, &action, exited(&action, 1), reading, &empty()).items;
    assert_eq!(items.iter().map(in_short).collect::<Vec<_>>(), ["HIGH REFACTOR ×1: ESLint e in a.js: an error"]);
}

#[test]
fn what_is_too_much_becomes_one_item_that_says_how_many() {
    let most = u32::try_from(referee_model::limit::DEBT_ITEMS_PER_ACTION).unwrap();
    let action = types();
    assert_eq!(left(&action, exited(&action, 2), type_errors(most)).len(), 50);
    let plan = plan(vec![action.clone()]);
    let over = assessed(&plan, &action, exited(&action, 2), type_errors(most + 7), &empty());
    assert_eq!(over.items.len(), 51);
    let last = &over.items[50];
    assert_eq!(in_short(last), "CRITICAL VALIDATION_MISSING ×7: types: 7 further failures");
    // The same item whatever the number of findings.
    let other = assessed(&plan, &action, exited(&action, 2), type_errors(most + 1), &empty());
    assert_eq!(other.items[50].case.fingerprint, last.case.fingerprint);
    // Findings that were counted but not kept belong to it, too.
    let mut more = type_errors(2);
    more.counts.errors += 5_000;
    assert_eq!(
        left(&action, exited(&action, 2), more).last().unwrap(),
        "CRITICAL VALIDATION_MISSING ×5000: types: 5000 further failures"
    );
    // If only a sum is known, nothing can be listed individually.
    let only_counts = counts_only("tsc", type_errors(3).counts);
    assert_eq!(
        left(&action, exited(&action, 2), only_counts),
        ["CRITICAL VALIDATION_MISSING ×1: TypeScript Type Errors: 3 errors"]
    );
}

#[test]
fn what_was_known_is_listed_before_what_is_new_and_equally_grave() {
    let action = types();
    let plan = plan(vec![action.clone()]);
    let all = type_errors(60);
    let last = fingerprint_of(&action, &all, 59);
    let mut standing = empty();
    standing.known.push(known(&action, last, DebtStatus::Open));
    standing.next_item = 9;
    let assessment = assessed(&plan, &action, exited(&action, 2), all, &standing);
    assert_eq!(assessment.items.len(), 51);
    assert!(assessment.items.iter().any(|item| item.case.fingerprint == last && item.id == standing.known[0].id));
    assert_eq!((assessment.resolved, assessment.created.len()), (Vec::new(), 50));
}

#[test]
fn hostile_output_makes_no_item_too_large_and_no_panic() {
    let long = "x".repeat(4_000);
    let action = named(line("STEP.1", &format!("npx tsc {long}")), &long);
    let found = (0..200).map(|_| finding("tsc", Level::Error, &long, &format!("{long}.ts"), 1, &long)).collect();
    let items = left(&action, exited(&action, 2), read_findings("tsc", found));
    assert_eq!(items.len(), 1);
    assert!(items[0].len() < 1_000, "{}", items[0].len());
    let jest = line("STEP.1", "npx jest");
    let nameless = TestFailure::default();
    assert_eq!(
        left(&jest, exited(&jest, 1), read_tests(0, vec![nameless])),
        ["HIGH VALIDATION_MISSING ×1: Failed Test: (a test without a name)"]
    );
}

pub(super) fn fingerprint_of(action: &Action, reading: &Reading, at: usize) -> Fingerprint {
    crate::fingerprint::of_finding(action, &reading.diagnostics[at])
}

/// Returns a known item in the inventory.
pub(super) fn known(action: &Action, fingerprint: Fingerprint, status: DebtStatus) -> KnownDebt {
    KnownDebt {
        id: DebtId::parse("DEBT-T001-004").unwrap(),
        fingerprint,
        action: action.id.clone(),
        action_name: action.name.clone(),
        test: None,
        severity: Severity::Critical,
        status,
        routing: Routing {
            destination: Destination::Inventory,
            by: RoutedBy::Person,
            reason: "later".to_owned(),
            sprint_task: None,
            inventory: "DEBT-INV-1970-01-01-004".to_owned(),
        },
    }
}
