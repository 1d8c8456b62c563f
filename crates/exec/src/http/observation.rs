//! Helpers for observations of a response.

use referee_model::record::http::AssertionObservation;
use regex::bytes::{Regex, RegexBuilder};

pub(super) fn observation(holds: Option<bool>, found: impl Into<String>) -> AssertionObservation {
    AssertionObservation { holds, found: found.into(), schema: None }
}

/// Compiles a regular expression with the options that specifications assume.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    let compiled = RegexBuilder::new(pattern).multi_line(true).crlf(true).build();
    compiled.map_err(|error| format!("the pattern cannot be used: {error}"))
}
