//! Errors in user-defined readers.

/// The reason why a user-defined reader is invalid: the problem, its location, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CustomError {
    /// The text is not valid JSON.
    #[error("the problem matchers are not valid JSON: {problem}; comments and trailing commas are not allowed")]
    Json {
        /// Message of the parser, with line and column.
        problem: String,
    },
    /// A value is missing or has the wrong shape.
    #[error("{at}: {problem}; {remedy}")]
    Shape {
        /// Path of the value, such as `problemMatcher[0].pattern[1].file`.
        at: String,
        problem: String,
        remedy: &'static str,
    },
    /// A regular expression is invalid or unsupported.
    #[error("{at}: invalid regular expression `{regexp}`: {problem}; {remedy}")]
    Regexp {
        at: String,
        /// The expression as written.
        regexp: String,
        problem: String,
        remedy: &'static str,
    },
    /// A format string is invalid or unsupported.
    #[error("{at}: invalid format `{format}`: {problem}; {remedy}")]
    Format {
        /// Position of the format string, such as `rubocop, format 2`.
        at: String,
        format: String,
        problem: String,
        remedy: &'static str,
    },
}
