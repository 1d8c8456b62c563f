//! Limits on what commands use, and sizes as people write them.

use referee_model::limit;
use referee_model::plan::guard::Limits;

use crate::complaint::{Code, Finding, Findings};
use crate::tree::Node;

/// Least memory that a command may be limited to: with less not even a shell starts.
const MEMORY_BYTES_MIN: u64 = 1024 * 1024;

/// Most memory that a command may be limited to, far above what machines have.
const MEMORY_BYTES_MAX: u64 = 1 << 50;

/// Reads the limits of a document.
pub(super) fn limits(node: &Node, findings: &mut Findings) -> Limits {
    let mut bytes = |key: &str, min: u64, max: u64| node.get(key).and_then(|value| size(value, min, max, findings));
    Limits {
        memory_bytes: bytes("memory", MEMORY_BYTES_MIN, MEMORY_BYTES_MAX),
        output_bytes: bytes("output", 1, limit::OUTPUT_BYTES),
        // What is no number of the range is a complaint about the shape.
        processes: node
            .get("processes")
            .and_then(Node::integer)
            .and_then(|count| u64::try_from(count).ok())
            .filter(|count| *count > 0),
    }
}

/// Reads a number of bytes: bare, or with its unit.
fn size(node: &Node, min: u64, max: u64, findings: &mut Findings) -> Option<u64> {
    let value = match node.text() {
        Some(text) => referee_syntax::size::parse(text)?,
        None => u64::try_from(node.integer()?).ok()?,
    };
    if (min..=max).contains(&value) {
        return Some(value);
    }
    let message = format!("expected {min} to {max} bytes, found {value} bytes");
    findings.push(Finding::error(Code::OutOfRange, node.span, message));
    None
}
