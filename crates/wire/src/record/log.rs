//! Stored output, and what every program that ran leaves, in documents.

use referee_model::id::Digest;
use referee_model::record::{Executable, LeakedProcess, Log, Redaction, Stream, StreamMap};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::form;

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
    #[schemars(with = "form::Sha256")]
    sha256: Digest,
    /// Which bytes belong to which stream: `["out", 120]` is 120 bytes of standard output, `err` of standard error.
    #[serde(serialize_with = "on_one_line")]
    stream_map: Vec<(StreamWord, u64)>,
    /// What was redacted, and where.
    redactions: Vec<RedactionDocument>,
    /// How many there were, also beyond those listed.
    redaction_count: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StreamWord {
    Out,
    Err,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RedactionDocument {
    /// The rule that found it.
    rule: String,
    /// Where the replacement begins in the log.
    offset: u64,
    /// How long it is.
    bytes: u64,
}

/// A program on disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ExecutableDocument {
    /// The name it was asked for by.
    name: String,
    /// Absolute path, links resolved.
    path: String,
    /// Null: it could be run and not read.
    #[schemars(with = "Option<form::Sha256>")]
    sha256: Option<Digest>,
    /// The version that its package says. Left out: none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

/// A process that outlived its command, and was stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LeakedProcessDocument {
    /// Its id.
    pid: u32,
    /// Its command line, redacted and shortened.
    command: String,
    /// Whether it held the command's output open.
    held_output: bool,
}

/// Returns processes that were left behind as documents.
pub(crate) fn leaked(processes: &[LeakedProcess]) -> Vec<LeakedProcessDocument> {
    let document = |process: &LeakedProcess| LeakedProcessDocument {
        pid: process.pid,
        command: process.command.clone(),
        held_output: process.held_output,
    };
    processes.iter().map(document).collect()
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
        let redaction = |redaction: &Redaction| RedactionDocument {
            rule: redaction.rule.clone(),
            offset: redaction.offset,
            bytes: redaction.bytes,
        };
        Self {
            file: log.file.clone(),
            bytes: log.bytes,
            sha256: log.sha256,
            stream_map: log.streams.segments().iter().map(|segment| (word(segment.stream), segment.bytes)).collect(),
            redactions: log.redactions.iter().map(redaction).collect(),
            redaction_count: log.redaction_count,
        }
    }
}

/// A stream map may have thousands of segments, which nobody reads line by line.
fn on_one_line<S: Serializer>(map: &[(StreamWord, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    let line = serde_json::value::to_raw_value(map).map_err(serde::ser::Error::custom)?;
    line.serialize(serializer)
}

impl From<&Executable> for ExecutableDocument {
    fn from(executable: &Executable) -> Self {
        Self {
            name: executable.name.clone(),
            path: executable.path.clone(),
            sha256: executable.sha256,
            version: executable.version.clone(),
        }
    }
}

impl From<ExecutableDocument> for Executable {
    fn from(document: ExecutableDocument) -> Self {
        Self { name: document.name, path: document.path, sha256: document.sha256, version: document.version }
    }
}

impl From<LeakedProcessDocument> for LeakedProcess {
    fn from(document: LeakedProcessDocument) -> Self {
        Self { pid: document.pid, command: document.command, held_output: document.held_output }
    }
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
        let redaction = |redaction: RedactionDocument| Redaction {
            rule: redaction.rule,
            offset: redaction.offset,
            bytes: redaction.bytes,
        };
        Ok(Self {
            file: document.file,
            bytes: document.bytes,
            sha256: document.sha256,
            streams,
            redactions: document.redactions.into_iter().map(redaction).collect(),
            redaction_count: document.redaction_count,
        })
    }
}
