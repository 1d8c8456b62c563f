//! The evaluation of a judged run by an evaluator program: it may make a decision worse, never better (seed 4;
//! VF-10, VF-11; ruling 25).

use referee_model::limit;
use referee_model::outcome::{AgentAction, Outcome};
use referee_model::plan::{Evaluator, Phase, Plan};
use referee_model::record::{CommandFacts, Ending, Facts, Record, RunEnding, RunRecord};
use referee_model::report::{ActionHistory, ActionReport};
use referee_model::selection::Profile;
use referee_model::verdict::{
    Decision, Evaluated, Evaluation, EvaluatorAnswer, EvaluatorStatus, Exit, Next, OverallStatus, Verdict,
};
use referee_syntax::count::clauses;
use referee_syntax::cut::{first_line, head};
use referee_syntax::duration::exact;
use serde_json::{Map, Value};

use crate::build_error::{self, Parts};
use crate::lenient;

/// Maximum length of a quoted evaluator's text, in characters.
const QUOTED_CHARACTERS: usize = 300;

/// Maximum number of findings named in a fault.
const CAUSES: usize = 3;

/// Record and answer of an evaluator. Both empty: it was not asked, or left no trace.
#[derive(Debug, Clone, Copy, Default)]
pub struct EvaluatorOutput<'a> {
    pub record: Option<&'a Record>,
    /// Standard output as stored. None: there is no log, or it exceeds the size limit.
    pub answer: Option<&'a [u8]>,
}

/// Returns why the evaluator of a plan is not asked about a run. None: it is asked.
///
/// | the run                                | asked                                               |
/// |----------------------------------------|-----------------------------------------------------|
/// | was interrupted, or the engine failed  | no: there is nothing to judge                       |
/// | ran no step                            | no: there is nothing to judge                       |
/// | profile `smoke` or `yolo`              | no: it is the least that is worth asking, and never counts as done |
/// | any other, reduced or not              | yes                                                 |
pub fn why_not_asked(run: &RunRecord, actions: &[ActionReport]) -> Option<&'static str> {
    let ran = |report: &ActionReport| match &report.history {
        ActionHistory::Ran(ran) => report.action.phase == Phase::Step && ran.record.facts != Facts::NotExecuted,
        ActionHistory::Skipped(_) => false,
    };
    if run.ending != RunEnding::Finished {
        Some("the run did not end by itself")
    } else if !actions.iter().any(ran) {
        Some("no step ran")
    } else if run.scope.reduced && matches!(run.scope.profile, Profile::Smoke | Profile::Yolo) {
        Some("the profile leaves it out")
    } else {
        None
    }
}

/// Returns the evaluation. None: the plan has no evaluator.
///
/// | record                                     | answer                         | evaluation |
/// |--------------------------------------------|--------------------------------|----------|
/// | none, and it was not to be asked           | –                              | not asked |
/// | none, and it was to be asked               | –                              | a fault  |
/// | of another, or no command                  | any                            | a fault  |
/// | not started, killed, too slow, too loud    | any                            | a fault  |
/// | exit code not 0                            | any                            | a fault  |
/// | exit code 0                                | none, no object, another shape | a fault  |
/// | exit code 0                                | `{status, summary, next}`      | answered |
fn evaluate(plan: &Plan, run: &RunRecord, actions: &[ActionReport], output: EvaluatorOutput<'_>) -> Option<Evaluation> {
    plan.evaluator.as_ref()?;
    let fault = |reason: String| Evaluation::Fault { reason };
    let Some(record) = output.record else {
        return Some(match why_not_asked(run, actions) {
            Some(reason) => Evaluation::NotAsked { reason: reason.to_owned() },
            None => fault("nothing tells that it was asked".to_owned()),
        });
    };
    let said = facts(record).and_then(worked).and_then(|()| answer(output.answer));
    Some(said.map_or_else(fault, Evaluation::Said))
}

fn facts(record: &Record) -> Result<&CommandFacts, String> {
    match &record.facts {
        Facts::Command(facts) if record.action == Evaluator::id() => Ok(facts),
        Facts::Command(_) => Err(format!("its record is that of {}", record.action)),
        _ => Err("its record is that of no command".to_owned()),
    }
}

fn worked(facts: &CommandFacts) -> Result<(), String> {
    match &facts.ending {
        Ending::Exited { code: 0 } => Ok(()),
        Ending::Exited { code } => Err(format!("it exited with {code}")),
        Ending::Signaled { signal } => Err(format!("it was ended by {}", referee_model::signal::shown(*signal))),
        Ending::DeadlineExceeded { timeout_ms, .. } => Err(format!("it gave no answer within {}", exact(*timeout_ms))),
        Ending::Interrupted { .. } => Err("it was stopped with the run".to_owned()),
        Ending::OutputLimitExceeded { limit_bytes } => Err(format!("it printed more than {limit_bytes} bytes")),
        Ending::ProcessLimitExceeded { limit } => Err(format!("it ran more than {limit} processes at once")),
        Ending::MemoryLimitExceeded { limit_bytes } => Err(format!("it took more than {limit_bytes} bytes of memory")),
        Ending::CouldNotStart { message, .. } => Err(format!("it could not be started: {message}")),
    }
}

