//! Why a reader that a person wrote cannot be used.

/// Why a reader that a person wrote cannot be used: what is wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CustomError {
    /// The text is no JSON.
    #[error("the problem matchers are not valid JSON: {problem}; comments and trailing commas are not allowed")]
    Json {
        /// What the parser says, with line and column.
        problem: String,
    },
    /// Something is missing or has another shape than it must have.
    #[error("{at}: {problem}; {remedy}")]
    Shape {
        /// Where: `problemMatcher[0].pattern[1].file`.
        at: String,
        problem: String,
        remedy: &'static str,
    },
    /// A regular expression cannot be used.
    #[error("{at}: invalid regular expression `{regexp}`: {problem}; {remedy}")]
    Regexp {
        at: String,
        /// The expression as written.
        regexp: String,
        problem: String,
        remedy: &'static str,
    },
    /// A format string cannot be used.
    #[error("{at}: invalid format `{format}`: {problem}; {remedy}")]
    Format {
        /// Where it stands: `rubocop, format 2`.
        at: String,
        format: String,
        problem: String,
        remedy: &'static str,
    },
}
