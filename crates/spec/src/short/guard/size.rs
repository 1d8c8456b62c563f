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
        Some(text) => bytes(text)?,
        None => u64::try_from(node.integer()?).ok()?,
    };
    if (min..=max).contains(&value) {
        return Some(value);
    }
    let message = format!("expected {min} to {max} bytes, found {value} bytes");
    findings.push(Finding::error(Code::OutOfRange, node.span, message));
    None
}

/// Reads a number with its unit, rounded to whole bytes. None: it is no such text.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.find(|character: char| !character.is_ascii_digit() && character != '.')?;
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim_start() {
        "B" => 1.0,
        "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        "TiB" => 1_099_511_627_776.0,
        _ => return None,
    };
    let bytes = number.parse::<f64>().ok()? * factor;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it has no sign, and a cast saturates")]
    Some(bytes.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit_and_may_have_a_fraction() {
        for (text, expected) in [
            ("2GiB", Some(2 << 30)),
            ("1.5 MiB", Some(3 << 19)),
            ("100MB", Some(100_000_000)),
            ("10B", Some(10)),
            ("1TiB", Some(1 << 40)),
            ("100", None),
            ("1g", None),
            ("MiB", None),
            ("1.2.3MiB", None),
            ("-1MiB", None),
            ("", None),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }
}
