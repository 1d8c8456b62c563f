//! `technical-debt-data.json`: the technical debt that a run leaves, item by item (contract of the debt file).
//!
//! The document is a projection of the report. The instructions for agents (`agentInstructions`) are made here;
//! text of tools is escaped in them, so that no output can add a task or tick one.

use referee_model::canonical::{self, CanonicalError};
use referee_model::debt::{
    DebtCategory, DebtEvidence, DebtItem, DebtStatus, Destination, ErrorDetails, FailedTest, Guidance, Location,
    Routing,
};
use referee_model::document::{self, Kind};
use referee_model::fingerprint::Fingerprint;
use referee_model::id::{ActionId, DebtId, Digest, ExecutionId, TaskId};
use referee_model::number::Count;
use referee_model::plan::DebtRouting;
use referee_model::report::Report;
use referee_model::severity::Severity;
use referee_model::time::Timestamp;
use referee_syntax::line::one_line;
use referee_syntax::markdown;

const KIND: Kind = Kind { name: "technical-debt-data.json", key: "debtDataVersion", version: "1.0.0" };

/// Reasons why the document cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum TechnicalDebtError {
    /// The document cannot be hashed.
    #[error("cannot canonicalize the technical debt: {0}")]
    Canonical(#[from] CanonicalError),
    /// The document cannot be written as JSON.
    #[error("cannot serialize the technical debt: {0}")]
    Json(#[from] serde_json::Error),
}

/// Technical debt of one run.
#[document]
#[cfg_attr(feature = "schema", schemars(title = "Referee technical debt"))]
pub struct TechnicalDebtDocument<'a> {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    debt_data_version: &'static str,
    /// Id of the task whose run left the items.
    task_id: &'a TaskId,
    /// Id of the run that this document was made from.
    test_execution_id: &'a ExecutionId,
    /// Time at which the run ended; items are made from evidence alone.
    generated_at: Timestamp,
    /// Name and version of the program that ran the task, such as `Referee 1.0.0`.
    generated_by: String,
    /// Always false: an agent may have started the run, but it only reads the items that the run leaves.
    agent_involved: bool,
    /// Whether the specification turns debt on. False: there are no items, whatever failed.
    enabled: bool,
    /// Items that the run left, most severe first.
    debt_items: Vec<ItemDocument<'a>>,
    /// Items that no earlier run of the task has shown.
    new_items: &'a [DebtId],
    /// Known items that this run shows to be resolved.
    resolved_items: &'a [DebtId],
    /// Number of items by destination, and the capacity of the sprint.
    routing_summary: RoutingSummary,
    /// Hash of this document, and what protects it against changes.
    authenticity: Authenticity,
}

/// An item of technical debt. Keys beside those of the contract (`fingerprint`, `actionId`, `status`,
/// `occurrences`, `places`, …) hold the facts from which the item is made.
#[document(nulls)]
struct ItemDocument<'a> {
    /// Id of the item, the same in all runs.
    debt_id: &'a DebtId,
    /// Fingerprint by which the item is recognized in other runs.
    fingerprint: Fingerprint,
    /// Title of the item, one line.
    title: &'a str,
    /// Description of the problem, in full sentences.
    description: &'a str,
    /// Status of the item after this run.
    status: DebtStatus,
    /// Action that showed the item.
    action_id: &'a ActionId,
    /// Name of the action `actionId` in the plan.
    action_name: &'a str,
    /// Category, severity, priority and estimated effort of the item.
    classification: Classification<'a>,
    /// Where the item is recorded, and why.
    routing: &'a Routing,
    /// Number of occurrences, which also counts those beyond the listed places.
    occurrences: Count,
    /// Places where the item occurs, in the order of the output.
    places: &'a [Location],
    /// Failed test or request that the item comes from. Null: it comes from neither.
    test_failure: Option<&'a FailedTest>,
    /// Files and log ranges in the evidence directory that show the item.
    evidence: &'a DebtEvidence,
    /// Steps, files and acceptance criteria, taken from findings, tests and the specification.
    implementation_guidance: &'a Guidance,
    /// Details of the failure that the item comes from.
    error_details: &'a ErrorDetails,
    /// Instructions for the agent that works on the item, with the changes that it must not make.
    agent_instructions: AgentInstructions,
}

