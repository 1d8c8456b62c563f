//! Class of an incident: computed from the outcome of the first failure and the type of the run's error
//! (rulings 7 and 21), never from a choice of a person or program.

use referee_model::build_error::{BuildErrorType, ErrorGroup};
use referee_model::incident::class::FailureClass;
use referee_model::outcome::Outcome;

/// Facts about a failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Known {
    /// Outcome of the first failure. None: nothing that ran failed, or nothing ran.
    pub outcome: Option<Outcome>,
    /// Type of the run's error (seed 2). None: there is no error.
    pub error: Option<BuildErrorType>,
    /// Whether the failure asks for a new sign-in ([`wants_sign_in`]).
    pub wants_sign_in: bool,
}

/// A class with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    pub class: FailureClass,
    pub because: String,
}

/// Computes the class.
///
/// The first matching row applies. So failures of an agent, continuous integration, a snapshot or GitHub have
/// that class, whatever the outcome of an action; failures found by a tool have the class of its findings; and
/// a check that reports `401` is a failed test, since only a tool that did not work can require a sign-in.
///
/// | error type                                                   | outcome                | class                 |
/// |--------------------------------------------------------------|------------------------|-----------------------|
/// | `agent_*`, `ci_failed`, `snapshot_error`, `github_error`     | any or none            | as the error type     |
/// | any other or none                                            | SPECIFICATION_ERROR    | `specification_error` |
/// | any other or none                                            | TIMEOUT                | `timeout`             |
/// | `blackbox_failed`                                            | TEST_FAILURE, SUCCESS, none | `blackbox_failed` |
/// | any other or none                                            | TEST_FAILURE           | `test_failed`         |
/// | `test_failed`                                                | SUCCESS, none          | `test_failed`         |
/// | `typecheck_failed`, `lint_failed`                            | VALIDATION_FAILURE, SUCCESS, none | as the error type |
/// | any other or none                                            | VALIDATION_FAILURE     | `validation_failed`   |
/// | `workspace_error`                                            | any of the rest, none  | `workspace_error`     |
/// | any other or none, and a sign-in is wanted                   | any of the rest, none  | `auth_expired`        |
/// | any other or none                                            | PREREQUISITE_FAILURE   | `prerequisite_failed` |
/// | any other or none                                            | EXECUTION_ERROR        | `execution_error`     |
/// | `system_error`, `unknown` or none                            | SUCCESS, none          | `run_failed`          |
pub fn cause(known: Known) -> Cause {
    let class = class(known);
    let outcome = known.outcome.map_or("nothing that ran failed", Outcome::as_str);
    let error = known.error.map_or("there is no error type", BuildErrorType::as_str);
    let because = match class {
        FailureClass::AuthExpired => format!("it did not work and asks for a sign-in ({outcome}; {error})"),
        _ => format!("outcome and error type say so ({outcome}; {error})"),
    };
    Cause { class, because }
}

fn class(known: Known) -> FailureClass {
    use BuildErrorType as Type;
    use FailureClass as Class;
    if let Some(own) = known.error.and_then(of_others) {
        return own;
    }
    match (known.outcome, known.error) {
        (Some(Outcome::SpecificationError), _) => Class::SpecificationError,
        (Some(Outcome::Timeout), _) => Class::Timeout,
        (Some(Outcome::TestFailure | Outcome::Success) | None, Some(Type::BlackboxFailed)) => Class::BlackboxFailed,
        (Some(Outcome::TestFailure), _) | (Some(Outcome::Success) | None, Some(Type::TestFailed)) => Class::TestFailed,
        (Some(Outcome::ValidationFailure | Outcome::Success) | None, Some(Type::TypecheckFailed)) => {
            Class::TypecheckFailed
        }
        (Some(Outcome::ValidationFailure | Outcome::Success) | None, Some(Type::LintFailed)) => Class::LintFailed,
        (Some(Outcome::ValidationFailure), _) => Class::ValidationFailed,
        (_, Some(Type::WorkspaceError)) => Class::WorkspaceError,
        _ if known.wants_sign_in => Class::AuthExpired,
        (Some(Outcome::PrerequisiteFailure), _) => Class::PrerequisiteFailed,
        (Some(Outcome::ExecutionError), _) => Class::ExecutionError,
        (Some(Outcome::Success) | None, _) => Class::RunFailed,
    }
}

