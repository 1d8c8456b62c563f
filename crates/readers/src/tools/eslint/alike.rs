//! Linters that print ESLint's table and are identified by their findings.

use crate::prelude::*;
use crate::tools::eslint::stylish::Stylish;

pub(crate) struct Alike {
    table: Box<Stylish>,
    tool: &'static str,
    rule: &'static str,
    /// Returns whether a finding may be this tool's, and whether it is certainly this tool's.
    is_its: fn(&Diagnostic) -> (bool, bool),
}

impl Alike {
    pub(crate) fn new(
        is_hinted: bool,
        tool: &'static str,
        rule: &'static str,
        is_its: fn(&Diagnostic) -> (bool, bool),
    ) -> Self {
        Self { table: Box::new(Stylish::new(is_hinted)), tool, rule, is_its }
    }
}

impl LineReader for Alike {
    fn line(&mut self, line: &Line<'_>) -> Use {
        self.table.line(line)
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let Self { table, tool, rule, is_its } = *self;
        let mut candidate = table.finish()?;
        let findings = candidate.findings.kept.items_mut();
        // A count alone identifies no tool, and a table with foreign findings is another tool's.
        if !findings.iter().all(|found| is_its(found).0) || !findings.iter().any(|found| is_its(found).1) {
            return None;
        }
        for found in findings {
            tool.clone_into(&mut found.tool);
            rule.clone_into(&mut found.origin.rule);
        }
        Some(candidate)
    }
}
