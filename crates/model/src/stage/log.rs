//! `wf-log.jsonl`: what happened in a run of a workflow, in order. Every line holds the digest of the line before, so that none can be
//! changed or left out unseen; the last one's is kept out of the workspace too.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::id::Digest;
use crate::stage::id::{StageId, StageRunId};
use crate::stage::message::MessageDocument;
use crate::time::Timestamp;

/// The log of a run.
pub const LOG: &str = "wf-log.jsonl";

const KIND: Kind = Kind { name: "a line of wf-log.jsonl", key: "log_version", version: "1.0.0" };

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageLogLine {
    /// Its number, from 1.
    pub sequence: u64,
    /// When.
    pub at: Timestamp,
    /// The run.
    pub run_id: StageRunId,
    /// The stage that it is about. None: all of them.
    pub stage_id: Option<StageId>,
    /// The attempt that it is about, from 1; 0 before the first.
    pub attempt: u32,
    /// Who did it, as far as it is known: a person's name, `agent`, `cli`.
    pub by: String,
    /// What happened.
    pub deed: StageDeed,
    /// SHA-256 of the line before, without its end. None: this is the first.
    pub previous: Option<Digest>,
}

/// What happened. Paths are relative to the stage's directory, in a composition to the run's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum StageDeed {
    /// The run was composed.
    Composed {
        /// A number by chance that no other run has.
        nonce: String,
        /// The workflow's directory, as it was named.
        source: String,
        /// The directory that specifications of stages are about: absolute.
        workspace: String,
        /// The stages, in their declared order.
        stages: Vec<StageId>,
        /// The files that nobody changes afterwards, with their digests.
        files: BTreeMap<String, Digest>,
    },
    /// The run came from another place or machine, and a person took it on as it is.
    Adopted,
    /// What comes from other stages was put into it.
    Prepared {
        /// Those stages, with the attempt whose outputs were taken.
        sources: BTreeMap<StageId, u32>,
        /// The files that were put into it, with their digests.
        inputs: BTreeMap<String, Digest>,
    },
    /// An executor got control, and this attempt began.
    Accepted {
        /// The inputs that are there, with their digests.
        inputs: BTreeMap<String, Digest>,
        /// Whether it is done again that was done, or begun.
        repeated: bool,
    },
    /// The outputs were judged. It changes nothing.
    Validated {
        /// Whether the outputs pass.
        passed: bool,
        /// The outputs that were there, with their digests.
        outputs: BTreeMap<String, Digest>,
        /// What the stage's specification came to. None: it has none.
        verdict: Option<StageVerdict>,
    },
    /// It was handed back with a question.
    Questioned {
        /// Where the question lies.
        message: String,
        /// The handback that asks it.
        handback: Digest,
    },
    /// The question was answered.
    Answered {
        /// Where question and answer lie.
        message: String,
        /// Question and answer, so that nobody can put another answer into a person's mouth.
        content: MessageDocument,
    },
    /// It was handed back with an error.
    Failed {
        /// The handback that tells of it.
        handback: Digest,
        /// The incident that it became. None: it could not be kept as one.
        incident: Option<String>,
    },
    /// It is done, and what it wrote is published.
    Finalized {
        /// The handback. None: a person finalized it without one.
        handback: Option<Digest>,
        /// What is published, with its digests: outputs, and `output-params.json`.
        outputs: BTreeMap<String, Digest>,
    },
}

/// What a stage's specification came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageVerdict {
    /// The decision: `PASS`, `FAIL` or `BLOCKED`. Only PASS carries a success.
    pub decision: String,
    /// The exit code that goes with it.
    pub exit: u8,
    /// Why, in a sentence without secrets.
    pub reason: String,
    /// Where the sealed evidence lies. None: nothing ran.
    pub evidence: Option<String>,
    /// SHA-256 over the inputs of its tasks as they were when it was found. None: they are not known, or it is no pass.
    #[serde(default)]
    pub tree: Option<Digest>,
}

/// A line as it is written.
#[derive(Debug, Serialize)]
pub(crate) struct WrittenLine<'line> {
    /// Version of this format.
    log_version: &'static str,
    #[serde(flatten)]
    line: &'line StageLogLine,
}

/// Lays a line out, without its end.
///
/// # Errors
/// Fails only for what JSON cannot hold.
pub fn line(line: &StageLogLine) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&WrittenLine { log_version: KIND.version, line })
}

/// Reads a line, with or without its end.
///
/// # Errors
/// Fails for bytes that are no line, or one of a version that is not known.
pub fn read(line: &[u8]) -> Result<StageLogLine, DocumentError> {
    KIND.read(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written_and_no_other_version_is() {
        let example = StageLogLine {
            sequence: 3,
            at: Timestamp::from_millisecond(1_795_251_924_120),
            run_id: StageRunId::new("2026-11-22", 1).unwrap(),
            stage_id: Some(StageId::parse("explore").unwrap()),
            attempt: 1,
            by: "cli".to_owned(),
            deed: StageDeed::Accepted { inputs: BTreeMap::new(), repeated: false },
            previous: Some(Digest::from_bytes([7; 32])),
        };
        let bytes = line(&example).unwrap();
        assert!(!bytes.contains(&b'\n'));
        assert_eq!(read(&bytes).unwrap(), example);
        let text = String::from_utf8(bytes).unwrap();
        assert!(read(text.replace("1.0.0", "2.0.0").as_bytes()).is_err());
        assert!(read(text.replace("accepted", "blessed").as_bytes()).is_err());
        assert!(read(b"").is_err());
    }
}
