//! How things are coloured: `good`, `bad`, `odd` or `plain`. What a colour says is always said in words too.

/// Returns the tone of a decision.
pub(super) fn of_decision(decision: &str) -> &'static str {
    match decision {
        "PASS" => "good",
        "FAIL" => "bad",
        _ => "odd",
    }
}

/// Returns the tone of an outcome.
pub(super) fn of_outcome(outcome: &str, is_blocking: bool) -> &'static str {
    match (outcome, is_blocking) {
        ("SUCCESS", _) => "good",
        (_, true) => "bad",
        (_, false) => "odd",
    }
}

/// Returns the tone of a finding.
pub(super) fn of_severity(severity: &str) -> &'static str {
    match severity {
        "error" => "bad",
        "warning" => "odd",
        _ => "plain",
    }
}
