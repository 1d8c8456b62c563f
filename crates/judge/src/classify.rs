//! Outcome of a single action: rulings 7, 8, 9, 11, 12 and 13.
//!
//! Each kind of work has its table beside its code: `command` for the ending of a command and for commands
//! without a role of their own, `test_run`, `validation`, `file`, `http`, `service`. Their drafts are compared
//! with the expectations of the action (`expected`), independent of the phase; the phase then determines the
//! effect on the task. If an action was tried more than once, [`settle`] combines the attempts.

use referee_model::baseline::ActionBaseline;
use referee_model::debt::DebtGeneration;
use referee_model::outcome::{Judgement, Outcome, Rule};
use referee_model::plan::{Action, Interaction, Phase, Plan, Role, Work};
use referee_model::reading::Reading;
use referee_model::record::{Facts, NoticeCode, Record};
use referee_model::severity::Severity;

pub use self::attempts::{retry, settle};
use self::case::Case;
use self::draft::Draft;
pub(crate) use self::expected::named;
pub(crate) use self::http::expectation;
pub(crate) use self::interaction::{asked as asked_of, expectation as row_expectation};
use crate::role::{self, InferredRole};

mod attempts;
mod case;
mod command;
mod debt;
mod draft;
mod exit_code;
mod expected;
mod explained;
mod file;
mod http;
mod interaction;
mod known_tests;
mod line;
mod not_executed;
mod remedy;
mod service;
mod test_run;
mod validation;

/// Judges one attempt of an action by its facts and by the reading of its output.
pub fn judge(plan: &Plan, action: &Action, record: &Record, reading: &Reading) -> Judgement {
    judge_against(plan, action, record, reading, None)
}

/// Judges as [`judge`] does, but findings of a working tool and failed tests that are in the baseline do not
/// block. The expectations of the action are applied before the baseline, named tests after it.
pub fn judge_against(
    plan: &Plan,
    action: &Action,
    record: &Record,
    reading: &Reading,
    known: Option<&ActionBaseline>,
) -> Judgement {
    let told = match &action.work {
        Work::Command(command) => Some(role::tell(command)),
        Work::File(_) | Work::Http(_) | Work::Service(_) | Work::Interaction(_) => None,
    };
    let told = told.as_ref();
    let case = case(plan, action, record, reading, told, known);
    let draft = by_work(plan, action, record, reading, case.as_ref());
    let draft = expected::outcome(plan, action, draft, told);
    let draft = known_tests::excuse(draft, case.as_ref());
    let draft = expected::named_tests(plan, action, draft, told, reading);
    let draft = in_phase(draft, action.phase);
    let (role, tool) = told.map_or((None, None), |told| (Some(told.role), told.tool.clone()));
    let new = draft.baseline.as_ref().filter(|standing| standing.new.total() > 0);
    let new = new.map(|standing| standing.new_of(reading));
    let debt = debt::of(plan, action, &draft, role, tool.as_deref(), new.as_ref().unwrap_or(reading));
    finish(action, record, draft, role, tool, debt)
}

/// Collects everything known about a command that ran. None: the action is not a command, or the facts are
/// those of another.
fn case<'a>(
    plan: &'a Plan,
    action: &'a Action,
    record: &'a Record,
    reading: &'a Reading,
    told: Option<&'a InferredRole>,
    known: Option<&'a ActionBaseline>,
) -> Option<Case<'a>> {
    match (&action.work, &record.facts) {
        (Work::Command(command), Facts::Command(facts)) => Some(Case {
            plan,
            action,
            command,
            evidence: action.evidence,
            told: told?,
            facts,
            notices: &record.notices,
            reading,
            known,
        }),
        _ => None,
    }
}

