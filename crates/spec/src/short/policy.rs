//! Converts policies of tools, and of debt.

use crate::form::short as keys;
use referee_model::plan::DebtPolicy;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Member, Node};

use super::{map, node, put, renamed, said, upper};
use crate::complaint::{Code, Finding, Findings};
use crate::full::CATEGORIES;
use crate::quantity::whole;

/// Returns the policies of a document, and the treatment of a pass after a failure.
pub(super) fn policies(root: &keys::Specification<'_>) -> Entry {
    let mut policies = Vec::new();
    let mut tools = Vec::new();
    for entry in root.policy.entries() {
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
    policies.extend(root.flaky.entry().map(|entry| put("flaky", entry, upper(&entry.value))));
    said("validationPolicy", Span::BEGINNING, map(policies))
}

/// Converts a policy; a word alone is a strategy.
fn strategy(key: &str, written: &Node) -> Node {
    match written.kind {
        Kind::Text(_) => node(Kind::Map(vec![said(key, written.span, written.clone())]), written.span),
        _ => written.clone(),
    }
}

pub(super) fn debt(written: &Node, findings: &mut Findings) -> Node {
    let debt = keys::Debt::of(written);
    let count = |member: Member<'_>| member.node().and_then(whole);
    let items = count(debt.sprint_items).unwrap_or(u64::from(DebtPolicy::default().sprint_items_max));
    let critical = count(debt.sprint_critical).filter(|critical| *critical > items);
    if let Some((entry, critical)) = debt.sprint_critical.entry().zip(critical) {
        let message = format!("{critical} critical items are more than all items that the sprint may have ({items})");
        findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
    }
    let capacity = [(debt.sprint_items, "sprintTasksMaxItems"), (debt.sprint_critical, "sprintTasksMaxCritical")];
    let mut debt =
        renamed(&[(debt.enabled, "enabled"), (debt.routing, "routingStrategy"), (debt.severities, "severityLevels")]);
    debt.push(said("capacityThresholds", written.span, map(renamed(&capacity))));
    map(debt)
}
