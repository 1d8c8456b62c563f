//! Kinds of evidence that checks can produce (ruling 18).

use referee_model::plan::{Action, EvidenceKind, Role, Work};
use referee_syntax::span::Span;

use crate::complaint::{Code, Finding};
use crate::source::quote;
use crate::task::Check;

/// Complains about a kind of evidence that no check can produce. A check with errors may be of any kind.
pub(crate) fn uncollectable(
    kind: EvidenceKind,
    word: &str,
    place: Span,
    checks: &[Check],
    can_give: fn(&Action, EvidenceKind) -> bool,
) -> Option<Finding> {
    if checks.iter().any(|check| check.action.as_ref().is_none_or(|action| can_give(action, kind))) {
        return None;
    }
    let message = format!("{} can never be collected: {}", quote(word), missing(kind));
    Some(Finding::error(Code::UncollectableEvidence, place, message))
}

/// Returns whether an action, as it is written, can produce evidence of this kind.
pub(crate) fn gives(action: &Action, kind: EvidenceKind) -> bool {
    let evidence = &action.evidence;
    let is_kept = match kind {
        EvidenceKind::TerminalOutput | EvidenceKind::TestExecutionLog => evidence.stdout || evidence.stderr,
        EvidenceKind::ErrorLogs => evidence.stderr,
        EvidenceKind::ApiResponses => evidence.exchange,
        EvidenceKind::PerformanceMetrics => evidence.duration,
        EvidenceKind::Screenshots => true,
    };
    is_kept && could_give(action, kind)
}

/// Returns whether an action could produce evidence of this kind, if it were kept.
pub(crate) fn could_give(action: &Action, kind: EvidenceKind) -> bool {
    let is_run = match &action.work {
        Work::Command(_) => true,
        Work::Service(service) => service.command.is_some(),
        Work::File(_) | Work::Http(_) | Work::Interaction(_) => false,
    };
    match kind {
        EvidenceKind::TerminalOutput | EvidenceKind::ErrorLogs => is_run,
        EvidenceKind::TestExecutionLog => match &action.work {
            // Without a declared role, it is inferred from the command, which may be that of a test.
            Work::Command(command) => matches!(command.role, None | Some(Role::Test)),
            _ => false,
        },
        EvidenceKind::ApiResponses => matches!(action.work, Work::Http(_)),
        EvidenceKind::PerformanceMetrics => true,
        EvidenceKind::Screenshots => {
            matches!(&action.work, Work::Interaction(interaction) if interaction.takes_screenshots())
        }
    }
}

/// Returns how to collect evidence of this kind.
fn missing(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::TerminalOutput => "nothing runs a command and keeps its output",
        EvidenceKind::TestExecutionLog => "nothing runs tests and keeps their output",
        EvidenceKind::ErrorLogs => "nothing runs a command and keeps its standard error",
        EvidenceKind::ApiResponses => "nothing makes an HTTP request and keeps the answer",
        EvidenceKind::PerformanceMetrics => "nothing keeps how long it took",
        EvidenceKind::Screenshots => "no browser action takes a screenshot",
    }
}