/// Parses an answer: one object with `status`, `summary` and `next`, and optional `notes`.
fn answer(bytes: Option<&[u8]>) -> Result<EvaluatorAnswer, String> {
    let bytes = bytes.ok_or("its answer was not kept, or is too long to be one")?;
    if bytes.len() > limit::EVALUATOR_ANSWER_BYTES {
        return Err(format!("its answer is longer than {} bytes", limit::EVALUATOR_ANSWER_BYTES));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "its answer is not UTF-8".to_owned())?;
    let members = lenient::object(text, "status").map_err(|flaw| format!("its answer {}", flaw.sentence()))?;
    Ok(EvaluatorAnswer {
        status: status(&members)?,
        summary: summary(&members)?,
        notes: notes(&members)?,
        next: next(&members)?,
    })
}

fn status(members: &Map<String, Value>) -> Result<EvaluatorStatus, String> {
    let word = word(members, "status")?;
    EvaluatorStatus::parse(word)
        .ok_or_else(|| format!("its answer has the status `{}`, which is none", first_line(word, 40)))
}

fn next(members: &Map<String, Value>) -> Result<Next, String> {
    match word(members, "next")? {
        "done" => Ok(Next::Done),
        "planner" => Ok(Next::Planner),
        other => Err(format!("its answer has the next turn `{}`, which is nobody", first_line(other, 40))),
    }
}

fn summary(members: &Map<String, Value>) -> Result<String, String> {
    let summary = word(members, "summary")?;
    if summary.trim().is_empty() {
        Err("its answer has an empty `summary`".to_owned())
    } else {
        Ok(head(summary, limit::MESSAGE_BYTES).to_owned())
    }
}

fn notes(members: &Map<String, Value>) -> Result<Vec<String>, String> {
    let wrong = || "its answer has `notes` that are neither a text nor texts".to_owned();
    let texts: Vec<&str> = match members.get("notes") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(note)) => vec![note],
        Some(Value::Array(notes)) => {
            notes.iter().map(|note| note.as_str().ok_or_else(wrong)).collect::<Result<_, _>>()?
        }
        Some(_) => return Err(wrong()),
    };
    Ok(texts
        .into_iter()
        .filter(|note| !note.trim().is_empty())
        .take(limit::EVALUATOR_NOTES)
        .map(|note| head(note, limit::MESSAGE_BYTES).to_owned())
        .collect())
}

fn word<'m>(members: &'m Map<String, Value>, key: &str) -> Result<&'m str, String> {
    match members.get(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("its answer has a `{key}` that is not text")),
        None => Err(format!("its answer lacks `{key}`")),
    }
}

/// Returns the objection of an evaluation to the decision. None: it has none.
///
/// | evaluation                        | decision | exit        |
/// |-----------------------------------|---------|-------------|
/// | not asked                         | –       |             |
/// | passed, next done                 | –       |             |
/// | passed, next planner              | BLOCKED | nothing ran |
/// | blocked                           | BLOCKED | nothing ran |
/// | failed                            | FAIL    | failed      |
/// | a fault, and the run did not fail | BLOCKED | internal    |
/// | a fault, and the run failed       | FAIL    | internal    |
fn objection(evaluation: &Evaluation, decision: Decision) -> Option<(Decision, Exit)> {
    match evaluation {
        Evaluation::NotAsked { .. } => None,
        Evaluation::Fault { .. } if decision == Decision::Fail => Some((Decision::Fail, Exit::Internal)),
        Evaluation::Fault { .. } => Some((Decision::Blocked, Exit::Internal)),
        Evaluation::Said(answer) => match (answer.status, answer.next) {
            (EvaluatorStatus::Passed, Next::Done) => None,
            (EvaluatorStatus::Passed, Next::Planner) | (EvaluatorStatus::Blocked, _) => {
                Some((Decision::Blocked, Exit::NothingRan))
            }
            (EvaluatorStatus::Failed, _) => Some((Decision::Fail, Exit::Failed)),
        },
    }
}

