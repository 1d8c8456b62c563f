//! Facts about raw output that conditions need, collected in one pass over the stored bytes before judging.

use std::collections::BTreeMap;

use crate::record::Stream;

/// What the conditions need to know about the output of one action.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConditionQuery {
    /// Texts to search for in each stream, matched as a whole.
    pub needles: BTreeMap<Stream, Vec<String>>,
    /// Streams whose complete text is needed.
    pub whole: Vec<Stream>,
    /// Whether the body of an HTTP response, or the content of a file, is needed.
    pub content: bool,
}

/// The facts collected for a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConditionInputs {
    /// Facts by stream, where there is a log.
    pub streams: BTreeMap<Stream, StreamInputs>,
    /// The body of the HTTP response or the content of the file, redacted as stored.
    pub content: Option<Content>,
}

/// The facts collected about one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamInputs {
    /// Stored length in bytes.
    pub bytes: u64,
    /// For each text of the query, whether it occurs.
    pub found: BTreeMap<String, bool>,
    /// The complete text, where the query needs it. None: not needed, or longer than
    /// [`crate::limit::CONDITION_TEXT_BYTES`].
    pub text: Option<String>,
}

/// A complete body or file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The text.
    Text(String),
    /// The content is longer than the limit for conditions.
    TooLong {
        /// Length in bytes.
        bytes: u64,
    },
}
