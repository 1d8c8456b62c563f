//! Keywords that both forms share.

use referee_model::plan::EvidenceKind;
use referee_model::selection::Level;
use referee_model::severity::Severity;

/// Returns the smallest profile of this name that includes an action.
pub(crate) fn level(word: &str) -> Option<Level> {
    Some(match word {
        "smoke" => Level::Smoke,
        "fast" => Level::Fast,
        "strict" => Level::Strict,
        _ => return None,
    })
}

pub(crate) fn evidence_kind(word: &str) -> Option<EvidenceKind> {
    Some(match word {
        "terminal-output" => EvidenceKind::TerminalOutput,
        "test-execution-log" => EvidenceKind::TestExecutionLog,
        "api-responses" => EvidenceKind::ApiResponses,
        "error-logs" => EvidenceKind::ErrorLogs,
        "performance-metrics" => EvidenceKind::PerformanceMetrics,
        "screenshots" => EvidenceKind::Screenshots,
        _ => return None,
    })
}

pub(crate) fn severity(word: &str) -> Option<Severity> {
    Severity::parse(word).filter(|severity| *severity != Severity::None)
}
