//! Styles of results: `good`, `bad`, `odd` or `plain`. Everything that a color shows is also shown in words.

use referee_model::reading::Level;

/// Returns the style of a decision.
pub(super) fn of_decision(decision: &str) -> &'static str {
    match decision {
        "PASS" => "good",
        "FAIL" => "bad",
        _ => "odd",
    }
}

/// Returns the style of an outcome.
pub(super) fn of_outcome(outcome: &str, is_blocking: bool) -> &'static str {
    match (outcome, is_blocking) {
        ("SUCCESS", _) => "good",
        (_, true) => "bad",
        (_, false) => "odd",
    }
}

/// Returns the style of a finding.
pub(super) fn of_level(level: Level) -> &'static str {
    match level {
        Level::Error => "bad",
        Level::Warning => "odd",
        Level::Info => "plain",
    }
}

/// Returns the position of a finding in the usual notation of tools: `file:line:column`.
pub(super) fn place(file: Option<&str>, line: Option<u64>, column: Option<u64>) -> String {
    let numbers = [line, line.and(column)].into_iter().flatten().map(|number| format!(":{number}"));
    file.unwrap_or_default().to_owned() + &numbers.collect::<String>()
}
