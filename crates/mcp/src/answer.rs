//! Answers of tools: a JSON object, or the reason why a tool could not be asked.

use std::fmt;

use referee_engine::error::EngineError;
use referee_engine::gate;
use referee_engine::incident::IncidentError;
use referee_engine::library::LibraryError;
use referee_model::gate::Cause;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The answer of a tool.
pub(crate) type Answer = Result<Value, Refusal>;

/// Reason why a tool could not be asked. A check that fails is none.
#[derive(Debug)]
pub(crate) struct Refusal(String);

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Creates the refusal for a failure of Referee itself.
    pub(crate) fn internal(reason: impl fmt::Display) -> Self {
        Self(format!("internal error, no answer: {reason}"))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<EngineError> for Refusal {
    fn from(problem: EngineError) -> Self {
        let causes = if problem.complaints.is_empty() { Vec::new() } else { gate::Refusal::from(&problem).causes };
        let lines = std::iter::once(problem.message).chain(causes.iter().map(line));
        Self(lines.collect::<Vec<_>>().join("\n"))
    }
}

impl From<LibraryError> for Refusal {
    fn from(error: LibraryError) -> Self {
        Self(error.to_string())
    }
}

impl From<IncidentError> for Refusal {
    fn from(error: IncidentError) -> Self {
        Self(error.to_string())
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(error)
    }
}

/// Formats an error of a specification.
fn line(cause: &Cause) -> String {
    let place =
        [cause.file.clone(), cause.line.map(|line| line.to_string()), cause.column.map(|column| column.to_string())];
    let place: Vec<String> = place.into_iter().flatten().collect();
    format!("{}: {}", place.join(":"), cause.message)
}

/// Parses the arguments of a tool.
pub(crate) fn arguments<T: DeserializeOwned>(given: Value) -> Result<T, Refusal> {
    serde_json::from_value(given).map_err(|error| Refusal(format!("invalid arguments: {error}")))
}

/// Returns a document as an answer.
pub(crate) fn document(document: &impl Serialize) -> Answer {
    Ok(serde_json::to_value(document)?)
}

/// Returns the limit of a page, or the usual one. `most` is the greatest.
pub(crate) fn limit(asked: Option<usize>, usual: usize, most: usize) -> Result<usize, Refusal> {
    match asked {
        Some(limit) if limit == 0 || limit > most => {
            Err(Refusal(format!("invalid arguments: `limit` is a number from 1 to {most}")))
        }
        asked => Ok(asked.unwrap_or(usual)),
    }
}
