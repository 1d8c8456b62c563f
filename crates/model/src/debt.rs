//! Technical debt: work that failures leave to be done.

use serde::{Deserialize, Serialize};

use crate::diagnostic_log::Sighting;
use crate::fingerprint::Fingerprint;
use crate::id::{ActionId, DebtId, ExecutionId, TaskId};
use crate::severity::Severity;
use crate::taxonomy::Outcome;
use crate::time::Timestamp;

document_words! {
    /// Category of a debt item: the eight of schema 2.0.0, and refactoring (ruling 19).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum DebtCategory {
        /// An endpoint answers with status 404.
        ApiEndpointMissing = "API_ENDPOINT_MISSING",
        /// Tests other than HTTP tests fail, or type checking fails.
        ValidationMissing = "VALIDATION_MISSING",
        /// Errors are not handled.
        ErrorHandlingMissing = "ERROR_HANDLING_MISSING",
        /// A server answers with a 5xx status.
        BusinessLogicError = "BUSINESS_LOGIC_ERROR",
        /// The database schema is wrong.
        DatabaseSchemaIssue = "DATABASE_SCHEMA_ISSUE",
        /// Tools, servers or dependencies are missing.
        IntegrationFailure = "INTEGRATION_FAILURE",
        /// A performance problem.
        PerformanceIssue = "PERFORMANCE_ISSUE",
        /// A security vulnerability.
        SecurityVulnerability = "SECURITY_VULNERABILITY",
        /// Lint and format findings.
        Refactor = "REFACTOR",
    }
}

/// Whether a judged action generates a debt item (seed 1, `debtGeneration`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DebtGeneration {
    /// The action generates an item.
    Item(DebtSummary),
    /// The action generates no item.
    None {
        /// The reason.
        reason: String,
    },
}

/// The debt item that an action's judgement generates, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebtSummary {
    /// Category of the item.
    pub category: DebtCategory,
    /// Severity of the item, the same as that of the outcome (ruling 11).
    pub severity: Severity,
    /// One-line title for people.
    pub title: String,
    /// Reason why it is debt.
    pub reason: String,
    /// Suggested fix.
    pub suggested_fix: String,
    /// First file to look at.
    pub file: Option<String>,
    /// 1-based line in `file`.
    pub line: Option<u32>,
}

/// Debt that the evidence of a run shows, whether known before or not. There is one case for each distinct
/// fingerprint, with all its occurrences (ruling 19).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtCase {
    /// Fingerprint, the same in every run that shows the debt.
    pub fingerprint: Fingerprint,
    /// Id of the action that showed the debt first.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// Name of that action. Unlike the id, it does not change when a check is inserted before the action.
    pub action_name: String,
    /// One-line summary, for people.
    pub title: String,
    /// Description of the problem, in full sentences.
    pub description: String,
    /// Category of the debt.
    pub category: DebtCategory,
    /// Severity of the debt; the priority 1 to 4 follows from it.
    pub severity: Severity,
    /// Estimated effort as a range of hours, such as `1-2 hours`.
    pub estimated_effort: String,
    /// Locations where it occurs, in output order; at most [`crate::limit::DEBT_PLACES_KEPT`].
    pub places: Vec<Location>,
    /// Number of occurrences, including unlisted ones.
    pub occurrences: u64,
    /// The failed test or request behind the debt.
    pub test_failure: Option<FailedTest>,
    /// Evidence that shows the debt.
    pub evidence: DebtEvidence,
    /// Steps that remove the debt, taken from findings, tests and the specification.
    #[serde(rename = "implementationGuidance")]
    pub guidance: Guidance,
    /// Details of the error (seed 1, `errorDetails`).
    #[serde(rename = "errorDetails")]
    pub details: ErrorDetails,
}

