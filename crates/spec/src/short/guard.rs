//! What a document in the short form says of the gate itself: `outputs`, `protect`, `suppressions`, `setup`, `pins`,
//! `limits`.

mod size;

use std::collections::BTreeMap;

use referee_model::id::Digest;
use referee_model::plan::Guard;
use referee_model::plan::guard::{Answer, Limits, ProtectRule, Setup};

use super::setup;
use crate::complaint::Findings;
use crate::tree::Node;

mod outputs;

/// Reads what a document says of the gate itself.
pub(super) fn guard(root: &Node, findings: &mut Findings) -> Guard {
    Guard {
        outputs: outputs(root, findings),
        protect: protect(root, findings),
        suppressions: suppressions(root),
        setup: setup(root, findings),
        pins: pins(root, findings),
        limits: limits(root, findings),
    }
}

fn outputs(root: &Node, findings: &mut Findings) -> Vec<String> {
    outputs::read(root.get("outputs").map(Node::elements).unwrap_or_default(), findings)
}

fn protect(root: &Node, findings: &mut Findings) -> Vec<ProtectRule> {
    root.get("protect").map(|node| super::protect::rules(node, findings)).unwrap_or_default()
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

fn setup(root: &Node, findings: &mut Findings) -> Option<Setup> {
    setup::setup(root.get("setup")?, findings)
}

fn pins(root: &Node, findings: &mut Findings) -> BTreeMap<String, Digest> {
    root.get("pins").map(|node| setup::pins(node, findings)).unwrap_or_default()
}

fn limits(root: &Node, findings: &mut Findings) -> Limits {
    let Some(limits) = root.get("limits") else { return Limits::default() };
    size::limits(limits, findings)
}
