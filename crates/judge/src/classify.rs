//! How one action came out: rulings 7, 8, 9, 11 and 12.
//!
//! Each kind of work has its table beside its code: `command` for how a command ended and for those without a role of
//! their own, `test_run`, `validation`, `file`. What they draft is the same in every phase; the phase then says what it
//! means for the task.

use referee_model::debt::DebtGeneration;
use referee_model::outcome::{Judgement, Outcome, Rule};
use referee_model::plan::{Action, Phase, Plan, Role, Work};
use referee_model::reading::Reading;
use referee_model::record::{Facts, NoticeCode, Record};
use referee_model::severity::Severity;

use self::case::Case;
use self::draft::Draft;
use crate::role;

mod case;
mod command;
mod debt;
mod draft;
mod exit_code;
mod explained;
mod file;
mod remedy;
mod test_run;
mod validation;

/// Judges one action from its facts and from what was read of its output.
pub fn judge(plan: &Plan, action: &Action, record: &Record, reading: &Reading) -> Judgement {
    let told = match &action.work {
        Work::Command(command) => Some(role::tell(command)),
        Work::File(_) => None,
    };
    let draft = match (&action.work, &record.facts) {
        _ if record.action != action.id => {
            unusable(format!("the record is that of {}, not of {}", record.action, action.id))
        }
        (Work::Command(command), Facts::Command(facts)) => match &told {
            Some(told) => command::judge(&Case { plan, command, told, facts, reading }),
            None => unusable("the command has no role".to_owned()),
        },
        (Work::File(check), Facts::File(facts)) => file::judge(check, facts),
        (Work::Command(_), Facts::File(_)) => {
            unusable("the action is a command, and its record that of a file".to_owned())
        }
        (Work::File(_), Facts::Command(_)) => {
            unusable("the action is a file check, and its record that of a command".to_owned())
        }
    };
    let (role, tool) = told.map_or((None, None), |told| (Some(told.role), told.tool));
    let draft = in_phase(draft, action.phase);
    let debt = debt::of(action, &draft, role, tool.as_deref(), reading);
    finish(action, record, draft, role, tool, debt)
}

fn unusable(reason: String) -> Draft {
    Draft::execution_error(Rule::FactsUnusable, reason)
        .advise("Run the task again; evidence that does not fit together cannot be judged")
}

/// What the phase makes of an outcome (ruling 8).
///
/// | phase        | drafted outcome       | becomes                                            |
/// |--------------|-----------------------|----------------------------------------------------|
/// | prerequisite | blocking              | PREREQUISITE_FAILURE, CRITICAL, with it as cause   |
/// | prerequisite | failed, not blocking  | SUCCESS, and a note: nothing that must hold fails  |
/// | step         | any                   | itself                                             |
/// | cleanup      | any                   | itself, never blocking                             |
fn in_phase(mut draft: Draft, phase: Phase) -> Draft {
    match phase {
        Phase::Cleanup => draft.blocking = false,
        Phase::Prerequisite if draft.blocking => {
            draft.notes.push(format!("underneath, {} decided", draft.rule.id()));
            draft.cause = Some(draft.outcome);
            draft.outcome = Outcome::PrerequisiteFailure;
            draft.severity = Severity::Critical;
            draft.reason = format!("the prerequisite does not hold: {}", draft.reason);
            draft.rule = Rule::PrerequisiteFailed;
        }
        Phase::Prerequisite if draft.outcome != Outcome::Success => {
            draft.notes.push(format!("{} does not keep a prerequisite from holding", draft.outcome.as_str()));
            draft.outcome = Outcome::Success;
            draft.severity = Severity::None;
            draft.advice.clear();
            draft.causes.clear();
        }
        Phase::Prerequisite | Phase::Step => {}
    }
    draft
}

fn finish(
    action: &Action,
    record: &Record,
    mut draft: Draft,
    role: Option<Role>,
    tool: Option<String>,
    debt: DebtGeneration,
) -> Judgement {
    let failed = draft.outcome != Outcome::Success;
    let telling = record.notices.iter().filter(|notice| match notice.code {
        NoticeCode::LeakedProcess | NoticeCode::NoPipefail => true,
        NoticeCode::DroppedVariable | NoticeCode::WantedTerminal | NoticeCode::BrokenPipe => failed,
        NoticeCode::Redacted => false,
    });
    draft.notes.extend(telling.map(|notice| notice.message.clone()));
    let remedy = remedy::of(&draft, role, record);
    Judgement {
        action: action.id.clone(),
        outcome: draft.outcome,
        cause: draft.cause,
        blocking: draft.blocking,
        severity: draft.severity,
        reason: draft.reason,
        rule: draft.rule,
        role,
        tool,
        policy: draft.policy,
        exit_code_only: draft.exit_code_only,
        counted_tests: draft.counted_tests,
        possible_causes: draft.causes,
        remedy,
        advice: draft.advice,
        debt,
        notes: draft.notes,
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
