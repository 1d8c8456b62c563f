//! Technical debt: what a failure leaves to be done.

use serde::{Deserialize, Serialize};

use crate::diagnostic_log::Sighting;
use crate::fingerprint::Fingerprint;
use crate::id::{ActionId, DebtId, ExecutionId, TaskId};
use crate::severity::Severity;
use crate::taxonomy::Outcome;
use crate::time::Timestamp;

/// Categories of debt: the eight of schema 2.0.0, and refactoring (ruling 19).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DebtCategory {
    /// An endpoint answers 404.
    ApiEndpointMissing,
    /// Tests other than HTTP ones fail, or types are wrong.
    ValidationMissing,
    /// Errors are not handled.
    ErrorHandlingMissing,
    /// A server answers 5xx.
    BusinessLogicError,
    /// The database schema is wrong.
    DatabaseSchemaIssue,
    /// Tools, servers or dependencies are not there.
    IntegrationFailure,
    /// Something is too slow.
    PerformanceIssue,
    /// A weakness that can be attacked.
    SecurityVulnerability,
    /// Lint and format.
    Refactor,
}

impl DebtCategory {
    /// Returns the category as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ApiEndpointMissing => "API_ENDPOINT_MISSING",
            Self::ValidationMissing => "VALIDATION_MISSING",
            Self::ErrorHandlingMissing => "ERROR_HANDLING_MISSING",
            Self::BusinessLogicError => "BUSINESS_LOGIC_ERROR",
            Self::DatabaseSchemaIssue => "DATABASE_SCHEMA_ISSUE",
            Self::IntegrationFailure => "INTEGRATION_FAILURE",
            Self::PerformanceIssue => "PERFORMANCE_ISSUE",
            Self::SecurityVulnerability => "SECURITY_VULNERABILITY",
            Self::Refactor => "REFACTOR",
        }
    }
}

/// What one judged action means for the register of debt (seed 1, `debtGeneration`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DebtGeneration {
    /// It leaves an item.
    Item(DebtSummary),
    /// It leaves none.
    None {
        /// Why not.
        reason: String,
    },
}

/// What the judgement of an action says of the item that it leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebtSummary {
    /// The item's category.
    pub category: DebtCategory,
    /// The item's severity: that of the outcome (ruling 11).
    pub severity: Severity,
    /// A line for people.
    pub title: String,
    /// Why it is debt.
    pub reason: String,
    /// What to do about it.
    pub suggested_fix: String,
    /// The first file to look at.
    pub file: Option<String>,
    /// The 1-based line in it.
    pub line: Option<u32>,
}

/// Something that a run leaves to be done, as its evidence shows it, whether or not it was known before. One for each
/// distinct fingerprint; it collects all occurrences (ruling 19).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtCase {
    /// What makes it the same one in another run.
    pub fingerprint: Fingerprint,
    /// The action that showed it first.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// The name of that action: it stays where a check is put before it, and its number does not.
    pub action_name: String,
    /// One-line summary, for people.
    pub title: String,
    /// What is wrong, in full sentences.
    pub description: String,
    /// Its category.
    pub category: DebtCategory,
    /// Its severity; the priority 1 to 4 follows from it.
    pub severity: Severity,
    /// A range of hours, such as `1-2 hours`.
    pub estimated_effort: String,
    /// Where it occurs, in the order of the output; at most [`crate::limit::DEBT_PLACES_KEPT`].
    pub places: Vec<Location>,
    /// How often it occurs, also beyond what is listed.
    pub occurrences: u64,
    /// The failed test or request that it comes from.
    pub test_failure: Option<FailedTest>,
    /// Evidence that shows it.
    pub evidence: DebtEvidence,
    /// Steps that remove the debt, taken from findings, tests and the specification.
    #[serde(rename = "implementationGuidance")]
    pub guidance: Guidance,
    /// What happened (seed 1, `errorDetails`).
    #[serde(rename = "errorDetails")]
    pub details: ErrorDetails,
}

impl DebtCase {
    /// Says where it occurs; its error is at the first of these places.
    pub fn lie_at(&mut self, places: Vec<Location>) {
        let (first, error) = (places.first(), &mut self.details.original_error);
        error.file = first.map(|place| place.file.clone());
        (error.line, error.column) = first.map_or((None, None), |place| (place.line, place.column));
        self.places = places;
    }
}

/// A place in the project.
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

/// What a failed test is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailedKind {
    /// A test of a test runner.
    Test,
    /// A suite that never ran.
    Suite,
    /// An HTTP request.
    Request,
}

