//! Facts about interactions with a database or a browser.

use serde::{Deserialize, Serialize};

use super::http::AssertionObservation;
use super::{Executable, Log};

/// Facts about an interaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InteractionFacts {
    /// The programs that carried it out. Empty: none was found.
    pub executables: Vec<Executable>,
    /// Name and version of what answered, such as `PostgreSQL 15.14` or `chromium 141.0`. None: it did not say.
    pub peer: Option<String>,
    /// What was asked, in order, one line each, redacted. A connection is without its password.
    pub requests: Vec<String>,
    /// How it ended.
    pub ending: InteractionEnding,
    /// Number of rows that were returned, also beyond the kept ones, or changed. None: a browser, or no answer.
    pub row_count: Option<u64>,
    /// The last value that was evaluated or read in the browser, as JSON text, redacted and shortened. None: none was.
    pub value: Option<String>,
    /// The answer as a JSON document, as stored, redacted: rows, or an entry for each command of the browser with
    /// messages of the console and failed requests. None: there was none, or it is not kept.
    pub answer: Option<Log>,
    /// Pictures of the page (PNG), in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub screenshots: Vec<Screenshot>,
    /// For each expectation of the plan, in order, the result. Empty if it did not complete.
    pub observations: Vec<AssertionObservation>,
}

impl InteractionFacts {
    /// Returns the facts of an interaction that brought nothing.
    #[must_use]
    pub fn without_answer(executables: Vec<Executable>, requests: Vec<String>, ending: InteractionEnding) -> Self {
        Self {
            executables,
            peer: None,
            requests,
            ending,
            row_count: None,
            value: None,
            answer: None,
            screenshots: Vec::new(),
            observations: Vec::new(),
        }
    }
}

/// A picture of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Screenshot {
    /// Name in the specification.
    pub name: String,
    /// The picture as stored, a PNG file.
    pub image: Log,
}

/// How an interaction ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum InteractionEnding {
    /// Everything that was asked was answered.
    Completed,
    /// The other side refused, or what was asked of the page does not hold: an SQL error, a missing element, an
    /// expression that is false.
    Refused {
        /// Index of the request in `requests`.
        request: usize,
        /// What it said, redacted.
        message: String,
    },
    /// It could not be asked: a program or driver is missing, nothing answers at the address, the browser does not
    /// start, or the connection was lost.
    Unavailable {
        /// Why, redacted, with what to do.
        message: String,
    },
    /// It was stopped at its deadline.
    DeadlineExceeded {
        /// The limit that was hit, in milliseconds.
        #[serde(rename = "limitMs")]
        timeout_ms: u64,
        /// Whether the limit was that of the task rather than of the action.
        of_task: bool,
        /// What it waited for, such as `connection` or `answer`, or the command of the browser.
        waiting_for: String,
    },
    /// It was abandoned because the run was interrupted.
    Interrupted,
}