/// Returns the worse of two decisions: FAIL is worse than BLOCKED, and BLOCKED than PASS.
pub(super) fn worse(one: Decision, other: Decision) -> Decision {
    let rank = |decision| match decision {
        Decision::Pass => 0,
        Decision::Blocked => 1,
        Decision::Fail => 2,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// Adds the evaluation to a verdict by the rules.
///
/// The decision is the worse of the two, the exit the more severe one, the next turn the planner's unless both
/// are done. An evaluation that is better than the rules' verdict is overridden, with a note.
pub(super) fn apply(
    mut verdict: Verdict,
    plan: &Plan,
    run: &RunRecord,
    actions: &[ActionReport],
    output: EvaluatorOutput<'_>,
) -> Verdict {
    let Some(evaluation) = evaluate(plan, run, actions, output) else { return verdict };
    let by_rules = verdict.decision;
    if let Some((decision, exit)) = objection(&evaluation, by_rules) {
        verdict.decision = worse(by_rules, decision);
        verdict.exit = verdict.exit.min(exit);
        verdict.next = Next::Planner;
        verdict.overall = overall(verdict.overall, &evaluation);
        if by_rules == Decision::Pass {
            verdict.agent_action = agent_action(&evaluation);
            verdict.reasons.clear();
        }
        if verdict.completion.complete {
            verdict.completion.complete = false;
            verdict.completion.reason = objecting(&evaluation);
        }
        verdict.reasons.push(objecting(&evaluation));
    }
    let said_better = matches!(&evaluation, Evaluation::Said(answer)
        if answer.status == EvaluatorStatus::Passed || answer.next == Next::Done);
    let overridden = said_better && verdict.decision != Decision::Pass;
    if overridden {
        verdict.reasons.push(overridden_by_rules(&evaluation));
    }
    // A failed run has its causes among its reasons already.
    if matches!(evaluation, Evaluation::Fault { .. }) && by_rules != Decision::Fail {
        verdict.reasons.push(causes(actions));
    }
    verdict.build_error = build_error::of(
        run,
        actions,
        &Parts { decision: verdict.decision, blocking: &verdict.blocking, reasons: &verdict.reasons },
    );
    verdict.evaluator = Some(Evaluated { evaluation, overridden });
    verdict
}

/// Returns the overall status: a fault makes it an internal error, unless a more severe status applies; any
/// other objection removes the success.
fn overall(overall: OverallStatus, evaluation: &Evaluation) -> OverallStatus {
    match (overall, evaluation) {
        (OverallStatus::Interrupted | OverallStatus::SpecificationError, _) => overall,
        (_, Evaluation::Fault { .. }) => OverallStatus::InternalError,
        (OverallStatus::Success, _) => OverallStatus::PartialSuccess,
        _ => overall,
    }
}

/// Returns the action for the agent if the evaluator is the only reason against a pass.
fn agent_action(evaluation: &Evaluation) -> AgentAction {
    match evaluation {
        Evaluation::Said(EvaluatorAnswer { status: EvaluatorStatus::Failed | EvaluatorStatus::Passed, .. }) => {
            AgentAction::ImplementFix
        }
        Evaluation::Said(_) | Evaluation::Fault { .. } | Evaluation::NotAsked { .. } => AgentAction::RequestRetest,
    }
}

fn objecting(evaluation: &Evaluation) -> String {
    match evaluation {
        Evaluation::NotAsked { reason } => format!("the evaluator was not asked: {reason}"),
        Evaluation::Fault { reason } => format!("the evaluator gave no answer that can be taken: {reason}"),
        Evaluation::Said(answer) => {
            let summary = first_line(&answer.summary, QUOTED_CHARACTERS);
            match (answer.status, answer.next) {
                (EvaluatorStatus::Passed, Next::Planner) => {
                    format!("the evaluator says that more is to be done: {summary}")
                }
                (status, _) => format!("the evaluator says {}: {summary}", status.as_str()),
            }
        }
    }
}

fn overridden_by_rules(evaluation: &Evaluation) -> String {
    let said = match evaluation {
        Evaluation::Said(EvaluatorAnswer { status: EvaluatorStatus::Passed, next: Next::Done, .. }) => {
            "passed and done"
        }
        Evaluation::Said(EvaluatorAnswer { status: EvaluatorStatus::Passed, .. }) => "passed",
        _ => "done",
    };
    format!("the evaluator said {said}, which is overridden: its word never makes a decision better")
}

/// Returns the findings of the checks, blocking causes first, for continuing without an evaluation (VF-10).
fn causes(actions: &[ActionReport]) -> String {
    let ran: Vec<_> = actions.iter().filter_map(|report| Some((&report.action, report.ran()?))).collect();
    let found = |blocking: bool| {
        ran.iter().filter(move |(_, ran)| {
            let judgement = &ran.judgement;
            judgement.blocking == blocking && (blocking || judgement.outcome != Outcome::Success)
        })
    };
    let named = found(true).chain(found(false)).map(|(action, ran)| {
        format!("{} {}: {}", action.id, action.name, first_line(&ran.judgement.reason, QUOTED_CHARACTERS))
    });
    match clauses(named, CAUSES) {
        none if none.is_empty() => "the checks themselves found nothing".to_owned(),
        causes => format!("what the checks found: {causes}"),
    }
}

#[cfg(test)]
mod tests;