impl DebtCase {
    /// Sets the locations of the debt; its original error takes the first one.
    pub fn lie_at(&mut self, places: Vec<Location>) {
        let (first, error) = (places.first(), &mut self.details.original_error);
        error.file = first.map(|place| place.file.clone());
        (error.line, error.column) = first.map_or((None, None), |place| (place.line, place.column));
        self.places = places;
    }
}

/// A location in the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Location {
    /// File, relative to the workspace where it lies in it.
    pub file: String,
    /// 1-based line in `file`. Null: not known.
    pub line: Option<u32>,
    /// 1-based column in `line`. Null: not known.
    pub column: Option<u32>,
}

/// Kind of failed test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailedKind {
    /// A test of a test runner.
    Test,
    /// A test suite that did not run.
    Suite,
    /// An HTTP request.
    Request,
}

/// A failed test (contract of the debt item, `testFailure`). Details that the output does not state are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailedTest {
    /// Kind of the test: a test, a suite that did not run, or an HTTP request.
    pub kind: FailedKind,
    /// File of the test. Null: the output does not name it.
    #[serde(rename = "testFile")]
    pub file: Option<String>,
    /// Name of the test with the names of its suites, or of the request.
    #[serde(rename = "testName")]
    pub name: String,
    /// Failure message of the test or request.
    #[serde(rename = "errorMessage")]
    pub message: String,
    /// Stack trace as the runner printed it, cut where it is long. Null: none was printed.
    #[serde(rename = "errorStack")]
    pub stack: Option<String>,
    /// Value or behavior that the test or request expected. Null: the output does not say it.
    #[serde(rename = "expectedBehavior")]
    pub expected: Option<String>,
    /// Value or behavior that the test or request received. Null: the output does not say it.
    #[serde(rename = "actualBehavior")]
    pub actual: Option<String>,
}

/// Evidence that shows a debt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtEvidence {
    /// Files in the evidence directory of the task.
    pub files: Vec<String>,
    /// 1-based numbers of the log lines that contain `relevantLogBytes`, ascending and without duplicates; at
    /// most [`crate::limit::DEBT_LOG_LINES_KEPT`].
    #[serde(rename = "relevantLogLines")]
    pub log_lines: Vec<u32>,
    /// Byte ranges of the log that show the debt, half-open.
    #[serde(rename = "relevantLogBytes")]
    pub log_ranges: Vec<(u64, u64)>,
    /// Files in the evidence directory of the task with the pictures (PNG) of the page, in order.
    pub screenshots: Vec<String>,
}

/// How to remove a debt; taken only from findings, tests and the specification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Guidance {
    /// Files to inspect first, relative to the workspace.
    pub files: Vec<String>,
    /// Steps to take, in order.
    pub steps: Vec<String>,
    /// Tasks and actions that the work depends on, such as `T001: …`.
    pub dependencies: Vec<String>,
    /// Conditions under which the item is resolved.
    #[serde(rename = "acceptanceCriteria")]
    pub acceptance: Vec<String>,
}

/// Details of an error (seed 1, `errorDetails`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorDetails {
    /// Outcome of the action.
    #[serde(rename = "executionResult")]
    pub outcome: Outcome,
    /// Error that the action or its tool reported.
    pub original_error: OriginalError,
    /// State of the run around the failure: prerequisites, services, other failures.
    #[serde(rename = "contextualInformation")]
    pub context: ErrorContext,
    /// HTTP exchange and files behind the failure.
    pub diagnostics: ErrorTrace,
}

/// The error that a failed action or its tool reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OriginalError {
    /// Type of the error: a code, a rule, a status, or the tool.
    #[serde(rename = "type")]
    pub error_type: String,
    /// Message of the error.
    pub message: String,
    /// Value that was expected. Null: the output does not say it.
    pub expected: Option<String>,
    /// Value that was received. Null: the output does not say it.
    pub received: Option<String>,
    /// File of the first location.
    pub file: Option<String>,
    /// 1-based line in `file`. Null: not known.
    pub line: Option<u32>,
    /// 1-based column in `line`. Null: not known.
    pub column: Option<u32>,
}

