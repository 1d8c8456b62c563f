//! Explains the outcome of an action or a task from a judged report, without judging again.

use referee_model::explanation::{
    ActionExplanation, ActionStanding, ConditionKind, ConditionTold, RoleTold, Stand, TaskExplanation,
};
use referee_model::id::ActionId;
use referee_model::outcome::{Judgement, Outcome};
use referee_model::plan::{Action, Phase, Plan, Work};
use referee_model::reading::{ChosenBecause, Reading};
use referee_model::record::SkipReason;
use referee_model::report::{ActionHistory, ActionReport, Ran, Report};
use referee_model::verdict::{ConditionResult, Truth};
use referee_syntax::count::count;

use crate::condition::{last_command, speaks_of};
use crate::{policy, role, skip};

/// Explains one action of a report. None: the report has no such action.
pub fn action(report: &Report, id: &ActionId) -> Option<ActionExplanation> {
    let found = report.actions.iter().find(|found| found.action.id == *id)?;
    let action = &found.action;
    let ran = found.ran();
    let judgement = ran.map(|ran| &ran.judgement);
    let applied = judgement.and_then(|judgement| judgement.policy.as_ref());
    Some(ActionExplanation {
        action: id.clone(),
        role: match &action.work {
            Work::Command(command) => Some(role::tell(command)).map(|told| RoleTold {
                role: told.role,
                because: told.because,
                contradiction: told.contradiction,
            }),
            _ => None,
        },
        reader: ran.filter(|_| matches!(action.work, Work::Command(_))).map(|ran| reader(&ran.reading)),
        rule: judgement.map(|judgement| judgement.rule),
        policy: applied.map(policy::trail).unwrap_or_default(),
        skipped: match &found.history {
            ActionHistory::Skipped(reason) => Some(skip::because(reason)),
            ActionHistory::Ran(_) => None,
        },
        task: meaning(report, found),
        conditions: conditions_of(report, action),
        next: next(found),
    })
}

pub fn task(report: &Report) -> TaskExplanation {
    let standing = |found: &ActionReport| {
        let judgement = found.ran().map(|ran| &ran.judgement);
        ActionStanding {
            action: found.action.id.clone(),
            name: found.action.name.clone(),
            stand: stand(report, found),
            rule: judgement.map(|judgement| judgement.rule),
            reason: match (&found.history, judgement) {
                (ActionHistory::Skipped(reason), _) => format!("never ran: {}", skip::because(reason)),
                (_, Some(judgement)) => judgement.reason.clone(),
                (_, None) => String::new(),
            },
        }
    };
    let whole = if report.verdict.completion.complete { "complete" } else { "not complete" };
    TaskExplanation {
        actions: report.actions.iter().map(standing).collect(),
        conditions: conditions(report, |_, _| true),
        completion: format!("{whole}: {}", report.verdict.completion.reason),
    }
}

/// Returns how an action counts.
///
/// | action                                      | counts           |
/// |---------------------------------------------|------------------|
/// | blocks, by the verdict                      | against          |
/// | skipped by a reduced run, or a cleanup      | not              |
/// | skipped for any other reason                | against          |
/// | succeeded                                   | for              |
/// | did not succeed, a cleanup                  | not              |
/// | did not succeed, and does not block         | as passed        |
fn stand(report: &Report, found: &ActionReport) -> Stand {
    let is_cleanup = found.action.phase == Phase::Cleanup;
    match &found.history {
        _ if report.verdict.blocking.contains(&found.action.id) => Stand::Against,
        ActionHistory::Skipped(SkipReason::LeftOut(_)) => Stand::NotCounted,
        ActionHistory::Skipped(_) if is_cleanup => Stand::NotCounted,
        ActionHistory::Skipped(_) => Stand::Against,
        ActionHistory::Ran(ran) if ran.judgement.outcome == Outcome::Success => Stand::For,
        ActionHistory::Ran(_) if is_cleanup => Stand::NotCounted,
        ActionHistory::Ran(_) => Stand::Allowed,
    }
}

/// Returns the effect of an action on its task.
fn meaning(report: &Report, found: &ActionReport) -> Vec<String> {
    let mut sentences = vec![match (stand(report, found), &found.history) {
        (Stand::Against, ActionHistory::Ran(_)) => "it blocks: the task cannot pass".to_owned(),
        (Stand::Against, ActionHistory::Skipped(_)) => {
            "it should have run and did not: the task cannot pass".to_owned()
        }
        (Stand::For, _) => "it succeeded, and stands for a pass".to_owned(),
        (Stand::Allowed, ActionHistory::Ran(ran)) => allowed(&ran.judgement),
        (Stand::NotCounted, ActionHistory::Skipped(SkipReason::LeftOut(_))) => {
            "it does not count in this reduced run, which is never accepted as done".to_owned()
        }
        (Stand::NotCounted | Stand::Allowed, _) => {
            "it is a cleanup: it is reported, and never turns the decision".to_owned()
        }
    }];
    sentences.extend(found.ran().and_then(flaky));
    sentences.extend(kept_from_running(report, &found.action.id));
    let decision = report.verdict.decision.as_str();
    let because = report.verdict.reasons.first().map(|reason| format!(", because {reason}")).unwrap_or_default();
    sentences.push(format!("the decision on the task is {decision}{because}"));
    sentences
}