/// Drafts a judgement by kind of work. Facts of another kind are never a success.
fn by_work(plan: &Plan, action: &Action, record: &Record, reading: &Reading, case: Option<&Case<'_>>) -> Draft {
    match (&action.work, &record.facts) {
        _ if record.action != action.id => {
            unusable(format!("the record is that of {}, not of {}", record.action, action.id))
        }
        (_, Facts::NotExecuted) => not_executed::judge(plan, action),
        (Work::Command(_), Facts::Command(_)) => match case {
            Some(case) => command::judge(case),
            None => unusable("the command has no role".to_owned()),
        },
        (Work::File(check), Facts::File(facts)) if !check.glob => file::judge(check, facts),
        (Work::File(check), Facts::Glob(facts)) if check.glob => file::judge_all(check, facts),
        (Work::Http(request), Facts::Http(facts)) => http::judge(plan, action, request, facts),
        (Work::Service(service), Facts::Service(facts)) => service::judge(service, facts, reading),
        (Work::Interaction(interaction), Facts::Interaction(facts)) => interaction::judge(interaction, facts),
        (Work::Command(_) | Work::File(_) | Work::Http(_) | Work::Service(_) | Work::Interaction(_), facts) => {
            unusable(format!("the action is {}, and its record that of {}", kind(&action.work), kind_of(facts)))
        }
    }
}

fn kind(work: &Work) -> &'static str {
    match work {
        Work::Command(_) => "a command",
        Work::File(check) if check.glob => "a check of several files",
        Work::File(_) => "a file check",
        Work::Http(_) => "an HTTP request",
        Work::Service(_) => "a service",
        Work::Interaction(interaction) => match interaction.as_ref() {
            Interaction::Query(_) => "a database query",
            Interaction::Browser(_) => "a browser action",
        },
    }
}

fn kind_of(facts: &Facts) -> &'static str {
    match facts {
        Facts::Command(_) => "a command",
        Facts::File(_) => "a file",
        Facts::Glob(_) => "several files",
        Facts::Http(_) => "an HTTP request",
        Facts::Service(_) => "a service",
        Facts::Interaction(_) => "an interaction",
        Facts::NotExecuted => "nothing",
    }
}

fn unusable(reason: String) -> Draft {
    Draft::execution_error(Rule::FactsUnusable, reason)
        .advise("Run the task again; evidence that is inconsistent cannot be judged")
}

/// Applies the phase to an outcome (ruling 8).
///
/// | phase        | drafted outcome        | becomes                                            |
/// |--------------|------------------------|----------------------------------------------------|
/// | any          | it cannot be executed  | itself: nothing of the task runs                   |
/// | prerequisite | blocking               | PREREQUISITE_FAILURE, CRITICAL, with it as cause   |
/// | prerequisite | failed, not blocking   | SUCCESS, and a note                                |
/// | step         | any                    | itself                                             |
/// | cleanup      | any                    | itself, never blocking                             |
fn in_phase(mut draft: Draft, phase: Phase) -> Draft {
    match phase {
        _ if draft.rule == Rule::NotExecutable => {}
        Phase::Cleanup => draft.blocking = false,
        Phase::Prerequisite if draft.blocking => {
            draft.notes.push(underneath(draft.rule));
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
            draft.expected = false;
            draft.advice.clear();
            draft.causes.clear();
        }
        Phase::Prerequisite | Phase::Step => {}
    }
    draft
}

/// Returns the note that names the rule beneath a prerequisite failure.
fn underneath(rule: Rule) -> String {
    format!("underneath, {} decided", rule.as_str())
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
        NoticeCode::LeakedProcess
        | NoticeCode::NoPipefail
        | NoticeCode::ShellReplaced
        | NoticeCode::UnknownListener
        | NoticeCode::UncheckedTls
        | NoticeCode::Container => true,
        // A cleanup may stop the service itself, and nothing is checked against it afterwards.
        NoticeCode::ServiceEnded => action.phase != Phase::Cleanup,
        NoticeCode::DroppedVariable | NoticeCode::WantedTerminal | NoticeCode::BrokenPipe => failed,
        // The text of the deadline includes it already.
        NoticeCode::Redacted | NoticeCode::Idle => false,
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
        expected: draft.expected,
        flaky: false,
        debt,
        baseline: draft.baseline,
        waived: Vec::new(),
        notes: draft.notes,
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
