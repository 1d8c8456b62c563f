//! A failed agent run as one structured error (seed 2).

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::limit::INTEGER_MAX;
use crate::time::Timestamp;

document_words! {
    /// Groups of error types (seed 2, 1.2).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum ErrorGroup {
        /// Errors of the agent itself.
        Agent = "agent",
        /// Errors of the verification of its work.
        Verification = "verification",
        /// Errors of the system that both depend on.
        System = "system",
        /// Errors of unknown origin.
        Unknown = "unknown",
    }
}

document_words! {
    /// The thirteen error types (seed 2).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum BuildErrorType {
        /// The agent's process crashed.
        AgentCrash = "agent_crash",
        /// The agent exceeded its time limit.
        AgentTimeout = "agent_timeout",
        /// The agent reported failure.
        AgentTaskFailure = "agent_task_failure",
        /// Type checking failed.
        TypecheckFailed = "typecheck_failed",
        /// The linter found errors.
        LintFailed = "lint_failed",
        /// Tests failed.
        TestFailed = "test_failed",
        /// Black-box tests failed.
        BlackboxFailed = "blackbox_failed",
        /// Continuous integration failed.
        CiFailed = "ci_failed",
        /// The workspace could not be set up or used.
        WorkspaceError = "workspace_error",
        /// A snapshot could not be created or restored.
        SnapshotError = "snapshot_error",
        /// A GitHub operation failed.
        GithubError = "github_error",
        /// Any other system error.
        SystemError = "system_error",
        /// The type of the error is unknown.
        Unknown = "unknown",
    }
}

impl BuildErrorType {
    /// Returns the group of the type.
    pub fn group(self) -> ErrorGroup {
        match self {
            Self::AgentCrash | Self::AgentTimeout | Self::AgentTaskFailure => ErrorGroup::Agent,
            Self::TypecheckFailed | Self::LintFailed | Self::TestFailed | Self::BlackboxFailed | Self::CiFailed => {
                ErrorGroup::Verification
            }
            Self::WorkspaceError | Self::SnapshotError | Self::GithubError | Self::SystemError => ErrorGroup::System,
            Self::Unknown => ErrorGroup::Unknown,
        }
    }

    /// Returns the one-line description that messages begin with (seed 2, `BUILD_ERROR_DESCRIPTIONS`).
    pub fn description(self) -> &'static str {
        match self {
            Self::AgentCrash => "Agent process crashed unexpectedly",
            Self::AgentTimeout => "Agent exceeded maximum execution time",
            Self::AgentTaskFailure => "Agent reported inability to complete task",
            Self::TypecheckFailed => "TypeScript compilation failed",
            Self::LintFailed => "Code linting failed",
            Self::TestFailed => "Test execution failed",
            Self::BlackboxFailed => "Blackbox verification failed",
            Self::CiFailed => "CI pipeline checks failed",
            Self::WorkspaceError => "Workspace setup or operation failed",
            Self::SnapshotError => "Snapshot creation or restoration failed",
            Self::GithubError => "GitHub API operation failed",
            Self::SystemError => "Internal system error occurred",
            Self::Unknown => "Unknown error occurred",
        }
    }

    /// Returns a label of one or two words, for lists and headings.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::AgentCrash => "Agent crash",
            Self::AgentTimeout => "Timeout",
            Self::AgentTaskFailure => "Task failure",
            Self::TypecheckFailed => "Type error",
            Self::LintFailed => "Lint error",
            Self::TestFailed => "Test failure",
            Self::BlackboxFailed => "Blackbox failure",
            Self::CiFailed => "CI failure",
            Self::WorkspaceError => "Workspace error",
            Self::SnapshotError => "Snapshot error",
            Self::GithubError => "GitHub error",
            Self::SystemError => "System error",
            Self::Unknown => "Error",
        }
    }
}

/// Phase of the work in which an error occurred (ruling 21: distinct from `failedAt`, which is a time).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailedPhase {
    /// The agent was working.
    Build,
    /// The agent's work was being verified.
    Verification,
    /// A phase named by the caller.
    Named(String),
}

impl FailedPhase {
    /// Returns the spelling used in documents.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Build => "build",
            Self::Verification => "verification",
            Self::Named(name) => name,
        }
    }

    /// Returns the phase of this name. None: the name is empty or `unknown`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "" | "unknown" => None,
            "build" => Some(Self::Build),
            "verification" => Some(Self::Verification),
            other => Some(Self::Named(other.to_owned())),
        }
    }
}

