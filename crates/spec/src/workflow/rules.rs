//! Checks within a stage: unique names, unique files, no files where Referee itself writes.

use std::collections::BTreeSet;

use referee_model::handback::ACCEPT;
use referee_model::stage::message::MESSAGES;
use referee_model::stage::parameters::{OUTPUT_PARAMETERS, PARAMETERS};
use referee_model::stage::path::StagePath;
use referee_model::stage::{INPUTS, OUTPUT_DATA, STAGE_CONFIG};
use referee_syntax::distance::nearest;
use referee_syntax::tree::{Member, Node};

use super::semantics::Declared;
use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;
use crate::workflow::keys;

/// Directory of a stage for its specification.
pub(super) const SPECIFICATION: &str = "specification";

/// Directories of a stage that are composed, or reserved by Referee.
const NOT_FOR_OUTPUTS: [&str; 5] = [INPUTS, "prompt", "schemas", SPECIFICATION, "attempts"];

/// Complains about conflicts within one stage.
pub(super) fn stage(declared: &Declared<'_>, findings: &mut Findings) {
    let written = keys::Stage::of(declared.node);
    let inputs: Vec<keys::Input<'_>> = inputs(declared.node).map(keys::Input::of).collect();
    let outputs = keys::Outputs::of(written.outputs.node());
    let outputs = outputs.files.elements().iter().chain(outputs.data.elements());
    let outputs: Vec<keys::Output<'_>> = outputs.map(keys::Output::of).collect();
    let parameters = written.parameters.elements().iter().map(keys::Parameter::of);
    let output_parameters = written.output_parameters.elements().iter().map(keys::OutputParameter::of);
    once(inputs.iter().map(|input| input.name), "input", findings);
    once(inputs.iter().map(|input| input.path), "path of an input", findings);
    once(outputs.iter().map(|output| output.name), "output", findings);
    once(outputs.iter().map(|output| output.path), "path of an output", findings);
    once(parameters.map(|parameter| parameter.name), "parameter", findings);
    once(output_parameters.clone().map(|parameter| parameter.name), "output parameter", findings);
    for path in inputs.iter().filter_map(|input| input.path.node()) {
        if path.text() == Some(&format!("{INPUTS}/{PARAMETERS}")) {
            findings.push(reserved(path, "the parameters of the stage"));
        }
    }
    for path in outputs.iter().filter_map(|output| output.path.node()) {
        // A path that leads out has its own complaint, or is reported when it is opened.
        let inside = path.text().filter(|text| StagePath::parse(text).is_ok());
        findings.extend(inside.and_then(kept_by_referee).map(|what| reserved(path, what)));
    }
    if declared.is_whole
        && let Some(stage) = &declared.stage
    {
        let written: Vec<&str> = stage.outputs().map(|output| output.path.as_str()).collect();
        for source in output_parameters.filter_map(|parameter| parameter.source.node()) {
            written_by(source, &written, "this stage", findings);
        }
    }
}

/// Complains about shared templates with conflicting paths.
pub(super) fn shared(templates: &[Node], findings: &mut Findings) {
    let targets = templates.iter().map(|template| keys::SharedTemplate::of(template).target);
    once(targets.clone(), "target", findings);
    let targets: Vec<&Node> = targets.filter_map(Member::node).collect();
    for target in &targets {
        let Some(text) = target.text() else { continue };
        findings.extend(kept_in_stages(text).map(|what| reserved(target, what)));
        let is_above = |other: &str| other.strip_prefix(text).is_some_and(|rest| rest.starts_with('/'));
        if targets.iter().filter_map(|other| other.text()).any(is_above) {
            let message = format!("{} is a file here, and a directory for another shared template", quote(text));
            findings.push(Finding::error(Code::InvalidPath, target.span, message));
        }
    }
}

/// Returns Referee's own file at a path of a stage, where nothing can be composed.
pub(super) fn kept_in_stages(path: &str) -> Option<&'static str> {
    let below =
        |directory: &str| path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
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

/// Complains about a file that is not among the outputs of a stage.
pub(super) fn written_by(source: &Node, written: &[&str], whose: &str, findings: &mut Findings) {
    let Some(text) = source.text().filter(|text| !written.contains(text)) else { return };
    let message = format!("{} is none of the files that {whose} writes", quote(text));
    let help = nearest(text, written.iter().copied());
    findings.push(Finding::error(Code::UnknownOutput, source.span, message).meant(help));
}

/// Complains about a duplicate text.
pub(super) fn once<'node>(members: impl Iterator<Item = Member<'node>>, what: &str, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for (node, text) in members.filter_map(Member::text_node) {
        if !seen.insert(text) {
            let message = format!("duplicate {what} {}", quote(text));
            findings.push(Finding::error(Code::DuplicateName, node.span, message));
        }
    }
}

/// Returns the inputs of a stage.
pub(super) fn inputs(stage: &Node) -> impl Iterator<Item = &Node> {
    let inputs = keys::Inputs::of(keys::Stage::of(stage).inputs.node());
    inputs.required.elements().iter().chain(inputs.optional.elements())
}

fn reserved(path: &Node, what: &str) -> Finding {
    let message = format!("Referee keeps {what} there; choose another path");
    Finding::error(Code::InvalidPath, path.span, message)
}

/// Returns Referee's own file at a path of a stage, where no output may be.
fn kept_by_referee(path: &str) -> Option<&'static str> {
    let below =
        |directory: &str| path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let data = |name: &str| path.strip_prefix(OUTPUT_DATA).and_then(|rest| rest.strip_prefix('/')) == Some(name);
    if path == STAGE_CONFIG || NOT_FOR_OUTPUTS.iter().any(|directory| below(directory)) {
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
