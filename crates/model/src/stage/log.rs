//! `wf-log.jsonl`: the events of a workflow run, in order. Every line holds the digest of the line before it,
//! so that no line can be changed or removed unnoticed; the digest of the last line is also stored outside the
//! workspace.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::id::Digest;
use crate::stage::id::{StageId, StageRunId};
use crate::stage::message::MessageDocument;
use crate::time::Timestamp;

/// File name of the log of a run.
pub const LOG: &str = "wf-log.jsonl";

const KIND: Kind = Kind { name: "a line of wf-log.jsonl", key: "log_version", version: "1.0.0" };

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageLogLine {
    /// Number of the line, from 1.
    pub sequence: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Id of the run.
    pub run_id: StageRunId,
    /// Stage that the event concerns. None: the run as a whole.
    pub stage_id: Option<StageId>,
    /// Number of the attempt that the event concerns, from 1; 0 before the first attempt.
    pub attempt: u32,
    /// Who caused the event, as far as known: a person's name, `agent` or `cli`.
    pub by: String,
    /// The event.
    pub operation: StageChange,
    /// SHA-256 of the previous line, without its line terminator. None: this is the first line.
    pub previous: Option<Digest>,
}

/// Event in a run. Paths are relative to the stage's directory, those of a composition to the run's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum StageChange {
    /// The run was composed.
    Composed {
        /// Random number that identifies the run.
        nonce: String,
        /// Directory of the workflow, as given by the caller.
        source: String,
        /// Absolute path of the directory that the specifications of the stages check.
        workspace: String,
        /// The stages, in their declared order.
        stages: Vec<StageId>,
        /// Files that must not change after composition, with their digests.
        files: BTreeMap<String, Digest>,
    },
    /// A person adopted, as it is, a run that came from another directory or machine.
    Adopted,
    /// The inputs from other stages were copied into the stage.
    Prepared {
        /// Source stages, each with the number of the attempt that produced the outputs.
        sources: BTreeMap<StageId, u32>,
        /// Files that were copied into the stage, with their digests.
        inputs: BTreeMap<String, Digest>,
    },
    /// An executor took control, and the attempt began.
    Accepted {
        /// Input files that exist, with their digests.
        inputs: BTreeMap<String, Digest>,
        /// Whether the stage had been started or completed before and is now repeated.
        repeated: bool,
    },
    /// The outputs were validated. The state of the stage does not change.
    Validated {
        /// Whether the outputs pass.
        passed: bool,
        /// Output files that existed, with their digests.
        outputs: BTreeMap<String, Digest>,
        /// Verdict on the stage's specification. None: the stage has no specification.
        verdict: Option<StageVerdict>,
    },
    /// The executor handed the stage back with a question.
    Questioned {
        /// File that contains the question.
        message: String,
        /// Digest of the handback that asks the question.
        handback: Digest,
    },
    /// The question was answered.
    Answered {
        /// File that contains the question and the answer.
        message: String,
        /// Question and answer, recorded here so that the answer cannot be replaced unnoticed.
        content: MessageDocument,
    },
    /// The executor handed the stage back with an error.
    Failed {
        /// Digest of the handback that reports the error.
        handback: Digest,
        /// Id of the incident that was captured from the error. None: no incident could be stored.
        incident: Option<String>,
    },
    /// The stage is done, and its outputs are published.
    Finalized {
        /// Digest of the handback. None: a person finalized the stage without a handback.
        handback: Option<Digest>,
        /// Published files with their digests: the outputs and `output-params.json`.
        outputs: BTreeMap<String, Digest>,
    },
}

/// Verdict on the specification of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageVerdict {
    /// Decision: `PASS`, `FAIL` or `BLOCKED`. Only `PASS` lets a stage succeed.
    pub decision: String,
    /// Exit code that corresponds to the decision.
    pub exit: u8,
    /// Reason for the decision, in one sentence without secrets.
    pub reason: String,
    /// Path of the sealed evidence. None: nothing ran.
    pub evidence: Option<String>,
    /// SHA-256 over the inputs of the specification's tasks at the time of the verdict. None: unknown, or the
    /// decision is not `PASS`.
    pub tree: Option<Digest>,
}

/// A line of the log in its serialized form.
#[derive(Debug, Serialize)]
pub(crate) struct WrittenLine<'line> {
    /// Version of this format.
    log_version: &'static str,
    #[serde(flatten)]
    line: &'line StageLogLine,
}

/// Serializes a line, without a line terminator.
///
/// # Errors
/// Fails only for values that JSON cannot represent.
pub fn line(line: &StageLogLine) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&WrittenLine { log_version: KIND.version, line })
}

/// Parses a line, with or without its line terminator.
///
/// # Errors
/// Fails for bytes that are not a valid line, and for an unknown version.
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
            operation: StageChange::Accepted { inputs: BTreeMap::new(), repeated: false },
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
