//! What the API of `referee serve` is asked with, and what it answers, where no document of a seed says it.

use serde::{Deserialize, Serialize};

pub mod answered;
pub mod asked;

/// A refusal or a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Problem of the API"))]
pub struct ProblemDocument {
    /// What went wrong.
    pub error: ProblemBody,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProblemBody {
    /// What kind of problem it is.
    pub class: ProblemClass,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What to do about it.
    pub advice: Advice,
}

/// Kinds of problems (seed 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProblemClass {
    /// Nobody who may do that asks.
    Auth,
    /// There is no such thing.
    NotFound,
    /// Somebody works at it now.
    RunConflict,
    /// This cannot be done here, or not so.
    UnsupportedAction,
    /// It does not follow from how things stand.
    Conflict,
    /// What was sent is wrong.
    Validation,
    /// The server, or the disk behind it, failed.
    Infra,
}

/// What to do about a problem (seed 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Advice {
    /// The same request never succeeds.
    #[serde(rename = "do not retry")]
    DoNotRetry,
    /// It succeeds once something was fixed.
    #[serde(rename = "retry after fix")]
    RetryAfterFix,
    /// It may succeed as it is, later.
    #[serde(rename = "retry later")]
    RetryLater,
}

impl ProblemClass {
    /// Returns what to do about it.
    pub fn advice(self) -> Advice {
        match self {
            Self::NotFound | Self::UnsupportedAction => Advice::DoNotRetry,
            Self::Auth | Self::Conflict | Self::Validation => Advice::RetryAfterFix,
            Self::RunConflict | Self::Infra => Advice::RetryLater,
        }
    }
}

/// That the server is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Health of the server"))]
pub struct HealthDocument {
    /// `ok`.
    pub status: String,
    /// The version of the program.
    pub version: String,
}

/// Where a server listens: its first and only line on standard output. The token itself is never in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServingDocument {
    /// Version of this format.
    pub serving_version: String,
    /// The address, as a URL. None: it listens at a Unix socket alone.
    pub address: Option<String>,
    /// The Unix socket.
    pub unix: Option<String>,
    /// The file that the token is kept in. None: it is the environment's, or none is needed.
    pub token_file: Option<String>,
}

impl ServingDocument {
    /// The version of this format.
    pub const VERSION: &'static str = "1.0.0";
}