/// A failed test (contract of the debt item, `testFailure`). What the output does not say stays out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailedTest {
    /// Whether it is a test, a suite that never ran, or an HTTP request.
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
    /// What the test or request received. Null: the output does not say it.
    #[serde(rename = "actualBehavior")]
    pub actual: Option<String>,
}

/// Evidence that shows a debt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtEvidence {
    /// Files in the task's directory of evidence.
    pub files: Vec<String>,
    /// The lines of the log that those bytes lie in, 1-based, sorted, each once; at most
    /// [`crate::limit::DEBT_LOG_LINES_KEPT`].
    #[serde(rename = "relevantLogLines")]
    pub log_lines: Vec<u32>,
    /// The bytes of the log that show it, as half-open ranges.
    #[serde(rename = "relevantLogBytes")]
    pub log_ranges: Vec<(u64, u64)>,
    /// None: nothing is run in a browser.
    pub screenshots: [String; 0],
}

/// What to do about a debt: nothing in it is invented, all of it is taken from findings, tests and the specification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Guidance {
    /// Files to inspect first, relative to the workspace.
    pub files: Vec<String>,
    /// What to do, in order.
    pub steps: Vec<String>,
    /// Tasks and actions that it rests on, such as `T001: …`.
    pub dependencies: Vec<String>,
    /// Conditions under which the item is resolved.
    #[serde(rename = "acceptanceCriteria")]
    pub acceptance: Vec<String>,
}

/// What happened (seed 1, `errorDetails`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorDetails {
    /// How the action came out.
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

/// What a failed action, or its tool, said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OriginalError {
    /// The kind of error: a code, a rule, a status, or the tool.
    #[serde(rename = "type")]
    pub error_type: String,
    /// Message of the error.
    pub message: String,
    /// Value that was expected. Null: the output does not say it.
    pub expected: Option<String>,
    /// Value that was received. Null: the output does not say it.
    pub received: Option<String>,
    /// The file of the first place.
    pub file: Option<String>,
    /// 1-based line in `file`. Null: not known.
    pub line: Option<u32>,
    /// 1-based column in `line`. Null: not known.
    pub column: Option<u32>,
}

/// What was around a failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorContext {
    /// Whether every prerequisite ran and holds.
    pub prerequisites_met: bool,
    /// Whether a service was up while it ran. None: the task has no service.
    pub server_running: Option<bool>,
    /// The last steps before it that succeeded, in plan order.
    pub previous_steps_succeeded: Vec<ActionId>,
    /// Other actions of the run that failed too: those in the same file first.
    pub related_failures: Vec<ActionId>,
}

/// What was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorTrace {
    /// The request and its answer, where it was one.
    #[serde(rename = "httpTrace")]
    pub http: Option<HttpTrace>,
    /// Files that were looked at.
    pub files_checked: Vec<String>,
}

/// A request and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpTrace {
    /// Method and URL of the request, separated by a blank.
    pub request: String,
    /// HTTP status of the answer. Null: no answer came.
    #[serde(rename = "responseStatus")]
    pub status: Option<u16>,
    /// The body that came, bounded.
    #[serde(rename = "responseBody")]
    pub body: Option<String>,
}

/// Where an item of debt lies: in exactly one of these (ruling 20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Destination {
    /// Among the tasks of the sprint.
    SprintTasks,
    /// In the inventory, for a later sprint.
    Inventory,
    /// Nowhere yet: a person decides.
    Undecided,
}

impl Destination {
    /// Returns the destination as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SprintTasks => "SPRINT_TASKS",
            Self::Inventory => "INVENTORY",
            Self::Undecided => "UNDECIDED",
        }
    }
}

/// Who said where an item goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RoutedBy {
    /// The rules of routing. An item that becomes critical later is taken into the sprint all the same.
    Rules,
    /// A person, whose word no run changes.
    Person,
}

/// Where an item goes, and why.
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
    /// The task of the sprint that it becomes.
    #[serde(rename = "sprintTaskId")]
    pub sprint_task: Option<TaskId>,
    /// Its number in the inventory, `DEBT-INV-<date>-<nnn>`: every item has one.
    #[serde(rename = "inventoryCorrelationId")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::InventoryId"))]
    pub inventory: String,
}

/// Whether an item is still to be done (ruling 20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DebtStatus {
    /// To be done.
    Open,
    /// Somebody is at it.
    InProgress,
    /// A run disproved it.
    Resolved,
    /// A person put it off.
    Deferred,
    /// A later run showed it again.
    Reopened,
}

