//! Checks who has control, whether this handback returns it, and whether the inputs of the work are unchanged.

use referee_model::handback::HandbackReason;
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;
use referee_model::stage::standing::{Objection, StandingName};
use referee_model::time::Timestamp;
use referee_syntax::count::clauses;

use super::{Control, Document, Facts, LISTED, Logged, is_earlier, objection};

/// Returns the objections by control.
pub(super) fn objections(facts: &Facts<'_>, reason: Option<HandbackReason>) -> Vec<Objection> {
    let mut objections = Vec::new();
    match facts.control {
        Control::Unvouched { .. } => {}
        Control::Unsound(problem) => {
            let is_known = facts.contradictions.iter().any(|known| known.name == StandingName::LogContradicts);
            objections.extend((!is_known).then(|| log(problem)));
        }
        Control::Logged(logged) => {
            objections.extend(without_control(facts.stage, &logged, facts.document));
            let rests_on_inputs = !matches!(reason, Some(HandbackReason::Error | HandbackReason::Question));
            if logged.state == StageState::Active && rests_on_inputs {
                objections.extend(inputs(facts.stage, &logged));
            }
        }
    }
    objections.extend(stale(facts));
    objections
}

fn log(problem: &str) -> Objection {
    objection(
        StandingName::LogContradicts,
        format!("the run's log cannot be used: {problem}"),
        "compose the run again, or have a person look at who changed wf-log.jsonl; a run that came from elsewhere is taken on with \
         `referee stage accept`, `prepare` or `finalize` and `--adopt`",
    )
}

fn without_control(stage: &StageId, logged: &Logged<'_>, document: Document<'_>) -> Option<Objection> {
    let had_its_effect = matches!(document, Document::Valid { ended: Some(ended), .. } if ended == logged.attempt);
    let again = format!(
        "nothing needs to be done; to take that back and begin another attempt: `referee stage accept {stage} --again`"
    );
    let accept = format!("`referee stage accept {stage}` gives control");
    let (message, action) = match logged.state {
        StageState::Active => return None,
        StageState::Pending | StageState::Prepared if logged.attempt == 0 => {
            ("nobody had control: the stage was never accepted".to_owned(), accept)
        }
        StageState::Pending | StageState::Prepared => {
            (format!("nobody has control: attempt {} is over", logged.attempt), accept)
        }
        StageState::Blocked => {
            ("nobody has control: the stage waits for an answer".to_owned(), format!("`referee stage answer {stage}`"))
        }
        StageState::Failed => ("nobody has control: the stage failed".to_owned(), accept),
        StageState::Completed => ("nobody has control: the stage is completed".to_owned(), again),
    };
    let effect = if had_its_effect { ", and this handback had its effect" } else { "" };
    Some(objection(StandingName::WithoutControl, format!("{message}{effect}"), action))
}

fn stale(facts: &Facts<'_>) -> Option<Objection> {
    let Document::Valid { written_at, .. } = facts.document else { return None };
    let told = |message: String| {
        let action = "let the executor of this attempt write run/output-data/handback.json again";
        objection(StandingName::Stale, message, action)
    };
    let accepted_at = facts.control.accepted_at()?;
    age(written_at, accepted_at).map(told)
}

fn age(written_at: Option<Timestamp>, accepted_at: Timestamp) -> Option<String> {
    match written_at {
        None => Some("nobody can tell when it was written".to_owned()),
        Some(written_at) if is_earlier(written_at, accepted_at) => {
            Some(format!("it was written at {written_at}, before control was given at {accepted_at}"))
        }
        Some(_) => None,
    }
}

fn inputs(stage: &StageId, logged: &Logged<'_>) -> Option<Objection> {
    let (then, now) = (logged.inputs_then, logged.inputs_now);
    let changed = then.iter().filter_map(|(path, digest)| match now.get(path) {
        Some(present) if present == digest => None,
        Some(_) => Some(format!("{path} was changed")),
        None => Some(format!("{path} is gone")),
    });
    let outdated = logged.sources.iter().filter_map(|source| match source.published {
        Some(published) if published == source.taken => None,
        Some(published) => {
            Some(format!("{} was done again (attempt {published} after {})", source.stage, source.taken))
        }
        None => Some(format!("what {} gave is no longer published", source.stage)),
    });
    let outdated: Vec<String> = outdated.collect();
    let action = if outdated.is_empty() {
        format!(
            "put the inputs back, or begin another attempt from those that are there: `referee stage accept {stage} --again`"
        )
    } else {
        format!(
            "begin again from what is there: `referee stage prepare {stage} --again`, then `referee stage accept {stage}`"
        )
    };
    let differences: Vec<String> = changed.chain(outdated).collect();
    let message = format!("since control was given: {}", clauses(&differences, LISTED));
    (!differences.is_empty()).then(|| objection(StandingName::InputsChanged, message, action))
}
