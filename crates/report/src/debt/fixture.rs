//! Items for tests.

use referee_model::debt::{
    ChangedBy, DebtCase, DebtCategory, DebtChange, DebtEvidence, DebtItem, DebtStatus, Destination, ErrorContext,
    ErrorDetails, ErrorTrace, FailedKind, FailedTest, Guidance, Location, OriginalError, RegisteredDebt, RoutedBy,
    Routing,
};
use referee_model::diagnostic_log::Sighting;
use referee_model::fingerprint::Fingerprint;
use referee_model::id::{ActionId, DebtId, Digest, ExecutionId, TaskId};
use referee_model::outcome::Outcome;
use referee_model::severity::Severity;
use referee_model::time::Timestamp;

/// Returns a type error that is assigned to the sprint.
pub(crate) fn type_error() -> RegisteredDebt {
    registered(1, Severity::Critical, Destination::SprintTasks, "TS2345 in src/quote.ts")
}

/// Returns a failed test that is assigned to the inventory.
pub(crate) fn failed_test() -> RegisteredDebt {
    let mut item = registered(2, Severity::High, Destination::Inventory, "Test fails: adds a quote");
    item.item.case.test_failure = Some(FailedTest {
        kind: FailedKind::Test,
        file: Some("tests/quote.test.ts".to_owned()),
        name: "quotes > adds a quote".to_owned(),
        message: "expected 201".to_owned(),
        stack: None,
        expected: Some("201".to_owned()),
        actual: Some("404".to_owned()),
    });
    item
}

/// Returns a resolved item that is assigned to the sprint.
pub(crate) fn resolved() -> RegisteredDebt {
    let mut item = registered(3, Severity::High, Destination::SprintTasks, "TS2304 in src/user.ts");
    item.item.status = DebtStatus::Resolved;
    item
}

/// Returns an item in which every text holds hostile content.
pub(crate) fn hostile(evil: &str) -> RegisteredDebt {
    let mut item = type_error();
    let said = || evil.to_owned();
    let case = &mut item.item.case;
    (case.title, case.description, case.estimated_effort) = (said(), said(), said());
    case.action_name = said();
    case.guidance =
        Guidance { files: vec![said()], steps: vec![said()], dependencies: vec![said()], acceptance: vec![said()] };
    case.evidence.files = vec![said()];
    case.details.original_error.message = said();
    case.details.original_error.error_type = said();
    case.places = vec![Location { file: said(), line: Some(1), column: None }];
    item.item.routing.reason = said();
    item.item.routing.inventory = said();
    item.history[0].reason = said();
    item.history[0].by = ChangedBy::Person(said());
    item
}

pub(crate) fn registered(number: u32, severity: Severity, destination: Destination, title: &str) -> RegisteredDebt {
    let task = TaskId::parse("T001").unwrap();
    let sprint_task =
        (destination == Destination::SprintTasks).then(|| TaskId::parse(format!("T{:03}", 30 + number)).unwrap());
    let seen = |execution: &str, at| Sighting {
        execution: ExecutionId::parse(execution).unwrap(),
        at: Timestamp::from_millisecond(at),
    };
    RegisteredDebt {
        item: DebtItem {
            id: DebtId::new(&task, number),
            case: case(number, severity, title),
            status: DebtStatus::Open,
            routing: Routing {
                destination,
                by: RoutedBy::Rules,
                reason: "CRITICAL goes to the sprint".to_owned(),
                sprint_task,
                inventory: format!("DEBT-INV-2026-11-21-{number:03}"),
            },
        },
        task,
        first_seen: seen("exec-1", 1_795_251_924_120),
        last_seen: seen("exec-2", 1_795_251_999_120),
        runs: 2,
        deferred_until: None,
        history: vec![DebtChange {
            at: Timestamp::from_millisecond(1_795_251_924_120),
            by: ChangedBy::Run(ExecutionId::parse("exec-1").unwrap()),
            status: DebtStatus::Open,
            destination,
            reason: "the run showed it first".to_owned(),
        }],
    }
}

fn case(number: u32, severity: Severity, title: &str) -> DebtCase {
    let place = Location { file: "src/quote.ts".to_owned(), line: Some(12), column: Some(5) };
    DebtCase {
        fingerprint: Fingerprint::version_1(Digest::from_bytes([u8::try_from(number).unwrap(); 32])),
        action: ActionId::parse("STEP.1").unwrap(),
        action_name: "types".to_owned(),
        title: title.to_owned(),
        description: "The type checker reports TS2345: Argument of type 'string' is not assignable.".to_owned(),
        category: DebtCategory::ValidationMissing,
        severity,
        estimated_effort: "1-2 hours".to_owned(),
        places: vec![place.clone()],
        occurrences: 1,
        test_failure: None,
        evidence: DebtEvidence {
            files: vec!["STEP.1-types.log".to_owned()],
            log_lines: vec![1],
            log_ranges: vec![(0, 80)],
            screenshots: Vec::new(),
        },
        guidance: Guidance {
            files: vec!["src/quote.ts".to_owned()],
            steps: vec!["Line 12 of src/quote.ts: TS2345".to_owned()],
            dependencies: Vec::new(),
            acceptance: vec!["`npx tsc --noEmit` reports no TS2345 in src/quote.ts".to_owned()],
        },
        details: ErrorDetails {
            outcome: Outcome::ValidationFailure,
            original_error: OriginalError {
                error_type: "TS2345".to_owned(),
                message: "Argument of type 'string' is not assignable.".to_owned(),
                expected: None,
                received: None,
                file: Some(place.file),
                line: place.line,
                column: place.column,
            },
            context: ErrorContext { prerequisites_met: true, ..ErrorContext::default() },
            diagnostics: ErrorTrace { http: None, files_checked: Vec::new() },
        },
    }
}
