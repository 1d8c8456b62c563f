//! How findings of tools are judged, in documents.

use std::collections::BTreeMap;

use referee_model::plan::{Category, CriticalSeverities, Policies, Strategy, ToolPolicy};
use referee_model::reading::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PoliciesDocument {
    /// Strategy of a category.
    #[schemars(with = "BTreeMap<form::Category, form::Strategy>")]
    categories: BTreeMap<Category, Strategy>,
    /// Policy of a tool, by the tool's canonical name.
    tools: BTreeMap<String, ToolPolicyDocument>,
    /// Severities whose findings count as errors, whatever the tool. Left out: errors alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<form::Level>")]
    critical_severities: Vec<Level>,
    /// Why they are as they are. Null: nothing is said.
    rationale: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ToolPolicyDocument {
    /// False: reported, never blocking.
    enabled: bool,
    /// The strategy. Null: the category's.
    #[schemars(with = "Option<form::Strategy>")]
    block_on: Option<Strategy>,
    /// Whether every warning counts as an error.
    treat_warnings_as_errors: bool,
    /// Warnings allowed; one more blocks.
    max_warnings: Option<u64>,
    /// Rules whose findings do not count.
    ignored_rules: Vec<String>,
    /// Rules whose warnings count as errors.
    error_on_rules: Vec<String>,
    /// False: what only a type checker's strictness raises does not count.
    #[serde(default = "yes")]
    strict_mode: bool,
    /// Whether what an implicit `any` raises does not count.
    #[serde(default)]
    allow_implicit_any: bool,
}

/// Plans that were stored before the option was known are judged as they were.
fn yes() -> bool {
    true
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
        let tool = |policy: &ToolPolicy| ToolPolicyDocument {
            enabled: policy.enabled,
            block_on: policy.block_on,
            treat_warnings_as_errors: policy.treat_warnings_as_errors,
            max_warnings: policy.max_warnings,
            ignored_rules: policy.ignored_rules.clone(),
            error_on_rules: policy.error_on_rules.clone(),
            strict_mode: policy.strict_mode,
            allow_implicit_any: policy.allow_implicit_any,
        };
        Self {
            categories: policies.categories.clone(),
            tools: policies.tools.iter().map(|(name, policy)| (name.clone(), tool(policy))).collect(),
            critical_severities: severities(policies.critical),
            rationale: policies.rationale.clone(),
        }
    }
}

impl From<PoliciesDocument> for Policies {
    fn from(document: PoliciesDocument) -> Self {
        let tool = |policy: ToolPolicyDocument| ToolPolicy {
            enabled: policy.enabled,
            block_on: policy.block_on,
            treat_warnings_as_errors: policy.treat_warnings_as_errors,
            max_warnings: policy.max_warnings,
            ignored_rules: policy.ignored_rules,
            error_on_rules: policy.error_on_rules,
            strict_mode: policy.strict_mode,
            allow_implicit_any: policy.allow_implicit_any,
        };
        Self {
            categories: document.categories,
            tools: document.tools.into_iter().map(|(name, policy)| (name, tool(policy))).collect(),
            critical: CriticalSeverities {
                warnings: document.critical_severities.contains(&Level::Warning),
                infos: document.critical_severities.contains(&Level::Info),
            },
            rationale: document.rationale,
        }
    }
}