#[document]
struct Classification<'a> {
    /// Kind of work that the item requires.
    category: DebtCategory,
    /// Severity of the failure that the item comes from.
    severity: Severity,
    /// Priority: 1 for CRITICAL to 4 for LOW.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 4)))]
    priority: u8,
    /// Estimated effort as a range of hours, by category and occurrences.
    estimated_effort: &'a str,
}

/// Instructions for the agent that works on an item, with the changes that it must not make.
#[document]
struct AgentInstructions {
    /// Line for the list of tasks, to be copied as it is. For an item that is not a task of the sprint it holds the
    /// item's own id.
    markdown_format: String,
    /// Instruction for the agent on `tasks.md` for this item.
    task_file_update: String,
    /// Instruction for the agent on `debt-inventory.md` for this item.
    inventory_update: String,
    /// Changes to the item that the agent must not make.
    prohibited_actions: Vec<&'static str>,
}

#[document]
struct RoutingSummary {
    /// Number of items in `debtItems`.
    total_debt_items: Count,
    /// Number of items with the destination `SPRINT_TASKS`.
    routed_to_sprint: Count,
    /// Number of items with the destination `INVENTORY`.
    routed_to_inventory: Count,
    /// Number of items that wait for a person to route them.
    undecided: Count,
    /// Strategy by which items are routed, from the specification.
    routing_strategy: DebtRouting,
    /// Occupancy of the sprint after the run, over all tasks.
    sprint_capacity: SprintCapacityDocument,
}

/// Occupancy of the sprint after the run, over all tasks.
#[document]
struct SprintCapacityDocument {
    /// Number of debt items in the sprint that are neither done nor deferred.
    current_tasks: Count,
    /// Maximum number of items in the sprint, `sprintTasksMaxItems` of the specification.
    max_tasks: Count,
    /// Number of items that the sprint can still take; at least 0.
    available_slots: Count,
    /// Number of current items that `sprintTasksMaxCritical` limits: CRITICAL ones only.
    critical_high_tasks: Count,
    /// Maximum number of CRITICAL items in the sprint, `sprintTasksMaxCritical` of the specification.
    max_critical_high: Count,
}

/// Origin of the file. It is self-asserted; the run's seal also holds the digest of this file.
#[document]
struct Authenticity {
    /// SHA-256 of the RFC 8785 bytes of this document without this key.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::id::Digest", required))]
    sha256_hash: Option<Digest>,
    /// Always `self-asserted`: the file is not signed.
    signature_verification: &'static str,
    /// Always `sealed`: a seal beside the file lists every file of the run with size and hash.
    tamper_detection: &'static str,
}

/// Returns the bytes of `technical-debt-data.json`, which are always the same for the same report.
///
/// # Errors
/// Fails only for values that canonical JSON cannot hold.
pub fn render(report: &Report) -> Result<Vec<u8>, TechnicalDebtError> {
    let mut document = TechnicalDebtDocument::new(report);
    document.authenticity.sha256_hash = Some(Digest::of(canonical::bytes(&serde_json::to_value(&document)?)?));
    Ok(document::to_bytes(&document)?)
}

impl<'a> TechnicalDebtDocument<'a> {
    fn new(report: &'a Report) -> Self {
        let debt = &report.debt;
        Self {
            debt_data_version: KIND.version,
            task_id: &report.plan.task,
            test_execution_id: &report.run.execution,
            generated_at: report.run.ended,
            generated_by: format!("Referee {}", report.run.host.version),
            agent_involved: false,
            enabled: report.plan.debt.enabled,
            debt_items: debt.items.iter().map(ItemDocument::from).collect(),
            new_items: &debt.created,
            resolved_items: &debt.resolved,
            routing_summary: RoutingSummary::new(report),
            authenticity: Authenticity {
                sha256_hash: None,
                signature_verification: "self-asserted",
                tamper_detection: "sealed",
            },
        }
    }
}

