//! Numbers with a unit, as people write them: durations and sizes.

use std::ops::RangeInclusive;

use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;
use crate::tree::Node;

const DURATIONS: &[(&str, f64)] = &[("ms", 1.0), ("s", 1_000.0), ("m", 60_000.0), ("h", 3_600_000.0)];

const SIZES: &[(&str, f64)] = &[
    ("B", 1.0),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];

/// Reads a duration: whole milliseconds, or a number with its unit.
pub(crate) fn milliseconds(node: &Node, bounds: RangeInclusive<u64>, findings: &mut Findings) -> Option<u64> {
    let Some(text) = node.text() else {
        // A number out of range is a complaint about the shape.
        return whole(node).filter(|value| bounds.contains(value));
    };
    let value = with_unit(text, DURATIONS)?;
    if !bounds.contains(&value) {
        let (min, max) = bounds.into_inner();
        let message = format!("expected {min} to {max} milliseconds, found {} ({value} milliseconds)", quote(text));
        findings.push(Finding::error(Code::DurationOutOfRange, node.span, message));
        return None;
    }
    Some(value)
}

/// Reads a number of bytes: bare, or with its unit.
pub(crate) fn bytes(node: &Node, bounds: RangeInclusive<u64>, findings: &mut Findings) -> Option<u64> {
    let value = match node.text() {
        Some(text) => with_unit(text, SIZES)?,
        None => whole(node)?,
    };
    if !bounds.contains(&value) {
        let (min, max) = bounds.into_inner();
        let message = format!("expected {min} to {max} bytes, found {value} bytes");
        findings.push(Finding::error(Code::OutOfRange, node.span, message));
        return None;
    }
    Some(value)
}

/// Reads a whole number that is not below zero.
pub(crate) fn whole(node: &Node) -> Option<u64> {
    u64::try_from(node.integer()?).ok()
}

/// Reads a number with its unit, rounded to a whole one. None: it is no such text.
fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<u64> {
    let digits = text.find(|character: char| !character.is_ascii_digit() && character != '.')?;
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    let value = number.parse::<f64>().ok()? * factor;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it has no sign, and a cast saturates")]
    Some(value.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit_and_may_have_a_fraction() {
        for (text, milliseconds) in [
            ("500ms", Some(500)),
            ("60s", Some(60_000)),
            ("1.5m", Some(90_000)),
            ("1h", Some(3_600_000)),
            ("0.4ms", Some(0)),
            ("60", None),
            ("1d", None),
            ("1.2.3s", None),
            ("", None),
        ] {
            assert_eq!(with_unit(text, DURATIONS), milliseconds, "{text}");
        }
    }

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
            assert_eq!(with_unit(text, SIZES), expected, "{text}");
        }
    }
}
