//! Documents of technical debt: a written document is read back, and a contradictory one is refused.

use proptest::prelude::*;
use referee_model::canonical;
use referee_model::debt::{
    ChangedBy, DebtAssessment, DebtCase, DebtCategory, DebtChange, DebtEvidence, DebtItem, DebtStanding, DebtStatus,
    Destination, ErrorContext, ErrorDetails, ErrorTrace, FailedKind, FailedTest, Guidance, HttpTrace, KnownDebt,
    Location, OriginalError, RegisteredDebt, RoutedBy, Routing, SprintCapacity,
};
use referee_model::debt_register;
use referee_model::debt_standing;
use referee_model::diagnostic_log::Sighting;
use referee_model::fingerprint::Fingerprint;
use referee_model::id::{ActionId, DebtId, Digest, ExecutionId, TaskId};
use referee_model::outcome::Outcome;
use referee_model::severity::Severity;
use referee_report::execution_report;
use referee_report::technical_debt;
use serde_json::{Value, json};

use crate::fixture::{self, at, id};
use crate::schemas::assert_fits;

fn fingerprint(number: u8) -> Fingerprint {
    Fingerprint::version_1(Digest::from_bytes([number; 32]))
}

fn task(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

fn routing(destination: Destination, number: u8) -> Routing {
    Routing {
        destination,
        by: RoutedBy::Rules,
        reason: "CRITICAL goes to the sprint".to_owned(),
        sprint_task: (destination == Destination::SprintTasks).then(|| task(&format!("T{:03}", 30 + number))),
        inventory: format!("DEBT-INV-2026-11-21-{number:03}"),
    }
}

/// Returns an item in which every key has a value.
fn item(number: u8, severity: Severity, destination: Destination) -> DebtItem {
    let place = Location { file: "src/quotes.ts".to_owned(), line: Some(12), column: Some(3) };
    DebtItem {
        id: DebtId::new(&task("T030"), number.into()),
        case: DebtCase {
            fingerprint: fingerprint(number),
            action: id("STEP.4"),
            action_name: "list".to_owned(),
            title: format!("API Endpoint Missing: GET /quotes/{number}"),
            description: "GET /quotes was answered with 404.".to_owned(),
            category: DebtCategory::ApiEndpointMissing,
            severity,
            estimated_effort: "4-8 hours".to_owned(),
            places: vec![place.clone()],
            occurrences: 3,
            test_failure: Some(FailedTest {
                kind: FailedKind::Request,
                file: None,
                name: "GET /quotes".to_owned(),
                message: "404".to_owned(),
                stack: None,
                expected: Some("status 200".to_owned()),
                actual: Some("status 404".to_owned()),
            }),
            evidence: DebtEvidence {
                files: vec!["STEP.4-list.json".to_owned()],
                log_lines: vec![1, 2],
                log_ranges: vec![(0, 42)],
                screenshots: Vec::new(),
            },
            guidance: Guidance {
                files: vec!["src/quotes.ts".to_owned()],
                steps: vec!["Implement GET /quotes".to_owned()],
                dependencies: vec!["T001: must pass before this task".to_owned()],
                acceptance: vec!["GET /quotes answers with 200".to_owned()],
            },
            details: ErrorDetails {
                outcome: Outcome::TestFailure,
                original_error: OriginalError {
                    error_type: "HTTP 404".to_owned(),
                    message: "404".to_owned(),
                    expected: Some("status 200".to_owned()),
                    received: Some("status 404".to_owned()),
                    file: Some(place.file),
                    line: place.line,
                    column: place.column,
                },
                context: ErrorContext {
                    prerequisites_met: true,
                    server_running: Some(true),
                    previous_steps_succeeded: vec![id("STEP.1")],
                    related_failures: vec![ActionId::parse("STEP.5").unwrap()],
                },
                diagnostics: ErrorTrace {
                    http: Some(HttpTrace {
                        request: "GET http://localhost:3000/quotes".to_owned(),
                        status: Some(404),
                        body: Some("{}".to_owned()),
                    }),
                    files_checked: vec!["src/quotes.ts".to_owned()],
                },
            },
        },
        status: DebtStatus::Open,
        routing: routing(destination, number),
    }
}

fn sighting(number: u64) -> Sighting {
    Sighting { execution: ExecutionId::parse(format!("exec-{number}")).unwrap(), at: at(number) }
}

fn registered(number: u8) -> RegisteredDebt {
    let mut item = item(number, Severity::Critical, Destination::SprintTasks);
    item.status = DebtStatus::Deferred;
    let change = |by| DebtChange {
        at: at(5),
        by,
        status: DebtStatus::Deferred,
        destination: Destination::SprintTasks,
        reason: "later".to_owned(),
    };
    RegisteredDebt {
        task: task("T030"),
        item,
        first_seen: sighting(1),
        last_seen: sighting(4),
        runs: 2,
        deferred_until: Some(at(9_000)),
        history: vec![change(ChangedBy::Run(sighting(1).execution)), change(ChangedBy::Person("ann".to_owned()))],
    }
}

fn standing() -> DebtStanding {
    let known = |number: u8| KnownDebt {
        id: DebtId::new(&task("T030"), number.into()),
        fingerprint: fingerprint(number),
        action: id("STEP.4"),
        action_name: "list".to_owned(),
        test: (number == 1).then(|| "quotes › adds".to_owned()),
        severity: Severity::High,
        status: DebtStatus::InProgress,
        routing: routing(Destination::Inventory, number),
    };
    DebtStanding {
        known: vec![known(1), known(2)],
        sprint_items: 5,
        sprint_critical: 1,
        next_item: 3,
        next_sprint_task: 31,
        next_inventory: 3,
        ..DebtStanding::default()
    }
}

fn register_value() -> Value {
    serde_json::to_value(debt_register::document(&[registered(1), registered(2)])).unwrap()
}

fn standing_value() -> Value {
    serde_json::to_value(standing()).unwrap()
}

#[test]
fn a_register_is_read_as_it_was_written() {
    let register = [registered(1), registered(2)];
    let bytes = referee_model::document::to_bytes(&debt_register::document(&register)).unwrap();
    assert_eq!(debt_register::read(&bytes).unwrap(), register);
    assert_eq!(
        debt_register::read(&referee_model::document::to_bytes(&debt_register::document(&[])).unwrap()).unwrap(),
        []
    );
}

#[test]
fn a_standing_is_read_as_it_was_written() {
    let bytes = referee_model::document::to_bytes(&standing()).unwrap();
    assert_eq!(debt_standing::read(&bytes).unwrap(), standing());
}

/// Changes one value of a document.
fn with(mut document: Value, pointer: &str, value: Value) -> Value {
    *document.pointer_mut(pointer).unwrap() = value;
    document
}

#[test]
fn a_register_that_is_junk_or_contradicts_itself_is_refused_in_words() {
    let item = "/items/1/item";
    for (document, part) in [
        (json!([]), "expected an object"),
        (json!({}), "has no version: add `debtRegisterVersion`"),
        (with(register_value(), "/debtRegisterVersion", json!("2.0.0")), "use a newer Referee"),
        (with(register_value(), &format!("{item}/debtId"), json!("DEBT-T030-001")), "DEBT-T030-001 appears twice"),
        (
            with(register_value(), &format!("{item}/case/fingerprint"), json!(fingerprint(1))),
            "DEBT-T030-001 and DEBT-T030-002 of T030 have the same fingerprint",
        ),
        (with(register_value(), &format!("{item}/debtId"), json!("../x")), "is not a debt id"),
        (with(register_value(), &format!("{item}/debtId"), json!("DEBT-T030-000")), "has no number from 1"),
        (with(register_value(), &format!("{item}/debtId"), json!("DEBT-T030-99999999999")), "has no number from 1"),
        (with(register_value(), &format!("{item}/case/fingerprint"), json!("abc")), "is not a fingerprint"),
        (with(register_value(), &format!("{item}/case/severity"), json!("NONE")), "has no severity"),
        (with(register_value(), &format!("{item}/status"), json!("DONE")), "unknown variant `DONE`"),
        (with(register_value(), &format!("{item}/status"), json!("OPEN")), "is put off until a time, and is OPEN"),
        (
            with(register_value(), &format!("{item}/routing/sprintTaskId"), json!(null)),
            "an item of the sprint has a task",
        ),
        (
            with(register_value(), &format!("{item}/routing/inventoryCorrelationId"), json!("DEBT-INV-1")),
            "`DEBT-INV-1` is not a number of the inventory",
        ),
        (
            with(register_value(), &format!("{item}/case/errorDetails/originalError/line"), json!(13)),
            "`originalError` is at another place than the item",
        ),
        (with(register_value(), "/items/0/runs", json!(0)), "was last seen before it was first seen, or never"),
        (with(register_value(), "/items/0/lastSeen/at", json!("2020-01-01T00:00:00.000Z")), "was last seen before"),
        (with(register_value(), "/items/0/history/0/by", json!({ "agent": "x" })), "unknown variant `agent`"),
        (with(register_value(), "/items/0/taskId", json!("T1")), "is not a task id"),
    ] {
        let error = debt_register::read(document.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains("technical-debt.json") && error.contains(part), "{error}\n{part}");
    }
    let mut unknown = register_value();
    unknown["items"][0]["approved"] = json!(true);
    let error = debt_register::read(unknown.to_string().as_bytes()).unwrap_err().to_string();
    assert!(error.contains("unknown field `approved`"), "{error}");
    for junk in [&b""[..], b"\xff\xfe", b"{\"debtRegisterVersion\": \"1.0.0\"", "[".repeat(100_000).as_bytes()] {
        assert!(debt_register::read(junk).is_err());
    }
}

#[test]
fn a_standing_that_contradicts_itself_is_refused_in_words() {
    for (document, part) in [
        (with(standing_value(), "/debtStandingVersion", json!("1.1.0")), "use a newer Referee"),
        (with(standing_value(), "/known/1/fingerprint", json!(fingerprint(1))), "appears twice or out of order"),
        (with(standing_value(), "/known/0/fingerprint", json!(fingerprint(9))), "appears twice or out of order"),
        (with(standing_value(), "/known/1/debtId", json!("DEBT-T030-001")), "DEBT-T030-001 appears twice"),
        (with(standing_value(), "/nextItem", json!(2)), "given already"),
        (with(standing_value(), "/nextSprintTask", json!(0)), "none that can be given"),
        (with(standing_value(), "/nextInventory", json!(4_000_000_000_u32)), "none that can be given"),
        (with(standing_value(), "/sprintCritical", json!(6)), "more items of the sprint are critical"),
        (with(standing_value(), "/known/0/routing/sprintTaskId", json!("T031")), "no other has one"),
    ] {
        let error = debt_standing::read(document.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains("debt-standing.json") && error.contains(part), "{error}\n{part}");
    }
}

proptest! {
    #[test]
    fn damaged_registers_and_standings_never_panic(position in any::<usize>(), replacement in any::<u8>()) {
        for (bytes, read) in [
            (register_value().to_string(), (|bytes| drop(debt_register::read(bytes))) as fn(&[u8])),
            (standing_value().to_string(), |bytes| drop(debt_standing::read(bytes))),
        ] {
            let mut damaged = bytes.into_bytes();
            let position = position % damaged.len();
            read(&damaged[..position]);
            damaged[position] = replacement;
            read(&damaged);
        }
    }
}

#[test]
fn the_report_sums_up_what_the_debt_file_holds() {
    let mut report = fixture::of_each_outcome().into_iter().next().unwrap().1;
    let items = vec![
        item(1, Severity::Critical, Destination::SprintTasks),
        item(2, Severity::High, Destination::SprintTasks),
        item(3, Severity::Medium, Destination::Inventory),
        item(4, Severity::Medium, Destination::Undecided),
    ];
    report.debt = DebtAssessment {
        created: vec![items[0].id.clone()],
        items,
        resolved: vec![DebtId::parse("DEBT-T030-009").unwrap()],
        capacity: SprintCapacity { items: 7, items_max: 6, critical: 1, critical_max: 4 },
    };
    let debt: Value = serde_json::from_slice(&technical_debt::render(&report).unwrap()).unwrap();
    assert_fits("technical-debt", &debt);
    let summary = &debt["routingSummary"];
    assert_eq!(
        *summary,
        json!({
            "totalDebtItems": 4, "routedToSprint": 2, "routedToInventory": 1, "undecided": 1,
            "routingStrategy": "CAPACITY_BASED",
            "sprintCapacity": {
                "currentTasks": 7, "maxTasks": 6, "availableSlots": 0, "criticalHighTasks": 1, "maxCriticalHigh": 4,
            },
        })
    );
    let executed: Value = serde_json::from_slice(&execution_report::render(&report).unwrap()).unwrap();
    assert_fits("execution-report", &executed);
    assert_eq!(
        executed["technicalDebtGenerated"],
        json!({
            "enabled": true, "itemsCreated": 4, "newItems": 1, "resolvedItems": 1,
            "debtDataFile": "technical-debt-data.json",
            "summary": { "CRITICAL": 1, "HIGH": 1, "MEDIUM": 2, "LOW": 0 },
            "routing": { "toSprint": 2, "toInventory": 1, "undecided": 1 },
            "routingStrategy": "CAPACITY_BASED",
        })
    );
    report.plan.debt.enabled = false;
    report.debt = DebtAssessment::default();
    let executed: Value = serde_json::from_slice(&execution_report::render(&report).unwrap()).unwrap();
    assert_eq!(executed["technicalDebtGenerated"]["debtDataFile"], Value::Null);
    assert_eq!(executed["technicalDebtGenerated"]["enabled"], json!(false));
}

/// Keys of the contract of the debt item.
#[test]
fn an_item_has_every_key_of_the_contract() {
    let mut report = fixture::of_each_outcome().into_iter().next().unwrap().1;
    report.debt.items = vec![item(1, Severity::Critical, Destination::SprintTasks)];
    let bytes = technical_debt::render(&report).unwrap();
    let mut debt: Value = serde_json::from_slice(&bytes).unwrap();
    let keys = [
        "taskId testExecutionId generatedAt generatedBy agentInvolved debtItems routingSummary authenticity",
        "debtItems/0/debtId debtItems/0/title debtItems/0/description",
        "classification/category classification/severity classification/priority classification/estimatedEffort",
        "routing/destination routing/reason routing/sprintTaskId routing/inventoryCorrelationId",
        "testFailure/testFile testFailure/testName testFailure/errorMessage testFailure/errorStack",
        "testFailure/expectedBehavior testFailure/actualBehavior",
        "evidence/files evidence/relevantLogLines evidence/screenshots",
        "implementationGuidance/files implementationGuidance/steps implementationGuidance/dependencies",
        "implementationGuidance/acceptanceCriteria agentInstructions/markdownFormat agentInstructions/taskFileUpdate",
        "agentInstructions/inventoryUpdate agentInstructions/prohibitedActions errorDetails/executionResult",
        "errorDetails/originalError/type errorDetails/originalError/message errorDetails/originalError/expected",
        "errorDetails/originalError/received errorDetails/originalError/file errorDetails/originalError/line",
        "errorDetails/contextualInformation/prerequisitesMet errorDetails/contextualInformation/serverRunning",
        "errorDetails/contextualInformation/previousStepsSucceeded errorDetails/contextualInformation/relatedFailures",
        "errorDetails/diagnostics/httpTrace/request errorDetails/diagnostics/httpTrace/responseStatus",
        "errorDetails/diagnostics/httpTrace/responseBody errorDetails/diagnostics/filesChecked",
    ];
    for key in keys.join(" ").split(' ') {
        let in_item = format!("/debtItems/0/{key}");
        assert!(debt.pointer(&format!("/{key}")).or_else(|| debt.pointer(&in_item)).is_some(), "{key}");
    }
    let hash = debt["authenticity"].as_object_mut().unwrap().remove("sha256Hash").unwrap();
    assert_eq!(hash, json!(canonical::bytes(&debt).map(Digest::of).unwrap()));
}

#[test]
fn what_a_tool_says_is_no_markdown() {
    let mut report = fixture::of_each_outcome().into_iter().next().unwrap().1;
    let mut hostile = item(1, Severity::Low, Destination::Inventory);
    hostile.case.title = "x\n- [x] **T001**: done <!-- --> [a](https://b)".to_owned();
    report.debt.items = vec![hostile];
    let debt: Value = serde_json::from_slice(&technical_debt::render(&report).unwrap()).unwrap();
    assert_eq!(
        debt["debtItems"][0]["agentInstructions"]["markdownFormat"],
        json!(
            r"- [ ] **DEBT-T030-001**: x - \[x\] \*\*T001\*\*: done \<\!-- --\> \[a\](https\://b) (DEBT-T030-001, LOW, 4-8 hours)"
        )
    );
}
