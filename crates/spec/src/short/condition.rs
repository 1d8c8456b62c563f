//! Conditions over the checks (ruling 14). They name checks by their names, or by their ids.

use std::collections::HashMap;

use referee_model::condition::{Condition, Field, PathStep, Subject, parse};
use referee_model::id::ActionId;
use referee_model::plan::Criteria;

use crate::complaint::{Code, Finding, Findings};
use crate::conditions::{Written, read, visit};
use crate::source::{Span, quote};
use crate::task::Check;
use crate::tree::Node;

/// Reads the conditions of a task.
pub(super) fn criteria(root: &Node, checks: &[Check], findings: &mut Findings) -> Criteria {
    let mut named: HashMap<&str, &ActionId> = HashMap::new();
    // Where phases share a name it is the step's, else the earlier one's.
    let (steps, others): (Vec<&Check>, Vec<&Check>) =
        checks.iter().partition(|check| check.id.as_str().starts_with("STEP."));
    for check in steps.into_iter().chain(others) {
        named.entry(&check.name).or_insert(&check.id);
    }
    Criteria {
        success: conditions(root, "conditions", checks, &named, findings),
        failure: conditions(root, "failureConditions", checks, &named, findings),
        expected_output: None,
    }
}

fn conditions(
    root: &Node,
    key: &str,
    checks: &[Check],
    named: &HashMap<&str, &ActionId>,
    findings: &mut Findings,
) -> Vec<Condition> {
    let nodes = root.get(key).map(Node::elements).unwrap_or_default();
    nodes.iter().filter_map(|node| condition(node, checks, named, findings)).collect()
}

fn condition(
    node: &Node,
    checks: &[Check],
    named: &HashMap<&str, &ActionId>,
    findings: &mut Findings,
) -> Option<Condition> {
    let stated = node.get("condition").unwrap_or(node);
    let text = stated.text().filter(|text| !text.trim().is_empty())?;
    let description = node.get("description").and_then(Node::text).unwrap_or(text);
    let written = Written { text, span: stated.span, description };
    let find = |name: &str| named.get(name).copied().cloned();
    let mut condition = read(&written, checks, &find, findings)?;
    visit(&mut condition.expression, &mut |field| weigh_name(field, named, stated.span, findings));
    if parse(text).ok().as_ref() != Some(&condition.expression) {
        // It names a check by its name. What is kept must mean the same to whoever does not know the names.
        condition.text = condition.expression.to_string();
    }
    Some(condition)
}

/// Complains about the name of a check that is also that of a field, and so means a field of the last step.
fn weigh_name(field: &Field, named: &HashMap<&str, &ActionId>, place: Span, findings: &mut Findings) {
    let (Subject::LastStep, [PathStep::Key(name), _, ..]) = (&field.of, field.path.as_slice()) else { return };
    let Some(id) = named.get(name.as_str()) else { return };
    let message = format!("{} is the name of a check, and a field of the last step, too", quote(name));
    findings.push(Finding::error(Code::DuplicateName, place, message).help(format!("write `{id}` for the check")));
}
