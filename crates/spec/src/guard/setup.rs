//! Reads the installation of dependencies, and pinned programs.

use std::collections::BTreeMap;

use crate::form::short as keys;
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::plan::guard::Setup;
use referee_syntax::tree::Node;

use crate::complaint::{Code, Finding, Findings};
use crate::quantity::milliseconds;

/// Reads a set-up: a command line, or one with its time limit.
pub(super) fn setup(node: &Node, findings: &mut Findings) -> Option<Setup> {
    let written = keys::Setup::of(node);
    let line = written.run.node().unwrap_or(node);
    let command = line.text()?.to_owned();
    let idle = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if command.lines().all(idle) {
        let message = "this command line holds nothing but comments, and would install nothing";
        findings.push(Finding::error(Code::Vacuous, line.span, message));
        return None;
    }
    let asked = written.timeout.node().and_then(|node| milliseconds(node, 1..=limit::ACTION_DEADLINE_MS_MAX, findings));
    Some(Setup { command, timeout_ms: asked.unwrap_or(limit::SETUP_DEADLINE_MS) })
}

/// Reads the pinned programs. An invalid digest has its complaint about the shape.
pub(super) fn pins(node: &Node, findings: &mut Findings) -> BTreeMap<String, Digest> {
    if node.entries().len() > limit::PINS {
        let message = format!("{} pinned programs are more than there may be ({})", node.entries().len(), limit::PINS);
        findings.push(Finding::error(Code::TooManyActions, node.span, message));
        return BTreeMap::new();
    }
    let pinned = node.entries().iter().filter_map(|entry| {
        let digest = Digest::parse(&entry.value.text()?.to_ascii_lowercase()).ok()?;
        Some((entry.key.clone(), digest))
    });
    pinned.collect()
}
