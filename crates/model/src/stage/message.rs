//! `m-001.json`: a question of a stage's executor, and the answer (what the seed lacks: an answer channel).

use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::incident::seconds;
use crate::stage::id::StageId;
use crate::time::Timestamp;

/// Where messages lie in a stage's directory.
pub const MESSAGES: &str = "run/messages";

const KIND: Kind = Kind { name: "a message of a stage", key: "message_version", version: "1.0.0" };

/// Returns the name of a message's file: `m-001.json`.
pub fn name(number: u32) -> String {
    format!("m-{number:03}.json")
}

/// A question, and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageDocument {
    /// Version of this format.
    pub message_version: String,
    /// The stage that asks.
    pub stage_id: StageId,
    /// The attempt that asks.
    pub attempt: u32,
    /// When it was asked.
    #[serde(with = "seconds")]
    pub asked_at: Timestamp,
    /// The question, as the handback says it.
    pub question: String,
    /// The answer. None: there is none yet.
    pub answer: Option<MessageAnswer>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageAnswer {
    /// When.
    #[serde(with = "seconds")]
    pub answered_at: Timestamp,
    /// Who.
    pub by: String,
    /// What.
    pub text: String,
}

impl MessageDocument {
    /// Makes a question.
    pub fn question(stage_id: StageId, attempt: u32, asked_at: Timestamp, question: String) -> Self {
        Self { message_version: KIND.version.to_owned(), stage_id, attempt, asked_at, question, answer: None }
    }
}

/// Reads a message.
///
/// # Errors
/// Fails for bytes that are none, or one of a version that is not known.
pub fn read(bytes: &[u8]) -> Result<MessageDocument, DocumentError> {
    KIND.read(bytes)
}