/// State of the run around a failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorContext {
    /// Whether every prerequisite ran and is met.
    pub prerequisites_met: bool,
    /// Whether a service was running during the action. None: the task has no service.
    pub server_running: Option<bool>,
    /// Ids of the last steps before the action that succeeded, in plan order.
    pub previous_steps_succeeded: Vec<ActionId>,
    /// Ids of other actions of the run that failed too, those in the same file first.
    pub related_failures: Vec<ActionId>,
}

/// HTTP exchange and files examined for an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorTrace {
    /// The HTTP request and its response, if the action is a request.
    #[serde(rename = "httpTrace")]
    pub http: Option<HttpTrace>,
    /// Files that were examined.
    pub files_checked: Vec<String>,
}

/// An HTTP request and its response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpTrace {
    /// Method and URL of the request, separated by a space.
    pub request: String,
    /// HTTP status of the response. Null: no response was received.
    #[serde(rename = "responseStatus")]
    pub status: Option<u16>,
    /// Body of the response, limited in length.
    #[serde(rename = "responseBody")]
    pub body: Option<String>,
}

document_words! {
    /// Where a debt item is recorded: in exactly one of these (ruling 20).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Destination {
        /// In the sprint, as one of its tasks.
        SprintTasks = "SPRINT_TASKS",
        /// In the inventory, for a later sprint.
        Inventory = "INVENTORY",
        /// Not assigned yet: a person decides.
        Undecided = "UNDECIDED",
    }
}

/// Who chose the destination of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RoutedBy {
    /// The routing rules. An item that becomes critical later still moves into the sprint.
    Rules,
    /// A person. Runs never change a person's decision.
    Person,
}

/// Destination of an item, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Routing {
    /// Where the item is recorded: in the sprint, in the inventory, or undecided.
    pub destination: Destination,
    /// Whether the rules of routing or a person chose the destination.
    #[serde(rename = "routedBy")]
    pub by: RoutedBy,
    /// Reason for the destination, with the numbers that led to it.
    pub reason: String,
    /// Id of the sprint task created for the item.
    #[serde(rename = "sprintTaskId")]
    pub sprint_task: Option<TaskId>,
    /// Inventory number, `DEBT-INV-<date>-<nnn>`; every item has one.
    #[serde(rename = "inventoryCorrelationId")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::InventoryId"))]
    pub inventory: String,
}

document_words! {
    /// Status of a debt item (ruling 20).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum DebtStatus {
        /// Not started.
        Open = "OPEN",
        /// In progress.
        InProgress = "IN_PROGRESS",
        /// A run showed that the debt is gone.
        Resolved = "RESOLVED",
        /// A person deferred the item.
        Deferred = "DEFERRED",
        /// A later run showed the debt again.
        Reopened = "REOPENED",
    }
}

impl DebtStatus {
    /// Returns whether an item with this status counts towards the sprint's capacity: neither resolved nor deferred.
    pub fn is_active(self) -> bool {
        match self {
            Self::Open | Self::InProgress | Self::Reopened => true,
            Self::Resolved | Self::Deferred => false,
        }
    }
}

/// An event that can change the status of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebtEvent {
    /// A run shows the debt.
    Seen,
    /// A run that checked for the debt does not show it any more.
    Disproved,
    /// A person chooses the destination: the sprint or the inventory.
    Routed(Destination),
    /// A person defers the item.
    Deferred,
    /// Work on the item begins.
    Begun,
    /// The deferral has expired.
    Due,
}

/// A debt item of one run: the case with its id, status and destination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtItem {
    /// Id of the item, the same in all runs.
    #[serde(rename = "debtId")]
    pub id: DebtId,
    /// The debt as the run shows it.
    pub case: DebtCase,
    /// Status after this run.
    pub status: DebtStatus,
    /// Destination of the item.
    pub routing: Routing,
}

