//! Policies of tools, and how debt is kept.

use referee_model::plan::DebtPolicy;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Node};

use super::{Rename, map, node, put, renamed, said, upper};
use crate::complaint::{Code, Finding, Findings};
use crate::full::CATEGORIES;
use crate::quantity::whole;

const DEBT: &[Rename] = &[("enabled", "enabled"), ("routing", "routingStrategy"), ("severities", "severityLevels")];

const CAPACITY: &[Rename] = &[("sprintItems", "sprintTasksMaxItems"), ("sprintCritical", "sprintTasksMaxCritical")];

/// The policies of a document, and what a pass after a failure counts for.
pub(super) fn policies(root: &Node) -> Entry {
    let mut policies = Vec::new();
    let mut tools = Vec::new();
    for entry in root.get("policy").map(Node::entries).unwrap_or_default() {
        let key = entry.key.as_str();
        if key == "criticalSeverities" {
            policies.push(entry.clone());
        } else if CATEGORIES.iter().any(|(name, _)| *name == key) {
            policies.push(put(key, entry, strategy("strategy", &entry.value)));
        } else if !key.starts_with("x-") {
            tools.push(put(key, entry, strategy("blockOn", &entry.value)));
        }
    }
    policies.push(said("tools", Span::BEGINNING, map(tools)));
    policies.extend(root.entry("flaky").map(|entry| put("flaky", entry, upper(&entry.value))));
    said("validationPolicy", Span::BEGINNING, map(policies))
}

/// A word alone is a strategy.
fn strategy(key: &str, written: &Node) -> Node {
    match written.kind {
        Kind::Text(_) => node(Kind::Map(vec![said(key, written.span, written.clone())]), written.span),
        _ => written.clone(),
    }
}

pub(super) fn debt(written: &Entry, findings: &mut Findings) -> Node {
    let written = &written.value;
    let count = |key: &str| written.entry(key).and_then(|entry| Some((entry, whole(&entry.value)?)));
    let items = count("sprintItems").map_or(u64::from(DebtPolicy::default().sprint_items_max), |(_, items)| items);
    if let Some((entry, critical)) = count("sprintCritical").filter(|(_, critical)| *critical > items) {
        let message = format!("{critical} critical items are more than all items that the sprint may have ({items})");
        findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
    }
    let mut debt = renamed(written, DEBT);
    debt.push(said("capacityThresholds", written.span, map(renamed(written, CAPACITY))));
    map(debt)
}
