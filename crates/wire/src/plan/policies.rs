//! How findings of tools are judged, in documents.

use std::collections::BTreeMap;

use referee_model::plan::{Category, CriticalSeverities, Policies, Strategy, ToolPolicy};
use referee_model::reading::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PoliciesDocument {
    /// Strategy of a category.
    categories: BTreeMap<Category, Strategy>,
    /// Policy of a tool, by the tool's canonical name.
    tools: BTreeMap<String, ToolPolicy>,
    /// Severities whose findings count as errors, whatever the tool. Left out: errors alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    critical_severities: Vec<Level>,
    /// Why they are as they are. Null: nothing is said.
    rationale: Option<String>,
}

/// The critical severities. Empty: errors alone.
fn severities(critical: CriticalSeverities) -> Vec<Level> {
    let CriticalSeverities { warnings, infos } = critical;
    let beside = [(warnings, Level::Warning), (infos, Level::Info)];
    let beside: Vec<Level> = beside.into_iter().filter(|(is_set, _)| *is_set).map(|(_, level)| level).collect();
    if beside.is_empty() { beside } else { [vec![Level::Error], beside].concat() }
}

impl From<&Policies> for PoliciesDocument {
    fn from(policies: &Policies) -> Self {
        Self {
            categories: policies.categories.clone(),
            tools: policies.tools.clone(),
            critical_severities: severities(policies.critical),
            rationale: policies.rationale.clone(),
        }
    }
}

impl From<PoliciesDocument> for Policies {
    fn from(document: PoliciesDocument) -> Self {
        Self {
            categories: document.categories,
            tools: document.tools,
            critical: CriticalSeverities {
                warnings: document.critical_severities.contains(&Level::Warning),
                infos: document.critical_severities.contains(&Level::Info),
            },
            rationale: document.rationale,
        }
    }
}