impl DebtStatus {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Open, Self::InProgress, Self::Resolved, Self::Deferred, Self::Reopened];

    /// Returns the status as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::InProgress => "IN_PROGRESS",
            Self::Resolved => "RESOLVED",
            Self::Deferred => "DEFERRED",
            Self::Reopened => "REOPENED",
        }
    }

    /// Whether an item of this status takes a place in the sprint, if it lies there: it is neither done nor put off.
    pub fn is_active(self) -> bool {
        match self {
            Self::Open | Self::InProgress | Self::Reopened => true,
            Self::Resolved | Self::Deferred => false,
        }
    }
}

/// What can happen to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebtEvent {
    /// A run shows it.
    Seen,
    /// A run that looked shows it no more.
    Disproved,
    /// A person says who does it: the sprint or the inventory.
    Routed(Destination),
    /// A person puts it off.
    Deferred,
    /// Somebody begins with it.
    Begun,
    /// The time is over for which it was put off.
    Due,
}

/// An item of debt of one run: the case, with its id and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtItem {
    /// Its id, the same in all runs.
    #[serde(rename = "debtId")]
    pub id: DebtId,
    /// What the run shows.
    pub case: DebtCase,
    /// Its status after this run.
    pub status: DebtStatus,
    /// Where it lies.
    pub routing: Routing,
}

/// All debt of a run: what its evidence shows, with what the register knew when it was sealed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DebtAssessment {
    /// The items, gravest first.
    pub items: Vec<DebtItem>,
    /// Those among them that no run of the task has shown before.
    pub created: Vec<DebtId>,
    /// Items of the task that this run disproves.
    pub resolved: Vec<DebtId>,
    /// How full the sprint is after this run.
    pub capacity: SprintCapacity,
}

/// How full the sprint is (contract of the debt file, `sprintCapacity`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SprintCapacity {
    /// Items in the sprint that are neither done nor put off.
    pub items: u64,
    /// Most items.
    pub items_max: u64,
    /// Critical ones among them.
    pub critical: u64,
    /// Most critical ones.
    pub critical_max: u64,
}

/// What of the register an assessment needs, as it was when the run was sealed. It is evidence: a replay assesses from
/// the same numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtStanding {
    /// The version of this document.
    #[serde(rename = "debtStandingVersion")]
    pub version: String,
    /// Items of this task that were known, by fingerprint order.
    pub known: Vec<KnownDebt>,
    /// Items of all tasks that lie in the sprint and are neither done nor put off.
    pub sprint_items: u64,
    /// Critical ones among them.
    pub sprint_critical: u64,
    /// The next number of an item of this task, from 1.
    pub next_item: u32,
    /// The next number of a sprint's task, such as 31 for `T031`.
    pub next_sprint_task: u32,
    /// The next number of the inventory on the day on which the run ended, from 1.
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

/// An item that was known before a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownDebt {
    /// Its id.
    #[serde(rename = "debtId")]
    pub id: DebtId,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// The action that showed it.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// The name of that action.
    pub action_name: String,
    /// The test that it comes from, where it is one that a runner names.
    pub test: Option<String>,
    /// Its severity.
    pub severity: Severity,
    /// Its status before the run.
    pub status: DebtStatus,
    /// Where it lay before the run.
    pub routing: Routing,
}

/// An item as the register keeps it over runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegisteredDebt {
    /// The task whose runs show it.
    #[serde(rename = "taskId")]
    pub task: TaskId,
    /// As the last run that showed it left it; its status and routing are those of today.
    pub item: DebtItem,
    /// The run that first showed it.
    pub first_seen: Sighting,
    /// The run that last showed it.
    pub last_seen: Sighting,
    /// How many runs showed it.
    pub runs: u64,
    /// Until when it is put off, where it is.
    pub deferred_until: Option<Timestamp>,
    /// What happened to it, oldest first.
    pub history: Vec<DebtChange>,
}

/// A change of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebtChange {
    /// When.
    pub at: Timestamp,
    /// By what.
    pub by: ChangedBy,
    /// The status after it.
    pub status: DebtStatus,
    /// Where it lies after it.
    pub destination: Destination,
    /// Reason for the change, in one sentence.
    pub reason: String,
}

/// What changed an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum ChangedBy {
    /// A run.
    Run(ExecutionId),
    /// A person, by the name that was given. Self-asserted.
    Person(String),
}
