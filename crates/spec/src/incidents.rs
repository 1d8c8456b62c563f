//! Whether failed runs become incidents by themselves, in both forms.

use crate::tree::Node;

/// Reads it. What is not well-shaped is passed over: it has its complaint.
pub(crate) fn captures(node: Option<&Node>) -> bool {
    node.and_then(|node| node.get("capture")).and_then(Node::boolean).unwrap_or(false)
}
