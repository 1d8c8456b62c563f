//! The evaluator (seed 4; ruling 25).

use referee_model::limit;
use referee_model::plan::Evaluator;

use super::Reader;
use super::scope::Scope;
use crate::tree::Node;

impl Reader<'_> {
    /// Reads the evaluator: a command line, or a command written as a mapping.
    pub(super) fn evaluator(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Evaluator> {
        let command = self.command(node, scope)?;
        let mut time = |key: &str, min, max| node.get(key).and_then(|node| self.milliseconds(node, min, max));
        let deadline_ms = time("timeout", 1, limit::ACTION_DEADLINE_MS_MAX);
        let grace_ms = time("grace", 0, limit::GRACE_MS_MAX);
        Some(Evaluator {
            command,
            deadline_ms: deadline_ms.unwrap_or(limit::EVALUATOR_DEADLINE_MS),
            grace_ms: grace_ms.unwrap_or(limit::GRACE_MS),
        })
    }
}
