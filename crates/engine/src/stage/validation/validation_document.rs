//! The result of a stage's validation as a document without secrets.

use referee_judge::stage::checks::Scene;
use referee_judge::stage::checks::closure::{self, SpecificationSeen};
use referee_ledger::redact::Redactor;
use referee_model::exit_code;
use referee_model::stage::check::{Check, CheckFailure, Checks};
use referee_model::stage::standing::{HandbackStanding, Objection, StandingName};
use referee_report::stage::checks::{AcceptSeenDocument, HandbackSeenDocument, StageChecksDocument};
use serde_json::Value;

use super::observation;
use crate::stage::outputs::Outputs;
use crate::stage::standing::{AcceptFound, HandbackFound, HandedBack, Verdict};
use crate::stage::{Configuration, Opened};

/// Returns the checks of the outputs, with those of the specification, if the stage names one, and of the
/// handback, if it cannot be read.
pub(super) fn closed(opened: &Opened, outputs: &Outputs, verdict: &Verdict, handed: &HandedBack) -> Checks {
    let scene = observation::scene(opened);
    let mut checks = outputs.checks.clone();
    checks.checks.extend(specification(&scene, opened, verdict));
    match &handed.document {
        HandbackFound::Missing => checks.warnings.push(closure::handback_missing(&scene)),
        HandbackFound::Invalid(complaints) => checks.checks.push(closure::handback_invalid(&scene, complaints)),
        HandbackFound::Valid(..) => {}
    }
    checks
}

fn specification(scene: &Scene, opened: &Opened, verdict: &Verdict) -> Option<Check> {
    let named = match &opened.configuration {
        Configuration::Read(stage) => stage.specification.as_ref(),
        Configuration::Absent | Configuration::Broken(_) => None,
    };
    let seen = match verdict {
        Verdict::NotAsked if named.is_none() => return None,
        Verdict::NotAsked | Verdict::Unknown => SpecificationSeen::NothingRan,
        Verdict::Known(verdict) if is_pass(verdict.exit, &verdict.decision) => SpecificationSeen::Passed,
        Verdict::Known(verdict) => SpecificationSeen::NotPassed {
            decision: &verdict.decision,
            reason: &verdict.reason,
            evidence: verdict.evidence.as_deref(),
        },
    };
    Some(closure::specification(scene, named.map_or("specification", |place| place.as_str()), seen))
}

/// Whether both the decision and the exit code are those of a pass.
fn is_pass(exit: u8, decision: &str) -> bool {
    exit == exit_code::PASSED && decision == "PASS"
}

/// Returns the exit code: that of the specification's verdict if it is more severe, in the order of the design.
pub(super) fn exit(checks: &Checks, verdict: &Verdict) -> u8 {
    let by_checks = if checks.is_pass() { exit_code::PASSED } else { exit_code::FAILED };
    let by_verdict = match verdict {
        Verdict::Known(verdict) => verdict.exit,
        Verdict::NotAsked | Verdict::Unknown => exit_code::PASSED,
    };
    if exit_code::gravity(by_verdict) > exit_code::gravity(by_checks) { by_verdict } else { by_checks }
}

/// Returns the document of the checks, without secrets.
pub(in crate::stage) fn document(
    opened: &Opened,
    redactor: &Redactor,
    checks: &Checks,
    accept: &AcceptFound,
) -> StageChecksDocument {
    let run_id = opened.history.composed.as_ref().map(|composed| composed.run_id.clone());
    let mut document = StageChecksDocument::of(opened.stage.clone(), run_id, without_secrets(redactor, checks));
    document.accept = match accept {
        AcceptFound::Absent => AcceptSeenDocument::default(),
        AcceptFound::Present(since) => AcceptSeenDocument::present(*since),
        AcceptFound::Invalid(complaints) => {
            AcceptSeenDocument::invalid(complaints.iter().map(|complaint| redactor.text(complaint)).collect())
        }
    };
    document
}

/// Returns the document of the executor's handback, without secrets.
pub(super) fn handback(redactor: &Redactor, handed: &HandedBack) -> HandbackSeenDocument {
    let mut seen = HandbackSeenDocument { objections: objections(redactor, &handed.standing), ..Default::default() };
    match &handed.document {
        HandbackFound::Missing => {}
        HandbackFound::Invalid(complaints) => {
            seen.present = true;
            seen.complaints = complaints.iter().map(|complaint| redactor.text(complaint)).collect();
        }
        HandbackFound::Valid(handback, _) => {
            seen.present = true;
            seen.valid = true;
            seen.reason = Some(handback.reason().as_str().to_owned());
            seen.description = Some(redactor.text(&handback.description));
            if let Some(fault) = handback.fault() {
                seen.error_code = Some(fault.code.as_str().to_owned());
                seen.error_meaning = Some(fault.code.meaning().to_owned());
                seen.error_message = Some(redactor.text(&fault.message));
            }
        }
    }
    seen
}

/// Returns the objections that are not reported as a warning or a check already.
fn objections(redactor: &Redactor, standing: &HandbackStanding) -> Vec<Objection> {
    let told = [StandingName::Missing, StandingName::Invalid];
    let others = standing.objections.iter().filter(|objection| !told.contains(&objection.name));
    others.map(|objection| Objection { message: redactor.text(&objection.message), ..objection.clone() }).collect()
}

fn without_secrets(redactor: &Redactor, checks: &Checks) -> Checks {
    let text = |text: &String| redactor.text(text);
    let one = |check: &Check| match &check.failure {
        // The message of a passed check is Referee's own.
        None => check.clone(),
        Some(failure) => Check {
            message: redactor.text(&check.message),
            failure: Some(CheckFailure { details: failure.details.iter().map(text).collect(), ..failure.clone() }),
            ..check.clone()
        },
    };
    Checks { checks: checks.checks.iter().map(one).collect(), warnings: checks.warnings.iter().map(text).collect() }
}

/// Removes the secrets from a value that is shown.
pub(super) fn shown(redactor: &Redactor, value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redactor.text(text)),
        Value::Array(items) => items.iter().map(|item| shown(redactor, item)).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, value)| (key.clone(), shown(redactor, value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
