//! The two sides of a comparison in CI: the attestation that was brought along, read and verified; and the facts
//! of the run made here.

use std::path::{Path, PathBuf};

use referee_judge::gate;
use referee_ledger::evidence::Evidence;
use referee_model::comparison::{Brought, CheckFact, Provenance, RunFacts};
use referee_model::gate::{Basis, CheckStanding, GateCheck, GateTask};
use referee_model::id::{ActionId, Digest, TaskId};
use referee_model::plan::Plan;
use referee_model::record::RunRecord;
use referee_model::{canonical, evidence_name};
use serde_json::Value;

use crate::error::EngineError;
use crate::recorded::{self, Unreliable};
use crate::verification::{self, Axis, AxisState, Verification, Verifier, VerifyRequest};

mod statements;

/// Placeholder for the workspace path in a plan that is compared with one from another machine.
const WORKSPACE: &str = "${WORKSPACE}";

/// Placeholder for the evidence root.
const EVIDENCE: &str = "${EVIDENCE}";

/// Source of attestations.
#[derive(Debug, Clone, Copy)]
pub enum AttestationSource<'path> {
    /// The evidence directory of one task.
    Directory(&'path Path),
    /// The content of a file of signed statements, and its name.
    Statements(&'path [u8], &'path str),
}

/// Reads and verifies the attestation that was brought along for a task. The local state directory is not
/// consulted: the chain recorded there is not the one of the machine where the attestation was made.
pub fn look(place: AttestationSource<'_>, task: &TaskId, verifier: &Verifier) -> Brought {
    match place {
        AttestationSource::Statements(bytes, name) => statements::look(bytes, name, task, verifier),
        AttestationSource::Directory(directory) => of_directory(directory, task, verifier),
    }
}

fn of_directory(directory: &Path, task: &TaskId, verifier: &Verifier) -> Brought {
    let place = directory.display().to_string();
    let unverifiable = |reasons| Brought::Unverifiable { place: place.clone(), reasons };
    let request = VerifyRequest { directory, replay: true, state: None, verifier };
    let verification = match verification::verify(&request) {
        Ok(verification) => verification,
        Err(failure) => return unverifiable(vec![failure.to_string()]),
    };
    let broken = reasons(&verification, AxisState::Broken);
    if !broken.is_empty() {
        return Brought::Tampered { place, reasons: broken };
    }
    let unknown = reasons(&verification, AxisState::Unverifiable);
    if !unknown.is_empty() {
        return unverifiable(unknown);
    }
    let report = match recorded::open(directory, None) {
        Ok(recorded) => recorded.report,
        Err(Unreliable::Tampered(reasons)) => return Brought::Tampered { place, reasons },
        Err(Unreliable::Unreadable(failure)) => return unverifiable(vec![failure.to_string()]),
    };
    if report.plan.task != *task {
        return Brought::Nothing;
    }
    let judged = gate::judged(&report, Basis::Recorded, &place).task;
    let facts = facts(&judged, &report.plan, &report.run, place);
    let (provenance, reason) = provenance(directory, &verification);
    Brought::Run { facts, provenance, reason }
}

fn reasons(verification: &Verification, state: AxisState) -> Vec<String> {
    let axes = verification.axes.iter().filter(|axis| axis.state == state);
    axes.flat_map(|axis| axis.reasons.iter().map(|reason| format!("{}: {reason}", axis.name))).collect()
}

/// Returns the provenance of a run, from the axes of its verification, with the reason.
fn provenance(directory: &Path, verification: &Verification) -> (Provenance, String) {
    let axis = |name: &str| verification.axes.iter().find(|axis| axis.name == name);
    let reason = |axis: Option<&Axis>| axis.map(|axis| axis.reasons.join("; ")).unwrap_or_default();
    let names = Evidence::open(directory).and_then(|evidence| evidence.names()).unwrap_or_default();
    let is_signed = names.iter().any(|name| name == evidence_name::ATTESTATION);
    let holds = |name: &str| axis(name).is_some_and(|axis| axis.state == AxisState::Holds);
    if !is_signed {
        (Provenance::SelfAsserted, reason(axis("signature")))
    } else if holds("signature") && holds("trust") {
        (Provenance::Trusted, reason(axis("trust")))
    } else {
        (Provenance::UnknownKey, reason(axis("trust")))
    }
}

