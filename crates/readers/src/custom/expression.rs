//! A regular expression with a text that every matching line contains; most lines are rejected by that text
//! alone.

use regex::{Captures, Regex};

use crate::pattern::literal::Literal;

#[derive(Debug)]
pub(super) struct Expression {
    regex: Regex,
    required: Option<Literal>,
}

impl Expression {
    /// Creates an expression from a compiled regex, and derives its required text.
    pub(super) fn new(regex: Regex, ignores_case: bool) -> Self {
        let required = Literal::of(regex.as_str(), ignores_case);
        Self { regex, required }
    }

    /// Returns the captures of a matching line.
    pub(super) fn captures<'t>(&self, line: &'t str) -> Option<Captures<'t>> {
        if self.required.as_ref().is_some_and(|required| !required.is_in(line.as_bytes())) {
            return None;
        }
        self.regex.captures(line)
    }

    /// Returns the number of groups, including the whole match.
    pub(super) fn groups(&self) -> usize {
        self.regex.captures_len()
    }
}
