//! Reasons why content could not be parsed as data.

/// Reason why content could not be parsed as data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The content is not well-formed, or cannot be represented in JSON; with position and reason.
    Malformed(String),
    TooLarge,
    Ended(String),
}

/// Prefixes a message with its position; line and column are 1-based.
pub(super) fn placed(line: usize, column: usize, message: &str) -> String {
    format!("line {line}, column {column}: {message}")
}
