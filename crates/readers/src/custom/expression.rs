//! A regular expression, and a text that every line which it matches holds: most lines are told from it by that alone.

use regex::{Captures, Regex};

use crate::pattern::literal::Literal;

#[derive(Debug)]
pub(super) struct Expression {
    regex: Regex,
    required: Option<Literal>,
}

impl Expression {
    /// Adds to a compiled expression what it requires.
    pub(super) fn new(regex: Regex, ignores_case: bool) -> Self {
        let required = Literal::of(regex.as_str(), ignores_case);
        Self { regex, required }
    }

    /// Returns what is captured of a line that matches.
    pub(super) fn captures<'t>(&self, line: &'t str) -> Option<Captures<'t>> {
        if self.required.as_ref().is_some_and(|required| !required.is_in(line.as_bytes())) {
            return None;
        }
        self.regex.captures(line)
    }

    /// Returns how many groups it has, the match as a whole among them.
    pub(super) fn groups(&self) -> usize {
        self.regex.captures_len()
    }
}
