//! Stored output, in documents.

use referee_model::id::Digest;
use referee_model::record::{Log, Redaction, Stream, StreamMap};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

/// Where the output is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Output {
    /// Null: nothing was started, or its output is not kept.
    pub(super) log: Option<LogDocument>,
}

/// The stored bytes: both streams in arrival order, redacted. A body or a file is one stream of standard output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LogDocument {
    /// File name in the evidence folder.
    file: String,
    /// Its size.
    bytes: u64,
    /// SHA-256 of its content.
    sha256: Digest,
    /// Which bytes belong to which stream: `["out", 120]` is 120 bytes of standard output, `err` of standard error.
    #[serde(serialize_with = "on_one_line")]
    stream_map: Vec<(StreamWord, u64)>,
    /// What was redacted, and where.
    redactions: Vec<Redaction>,
    /// How many there were, also beyond those listed.
    redaction_count: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StreamWord {
    Out,
    Err,
}

impl From<Option<&Log>> for Output {
    fn from(log: Option<&Log>) -> Self {
        Self { log: log.map(LogDocument::from) }
    }
}

impl From<&Log> for LogDocument {
    fn from(log: &Log) -> Self {
        let word = |stream| match stream {
            Stream::Stdout => StreamWord::Out,
            Stream::Stderr => StreamWord::Err,
        };
        Self {
            file: log.file.clone(),
            bytes: log.bytes,
            sha256: log.sha256,
            stream_map: log.streams.segments().iter().map(|segment| (word(segment.stream), segment.bytes)).collect(),
            redactions: log.redactions.clone(),
            redaction_count: log.redaction_count,
        }
    }
}

/// A stream map may have thousands of segments, which nobody reads line by line.
fn on_one_line<S: Serializer>(map: &[(StreamWord, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    let line = serde_json::value::to_raw_value(map).map_err(serde::ser::Error::custom)?;
    line.serialize(serializer)
}

/// Takes a log whose map is one that a capture could have made: no empty segment, neighbours of different streams, all
/// bytes covered.
impl TryFrom<LogDocument> for Log {
    type Error = String;

    fn try_from(document: LogDocument) -> Result<Self, String> {
        if document.file.is_empty()
            || [".", ".."].contains(&document.file.as_str())
            || document.file.contains(['/', '\\', '\0'])
        {
            return Err(format!("`{}` is no file of this folder", document.file));
        }
        let mut streams = StreamMap::default();
        let mut total = 0_u64;
        for (word, bytes) in &document.stream_map {
            total = total.checked_add(*bytes).ok_or("`streamMap` holds more bytes than can be counted")?;
            streams.push(
                match word {
                    StreamWord::Out => Stream::Stdout,
                    StreamWord::Err => Stream::Stderr,
                },
                *bytes,
            );
        }
        if streams.segments().len() != document.stream_map.len() {
            return Err("`streamMap` has an empty segment, or neighbours of one stream".to_owned());
        }
        if total != document.bytes {
            return Err(format!("`streamMap` covers {total} of the log's {} bytes", document.bytes));
        }
        Ok(Self {
            file: document.file,
            bytes: document.bytes,
            sha256: document.sha256,
            streams,
            redactions: document.redactions,
            redaction_count: document.redaction_count,
        })
    }
}
