//! What a document in the short form says of the gate itself: `outputs`, `protect`, `suppressions`, `setup`, `pins`,
//! `limits`.

use std::collections::BTreeMap;

use referee_model::id::Digest;
use referee_model::plan::Guard;
use referee_model::plan::guard::{Answer, Limits, ProtectRule, Setup};

use crate::complaint::Findings;
use crate::tree::Node;

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

fn outputs(_root: &Node, _findings: &mut Findings) -> Vec<String> {
    Vec::new()
}

fn protect(_root: &Node, _findings: &mut Findings) -> Vec<ProtectRule> {
    Vec::new()
}

fn suppressions(_root: &Node) -> Answer {
    Answer::default()
}

fn setup(_root: &Node, _findings: &mut Findings) -> Option<Setup> {
    None
}

fn pins(_root: &Node, _findings: &mut Findings) -> BTreeMap<String, Digest> {
    BTreeMap::new()
}

fn limits(_root: &Node, _findings: &mut Findings) -> Limits {
    Limits::default()
}
