//! Summary of the technical debt that a run leaves (seed 1, `technicalDebtGenerated`).

use std::collections::BTreeMap;

use referee_model::debt::Destination;
use referee_model::plan::DebtRouting;
use referee_model::report::Report;
use referee_model::severity::Severity;

use crate::technical_debt::routed;
use referee_model::evidence_name;
use referee_model::number::Count;

/// Summary of the technical debt of a run.
#[document(nulls)]
pub(super) struct DebtGenerated {
    /// Whether the specification turns debt on. False: no failure leaves an item.
    enabled: bool,
    /// Number of items that the run leaves, whether or not they were known before.
    items_created: Count,
    /// Number of those items that no earlier run of the task has shown.
    new_items: Count,
    /// Number of known items that the run shows to be resolved.
    resolved_items: Count,
    /// Name of the file that holds the items. Null: the specification turns debt off.
    debt_data_file: Option<&'static str>,
    /// Number of items by severity.
    summary: BTreeMap<Severity, Count>,
    /// Number of items by destination.
    routing: Routing,
    /// Strategy by which items are routed.
    routing_strategy: DebtRouting,
}

/// Number of items by destination.
#[document]
struct Routing {
    /// Number of items that become tasks of the current sprint.
    to_sprint: Count,
    /// Number of items that go to the inventory of debt.
    to_inventory: Count,
    /// Number of items that wait for a person to route them.
    undecided: Count,
}

impl DebtGenerated {
    pub(super) fn new(report: &Report) -> Self {
        let (policy, debt) = (&report.plan.debt, &report.debt);
        let of = |severity| Count::of(debt.items.iter().filter(|item| item.case.severity == severity).count());
        let grave = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];
        Self {
            enabled: policy.enabled,
            items_created: Count::of(debt.items.len()),
            new_items: Count::of(debt.created.len()),
            resolved_items: Count::of(debt.resolved.len()),
            debt_data_file: policy.enabled.then_some(evidence_name::TECHNICAL_DEBT),
            summary: grave.into_iter().map(|severity| (severity, of(severity))).collect(),
            routing: Routing {
                to_sprint: routed(&debt.items, Destination::SprintTasks),
                to_inventory: routed(&debt.items, Destination::Inventory),
                undecided: routed(&debt.items, Destination::Undecided),
            },
            routing_strategy: policy.routing,
        }
    }
}
