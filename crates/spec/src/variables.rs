//! `${NAME}` in values that no shell sees (ruling 3).

use std::collections::BTreeMap;

use crate::complaint::{Code, Finding, Findings};
use crate::nearest::nearest;
use crate::source::{Span, quote};

/// Most bytes that filling in may make of one document, so that variables that repeat each other stay harmless.
const FILLED_BYTES: usize = 16 * 1024 * 1024;

/// The variables that are known at one point of a document.
#[derive(Debug)]
pub(crate) struct Variables<'a> {
    known: BTreeMap<String, String>,
    /// What is known around this point; what is known here goes before it.
    outside: Option<&'a Variables<'a>>,
}

/// What filling in may still make.
#[derive(Debug)]
pub(crate) struct Budget {
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: FILLED_BYTES }
    }
}

impl<'a> Variables<'a> {
    /// The variables that need no declaration.
    pub(crate) fn built_in(workspace: &str) -> Self {
        let built_in = [("WORKSPACE_ROOT", workspace), ("API_BASE_URL", "http://localhost:3000")];
        Self { known: built_in.map(|(name, value)| (name.to_owned(), value.to_owned())).into(), outside: None }
    }

    /// What is known inside: everything that is known here, and what is declared there.
    pub(crate) fn inside(&'a self) -> Self {
        Self { known: BTreeMap::new(), outside: Some(self) }
    }

    fn get(&self, name: &str) -> Option<&str> {
        match self.known.get(name) {
            Some(value) => Some(value),
            None => self.outside?.get(name),
        }
    }

    fn names(&self) -> Vec<&str> {
        let outside = self.outside.map(Self::names).unwrap_or_default();
        self.known.keys().map(String::as_str).chain(outside).collect()
    }

    /// Adds a variable, or gives it another value.
    pub(crate) fn declare(&mut self, name: &str, value: &str) {
        self.known.insert(name.to_owned(), value.to_owned());
    }

    /// Fills in every `${NAME}`. None: one is not declared, and there is a finding about it.
    ///
    /// Only plain names are filled in; what else stands in `${…}` is left for whoever reads the value.
    pub(crate) fn fill(&self, text: &str, span: Span, budget: &mut Budget, findings: &mut Findings) -> Option<String> {
        let mut filled = String::new();
        let mut complete = true;
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            filled.push_str(before);
            let reference = after.split_once('}').filter(|(name, _)| is_name(name));
            match reference.map(|(name, after)| (name, self.get(name), after)) {
                None => {
                    filled.push_str("${");
                    rest = after;
                }
                Some((_, Some(value), after)) => {
                    filled.push_str(value);
                    rest = after;
                }
                Some((name, None, after)) => {
                    let finding = Finding::error(
                        Code::UnresolvedVariable,
                        span,
                        format!("the variable {} is not declared", quote(name)),
                    );
                    findings.push(if findings.is_full() { finding } else { self.suggest(name, finding) });
                    complete = false;
                    rest = after;
                }
            }
            if filled.len() > budget.bytes {
                let message = "the variables in this value make it too large";
                findings.push(Finding::error(Code::UnresolvedVariable, span, message));
                return None;
            }
        }
        filled.push_str(rest);
        budget.bytes = budget.bytes.saturating_sub(filled.len());
        complete.then_some(filled)
    }

    fn suggest(&self, name: &str, finding: Finding) -> Finding {
        match nearest(name, self.names()) {
            Some(known) => finding.meant(Some(known)),
            None => finding
                .help("declare it under `env`, before the value that uses it, or use `run`, where a shell fills it in"),
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_in_and_everything_else_is_left() {
        let mut variables = Variables::built_in("/w");
        variables.declare("A", "1");
        for (text, filled) in [
            ("${A}${A}b", "11b"),
            ("${WORKSPACE_ROOT}/x", "/w/x"),
            ("$A ${A", "$A ${A"),
            ("${A:-2} ${} ${a.b}", "${A:-2} ${} ${a.b}"),
            ("${${A}}", "${1}"),
        ] {
            let found = variables.fill(text, Span::BEGINNING, &mut Budget::default(), &mut Findings::default());
            assert_eq!(found.as_deref(), Some(filled), "{text}");
        }
    }

    #[test]
    fn variables_that_multiply_each_other_end_at_the_budget() {
        let mut variables = Variables::built_in("/w");
        let mut budget = Budget::default();
        let mut findings = Findings::default();
        variables.declare("V0", &"x".repeat(1000));
        for level in 1..10 {
            let text = format!("${{V{}}}", level - 1).repeat(20);
            let Some(value) = variables.fill(&text, Span::BEGINNING, &mut budget, &mut findings) else { break };
            variables.declare(&format!("V{level}"), &value);
        }
        assert!(findings.has_errors());
    }
}