impl Serialize for FailedPhase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Display for FailedPhase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A failed agent run as one structured error. The format has no version of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "BuildErrorDocument", title = "Referee build error", deny_unknown_fields)
)]
#[serde(rename_all = "camelCase")]
pub struct BuildError {
    /// Type of the error, one of thirteen.
    #[serde(rename = "type")]
    pub kind: BuildErrorType,
    /// One-line summary of the error, for people.
    pub message: String,
    /// Exit code of an agent; null for verification and system errors.
    pub exit_code: Option<i32>,
    /// The last lines of standard output; empty where there is nothing.
    pub stdout_tail: String,
    /// The last lines of standard error; empty where there is nothing.
    pub stderr_tail: String,
    /// Bare name of the agent result's file.
    pub agent_result_file: Option<String>,
    /// Bare name of the verification report's file.
    pub verification_file: Option<String>,
    /// Further details, by name; which ones depends on the type.
    pub context: BTreeMap<String, ContextValue>,
    /// When the failure happened, in UTC with milliseconds.
    pub failed_at: Timestamp,
    /// Phase of the work in which the failure occurred, such as `build` or `verification`. Left out: not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<FailedPhase>,
}

/// An error thrown by a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SystemError {
    /// Name of the error, such as `TypeError`; empty where the thrown value has none, such as a string.
    pub name: String,
    /// Message of the error.
    pub message: String,
    /// Stack trace of the error. Null: none is known.
    pub stack: Option<String>,
    /// Type of the failure, where the program that caught it knows. None: derived from the message.
    pub kind: Option<BuildErrorType>,
    /// Further details, by name.
    pub context: BTreeMap<String, ContextValue>,
    /// Phase of the work in which the error was thrown.
    pub phase: Option<FailedPhase>,
}

/// Any JSON value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ContextDocument"))]
#[serde(untagged)]
#[expect(missing_docs, reason = "the words say it")]
pub enum ContextValue {
    Null,
    Flag(bool),
    Number(
        #[serde(serialize_with = "crate::serial::exact")]
        #[cfg_attr(feature = "schema", schemars(with = "crate::number::Count"))]
        u64,
    ),
    Negative(#[serde(serialize_with = "exact_below")] i64),
    Decimal(f64),
    Text(String),
    List(Vec<ContextValue>),
    Map(BTreeMap<String, ContextValue>),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn exact_below<S: Serializer>(number: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64((*number).max(-INTEGER_MAX.cast_signed()))
}

impl ContextValue {
    /// Creates a text value.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Creates a text value, or null for None.
    pub fn text_or_null(text: Option<&str>) -> Self {
        text.map_or(Self::Null, Self::text)
    }
}

/// Maximum length of a file name, in bytes.
const FILE_NAME_BYTES: usize = 255;

/// Returns the bare name of a file: directories stay out of documents (ruling 21). None: no name remains.
pub fn bare_name(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let is_name = !name.is_empty() && !matches!(name, "." | "..") && !name.chars().any(char::is_control);
    is_name.then(|| name[..name.floor_char_boundary(FILE_NAME_BYTES)].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_thirteen_types_have_a_group_a_description_and_a_prefix() {
        let mut seen = std::collections::BTreeSet::new();
        for kind in BuildErrorType::ALL {
            assert!(seen.insert(kind.as_str()));
            assert!(!kind.description().is_empty() && !kind.prefix().is_empty());
            assert_eq!(BuildErrorType::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(BuildErrorType::parse("TEST_FAILED"), None);
        let of = |group| BuildErrorType::ALL.iter().filter(|kind| kind.group() == group).count();
        let groups = [ErrorGroup::Agent, ErrorGroup::Verification, ErrorGroup::System, ErrorGroup::Unknown];
        assert_eq!(groups.map(of), [3, 5, 4, 1]);
    }

    #[test]
    fn a_phase_that_is_not_known_is_none() {
        assert_eq!(FailedPhase::named("build"), Some(FailedPhase::Build));
        assert_eq!(FailedPhase::named("setup"), Some(FailedPhase::Named("setup".to_owned())));
        assert_eq!([FailedPhase::named(""), FailedPhase::named("unknown")], [None, None]);
    }
}
