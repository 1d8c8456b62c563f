//! What is said of the task as a whole, beside its checks.

use referee_model::plan::{Criteria, DebtPolicy, DebtRouting, Evaluator, StepOrder};
use referee_model::selection::Profile;
use referee_model::severity::Severity;

use super::guard;
use crate::complaint::{Code, Finding, Findings};
use crate::task::Extras;
use crate::tree::Node;
use crate::word;

/// Reads everything but the conditions.
pub(super) fn extras(root: &Node, criteria: Criteria, evaluator: Option<Evaluator>, findings: &mut Findings) -> Extras {
    let word = |key: &str| root.get(key).and_then(Node::text);
    let profile = word("profile").and_then(|word| Profile::ALL.into_iter().find(|profile| profile.as_str() == word));
    Extras {
        guard: guard::guard(root, findings),
        criteria,
        red_phase: word("tddPhase").is_some_and(|phase| phase.eq_ignore_ascii_case("RED")),
        flaky_fails: word("flaky") == Some("fail"),
        evaluator,
        debt: root.get("debt").map(|node| debt(node, findings)).unwrap_or_default(),
        // Checks depend on each other by their needs alone.
        step_order: StepOrder::Free,
        parallel: root.get("parallel").and_then(Node::boolean).unwrap_or(false),
        profile: profile.unwrap_or_default(),
    }
}

/// Reads how debt is kept (ruling 20).
fn debt(node: &Node, findings: &mut Findings) -> DebtPolicy {
    let default = DebtPolicy::default();
    let count = |key: &str| node.get(key).and_then(Node::integer).and_then(|count| u32::try_from(count).ok());
    let items = count("sprintItems").unwrap_or(default.sprint_items_max);
    let critical = count("sprintCritical");
    if let (Some(critical), Some(entry)) = (critical, node.entry("sprintCritical"))
        && critical > items
    {
        let message = format!("{critical} critical items are more than all items that the sprint may have ({items})");
        findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
    }
    let routing = match node.get("routing").and_then(Node::text) {
        Some("SEVERITY_BASED") => DebtRouting::SeverityBased,
        Some("MANUAL") => DebtRouting::Manual,
        _ => DebtRouting::CapacityBased,
    };
    let severities = node.get("severities").map(Node::elements).unwrap_or_default();
    let mut severities: Vec<Severity> = severities.iter().filter_map(|word| word::severity(word.text()?)).collect();
    severities.sort_unstable_by(|one, other| other.cmp(one));
    severities.dedup();
    DebtPolicy {
        enabled: node.get("enabled").and_then(Node::boolean).unwrap_or(default.enabled),
        routing,
        sprint_items_max: items,
        sprint_critical_max: critical.unwrap_or(default.sprint_critical_max.min(items)),
        severities: if severities.is_empty() { default.severities } else { severities },
    }
}
