//! `m-001.json`: a question from a stage's executor, and its answer (an answer channel, which the seed lacks).

use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::incident::seconds;
use crate::stage::id::StageId;
use crate::time::Timestamp;

/// Directory of the messages, relative to the stage's directory.
pub const MESSAGES: &str = "run/messages";

const KIND: Kind = Kind { name: "a message of a stage", key: "message_version", version: "1.0.0" };

/// Returns the file name of a message: `m-001.json`.
pub fn name(number: u32) -> String {
    format!("m-{number:03}.json")
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageDocument {
    /// Version of this format.
    pub message_version: String,
    /// Id of the stage whose executor asks.
    pub stage_id: StageId,
    /// Number of the attempt in which the question was asked.
    pub attempt: u32,
    /// Time of the question.
    #[serde(with = "seconds")]
    pub asked_at: Timestamp,
    /// Text of the question, from the handback.
    pub question: String,
    /// The answer. None: the question has not been answered.
    pub answer: Option<MessageAnswer>,
}

/// Answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageAnswer {
    /// Time of the answer.
    #[serde(with = "seconds")]
    pub answered_at: Timestamp,
    /// Name of the person who answered.
    pub by: String,
    /// Text of the answer.
    pub text: String,
}

impl MessageDocument {
    /// Creates a question without an answer.
    pub fn question(stage_id: StageId, attempt: u32, asked_at: Timestamp, question: String) -> Self {
        Self { message_version: KIND.version.to_owned(), stage_id, attempt, asked_at, question, answer: None }
    }
}

/// Parses a message.
///
/// # Errors
/// Fails for bytes that are not a valid message, and for an unknown version.
pub fn read(bytes: &[u8]) -> Result<MessageDocument, DocumentError> {
    KIND.read(bytes)
}
