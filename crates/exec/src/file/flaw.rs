//! Why content could not be taken as data.

/// Why content could not be taken as data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// It is not well-formed, or means what JSON cannot say; where and why.
    Malformed(String),
    TooLarge,
    Ended(String),
}

/// A message and the place that it is about, both 1-based.
pub(super) fn placed(line: usize, column: usize, message: &str) -> String {
    format!("line {line}, column {column}: {message}")
}
