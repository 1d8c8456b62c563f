//! What a document in the short form says of the gate itself: `outputs`, `protect`, `suppressions`, `setup`, `pins`,
//! `limits`. The full form says nothing of it.

mod outputs;
mod protect;
mod setup;

use referee_model::limit;
use referee_model::plan::Guard;
use referee_model::plan::guard::{Answer, Limits};
use referee_syntax::tree::Node;

use crate::complaint::Findings;
use crate::quantity::{bytes, whole};

/// Least memory that a command may be limited to: with less not even a shell starts.
const MEMORY_BYTES_MIN: u64 = 1024 * 1024;

/// Most memory that a command may be limited to, far above what machines have.
const MEMORY_BYTES_MAX: u64 = 1 << 50;

/// Reads what a document says of the gate itself.
pub(crate) fn guard(root: &Node, findings: &mut Findings) -> Guard {
    let outputs = root.get("outputs").map(Node::elements).unwrap_or_default();
    Guard {
        outputs: outputs::read(outputs, findings),
        protect: root.get("protect").map(|node| protect::rules(node, findings)).unwrap_or_default(),
        suppressions: suppressions(root),
        setup: root.get("setup").and_then(|node| setup::setup(node, findings)),
        pins: root.get("pins").map(|node| setup::pins(node, findings)).unwrap_or_default(),
        limits: root.get("limits").map(|node| limits(node, findings)).unwrap_or_default(),
    }
}

/// What is done about suppressions that a change adds. A word that is none of these has its complaint.
fn suppressions(root: &Node) -> Answer {
    match root.get("suppressions").and_then(Node::text) {
        Some("block") => Answer::Block,
        Some("ignore") => Answer::Ignore,
        Some("report") => Answer::Report,
        _ => Answer::Default,
    }
}

fn limits(node: &Node, findings: &mut Findings) -> Limits {
    let mut size = |key: &str, min: u64, max: u64| node.get(key).and_then(|value| bytes(value, min..=max, findings));
    Limits {
        memory_bytes: size("memory", MEMORY_BYTES_MIN, MEMORY_BYTES_MAX),
        output_bytes: size("output", 1, limit::OUTPUT_BYTES),
        // What is no number of the range is a complaint about the shape.
        processes: node.get("processes").and_then(whole).filter(|count| *count > 0),
    }
}
