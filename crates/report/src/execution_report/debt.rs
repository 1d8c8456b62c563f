//! What a run leaves to be done, summed up (seed 1, `technicalDebtGenerated`).

use std::collections::BTreeMap;

use referee_model::debt::Destination;
use referee_model::plan::DebtRouting;
use referee_model::report::Report;
use referee_model::severity::Severity;
use serde::Serialize;

use crate::technical_debt::routed;
use referee_model::evidence_name;
use referee_model::number::Count;

/// The debt of a run, summed up.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub(super) struct DebtGenerated {
    /// Whether the specification wants debt to be kept. False: no failure leaves any.
    enabled: bool,
    /// How many items the run leaves, whether or not they were known before.
    items_created: Count,
    /// How many of them no run of the task has shown before.
    new_items: Count,
    /// How many known items the run disproves.
    resolved_items: Count,
    /// The file that holds them. Null: the specification turns debt off.
    debt_data_file: Option<&'static str>,
    /// How many there are of each severity.
    summary: BTreeMap<Severity, Count>,
    /// Number of items by destination.
    routing: Routing,
    /// How items find their place.
    routing_strategy: DebtRouting,
}

/// How many items go where.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Routing {
    /// Number of items that become tasks of the current sprint.
    to_sprint: Count,
    /// Number of items that go to the inventory of debt.
    to_inventory: Count,
    /// They wait for a person to route them.
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
