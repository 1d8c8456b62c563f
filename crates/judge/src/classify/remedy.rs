//! What a failure calls for (seed 1, "Error handling coverage").

use referee_model::outcome::{AgentAction, Outcome, Rule};
use referee_model::plan::Role;
use referee_model::record::{Ending, Facts, Record, StartFailure};

use super::draft::Draft;

/// Returns what the agent is asked to do about an action.
///
/// | outcome              | and                                        | action                       |
/// |----------------------|--------------------------------------------|------------------------------|
/// | SUCCESS              | any                                        | none                         |
/// | any                  | the failure is declared as expected        | none                         |
/// | SPECIFICATION_ERROR  | any                                        | FIX_SPECIFICATION            |
/// | PREREQUISITE_FAILURE | any                                        | FIX_PREREQUISITE             |
/// | TIMEOUT              | any                                        | OPTIMIZE_OR_INCREASE_TIMEOUT |
/// | EXECUTION_ERROR      | the folder to run in is not there          | FIX_SPECIFICATION            |
/// | EXECUTION_ERROR      | the command is not there                   | INSTALL_TOOL                 |
/// | EXECUTION_ERROR      | interrupted, or facts that do not fit      | REQUEST_RETEST               |
/// | EXECUTION_ERROR      | a file that cannot be looked at            | FIX_PREREQUISITE             |
/// | any other            | types or compilation                       | FIX_TYPES                    |
/// | any other            | lint or format                             | FIX_CODE                     |
/// | any other            | tests, a file, or no known role            | IMPLEMENT_FIX                |
pub(super) fn of(draft: &Draft, role: Option<Role>, record: &Record) -> Option<AgentAction> {
    if draft.expected {
        return None;
    }
    Some(match (draft.outcome, draft.rule) {
        (Outcome::Success, _) => return None,
        (Outcome::SpecificationError, _) => AgentAction::FixSpecification,
        (Outcome::PrerequisiteFailure, _) | (Outcome::ExecutionError, Rule::FileUnreadable) => {
            AgentAction::FixPrerequisite
        }
        (Outcome::Timeout, _) => AgentAction::OptimizeOrIncreaseTimeout,
        (Outcome::ExecutionError, _) if has_no_folder(record) => AgentAction::FixSpecification,
        (Outcome::ExecutionError, Rule::CouldNotStart | Rule::CommandNotFound) => AgentAction::InstallTool,
        (Outcome::ExecutionError, Rule::FactsUnusable | Rule::Interrupted) => AgentAction::RequestRetest,
        _ => match role {
            Some(Role::Typecheck | Role::Compile) => AgentAction::FixTypes,
            Some(Role::Lint | Role::Format) => AgentAction::FixCode,
            Some(Role::Test | Role::Other) | None => AgentAction::ImplementFix,
        },
    })
}

/// Whether the folder to run in, which the specification names, is not there.
fn has_no_folder(record: &Record) -> bool {
    let Facts::Command(facts) = &record.facts else { return false };
    matches!(facts.ending, Ending::CouldNotStart { cause: StartFailure::BadDirectory, .. })
}