fn allowed(judgement: &Judgement) -> String {
    if judgement.expected {
        return "its failure is expected: it counts as passed, and leaves no debt".to_owned();
    }
    "it does not block: it counts as passed, and the task as no whole success".to_owned()
}

fn flaky(ran: &Ran) -> Option<String> {
    ran.judgement.flaky.then(|| format!("it passed only on attempt {}: it is flaky", ran.record.attempt))
}

/// Returns how many actions were skipped because of this one.
fn kept_from_running(report: &Report, id: &ActionId) -> Option<String> {
    let because_of_it = |found: &&ActionReport| match &found.history {
        ActionHistory::Skipped(
            SkipReason::PrerequisiteFailed(other)
            | SkipReason::NeedNotMet(other)
            | SkipReason::EarlierFailure(other)
            | SkipReason::Superseded(other),
        ) => other == id,
        _ => false,
    };
    match report.actions.iter().filter(because_of_it).count() as u64 {
        0 => None,
        number => Some(format!("because of it {} did not run, or does not count", count(number, "action"))),
    }
}

/// Describes the reader of the output, and what its reading can affect (ruling 9).
fn reader(reading: &Reading) -> String {
    let Some(reader) = &reading.reader else {
        return "no reader knows its output: the exit code alone speaks".to_owned();
    };
    let (tool, format) = (&reader.tool, &reader.format);
    match reader.because {
        ChosenBecause::Command => {
            format!("read as {tool}'s ({format}), because that is what the command runs: what was read counts")
        }
        ChosenBecause::Content => format!(
            "read as {tool}'s ({format}), because the output looks like it: that explains a failure, and never turns an \
             exit code 0"
        ),
    }
}

fn next(found: &ActionReport) -> Option<String> {
    match &found.history {
        ActionHistory::Skipped(SkipReason::LeftOut(_)) => Some("Run the whole task: `referee run`".to_owned()),
        ActionHistory::Skipped(
            SkipReason::PrerequisiteFailed(other)
            | SkipReason::NeedNotMet(other)
            | SkipReason::EarlierFailure(other)
            | SkipReason::Superseded(other),
        ) => Some(format!("Fix {other} first, then run again: `referee explain {other}`")),
        ActionHistory::Skipped(_) => Some("Fix what kept it from running, then run again".to_owned()),
        ActionHistory::Ran(ran) if ran.judgement.advice.is_empty() => None,
        ActionHistory::Ran(ran) => Some(ran.judgement.advice.clone()),
    }
}

/// Returns the conditions that refer to an action.
fn conditions_of(report: &Report, action: &Action) -> Vec<ConditionTold> {
    let plan: &Plan = &report.plan;
    conditions(report, |kind, index| match kind {
        ConditionKind::Success => {
            plan.criteria.success.get(index).is_some_and(|asked| speaks_of(plan, &asked.expression, &action.id))
        }
        ConditionKind::Failure => {
            plan.criteria.failure.get(index).is_some_and(|asked| speaks_of(plan, &asked.expression, &action.id))
        }
        ConditionKind::ExpectedOutput => last_command(plan).is_some_and(|last| last.id == action.id),
    })
}

fn conditions(report: &Report, is_meant: impl Fn(ConditionKind, usize) -> bool) -> Vec<ConditionTold> {
    let criteria = &report.verdict.criteria;
    let kinds = [
        (ConditionKind::Success, &criteria.success),
        (ConditionKind::Failure, &criteria.failure),
        (ConditionKind::ExpectedOutput, &criteria.expected_output),
    ];
    let mut told = Vec::new();
    for (kind, results) in kinds {
        let meant = results.iter().enumerate().filter(|(index, _)| is_meant(kind, *index));
        told.extend(meant.map(|(_, result)| condition(kind, result)));
    }
    told
}

/// Explains a condition: an unmet success condition, and a triggered or unknown failure condition, prevent a pass.
fn condition(kind: ConditionKind, result: &ConditionResult) -> ConditionTold {
    let against = match kind {
        ConditionKind::Success | ConditionKind::ExpectedOutput => result.truth != Truth::True,
        ConditionKind::Failure => result.truth != Truth::False,
    };
    ConditionTold {
        kind,
        condition: result.condition.clone(),
        truth: result.truth,
        against,
        reason: result.reason.clone(),
    }
}

#[cfg(test)]
mod tests;
