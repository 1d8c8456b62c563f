//! What conditions ask of raw output: found by a pass over the stored bytes, before anything is judged.

use std::collections::BTreeMap;

use crate::record::Stream;

/// What conditions ask of the output of one action.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConditionQuery {
    /// Texts that are looked for in a stream, whole.
    pub needles: BTreeMap<Stream, Vec<String>>,
    /// Streams whose whole text is asked for.
    pub whole: Vec<Stream>,
    /// Whether the body of an HTTP answer, or the content of a file, is asked for.
    pub content: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConditionInputs {
    /// By stream, where there is a log.
    pub streams: BTreeMap<Stream, StreamInputs>,
    /// The body of an HTTP answer, or the content of a file; redacted, as it is stored.
    pub content: Option<Content>,
}

/// What was found in one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamInputs {
    /// Its length in bytes, as stored.
    pub bytes: u64,
    /// Whether each text that was looked for occurs.
    pub found: BTreeMap<String, bool>,
    /// Its whole text where that was asked for. None: it was not, or it is too long ([`crate::limit::CONDITION_TEXT_BYTES`]).
    pub text: Option<String>,
}

/// A whole body or file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Its text.
    Text(String),
    /// It is longer than conditions look at.
    TooLong {
        /// Its length in bytes.
        bytes: u64,
    },
}
