//! Remedy for a failure (seed 1, "Error handling coverage").

use referee_model::outcome::{AgentAction, Outcome, Rule};
use referee_model::plan::Role;
use referee_model::record::service::Readiness;
use referee_model::record::{Ending, Facts, Record, StartFailure};

use super::draft::Draft;
use super::exit_code;

/// Returns the action that the agent is asked to take.
///
/// | outcome              | and                                        | action                       |
/// |----------------------|--------------------------------------------|------------------------------|
/// | SUCCESS              | any                                        | none                         |
/// | any                  | the failure is declared as expected        | none                         |
/// | any                  | all failures are in the baseline           | none                         |
/// | SPECIFICATION_ERROR  | any, also under a prerequisite             | FIX_SPECIFICATION            |
/// | PREREQUISITE_FAILURE | any                                        | FIX_PREREQUISITE             |
/// | TIMEOUT              | it hung: more time does not help           | see `command`                |
/// | TIMEOUT              | any other                                  | OPTIMIZE_OR_INCREASE_TIMEOUT |
/// | any other            | the rules of the work know it              | theirs                       |
/// | EXECUTION_ERROR      | the working directory does not exist       | FIX_SPECIFICATION            |
/// | EXECUTION_ERROR      | the command does not exist                 | INSTALL_TOOL                 |
/// | EXECUTION_ERROR      | interrupted, or facts that do not fit      | REQUEST_RETEST               |
/// | EXECUTION_ERROR      | a file that cannot be examined             | FIX_PREREQUISITE             |
/// | EXECUTION_ERROR      | a type checker, a linter or a formatter    | FIX_PREREQUISITE             |
/// | EXECUTION_ERROR      | a compiler that says so, or was killed     | FIX_PREREQUISITE             |
/// | any other            | types or compilation                       | FIX_TYPES                    |
/// | any other            | lint or format                             | FIX_CODE                     |
/// | any other            | tests, a file, or no known role            | IMPLEMENT_FIX                |
pub(super) fn of(draft: &Draft, role: Option<Role>, record: &Record) -> Option<AgentAction> {
    if draft.expected || matches!(draft.rule, Rule::FindingsKnown | Rule::TestsFailedKnown) {
        return None;
    }
    Some(match (draft.outcome, draft.rule) {
        (Outcome::Success, _) => return None,
        (Outcome::SpecificationError, _) => AgentAction::FixSpecification,
        (Outcome::PrerequisiteFailure, _) if draft.cause == Some(Outcome::SpecificationError) => {
            AgentAction::FixSpecification
        }
        (Outcome::PrerequisiteFailure, _) => AgentAction::FixPrerequisite,
        (Outcome::Timeout, Rule::Deadline) => draft.remedy.unwrap_or(AgentAction::OptimizeOrIncreaseTimeout),
        (Outcome::Timeout, _) => AgentAction::OptimizeOrIncreaseTimeout,
        (outcome, rule) => match draft.remedy {
            Some(remedy) => remedy,
            None if outcome == Outcome::ExecutionError => of_execution_error(rule, role, record),
            None => of_code(role),
        },
    })
}

fn of_execution_error(rule: Rule, role: Option<Role>, record: &Record) -> AgentAction {
    match rule {
        Rule::FileUnreadable => AgentAction::FixPrerequisite,
        _ if has_no_directory(record) => AgentAction::FixSpecification,
        Rule::CouldNotStart | Rule::CommandNotFound => AgentAction::InstallTool,
        Rule::FactsUnusable | Rule::Interrupted => AgentAction::RequestRetest,
        // A tool that did not work says nothing about the code. The messages of a compiler for code that does
        // not compile may be unknown.
        _ => match role {
            Some(Role::Typecheck | Role::Lint | Role::Format) => AgentAction::FixPrerequisite,
            Some(Role::Compile) if was_ended(record) => AgentAction::FixPrerequisite,
            _ => of_code(role),
        },
    }
}

/// Returns whether a command did not end by itself: a signal or a limit ended it, or a shell's exit code says so.
fn was_ended(record: &Record) -> bool {
    match &record.facts {
        Facts::Command(facts) => match facts.ending {
            Ending::Exited { code } => exit_code::says_not_done(None, code),
            _ => true,
        },
        _ => false,
    }
}

fn of_code(role: Option<Role>) -> AgentAction {
    match role {
        Some(Role::Typecheck | Role::Compile) => AgentAction::FixTypes,
        Some(Role::Lint | Role::Format) => AgentAction::FixCode,
        Some(Role::Test | Role::Other) | None => AgentAction::ImplementFix,
    }
}

/// Returns whether the working directory, which the specification names, does not exist.
fn has_no_directory(record: &Record) -> bool {
    match &record.facts {
        Facts::Command(facts) => is_bad_directory(&facts.ending),
        Facts::Service(facts) => match &facts.readiness {
            Readiness::CouldNotStart { cause, .. } => *cause == StartFailure::BadDirectory,
            Readiness::Ended { ending } => is_bad_directory(ending),
            _ => false,
        },
        Facts::File(_) | Facts::Glob(_) | Facts::Http(_) | Facts::Interaction(_) | Facts::NotExecuted => false,
    }
}

fn is_bad_directory(ending: &Ending) -> bool {
    matches!(ending, Ending::CouldNotStart { cause: StartFailure::BadDirectory, .. })
}
