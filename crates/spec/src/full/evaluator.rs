//! The evaluator (seed 4; ruling 25).

use referee_model::limit;
use referee_model::plan::Evaluator;
use referee_syntax::tree::Node;

use super::Reader;
use crate::variables::Variables;

impl Reader<'_> {
    /// Reads the evaluator of all tasks.
    pub(super) fn evaluator(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Evaluator> {
        let command = self.command(node, &[node.get("environment")], variables)?;
        let deadline_ms = node.get("timeout").and_then(|node| self.timeout(node));
        Some(Evaluator {
            command,
            deadline_ms: deadline_ms.unwrap_or(limit::EVALUATOR_DEADLINE_MS),
            grace_ms: self.grace(node),
        })
    }
}
