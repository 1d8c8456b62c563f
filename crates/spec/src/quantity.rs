//! Numbers with a unit: durations and sizes.

use std::ops::RangeInclusive;

use referee_syntax::tree::Node;
use referee_syntax::{duration, size};

use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Reads a duration: whole milliseconds, or a number with its unit.
pub(crate) fn milliseconds(node: &Node, bounds: RangeInclusive<u64>, findings: &mut Findings) -> Option<u64> {
    let Some(text) = node.text() else {
        // A number out of range is a complaint about the shape.
        return whole(node).filter(|value| bounds.contains(value));
    };
    let value = duration::parse(text)?;
    if !bounds.contains(&value) {
        let (min, max) = bounds.into_inner();
        let message = format!("expected {min} to {max} milliseconds, found {} ({value} milliseconds)", quote(text));
        findings.push(Finding::error(Code::DurationOutOfRange, node.span, message));
        return None;
    }
    Some(value)
}

/// Reads a number of bytes, with or without a unit.
pub(crate) fn bytes(node: &Node, bounds: RangeInclusive<u64>, findings: &mut Findings) -> Option<u64> {
    let value = match node.text() {
        Some(text) => size::parse(text)?,
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

/// Reads a non-negative whole number.
pub(crate) fn whole(node: &Node) -> Option<u64> {
    u64::try_from(node.integer()?).ok()
}
