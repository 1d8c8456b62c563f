//! One item of debt, as `technical-debt-data.json` and the register spell it (contract of the debt item).
//!
//! Keys beside the contract's (`fingerprint`, `actionId`, `actionName`, `status`, `occurrences`, `places`,
//! `relevantLogBytes`, …) hold what an item is made from, so that it is read back as it was. `priority` and `originalError`'s
//! place are views.

use referee_model::debt::{
    DebtCase, DebtCategory, DebtEvidence, DebtItem, DebtStatus, Destination, ErrorDetails, FailedKind, FailedTest,
    Guidance, HttpTrace, Place, RoutedBy, Routing,
};
use referee_model::fingerprint::Fingerprint;
use referee_model::id::{ActionId, DebtId, TaskId};
use referee_model::limit::DEBT_NUMBER_MAX;
use referee_model::outcome::Outcome;
use referee_model::severity::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;
use crate::number::Count;

/// An item of debt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ItemDocument {
    /// The same in all runs.
    #[schemars(with = "form::DebtId")]
    debt_id: DebtId,
    /// What makes it the same one in another run.
    #[schemars(with = "form::Fingerprint")]
    fingerprint: Fingerprint,
    title: String,
    description: String,
    #[schemars(with = "form::DebtStatus")]
    status: DebtStatus,
    /// The action that showed it.
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    action_name: String,
    classification: Classification,
    routing: RoutingDocument,
    /// How often it occurs, also beyond the places that are listed.
    #[schemars(with = "Count")]
    occurrences: Count,
    /// Where it occurs, in the order of the output.
    places: Vec<PlaceDocument>,
    /// Null: it comes from no test and no request.
    test_failure: Option<TestFailureDocument>,
    evidence: EvidenceDocument,
    implementation_guidance: GuidanceDocument,
    error_details: ErrorDetailsDocument,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Classification {
    #[schemars(with = "form::DebtCategory")]
    category: DebtCategory,
    #[schemars(with = "form::Severity")]
    severity: Severity,
    /// 1 for CRITICAL to 4 for LOW.
    #[schemars(range(min = 1, max = 4))]
    priority: u8,
    /// A range of hours, by category and occurrences.
    estimated_effort: String,
}

