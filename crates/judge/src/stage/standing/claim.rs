//! Compares a handback with the outputs, the verdict and `wf-result.json`.

use referee_model::handback::HandbackReason;
use referee_model::stage::check::Checks;
use referee_model::stage::id::StageId;
use referee_model::stage::result::WfResultStatus;
use referee_model::stage::standing::{Objection, StandingName};
use referee_syntax::count::clauses;

use super::{Decision, Document, Facts, LISTED, ResultSaid, is_earlier, objection};

/// Returns the objection of the handback itself: it is missing or invalid, or says that the work is not done.
pub(super) fn of_itself(stage: &StageId, document: Document<'_>) -> Option<Objection> {
    let found = match document {
        Document::Missing => objection(
            StandingName::Missing,
            "there is no run/output-data/handback.json: nobody has given control back",
            format!("let the executor of {stage} write it, whatever became of the work"),
        ),
        Document::Invalid(complaints) => objection(
            StandingName::Invalid,
            format!("run/output-data/handback.json is not a handback: {}", clauses(complaints, LISTED)),
            "write it again: `referee schema handback` prints its schema",
        ),
        Document::Valid { handback, .. } => match handback.reason() {
            HandbackReason::Success => return None,
            HandbackReason::Error => objection(
                StandingName::Error,
                "it says that the work failed",
                format!(
                    "take it from here: `referee stage finalize {stage}` records the failure and opens an incident"
                ),
            ),
            HandbackReason::Question => objection(
                StandingName::Question,
                "it asks something, and the work is not done",
                format!("answer it: `referee stage answer {stage}`"),
            ),
        },
    };
    Some(found)
}

/// Returns the objection of the outputs to a success.
pub(super) fn of_outputs(stage: &StageId, outputs: &Checks) -> Option<Objection> {
    if outputs.is_pass() {
        return None;
    }
    let failed: Vec<String> =
        outputs.failed().map(|(check, _)| format!("{} {}", check.kind.as_str(), check.path)).collect();
    let message = if failed.is_empty() {
        "it says success, and no output was there to be judged".to_owned()
    } else {
        format!(
            "it says success, and {} of {} checks fail: {}",
            failed.len(),
            outputs.checks.len(),
            clauses(&failed, LISTED)
        )
    };
    let action = format!("fix what `referee stage validate {stage}` tells, or hand back an error");
    Some(objection(StandingName::OutputsContradict, message, action))
}

/// Returns the objection of the verdict to a success.
pub(super) fn of_verdict(stage: &StageId, verdict: Decision<'_>) -> Option<Objection> {
    let (message, action) = match verdict {
        Decision::NotAsked | Decision::Pass => return None,
        Decision::Unknown => (
            "it says success, and the stage's specification has not run over the outputs and the workspace that are there now".to_owned(),
            format!("run it: `referee stage validate {stage}`"),
        ),
        Decision::Other { decision, reason } => (
            format!("it says success, and the verdict over the stage's specification is {decision}: {reason}"),
            format!("fix what `referee stage validate {stage}` tells, or hand back an error"),
        ),
    };
    Some(objection(StandingName::VerdictContradicts, message, action))
}

/// Returns the objections by `wf-result.json`. A file older than this attempt says nothing about it: a success
/// cannot rest on it, and it does not contradict an error.
pub(super) fn of_result(facts: &Facts<'_>, reason: Option<HandbackReason>) -> Vec<Objection> {
    let is_success = match reason {
        Some(HandbackReason::Success) => true,
        Some(HandbackReason::Error) => false,
        Some(HandbackReason::Question) | None => return Vec::new(),
    };
    let told = |message: String| {
        objection(
            StandingName::ResultContradicts,
            message,
            "let the executor write run/output-data/wf-result.json and handback.json again, so that both say the same",
        )
    };
    let (status, stage, completed_at) = match facts.result {
        ResultSaid::Absent => return Vec::new(),
        ResultSaid::Unreadable(_) if !is_success => return Vec::new(),
        ResultSaid::Unreadable(problem) => {
            return vec![told(format!("it says success, and wf-result.json cannot be read: {problem}"))];
        }
        ResultSaid::Said { status, stage, completed_at } => (status, stage, completed_at),
    };
    // The clock of an executor is not trusted to confirm a success; beside an error, an old file is left over
    // from an earlier attempt.
    let is_older = facts.control.accepted_at().is_some_and(|accepted_at| is_earlier(completed_at, accepted_at));
    let mut objections = Vec::new();
    if stage != facts.stage {
        objections.push(told(format!("wf-result.json is about the stage {stage}, and this is {}", facts.stage)));
    }
    let agrees = is_success == (status == WfResultStatus::Success);
    if !agrees && (is_success || !is_older) {
        let said = if is_success { "success" } else { "error" };
        objections.push(told(format!("it says {said}, and wf-result.json says {}", status.as_str())));
    }
    objections
}
