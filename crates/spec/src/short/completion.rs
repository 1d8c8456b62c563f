//! When the task counts as complete.

use referee_model::plan::{Completion, EvidenceKind, Role, Work};

use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;
use crate::task::Check;
use crate::tree::Node;
use crate::word;

/// Reads when the task counts as complete. A kind of evidence that nothing can give is an error.
pub(super) fn completion(node: Option<&Node>, checks: &[Check], findings: &mut Findings) -> Completion {
    let get = |key: &str| node.and_then(|node| node.get(key));
    let required = match get("requiredEvidence") {
        Some(list) => required(list, checks, findings),
        None if checks.iter().any(|check| gives(check, EvidenceKind::TerminalOutput)) => {
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

fn required(list: &Node, checks: &[Check], findings: &mut Findings) -> Vec<EvidenceKind> {
    // A check with errors may be of any kind.
    let is_whole = checks.iter().all(|check| check.action.is_some());
    let mut kinds = Vec::new();
    for (node, kind) in
        list.elements().iter().filter_map(|node| Some((node, node.text().and_then(word::evidence_kind)?)))
    {
        if kind == EvidenceKind::Screenshots || (is_whole && !checks.iter().any(|check| gives(check, kind))) {
            let word = quote(node.text().unwrap_or_default());
            let message = format!("{word} can never be collected: {}", missing(kind));
            findings.push(Finding::error(Code::UncollectableEvidence, node.span, message));
        }
        kinds.push(kind);
    }
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Returns whether a check can give evidence of this kind (ruling 18).
fn gives(check: &Check, kind: EvidenceKind) -> bool {
    let Some(action) = &check.action else { return false };
    let is_run = matches!(&action.work, Work::Command(_))
        || matches!(&action.work, Work::Service(service) if service.command.is_some());
    match kind {
        EvidenceKind::TerminalOutput => is_run && (action.evidence.stdout || action.evidence.stderr),
        EvidenceKind::TestExecutionLog => match &action.work {
            // Without a word the role is told from the command, which may be that of a test.
            Work::Command(command) => {
                matches!(command.role, None | Some(Role::Test)) && (action.evidence.stdout || action.evidence.stderr)
            }
            _ => false,
        },
        EvidenceKind::ErrorLogs => is_run && action.evidence.stderr,
        EvidenceKind::ApiResponses => matches!(action.work, Work::Http(_)),
        EvidenceKind::PerformanceMetrics => true,
        EvidenceKind::Screenshots => false,
    }
}

/// Says what would give evidence of this kind.
fn missing(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::TerminalOutput => "no check runs a command and keeps its output",
        EvidenceKind::TestExecutionLog => "no check runs tests and keeps their output",
        EvidenceKind::ErrorLogs => "no check runs a command and keeps its standard error",
        EvidenceKind::ApiResponses => "no check makes an HTTP request",
        EvidenceKind::PerformanceMetrics => "there is no check",
        EvidenceKind::Screenshots => "checks in a browser are not supported by this version",
    }
}
