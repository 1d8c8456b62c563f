//! Classes of failure (seed 3, `failure_class`). The class of an incident is computed from facts, and chosen by
//! a person only where there are none. `judge::incident::cause` holds the table.

use serde::Serialize;

use crate::limit;

words_with_meanings! {
    /// Computed class of a failure, as incidents spell it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    pub enum FailureClass {
        /// Tests failed.
        TestFailed = "test_failed",
        /// A request was not answered as it should be.
        BlackboxFailed = "blackbox_failed",
        /// Types are wrong, or it does not compile.
        TypecheckFailed = "typecheck_failed",
        /// A linter or formatter found something.
        LintFailed = "lint_failed",
        /// A file, or what another tool found, is not as it should be.
        ValidationFailed = "validation_failed",
        /// Continuous integration failed.
        CiFailed = "ci_failed",
        /// A tool did not work.
        ExecutionError = "execution_error",
        /// It took too long.
        Timeout = "timeout",
        /// What must hold before anything is checked does not.
        PrerequisiteFailed = "prerequisite_failed",
        /// The specification asks for what cannot be done.
        SpecificationError = "specification_error",
        /// The workspace could not be used.
        WorkspaceError = "workspace_error",
        /// A snapshot could not be taken.
        SnapshotError = "snapshot_error",
        /// GitHub could not be used.
        GithubError = "github_error",
        /// The agent's process crashed.
        AgentCrash = "agent_crash",
        /// The agent ran out of time.
        AgentTimeout = "agent_timeout",
        /// The agent said that it failed.
        AgentTaskFailure = "agent_task_failure",
        /// A service wants a person to sign in again.
        AuthExpired = "auth_expired",
        /// A run or a command failed, and nothing tells what in it did.
        RunFailed = "run_failed",
        /// Nothing is known.
        Unknown = "unknown",
    }
}

/// Error for a text that is not a valid class label.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a class of failures has 1 to {} letters a to z, digits, `.`, `_` and `-`, beginning with a letter or a digit",
    limit::INCIDENT_CLASS_CHARACTERS
)]
pub struct ClassLabelError;

/// Parses the label that a person gives a failure whose class cannot be computed. Surrounding spaces are ignored.
///
/// # Errors
/// Fails for a text that cannot be a single word in a list.
pub fn label(text: &str) -> Result<String, ClassLabelError> {
    let text = text.trim();
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || ".-_".contains(character);
    let begins = text.starts_with(|first: char| first.is_ascii_alphanumeric());
    let fits = begins && text.len() <= limit::INCIDENT_CLASS_CHARACTERS && text.chars().all(is_allowed);
    fits.then(|| text.to_owned()).ok_or(ClassLabelError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_a_label_and_has_a_meaning() {
        for class in FailureClass::ALL {
            assert_eq!(label(class.as_str()).as_deref(), Ok(class.as_str()));
            assert_eq!(FailureClass::parse(class.as_str()), Some(class));
            assert!(class.meaning().ends_with('.') && class.meaning().starts_with(char::is_uppercase));
        }
        assert_eq!(FailureClass::parse("transient"), None);
    }

    #[test]
    fn a_label_is_one_bounded_word() {
        assert_eq!(label(" transient "), Ok("transient".to_owned()));
        for bad in ["", " ", "a b", "a|b", "-x", "é", "a\nb", "a\u{1b}[1m", &"x".repeat(65)] {
            assert!(label(bad).is_err(), "{bad:?}");
        }
    }
}
