//! Documents of the API of `referee serve` that no seed document defines.

use serde::{Deserialize, Serialize};

pub mod answered;
pub mod asked;

/// An error response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Problem of the API"))]
pub struct ProblemDocument {
    /// The error.
    pub error: ProblemBody,
}

/// Description of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProblemBody {
    /// Class of the problem.
    pub class: ProblemClass,
    /// The error message, one sentence.
    pub message: String,
    /// Whether a retry makes sense.
    pub advice: Advice,
}

/// Class of a problem (seed 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProblemClass {
    /// The caller is not authenticated, or not allowed to do this.
    Auth,
    /// The requested object does not exist.
    NotFound,
    /// Another operation on the object is in progress.
    RunConflict,
    /// The action is not supported here, or not in this form.
    UnsupportedAction,
    /// The action is not allowed in the current state.
    Conflict,
    /// The request is invalid.
    Validation,
    /// The server failed, or its storage did.
    Infra,
}

/// Advice about a retry (seed 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Advice {
    /// The same request will never succeed.
    #[serde(rename = "do not retry")]
    DoNotRetry,
    /// The request can succeed after something was fixed.
    #[serde(rename = "retry after fix")]
    RetryAfterFix,
    /// The same request may succeed later.
    #[serde(rename = "retry later")]
    RetryLater,
}

impl ProblemClass {
    /// Returns the advice for this class of problem.
    pub fn advice(self) -> Advice {
        match self {
            Self::NotFound | Self::UnsupportedAction => Advice::DoNotRetry,
            Self::Auth | Self::Conflict | Self::Validation => Advice::RetryAfterFix,
            Self::RunConflict | Self::Infra => Advice::RetryLater,
        }
    }
}

/// Health of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Health of the server"))]
pub struct HealthDocument {
    /// Always `ok`.
    pub status: String,
    /// Version of the program.
    pub version: String,
}

/// Where the server listens: its first and only line on standard output. It never contains the token itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServingDocument {
    /// Version of this format.
    pub serving_version: String,
    /// Address of the server, as a URL. `None`: it listens only on a Unix socket.
    pub address: Option<String>,
    /// Path of the Unix socket. `None`: there is none.
    pub unix: Option<String>,
    /// Path of the file that contains the token. `None`: the token comes from the environment, or none is needed.
    pub token_file: Option<String>,
}

impl ServingDocument {
    /// Version of this format.
    pub const VERSION: &'static str = "1.0.0";
}
