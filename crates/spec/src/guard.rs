//! Reads settings of the gate itself in the short form: `outputs`, `protect`, `suppressions`, `strict`,
//! `probe`, `setup`, `pins`, `limits`. The full form has none of them.

mod outputs;
mod protect;
mod setup;

use crate::form::short as keys;
use referee_model::limit;
use referee_model::plan::Guard;
use std::num::NonZeroU32;

use referee_model::plan::guard::{Answer, Limits, ProbeAnswer, ProbeSchedule};
use referee_syntax::tree::{Member, Node};

use crate::complaint::Findings;
use crate::quantity::{bytes, whole};

/// Lower bound for memory limits in bytes: with less not even a shell starts.
const MEMORY_BYTES_MIN: u64 = 1024 * 1024;

/// Upper bound for memory limits in bytes, far beyond real machines.
const MEMORY_BYTES_MAX: u64 = 1 << 50;

/// Reads the settings of the gate itself.
pub(crate) fn guard(root: &Node, findings: &mut Findings) -> Guard {
    let root = keys::Specification::of(root);
    let strict = root.strict.boolean().unwrap_or_default().then_some("block");
    Guard {
        outputs: outputs::read(root.outputs.elements(), findings),
        protect: protect::rules(keys::Protect::of(root.protect.node()), findings),
        suppressions: suppressions(root.suppressions.text().or(strict)),
        // An unknown word has its complaint.
        probe: root.probe.text().or(strict).and_then(ProbeAnswer::parse).unwrap_or_default(),
        probe_schedule: root.probe_schedule.text().and_then(ProbeSchedule::parse).unwrap_or_default(),
        probe_count: root
            .probe_count
            .node()
            .and_then(whole)
            .and_then(|count| u32::try_from(count).ok())
            .and_then(NonZeroU32::new),
        setup: root.setup.node().and_then(|node| setup::setup(node, findings)),
        pins: root.pins.node().map(|node| setup::pins(node, findings)).unwrap_or_default(),
        limits: limits(keys::Limits::of(root.limits.node()), findings),
    }
}

/// Returns the response to suppressions that a change adds. An unknown word has its complaint.
fn suppressions(word: Option<&str>) -> Answer {
    match word {
        Some("block") => Answer::Block,
        Some("ignore") => Answer::Ignore,
        Some("report") => Answer::Report,
        _ => Answer::Default,
    }
}

fn limits(written: keys::Limits<'_>, findings: &mut Findings) -> Limits {
    let mut size = |member: Member<'_>, bounds| member.node().and_then(|value| bytes(value, bounds, findings));
    Limits {
        memory_bytes: size(written.memory, MEMORY_BYTES_MIN..=MEMORY_BYTES_MAX),
        output_bytes: size(written.output, 1..=limit::OUTPUT_BYTES),
        // A number out of range is a complaint about the shape.
        processes: written.processes.node().and_then(whole).filter(|count| *count > 0),
    }
}
