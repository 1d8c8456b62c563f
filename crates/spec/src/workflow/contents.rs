//! Checks that a stage gets what it needs: its prompts, the schemas of its outputs, and the files that pass control.

use referee_model::handback::{HandbackCode, render_accept};
use referee_model::stage::error_codes;
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::workflow::Stage;
use referee_model::time::Timestamp;
use referee_schema::validator::{Validator, is_vacuous};
use serde_json::{Value, json};

use super::files::{Gathering, Part, Parts, see};

/// Schema of every stage's report of its work.
const WF_RESULT: &str = "schemas/wf-result.schema.json";
const ACCEPT: &str = "schemas/accept.schema.json";
const HANDBACK: &str = "schemas/handback.schema.json";
const ERROR_CODES: &str = "schemas/error-codes.json";

/// Maximum number of complaints about a schema or a sample that are listed.
const SHOWN: usize = 3;

/// Checks the files of one stage.
pub(super) fn stage(gathering: &mut Gathering<'_>, stage: &Stage, parts: &Parts) {
    prompt(gathering, stage, parts, &stage.prompt.entry, "entry");
    prompt(gathering, stage, parts, &stage.prompt.main, "main");
    schemas(gathering, stage, parts);
    let is_said = StagePath::parse(WF_RESULT).is_ok_and(|path| gathering.is_said(&path));
    if part(parts, WF_RESULT).is_none() && !is_said {
        gathering.faults.push(
            format!("the stage {} gets no `{WF_RESULT}`, the schema of what it says of its work", stage.id),
            "add it to `shared_templates` (`referee schema wf-result` prints one)",
            "wf.yaml, shared_templates",
        );
    }
    control(gathering, stage, parts);
    collisions(gathering, stage, parts);
}

fn part<'parts>(parts: &'parts Parts, path: &str) -> Option<&'parts Part> {
    StagePath::parse(path).ok().and_then(|path| parts.get(&path))
}

fn prompt(gathering: &mut Gathering<'_>, stage: &Stage, parts: &Parts, place: &PathReference, which: &str) {
    let Some(path) = place.inside() else { return };
    let Some(Part { origin, bytes }) = parts.get(path) else {
        if gathering.is_said(path) {
            return;
        }
        gathering.faults.push(
            format!("the {which} prompt `{path}` of the stage {} does not exist", stage.id),
            format!("write `stages/{}/{path}`, or share a file with that target", stage.id),
            see(stage),
        );
        return;
    };
    match std::str::from_utf8(bytes) {
        Ok(text) if text.trim().is_empty() => {
            gathering.faults.push(format!("the prompt `{origin}` is empty"), "say what is to be done", see(stage));
        }
        Ok(_) => {}
        Err(_) => {
            gathering.faults.push(format!("the prompt `{origin}` is not UTF-8 text"), "save it as UTF-8", see(stage));
        }
    }
}

/// Checks the schemas that outputs name.
fn schemas(gathering: &mut Gathering<'_>, stage: &Stage, parts: &Parts) {
    for output in stage.outputs() {
        let Some(path) = output.schema.as_ref().and_then(PathReference::inside) else { continue };
        match parts.get(path) {
            Some(part) => drop(schema(gathering, stage, part)),
            None if gathering.is_said(path) => {}
            None => gathering.faults.push(
                format!("the schema `{path}` of the output {:?} of the stage {} does not exist", output.name, stage.id),
                format!("write `stages/{}/{path}`, or share a file with that target", stage.id),
                see(stage),
            ),
        }
    }
}

