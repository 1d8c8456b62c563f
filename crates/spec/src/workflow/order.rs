//! Checks relations between stages: they are done in their declared order, and take inputs only from earlier ones.

use std::collections::BTreeMap;

use crate::workflow::keys::{self as keys, EXTENSION};
use referee_syntax::distance::nearest;
use referee_syntax::tree::Node;

use super::rules::{inputs, once, written_by};
use super::semantics::Declared;
use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Complains about inconsistencies between the stages.
pub(super) fn stages(declared: &[Declared<'_>], findings: &mut Findings) {
    let nodes: Vec<&Node> = declared.iter().map(|stage| stage.node).collect();
    once(nodes.iter().map(|node| keys::Stage::of(*node).id), "stage", findings);
    let mut places = BTreeMap::new();
    for (place, node) in nodes.iter().enumerate() {
        if let Some(id) = keys::Stage::of(*node).id.text() {
            places.entry(id).or_insert(place);
        }
    }
    let order = StageOrder { declared, places };
    for (place, node) in nodes.iter().enumerate() {
        for item in taken(node) {
            order.source(place, item, findings);
        }
    }
}

/// Complains in the same way about a stage without its workflow.
pub(super) fn stages_of_one(declared: &Declared<'_>, findings: &mut Findings) {
    let Some(id) = keys::Stage::of(declared.node).id.text() else { return };
    for from in taken(declared.node).filter_map(|item| keys::Parameter::of(item).from_stage.node()) {
        if from.text() == Some(id) {
            findings.push(Finding::error(Code::LaterStage, from.span, "a stage cannot take anything from itself"));
        }
    }
}

/// Returns what a stage takes from others; inputs and parameters use the same keys.
fn taken(stage: &Node) -> impl Iterator<Item = &Node> {
    inputs(stage).chain(keys::Stage::of(stage).parameters.elements())
}

struct StageOrder<'all> {
    declared: &'all [Declared<'all>],
    /// Index of each stage.
    places: BTreeMap<&'all str, usize>,
}

impl StageOrder<'_> {
    /// Checks one item that comes from another stage.
    fn source(&self, own: usize, item: &Node, findings: &mut Findings) {
        let item = keys::Parameter::of(item);
        let Some((from, id)) = item.from_stage.text_node() else { return };
        let error = |code, message: String| Finding::error(code, from.span, message);
        let Some(place) = self.places.get(id).copied() else {
            let before = self.places.iter().filter(|(_, place)| **place < own).map(|(id, _)| *id);
            let message = format!("stage not found: {}", quote(id));
            findings.push(error(Code::UnknownStage, message).meant(nearest(id, before)));
            return;
        };
        if place == own {
            findings.push(error(Code::LaterStage, "a stage cannot take anything from itself".to_owned()));
            return;
        }
        if place > own {
            let message = format!("the stage {} is declared after this one, and is done after it", quote(id));
            findings.push(error(Code::LaterStage, message).help("declare it before this one"));
            return;
        }
        let Some(source) = self.declared.get(place).filter(|declared| declared.is_whole) else { return };
        let Some(stage) = &source.stage else { return };
        if let Some(path) = item.source.node() {
            let written: Vec<&str> = stage.outputs().map(|output| output.path.as_str()).collect();
            written_by(path, &written, &format!("the stage {}", quote(id)), findings);
        }
        let Some((node, name)) = item.output_parameter.text_node() else { return };
        let mut published = stage.output_parameters.iter().map(|parameter| parameter.name.as_str());
        if published.clone().all(|known| known != name) {
            let message = format!("the stage {} publishes no {}", quote(id), quote(name));
            let help = nearest(name, published.by_ref());
            findings.push(Finding::error(Code::UnknownOutputParameter, node.span, message).meant(help));
        }
    }
}

/// Complains about Referee's own extension outside of a stage, where it would have no effect.
pub(super) fn extensions(root: &Node, stages: &[Declared<'_>], findings: &mut Findings) {
    let at_a_stage = |node: &Node| stages.iter().any(|stage| std::ptr::eq(stage.node, node));
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        for entry in node.entries() {
            let is_known = at_a_stage(node);
            if entry.key == EXTENSION && !is_known {
                let message = format!("`{EXTENSION}` is known at a stage alone; here nothing would act on it");
                findings.push(Finding::error(Code::MisplacedExtension, entry.key_span, message));
            } else if is_known && entry.key != EXTENSION && entry.key.starts_with("x-") {
                let meant = nearest(&entry.key, [EXTENSION]);
                let message = format!("unknown key {}: ignored", quote(&entry.key));
                findings.extend(
                    meant.map(|meant| Finding::warning(Code::UnknownKey, entry.key_span, message).meant(Some(meant))),
                );
            }
            if entry.key != EXTENSION && !entry.key.starts_with("x-") {
                waiting.push(&entry.value);
            }
        }
        waiting.extend(node.elements());
    }
}