/// Returns the class of an error that was not found by a check of Referee.
fn of_others(error: BuildErrorType) -> Option<FailureClass> {
    let is_of_others = error.group() == ErrorGroup::Agent
        || matches!(error, BuildErrorType::CiFailed | BuildErrorType::SnapshotError | BuildErrorType::GithubError);
    is_of_others.then(|| FailureClass::parse(error.as_str())).flatten()
}

/// Phrases of services that require a new sign-in, in lower case.
const SIGN_IN: [&str; 17] = [
    "auth_required",
    "auth required",
    "authentication required",
    "login required",
    "login page detected",
    "please log in",
    "please login",
    "please sign in",
    "sign-in required",
    "sign in again",
    "not logged in",
    "session expired",
    "session has expired",
    "token expired",
    "token has expired",
    "eneedauth",
    "401 unauthorized",
];

/// Returns whether a text asks for a new sign-in.
pub fn wants_sign_in(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    SIGN_IN.iter().any(|sentence| text.contains(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(outcome: Option<Outcome>, error: Option<BuildErrorType>, wants_sign_in: bool) -> &'static str {
        cause(Known { outcome, error, wants_sign_in }).class.as_str()
    }

    /// Every pair of outcome and error type, in the order of the documentation's table, with its class.
    #[test]
    fn every_pair_has_its_class() {
        use BuildErrorType as T;
        let own = |error: T| Some(error.as_str());
        for outcome in Outcome::ALL.into_iter().map(Some).chain([None]) {
            for error in T::ALL.into_iter().map(Some).chain([None]) {
                let expected = match error {
                    Some(
                        other @ (T::AgentCrash
                        | T::AgentTimeout
                        | T::AgentTaskFailure
                        | T::CiFailed
                        | T::SnapshotError
                        | T::GithubError),
                    ) => own(other),
                    _ => None,
                };
                let found = |error: Option<T>, word: &'static str| match error {
                    Some(T::TypecheckFailed | T::LintFailed | T::TestFailed | T::BlackboxFailed) => {
                        error.map_or(word, T::as_str)
                    }
                    Some(T::WorkspaceError) => "workspace_error",
                    _ => word,
                };
                let expected = expected.unwrap_or(match outcome {
                    Some(Outcome::SpecificationError) => "specification_error",
                    Some(Outcome::Timeout) => "timeout",
                    Some(Outcome::TestFailure) if error == Some(T::BlackboxFailed) => "blackbox_failed",
                    Some(Outcome::TestFailure) => "test_failed",
                    Some(Outcome::ValidationFailure) if error == Some(T::TypecheckFailed) => "typecheck_failed",
                    Some(Outcome::ValidationFailure) if error == Some(T::LintFailed) => "lint_failed",
                    Some(Outcome::ValidationFailure) => "validation_failed",
                    _ if error == Some(T::WorkspaceError) => "workspace_error",
                    Some(Outcome::PrerequisiteFailure) => "prerequisite_failed",
                    Some(Outcome::ExecutionError) => "execution_error",
                    Some(Outcome::Success) | None => found(error, "run_failed"),
                });
                assert_eq!(of(outcome, error, false), expected, "{outcome:?} {error:?}");
            }
        }
    }

    #[test]
    fn a_sign_in_is_wanted_only_by_what_did_not_work() {
        for (outcome, error, class) in [
            (Some(Outcome::ExecutionError), Some(BuildErrorType::SystemError), "auth_expired"),
            (Some(Outcome::PrerequisiteFailure), Some(BuildErrorType::SystemError), "auth_expired"),
            (None, None, "auth_expired"),
            (Some(Outcome::TestFailure), Some(BuildErrorType::TestFailed), "test_failed"),
            (Some(Outcome::TestFailure), Some(BuildErrorType::BlackboxFailed), "blackbox_failed"),
            (Some(Outcome::ValidationFailure), Some(BuildErrorType::LintFailed), "lint_failed"),
            (Some(Outcome::Timeout), Some(BuildErrorType::SystemError), "timeout"),
            (None, Some(BuildErrorType::AgentCrash), "agent_crash"),
        ] {
            assert_eq!(of(outcome, error, true), class, "{outcome:?} {error:?}");
        }
    }

    #[test]
    fn services_ask_for_a_sign_in_in_known_words() {
        for text in ["AUTH_REQUIRED: provider login page detected", "npm ERR! code ENEEDAUTH", "HTTP 401 Unauthorized"]
        {
            assert!(wants_sign_in(text), "{text}");
        }
        for text in ["", "author required", "tests of the login form", "status 401", "sign in the right place"] {
            assert!(!wants_sign_in(text), "{text}");
        }
    }
}