impl RoutingSummary {
    fn new(report: &Report) -> Self {
        let debt = &report.debt;
        let capacity = &debt.capacity;
        Self {
            total_debt_items: Count::of(debt.items.len()),
            routed_to_sprint: routed(&debt.items, Destination::SprintTasks),
            routed_to_inventory: routed(&debt.items, Destination::Inventory),
            undecided: routed(&debt.items, Destination::Undecided),
            routing_strategy: report.plan.debt.routing,
            sprint_capacity: SprintCapacityDocument {
                current_tasks: capacity.items.into(),
                max_tasks: capacity.items_max.into(),
                available_slots: capacity.items_max.saturating_sub(capacity.items).into(),
                critical_high_tasks: capacity.critical.into(),
                max_critical_high: capacity.critical_max.into(),
            },
        }
    }
}

/// Counts the items with a destination.
pub(crate) fn routed(items: &[DebtItem], destination: Destination) -> Count {
    Count::of(items.iter().filter(|item| item.routing.destination == destination).count())
}

impl<'a> From<&'a DebtItem> for ItemDocument<'a> {
    fn from(item: &'a DebtItem) -> Self {
        let case = &item.case;
        Self {
            debt_id: &item.id,
            fingerprint: case.fingerprint,
            title: &case.title,
            description: &case.description,
            status: item.status,
            action_id: &case.action,
            action_name: &case.action_name,
            classification: Classification {
                category: case.category,
                severity: case.severity,
                priority: case.severity.priority(),
                estimated_effort: &case.estimated_effort,
            },
            routing: &item.routing,
            occurrences: case.occurrences.into(),
            places: &case.places,
            test_failure: case.test_failure.as_ref(),
            evidence: &case.evidence,
            implementation_guidance: &case.guidance,
            error_details: &case.details,
            agent_instructions: item.into(),
        }
    }
}

impl From<&DebtItem> for AgentInstructions {
    fn from(item: &DebtItem) -> Self {
        let routing = &item.routing;
        let line = task_line(item);
        let task_file_update = match (&routing.destination, &routing.sprint_task) {
            (Destination::SprintTasks, Some(task)) => {
                format!("Add {task} to tasks.md as `referee debt export` writes it, and change nothing in it")
            }
            (Destination::Undecided, _) => {
                format!("Leave tasks.md alone: a person decides where {} goes (`referee debt route`)", item.id)
            }
            _ => format!("Leave tasks.md alone: {} is in the inventory", item.id),
        };
        Self {
            markdown_format: line,
            task_file_update,
            inventory_update: format!(
                "Add {} to debt-inventory.md as {}, as `referee debt export` writes it",
                item.id, routing.inventory
            ),
            prohibited_actions: PROHIBITED.to_vec(),
        }
    }
}

/// Changes to an item that an agent must not make (contract of the debt item).
const PROHIBITED: [&str; 5] = [
    "change the severity, priority or category",
    "change where it is routed, or its ids",
    "change its wording, or its links to evidence",
    "mark it as complete: only a run that shows it no more resolves it",
    "remove it from any of the files",
];

/// Returns the line for the list of tasks: `- [ ] **T031**: …`. Text of tools is escaped in it.
fn task_line(item: &DebtItem) -> String {
    let case = &item.case;
    let name = item.routing.sprint_task.as_ref().map_or_else(|| item.id.to_string(), ToString::to_string);
    // The lowest priority is spelled LOW.
    let severity = case.severity.max(Severity::Low).as_str();
    let title = markdown::escaped(&one_line(&case.title), usize::MAX);
    format!("- [ ] **{name}**: {title} ({}, {severity}, {})", item.id, case.estimated_effort)
}