/// Returns the facts of a task that the gate answered for, from the evidence of its run.
///
/// # Errors
/// Fails if that evidence cannot be read.
pub fn here(task: &GateTask) -> Result<RunFacts, EngineError> {
    let directory = evidence_of(task);
    let evidence = Evidence::open(&directory)?;
    let plan = referee_model::plan::plan_document::read(&evidence.read(evidence_name::PLAN)?)
        .map_err(EngineError::internal)?;
    let run =
        referee_model::record::header::read(&evidence.read(evidence_name::RUN)?).map_err(EngineError::internal)?;
    Ok(facts(task, &plan, &run, directory.display().to_string()))
}

/// Returns the evidence directory of a task that the gate answered for.
pub fn evidence_of(task: &GateTask) -> PathBuf {
    Path::new(&task.report).parent().map(Path::to_owned).unwrap_or_default()
}

fn facts(task: &GateTask, plan: &Plan, run: &RunRecord, place: String) -> RunFacts {
    let tree = run.run_context.tree.as_ref();
    let check = |check: &GateCheck| CheckFact {
        action: check.action.clone(),
        name: check.name.clone(),
        standing: check.standing,
    };
    RunFacts {
        task: task.task.clone(),
        execution: task.execution.clone(),
        decision: task.decision,
        reduced: task.reduced,
        tree: tree.filter(|tree| tree.before == tree.after).map(|tree| tree.after.digest),
        specification: plan.specification.digest,
        plan: portable(plan),
        checks: task.checks.iter().map(check).collect(),
        ended: task.ended,
        place,
    }
}

/// Returns the digest of a plan with machine-specific paths replaced by placeholders, so that plans of two
/// machines can be compared. `None`: the plan has no canonical form.
fn portable(plan: &Plan) -> Option<Digest> {
    let mut document = serde_json::to_value(referee_model::plan::plan_document::KIND.versioned(plan)).ok()?;
    let evidence = plan.evidence_root.to_string_lossy();
    let workspace = plan.workspace.to_string_lossy();
    // The evidence root may lie in the workspace, so it is replaced first.
    relocate(&mut document, &[(&evidence, EVIDENCE), (&workspace, WORKSPACE)]);
    canonical::bytes(&document).map(Digest::of).ok()
}

fn relocate(value: &mut Value, places: &[(&str, &str)]) {
    match value {
        Value::String(text) => {
            for (place, stands_for) in places.iter().filter(|(place, _)| place.len() > 1) {
                if text.contains(place) {
                    *text = text.replace(place, stands_for);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| relocate(value, places)),
        Value::Object(values) => values.values_mut().for_each(|value| relocate(value, places)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Parses the id and the name of a check from its name in a statement.
fn called(name: &str, standing: CheckStanding) -> Option<CheckFact> {
    let (id, name) = name.split_once(' ').unwrap_or((name, ""));
    let action = ActionId::parse(id).ok()?;
    let name = if name.is_empty() { action.to_string() } else { name.to_owned() };
    Some(CheckFact { action, name, standing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_the_same_wherever_it_is_run() {
        let document = |workspace: &str| {
            let mut value = serde_json::json!({
                "workspace": workspace,
                "evidenceRoot": format!("{workspace}/evidence"),
                "actions": [{ "directory": format!("{workspace}/packages/a"), "argv": ["cat", format!("{workspace}/x")] }],
                "title": "a/b",
            });
            relocate(&mut value, &[(&format!("{workspace}/evidence"), EVIDENCE), (workspace, WORKSPACE)]);
            value
        };
        assert_eq!(document("/home/me/project"), document("/runner/work/project"));
        assert_eq!(document("/home/me/project")["actions"][0]["argv"][1], "${WORKSPACE}/x");
        // A workspace that is the root of the file system is part of every path, and is not replaced.
        let mut value = serde_json::json!("/a/b");
        relocate(&mut value, &[("/", WORKSPACE), ("", EVIDENCE)]);
        assert_eq!(value, "/a/b");
    }

    #[test]
    fn statements_name_checks_by_id_and_tests_by_anything_else() {
        let fact = called("STEP.2 unit tests", CheckStanding::Passed).unwrap();
        assert_eq!((fact.action.as_str(), fact.name.as_str()), ("STEP.2", "unit tests"));
        assert_eq!(called("STEP.2", CheckStanding::Passed).unwrap().name, "STEP.2");
        assert!(called("adds a quote", CheckStanding::Passed).is_none() && called("", CheckStanding::Passed).is_none());
    }
}
