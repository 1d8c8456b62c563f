//! Reads the evaluator (seed 4; ruling 25).

use crate::form::full as keys;
use referee_model::limit;
use referee_model::plan::Evaluator;
use referee_syntax::tree::Node;

use super::Reader;
use crate::variables::Variables;

impl Reader<'_> {
    /// Reads the evaluator of all tasks.
    pub(super) fn evaluator(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Evaluator> {
        let written = keys::Evaluator::of(node);
        let command = self.command(node, &[written.environment.node()], variables)?;
        Some(Evaluator {
            command,
            timeout_ms: self.timeout(written.timeout).unwrap_or(limit::EVALUATOR_DEADLINE_MS),
            grace_ms: self.grace(written.grace),
        })
    }
}
