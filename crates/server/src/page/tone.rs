//! How things are coloured: `good`, `bad`, `odd` or `plain`. What a colour says is always said in words too.

use referee_model::reading::Level;

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
pub(super) fn of_level(level: Level) -> &'static str {
    match level {
        Level::Error => "bad",
        Level::Warning => "odd",
        Level::Info => "plain",
    }
}

/// Returns where a finding is, as tools write it.
pub(super) fn place(file: Option<&str>, line: Option<u64>, column: Option<u64>) -> String {
    let numbers = [line, line.and(column)].into_iter().flatten().map(|number| format!(":{number}"));
    file.unwrap_or_default().to_owned() + &numbers.collect::<String>()
}
