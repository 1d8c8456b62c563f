//! What holds within a stage: no name twice, no file twice, nothing where Referee itself writes.

use std::collections::BTreeSet;

use referee_model::stage::path::StagePath;
use referee_syntax::distance::nearest;
use referee_syntax::tree::Node;
use referee_wire::handback::ACCEPT;
use referee_wire::stage::message::MESSAGES;
use referee_wire::stage::parameters::{OUTPUT_PARAMETERS, PARAMETERS};
use referee_wire::stage::{INPUTS, OUTPUT_DATA, STAGE_CONFIG};

use super::meaning::Declared;
use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// The folder of a stage that its specification lies in.
pub(super) const SPECIFICATION: &str = "specification";

/// Folders of a stage that are composed, or that Referee keeps.
const NOT_FOR_OUTPUTS: [&str; 5] = [INPUTS, "prompt", "schemas", SPECIFICATION, "attempts"];

/// Complains about whatever cannot stand together within one stage.
pub(super) fn stage(declared: &Declared<'_>, findings: &mut Findings) {
    let node = declared.node;
    let inputs: Vec<&Node> = items(node, &["inputs", "required"]).chain(items(node, &["inputs", "optional"])).collect();
    let outputs: Vec<&Node> = items(node, &["outputs", "files"]).chain(items(node, &["outputs", "data"])).collect();
    once(&inputs, "name", "input", findings);
    once(&inputs, "path", "path of an input", findings);
    once(&outputs, "name", "output", findings);
    once(&outputs, "path", "path of an output", findings);
    once(&items(node, &["parameters"]).collect::<Vec<_>>(), "name", "parameter", findings);
    let output_parameters: Vec<&Node> = items(node, &["output_parameters"]).collect();
    once(&output_parameters, "name", "output parameter", findings);
    for path in inputs.iter().filter_map(|input| input.get("path")) {
        if path.text() == Some(&format!("{INPUTS}/{PARAMETERS}")) {
            findings.push(reserved(path, "the parameters of the stage"));
        }
    }
    for path in outputs.iter().filter_map(|output| output.get("path")) {
        // What leads out has its own complaint, or is kept for who would open it.
        let inside = path.text().filter(|text| StagePath::parse(text).is_ok());
        findings.extend(inside.and_then(kept_by_referee).map(|what| reserved(path, what)));
    }
    if declared.is_whole
        && let Some(stage) = &declared.stage
    {
        let written: Vec<&str> = stage.outputs().map(|output| output.path.as_str()).collect();
        for source in output_parameters.iter().filter_map(|parameter| parameter.get("source")) {
            written_by(source, &written, "this stage", findings);
        }
    }
}

/// Complains about shared templates that cannot all stand where they go.
pub(super) fn shared(root: &Node, findings: &mut Findings) {
    let templates: Vec<&Node> = items(root, &["shared_templates"]).collect();
    once(&templates, "target", "target", findings);
    let targets: Vec<&Node> = templates.iter().filter_map(|template| template.get("target")).collect();
    for target in &targets {
        let Some(text) = target.text() else { continue };
        findings.extend(kept_in_stages(text).map(|what| reserved(target, what)));
        let is_above = |other: &str| other.strip_prefix(text).is_some_and(|rest| rest.starts_with('/'));
        if targets.iter().filter_map(|other| other.text()).any(is_above) {
            let message = format!("{} is a file here, and a folder for another shared template", quote(text));
            findings.push(Finding::error(Code::InvalidPath, target.span, message));
        }
    }
}

/// Says what of Referee's own lies at a path of a stage, where nothing can be composed.
pub(super) fn kept_in_stages(path: &str) -> Option<&'static str> {
    let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if path == STAGE_CONFIG {
        Some("the stage's configuration")
    } else if below("run") {
        Some("what the stage writes")
    } else if below("attempts") {
        Some("earlier attempts")
    } else if below(SPECIFICATION) {
        Some("the stage's specification")
    } else if path.strip_prefix(INPUTS).and_then(|rest| rest.strip_prefix('/')) == Some(PARAMETERS) {
        Some("the parameters of the stage")
    } else {
        None
    }
}

/// Complains about a file that is not among those that a stage writes.
pub(super) fn written_by(source: &Node, written: &[&str], whose: &str, findings: &mut Findings) {
    let Some(text) = source.text().filter(|text| !written.contains(text)) else { return };
    let message = format!("{} is none of the files that {whose} writes", quote(text));
    let help = nearest(text, written.iter().copied());
    findings.push(Finding::error(Code::UnknownOutput, source.span, message).meant(help));
}

/// Complains about a key that has the same text in two elements.
pub(super) fn once(elements: &[&Node], key: &str, what: &str, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for node in elements.iter().filter_map(|element| element.get(key)) {
        let Some(text) = node.text() else { continue };
        if !seen.insert(text) {
            let message = format!("the {what} {} is here a second time", quote(text));
            findings.push(Finding::error(Code::DuplicateName, node.span, message));
        }
    }
}

/// Returns the elements of a list that stands under these keys.
pub(super) fn items<'node>(node: &'node Node, keys: &[&str]) -> impl Iterator<Item = &'node Node> + use<'node> {
    let list = keys.iter().try_fold(node, |node, key| node.get(key));
    list.map(Node::elements).unwrap_or_default().iter()
}

fn reserved(path: &Node, what: &str) -> Finding {
    let message = format!("Referee keeps {what} there; choose another path");
    Finding::error(Code::InvalidPath, path.span, message)
}

/// Says what of Referee's own lies at a path of a stage, where no output may be.
fn kept_by_referee(path: &str) -> Option<&'static str> {
    let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let data = |name: &str| path.strip_prefix(OUTPUT_DATA).and_then(|rest| rest.strip_prefix('/')) == Some(name);
    if path == STAGE_CONFIG || NOT_FOR_OUTPUTS.iter().any(|folder| below(folder)) {
        Some("what a stage is given")
    } else if data(ACCEPT) {
        Some("who has control")
    } else if data(OUTPUT_PARAMETERS) {
        Some("what the stage publishes")
    } else if below(MESSAGES) {
        Some("questions and their answers")
    } else {
        None
    }
}