/// Where an item lies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RoutingDocument {
    #[schemars(with = "form::Destination")]
    destination: Destination,
    /// Whether rules or a person put it there.
    #[schemars(with = "form::RoutedBy")]
    routed_by: RoutedBy,
    reason: String,
    /// The task that it becomes. Null: it is none of the sprint.
    #[schemars(with = "Option<form::TaskId>")]
    sprint_task_id: Option<TaskId>,
    #[schemars(with = "form::InventoryId")]
    inventory_correlation_id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PlaceDocument {
    file: String,
    /// 1-based. Null: not known.
    line: Option<u32>,
    /// 1-based. Null: not known.
    column: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TestFailureDocument {
    #[schemars(with = "form::FailedKind")]
    kind: FailedKind,
    test_file: Option<String>,
    test_name: String,
    error_message: String,
    error_stack: Option<String>,
    expected_behavior: Option<String>,
    actual_behavior: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EvidenceDocument {
    /// Files in the task's folder of evidence.
    files: Vec<String>,
    /// The lines of the log that those bytes lie in, 1-based; the first of them where there are many.
    relevant_log_lines: Vec<u32>,
    /// Bytes of the log that show it: the first, and the one after the last.
    #[schemars(with = "Vec<(Count, Count)>")]
    relevant_log_bytes: Vec<(Count, Count)>,
    /// Files. Empty: nothing is run in a browser.
    screenshots: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GuidanceDocument {
    /// Files to look at.
    files: Vec<String>,
    /// What to do.
    steps: Vec<String>,
    /// Tasks and actions that it rests on.
    dependencies: Vec<String>,
    /// When it is done.
    acceptance_criteria: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ErrorDetailsDocument {
    /// How the action came out.
    #[schemars(with = "form::Outcome")]
    execution_result: Outcome,
    original_error: OriginalError,
    contextual_information: ContextualInformation,
    diagnostics: DiagnosticsOfError,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OriginalError {
    /// A code, a rule, a status, or the tool.
    #[serde(rename = "type")]
    error_type: String,
    message: String,
    expected: Option<String>,
    received: Option<String>,
    file: Option<String>,
    /// 1-based.
    line: Option<u32>,
    /// 1-based.
    column: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ContextualInformation {
    /// Whether every prerequisite ran and holds.
    prerequisites_met: bool,
    /// Whether a service was up while it ran. Null: the task has none.
    server_running: Option<bool>,
    /// The last steps before it that succeeded.
    #[schemars(with = "Vec<form::ActionId>")]
    previous_steps_succeeded: Vec<ActionId>,
    /// Other actions of the run that failed too: those in the same file first.
    #[schemars(with = "Vec<form::ActionId>")]
    related_failures: Vec<ActionId>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DiagnosticsOfError {
    /// Null: it was no request.
    http_trace: Option<HttpTraceDocument>,
    files_checked: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HttpTraceDocument {
    /// Method and URL.
    request: String,
    /// Null: no answer came.
    response_status: Option<u16>,
    /// Its beginning. Null: it is not kept.
    response_body: Option<String>,
}

impl From<&DebtItem> for ItemDocument {
    fn from(item: &DebtItem) -> Self {
        let case = &item.case;
        Self {
            debt_id: item.id.clone(),
            fingerprint: case.fingerprint,
            title: case.title.clone(),
            description: case.description.clone(),
            status: item.status,
            action_id: case.action.clone(),
            action_name: case.action_name.clone(),
            classification: Classification {
                category: case.category,
                severity: case.severity,
                priority: case.severity.priority(),
                estimated_effort: case.estimated_effort.clone(),
            },
            routing: (&item.routing).into(),
            occurrences: case.occurrences.into(),
            places: case.places.iter().map(PlaceDocument::from).collect(),
            test_failure: case.test_failure.as_ref().map(TestFailureDocument::from),
            evidence: (&case.evidence).into(),
            implementation_guidance: (&case.guidance).into(),
            error_details: (&case.details).into(),
        }
    }
}

impl TryFrom<ItemDocument> for DebtItem {
    type Error = String;

    fn try_from(item: ItemDocument) -> Result<Self, String> {
        let Classification { category, severity, priority: stated, estimated_effort } = item.classification;
        let id = item.debt_id;
        if severity == Severity::None || stated != severity.priority() {
            return Err(format!("{id}: priority {stated} is not that of its severity"));
        }
        if !(1..=DEBT_NUMBER_MAX).contains(&id.number()) {
            return Err(format!("{id} has no number from 1 to {DEBT_NUMBER_MAX}"));
        }
        let details = item.error_details.read(&item.places).map_err(|problem| format!("{id}: {problem}"))?;
        let case = DebtCase {
            fingerprint: item.fingerprint,
            action: item.action_id,
            action_name: item.action_name,
            title: item.title,
            description: item.description,
            category,
            severity,
            estimated_effort,
            places: item.places.into_iter().map(Place::from).collect(),
            occurrences: item.occurrences.into(),
            test_failure: item.test_failure.map(FailedTest::from),
            evidence: item.evidence.into(),
            guidance: item.implementation_guidance.into(),
            details,
        };
        let routing = item.routing.read().map_err(|problem| format!("{id}: {problem}"))?;
        Ok(Self { id, case, status: item.status, routing })
    }
}

impl From<&Routing> for RoutingDocument {
    fn from(routing: &Routing) -> Self {
        Self {
            destination: routing.destination,
            routed_by: routing.by,
            reason: routing.reason.clone(),
            sprint_task_id: routing.sprint_task.clone(),
            inventory_correlation_id: routing.inventory.clone(),
        }
    }
}

impl RoutingDocument {
    pub(crate) fn read(self) -> Result<Routing, String> {
        if (self.destination == Destination::SprintTasks) != self.sprint_task_id.is_some() {
            return Err("an item of the sprint has a task, and no other has one".to_owned());
        }
        if !is_inventory_id(&self.inventory_correlation_id) {
            return Err(format!("`{}` is no number of the inventory", self.inventory_correlation_id));
        }
        Ok(Routing {
            destination: self.destination,
            by: self.routed_by,
            reason: self.reason,
            sprint_task: self.sprint_task_id,
            inventory: self.inventory_correlation_id,
        })
    }
}

/// Whether a text is `DEBT-INV-<yyyy-mm-dd>-<nnn>`.
fn is_inventory_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [debt, inv, year, month, day, number] = parts.as_slice() else { return false };
    let is_digits = |text: &str, from: usize, to: usize| {
        (from..=to).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    (*debt, *inv) == ("DEBT", "INV")
        && is_digits(year, 4, 4)
        && is_digits(month, 2, 2)
        && is_digits(day, 2, 2)
        && is_digits(number, 3, 9)
}

impl From<&Place> for PlaceDocument {
    fn from(place: &Place) -> Self {
        Self { file: place.file.clone(), line: place.line, column: place.column }
    }
}

impl From<PlaceDocument> for Place {
    fn from(place: PlaceDocument) -> Self {
        Self { file: place.file, line: place.line, column: place.column }
    }
}

impl From<&FailedTest> for TestFailureDocument {
    fn from(test: &FailedTest) -> Self {
        Self {
            kind: test.kind,
            test_file: test.file.clone(),
            test_name: test.name.clone(),
            error_message: test.message.clone(),
            error_stack: test.stack.clone(),
            expected_behavior: test.expected.clone(),
            actual_behavior: test.actual.clone(),
        }
    }
}

impl From<TestFailureDocument> for FailedTest {
    fn from(test: TestFailureDocument) -> Self {
        Self {
            kind: test.kind,
            file: test.test_file,
            name: test.test_name,
            message: test.error_message,
            stack: test.error_stack,
            expected: test.expected_behavior,
            actual: test.actual_behavior,
        }
    }
}

impl From<&DebtEvidence> for EvidenceDocument {
    fn from(evidence: &DebtEvidence) -> Self {
        Self {
            files: evidence.files.clone(),
            relevant_log_lines: evidence.log_lines.clone(),
            relevant_log_bytes: evidence
                .log_ranges
                .iter()
                .map(|(start, end)| ((*start).into(), (*end).into()))
                .collect(),
            screenshots: Vec::new(),
        }
    }
}

impl From<EvidenceDocument> for DebtEvidence {
    fn from(evidence: EvidenceDocument) -> Self {
        let ranges = evidence.relevant_log_bytes.into_iter().map(|(start, end)| (start.into(), end.into()));
        Self { files: evidence.files, log_ranges: ranges.collect(), log_lines: evidence.relevant_log_lines }
    }
}

impl From<&Guidance> for GuidanceDocument {
    fn from(guidance: &Guidance) -> Self {
        Self {
            files: guidance.files.clone(),
            steps: guidance.steps.clone(),
            dependencies: guidance.dependencies.clone(),
            acceptance_criteria: guidance.acceptance.clone(),
        }
    }
}

impl From<GuidanceDocument> for Guidance {
    fn from(guidance: GuidanceDocument) -> Self {
        Self {
            files: guidance.files,
            steps: guidance.steps,
            dependencies: guidance.dependencies,
            acceptance: guidance.acceptance_criteria,
        }
    }
}

impl From<&ErrorDetails> for ErrorDetailsDocument {
    fn from(details: &ErrorDetails) -> Self {
        let place = details.place.as_ref();
        Self {
            execution_result: details.outcome,
            original_error: OriginalError {
                error_type: details.error_type.clone(),
                message: details.message.clone(),
                expected: details.expected.clone(),
                received: details.received.clone(),
                file: place.map(|place| place.file.clone()),
                line: place.and_then(|place| place.line),
                column: place.and_then(|place| place.column),
            },
            contextual_information: ContextualInformation {
                prerequisites_met: details.prerequisites_met,
                server_running: details.server_running,
                previous_steps_succeeded: details.previous_steps_succeeded.clone(),
                related_failures: details.related_failures.clone(),
            },
            diagnostics: DiagnosticsOfError {
                http_trace: details.http.as_ref().map(HttpTraceDocument::from),
                files_checked: details.files_checked.clone(),
            },
        }
    }
}

impl ErrorDetailsDocument {
    /// Reads it; its place is that of the item.
    fn read(self, places: &[PlaceDocument]) -> Result<ErrorDetails, String> {
        let error = self.original_error;
        let place = match error.file {
            Some(file) => Some(Place { file, line: error.line, column: error.column }),
            None if error.line.or(error.column).is_some() => return Err("it has a line in no file".to_owned()),
            None => None,
        };
        if place != places.first().cloned().map(Place::from) {
            return Err("`originalError` is at another place than the item".to_owned());
        }
        let context = self.contextual_information;
        Ok(ErrorDetails {
            outcome: self.execution_result,
            error_type: error.error_type,
            message: error.message,
            expected: error.expected,
            received: error.received,
            place,
            prerequisites_met: context.prerequisites_met,
            server_running: context.server_running,
            previous_steps_succeeded: context.previous_steps_succeeded,
            related_failures: context.related_failures,
            http: self.diagnostics.http_trace.map(HttpTrace::from),
            files_checked: self.diagnostics.files_checked,
        })
    }
}

impl From<&HttpTrace> for HttpTraceDocument {
    fn from(trace: &HttpTrace) -> Self {
        Self { request: trace.request.clone(), response_status: trace.status, response_body: trace.body.clone() }
    }
}

impl From<HttpTraceDocument> for HttpTrace {
    fn from(trace: HttpTraceDocument) -> Self {
        Self { request: trace.request, status: trace.response_status, body: trace.response_body }
    }
}
