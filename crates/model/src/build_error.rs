//! A failed run as one structured error (seed 2).

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::limit::INTEGER_MAX;
use crate::time::Timestamp;

/// The groups of types (seed 2, 1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorGroup {
    /// The agent itself.
    Agent,
    /// What checked its work.
    Verification,
    /// What both of them need.
    System,
    /// Nothing known.
    Unknown,
}

impl ErrorGroup {
    /// Returns the group as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Verification => "verification",
            Self::System => "system",
            Self::Unknown => "unknown",
        }
    }
}

/// The thirteen types (seed 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuildErrorType {
    /// The agent's process crashed.
    AgentCrash,
    /// The agent ran out of time.
    AgentTimeout,
    /// The agent said that it failed.
    AgentTaskFailure,
    /// Types are wrong.
    TypecheckFailed,
    /// The linter found errors.
    LintFailed,
    /// Tests failed.
    TestFailed,
    /// Black-box tests failed.
    BlackboxFailed,
    /// Continuous integration failed.
    CiFailed,
    /// The workspace could not be used.
    WorkspaceError,
    /// A snapshot could not be taken.
    SnapshotError,
    /// GitHub could not be used.
    GithubError,
    /// Anything else of the system.
    SystemError,
    /// Nothing known.
    Unknown,
}

impl BuildErrorType {
    /// All types, by group.
    pub const ALL: [Self; 13] = [
        Self::AgentCrash,
        Self::AgentTimeout,
        Self::AgentTaskFailure,
        Self::TypecheckFailed,
        Self::LintFailed,
        Self::TestFailed,
        Self::BlackboxFailed,
        Self::CiFailed,
        Self::WorkspaceError,
        Self::SnapshotError,
        Self::GithubError,
        Self::SystemError,
        Self::Unknown,
    ];

    /// Returns the type as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AgentCrash => "agent_crash",
            Self::AgentTimeout => "agent_timeout",
            Self::AgentTaskFailure => "agent_task_failure",
            Self::TypecheckFailed => "typecheck_failed",
            Self::LintFailed => "lint_failed",
            Self::TestFailed => "test_failed",
            Self::BlackboxFailed => "blackbox_failed",
            Self::CiFailed => "ci_failed",
            Self::WorkspaceError => "workspace_error",
            Self::SnapshotError => "snapshot_error",
            Self::GithubError => "github_error",
            Self::SystemError => "system_error",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the type of this spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Returns its group.
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

    /// Returns what it says in one line (seed 2, `BUILD_ERROR_DESCRIPTIONS`): messages begin with it.
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

    /// Returns it in a word or two, for lists and headings.
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

/// In which part of the work it failed (ruling 21: apart from `failedAt`, which is a time).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailedPhase {
    /// While the agent built.
    Build,
    /// While its work was checked.
    Verification,
    /// A part that the caller names.
    Named(String),
}

impl FailedPhase {
    /// Returns the phase as it is written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Build => "build",
            Self::Verification => "verification",
            Self::Named(name) => name,
        }
    }

    /// Takes the phase of this name. None: the name is empty, or says that it is not known.
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

/// A failed run as one structured error. The format has no version of its own.
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
    /// In which part of the work it failed, such as `build` or `verification`. Left out: nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub phase: Option<FailedPhase>,
}

/// An error that a program threw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SystemError {
    /// Its name, such as `TypeError`; empty where what was thrown has none, such as a text.
    pub name: String,
    /// Message of the error.
    pub message: String,
    /// Stack trace of the error. Null: none is known.
    pub stack: Option<String>,
    /// What kind of failure, where whoever caught it knows. None: the message tells.
    pub kind: Option<BuildErrorType>,
    /// Further details, by name.
    pub context: BTreeMap<String, ContextValue>,
    /// In which part of the work it was thrown.
    pub phase: Option<FailedPhase>,
}

/// Any value.
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
    /// Makes a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Makes a text, or null where there is none.
    pub fn text_or_null(text: Option<&str>) -> Self {
        text.map_or(Self::Null, Self::text)
    }
}

/// The longest name that a file can have.
const FILE_NAME_BYTES: usize = 255;

/// Returns the bare name of a file (ruling 21): whatever directories it lies in stay out of documents. None: no name is left.
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