/// Checks a schema. None: it is invalid, or was checked before.
fn schema(gathering: &mut Gathering<'_>, stage: &Stage, part: &Part) -> Option<Validator> {
    if !gathering.looked_at.insert(part.origin.clone()) {
        return None;
    }
    let origin = &part.origin;
    let schema: Value = match serde_json::from_slice(&part.bytes) {
        Ok(schema) => schema,
        Err(error) => {
            gathering.faults.push(format!("the schema `{origin}` is not JSON: {error}"), "fix it", see(stage));
            return None;
        }
    };
    if is_vacuous(&schema) {
        gathering.notices.push(
            format!("the schema `{origin}` asks for nothing: every JSON document passes"),
            "say what the document must hold",
            see(stage),
        );
    }
    match Validator::new(&schema) {
        Ok(validator) => Some(validator),
        Err(error) => {
            let cause = format!("`{origin}` is not a usable JSON Schema: {error}");
            gathering.faults.push(cause, "fix the schema", see(stage));
            None
        }
    }
}

/// Checks the files for passing control that a workflow includes. The schemas of Referee apply, and these must
/// not contradict them.
fn control(gathering: &mut Gathering<'_>, stage: &Stage, parts: &Parts) {
    if let Some(part) = part(parts, WF_RESULT) {
        // A stage may require more than Referee does.
        drop(schema(gathering, stage, part));
    }
    for (path, samples) in [(ACCEPT, accepts()), (HANDBACK, handbacks())] {
        let Some(part) = part(parts, path) else { continue };
        let Some(validator) = schema(gathering, stage, part) else { continue };
        let refused = samples.iter().find_map(|sample| {
            let (complaints, _) = validator.complaints(sample, SHOWN);
            (!complaints.is_empty()).then(|| format!("{sample}: {}", complaints.join("; ")))
        });
        if let Some(refused) = refused {
            gathering.faults.push(
                format!("`{}` refuses what is right: {refused}", part.origin),
                "take it away: every run gets the right one in its `schemas` directory",
                "referee schema handback",
            );
        }
    }
    let Some(part) = part(parts, ERROR_CODES) else { return };
    let complaints = error_codes::complaints(&part.bytes);
    if !complaints.is_empty() {
        gathering.faults.push(
            format!("`{}` says other codes than there are: {}", part.origin, complaints.join("; ")),
            "name the ten codes, each with what it means",
            "docs/workflow.md",
        );
    }
}

fn accepts() -> Vec<Value> {
    let accept = render_accept(Timestamp::from_millisecond(0)).ok();
    accept.and_then(|bytes| serde_json::from_slice(&bytes).ok()).into_iter().collect()
}

fn handbacks() -> Vec<Value> {
    let error = |code: HandbackCode| {
        json!({
            "reason": "error",
            "description": "It cannot be done.",
            "error": { "code": code.as_str(), "message": "Why.", "context": { "file": "a" } },
        })
    };
    let others = ["success", "question"].map(|reason| json!({ "reason": reason, "description": "A sentence." }));
    others.into_iter().chain(HandbackCode::ALL.map(error)).collect()
}

/// Finds outputs and inputs from other stages that would overwrite composed files, which must not change, and
/// files that would have to be directories.
fn collisions(gathering: &mut Gathering<'_>, stage: &Stage, parts: &Parts) {
    let outputs = stage.outputs().map(|output| (&output.path, "an output"));
    let inputs = stage.inputs.iter().filter(|input| input.from.is_some());
    let inputs = inputs.map(|input| (&input.path, "an input from another stage"));
    for (place, what) in outputs.chain(inputs) {
        let Some(part) = place.inside().and_then(|path| parts.get(path)) else { continue };
        let cause = format!(
            "`{}` stands where `{}` of the stage {} goes, which is {what}",
            part.origin,
            place.as_str(),
            stage.id
        );
        gathering.faults.push(cause, "give one of them another path", see(stage));
    }
    for (path, part) in parts {
        let above = path.as_str().match_indices('/').filter_map(|(end, _)| path.as_str().get(..end));
        let file =
            above.filter_map(|directory| StagePath::parse(directory).ok()).find_map(|directory| parts.get(&directory));
        if let Some(file) = file {
            let cause = format!("`{}` would be a file, and a directory for `{}`", file.origin, part.origin);
            gathering.faults.push(cause, "give one of them another path", see(stage));
        }
    }
}