/// The debt of a run: what its evidence shows, combined with the register as it was when the run was sealed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DebtAssessment {
    /// The items, most severe first.
    pub items: Vec<DebtItem>,
    /// Ids of the items that no earlier run of the task showed.
    pub created: Vec<DebtId>,
    /// Ids of the task's items that this run resolves.
    pub resolved: Vec<DebtId>,
    /// Usage of the sprint's capacity after this run.
    pub capacity: SprintCapacity,
}

/// Usage of the sprint's capacity (contract of the debt file, `sprintCapacity`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SprintCapacity {
    /// Number of sprint items that are neither resolved nor deferred.
    pub items: u64,
    /// Maximum number of items.
    pub items_max: u64,
    /// Number of critical items among them.
    pub critical: u64,
    /// Maximum number of critical items.
    pub critical_max: u64,
}

/// The part of the register that an assessment needs, as it was when the run was sealed. It is evidence: a replay
/// assesses from the same numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtStanding {
    /// Version of this format.
    #[serde(rename = "debtStandingVersion")]
    pub version: String,
    /// Known items of this task, ordered by fingerprint.
    pub known: Vec<KnownDebt>,
    /// Number of sprint items of all tasks that are neither resolved nor deferred.
    pub sprint_items: u64,
    /// Number of critical items among them.
    pub sprint_critical: u64,
    /// Next item number of this task, from 1.
    pub next_item: u32,
    /// Next number of a sprint task, such as 31 for `T031`.
    pub next_sprint_task: u32,
    /// Next inventory number for the day on which the run ended, from 1.
    pub next_inventory: u32,
}

impl DebtStanding {
    /// The version that is written.
    pub const VERSION: &str = "1.0.0";
}

impl Default for DebtStanding {
    fn default() -> Self {
        Self {
            version: Self::VERSION.to_owned(),
            known: Vec::new(),
            sprint_items: 0,
            sprint_critical: 0,
            next_item: 0,
            next_sprint_task: 0,
            next_inventory: 0,
        }
    }
}

/// A debt item that was known before a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownDebt {
    /// Id of the item.
    #[serde(rename = "debtId")]
    pub id: DebtId,
    /// Fingerprint of the debt.
    pub fingerprint: Fingerprint,
    /// Id of the action that showed the debt.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// Name of that action.
    pub action_name: String,
    /// Name of the test behind the debt, where a test runner states one.
    pub test: Option<String>,
    /// Severity of the debt.
    pub severity: Severity,
    /// Status before the run.
    pub status: DebtStatus,
    /// Destination before the run.
    pub routing: Routing,
}

/// A debt item as the register keeps it over runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegisteredDebt {
    /// Id of the task whose runs show the debt.
    #[serde(rename = "taskId")]
    pub task: TaskId,
    /// The item as of the last run that showed it, with its current status and destination.
    pub item: DebtItem,
    /// The first run that showed it.
    pub first_seen: Sighting,
    /// The last run that showed it.
    pub last_seen: Sighting,
    /// Number of runs that showed it.
    pub runs: u64,
    /// End of the deferral. Null: not deferred, or deferred without an end.
    pub deferred_until: Option<Timestamp>,
    /// Changes of the item, oldest first.
    pub history: Vec<DebtChange>,
}

/// A change of a debt item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtChange {
    /// Time of the change.
    pub at: Timestamp,
    /// The run or person that made the change.
    pub by: ChangedBy,
    /// Status after the change.
    pub status: DebtStatus,
    /// Destination after the change.
    pub destination: Destination,
    /// Reason for the change, in one sentence.
    pub reason: String,
}

/// The run or person that changed an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum ChangedBy {
    /// The run with this id.
    Run(ExecutionId),
    /// The person with this name, as given. Self-asserted.
    Person(String),
}
