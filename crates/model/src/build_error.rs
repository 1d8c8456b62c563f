//! A failed run as one structured error (seed 2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// The thirteen types (seed 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// A failed run as one structured error (seed 2, with ruling 21).
#[derive(Debug, Clone, PartialEq)]
pub struct BuildError {
    /// What kind of failure.
    pub kind: BuildErrorType,
    /// One line for people.
    pub message: String,
    /// Exit code of an agent; always none for verification and system errors.
    pub exit_code: Option<i32>,
    /// Last 50 lines of standard output, at most 16 KiB, without ANSI; empty when there is nothing.
    pub stdout_tail: String,
    /// Last 50 lines of standard error, at most 16 KiB, without ANSI; empty when there is nothing.
    pub stderr_tail: String,
    /// Bare name of the agent result's file.
    pub agent_result_file: Option<String>,
    /// Bare name of the verification report's file.
    pub verification_file: Option<String>,
    /// Whatever else is known.
    pub context: BTreeMap<String, ContextValue>,
    /// When it failed.
    pub failed_at: Timestamp,
}

/// A value in the context of a build error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ContextValue {
    /// A number.
    Number(u64),
    /// A text.
    Text(String),
    /// Texts.
    List(Vec<String>),
}
