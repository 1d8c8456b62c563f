//! What a run means for the register of debt, summed up.

use std::collections::BTreeMap;

use referee_model::debt::DebtGeneration;
use referee_model::plan::DebtRouting;
use referee_model::report::{ActionReport, Report};
use referee_model::severity::Severity;
use schemars::JsonSchema;
use serde::Serialize;

use crate::form;
use crate::number::Count;

/// The debt that the failures of a run call for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(super) struct DebtGenerated {
    /// Whether the specification wants debt to be kept. False: no failure calls for any.
    enabled: bool,
    /// How many actions call for an item; `debtGeneration` of each says which.
    items_called_for: Count,
    /// How many of them there are of each severity.
    #[schemars(with = "BTreeMap<form::Severity, Count>")]
    summary: BTreeMap<Severity, Count>,
    /// How items find their place.
    #[schemars(with = "form::DebtRouting")]
    routing_strategy: DebtRouting,
    /// Null: items are not written to a file yet.
    debt_data_file: (),
}

impl DebtGenerated {
    pub(super) fn new(report: &Report) -> Self {
        let ran = report.actions.iter().filter_map(ActionReport::ran);
        let severities: Vec<Severity> = ran
            .filter_map(|ran| match &ran.judgement.debt {
                DebtGeneration::Item { severity, .. } => Some(*severity),
                DebtGeneration::None { .. } => None,
            })
            .collect();
        let of = |severity| Count::of(severities.iter().filter(|other| **other == severity).count());
        let grave = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];
        Self {
            enabled: report.plan.debt.enabled,
            items_called_for: Count::of(severities.len()),
            summary: grave.into_iter().map(|severity| (severity, of(severity))).collect(),
            routing_strategy: report.plan.debt.routing,
            debt_data_file: (),
        }
    }
}
