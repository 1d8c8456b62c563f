//! When the task counts as complete.

use referee_model::plan::{Action, Completion, EvidenceKind};

use crate::collectable::{gives, uncollectable};
use crate::complaint::Findings;
use crate::task::Check;
use crate::tree::Node;
use crate::word;

/// Reads when the task counts as complete. A kind of evidence that nothing can give is an error.
pub(super) fn completion(node: Option<&Node>, checks: &[Check], findings: &mut Findings) -> Completion {
    let get = |key: &str| node.and_then(|node| node.get(key));
    let required = match get("requiredEvidence") {
        Some(list) => required(list, checks, findings),
        None if checks.iter().filter_map(|check| check.action.as_ref()).any(prints) => {
            vec![EvidenceKind::TerminalOutput]
        }
        None => Vec::new(),
    };
    Completion {
        all_steps_must_pass: get("allStepsMustPass").and_then(Node::boolean).unwrap_or(true),
        minimum_pass_rate: get("minimumPassRate").and_then(Node::number).unwrap_or(100.0),
        required_evidence: required,
        task_status_lock: true,
    }
}

fn prints(action: &Action) -> bool {
    gives(action, EvidenceKind::TerminalOutput)
}

fn required(list: &Node, checks: &[Check], findings: &mut Findings) -> Vec<EvidenceKind> {
    let mut kinds = Vec::new();
    for node in list.elements() {
        let Some((word, kind)) = node.text().and_then(|word| Some((word, word::evidence_kind(word)?))) else {
            continue;
        };
        findings.extend(uncollectable(kind, word, node.span, checks, gives));
        kinds.push(kind);
    }
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
