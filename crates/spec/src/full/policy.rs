//! How findings of tools are judged (ruling 10).

use referee_model::plan::Policies;

use crate::complaint::Findings;
use crate::short::policy::{CATEGORIES, add_tool, critical, strategy};
use crate::tree::Node;

/// Reads all policies: those of categories, and those of the tools in them.
pub(super) fn policies(node: &Node, findings: &mut Findings) -> Policies {
    let mut policies = Policies { critical: critical(node, findings), ..Policies::default() };
    for (name, category) in CATEGORIES {
        let Some(node) = node.get(name) else { continue };
        let strategy = node.get("strategy").and_then(strategy);
        policies.categories.extend(strategy.map(|strategy| (category, strategy)));
        for entry in node.get("tools").map(Node::entries).unwrap_or_default() {
            add_tool(entry, &mut policies, findings);
        }
    }
    policies
}
