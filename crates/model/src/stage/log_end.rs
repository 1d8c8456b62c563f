//! Recorded end of a log: its position after the last write, stored in the state directory, where those who can
//! write to the log cannot change it. The log is that of a workflow run, or the events of incidents. A log in
//! which no line ends at the recorded position is not the log that was written.

use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::id::Digest;
use crate::stage::id::StageRunId;

/// The document that holds a [`LogEndDocument`].
pub const KIND: Kind = Kind { name: "the end of a log", key: "log_end_version", version: "1.0.0" };

/// Recorded end of a log, and the end that a line being written will produce.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEndDocument {
    /// Absolute path, without symbolic links, of the run's directory or of the root of the incidents.
    pub path: String,
    /// Id of the run. None: the log holds the events of incidents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<StageRunId>,
    /// Number of times that this document was written. A reader that sees the same number before and after a
    /// read has read one consistent state.
    pub change: u64,
    /// Whether the content up to `end` was written by this installation. False while a run is being composed or
    /// adopted: then only a log that ends at `next` is accepted.
    pub confirmed: bool,
    /// Last confirmed end of the log.
    pub end: LogEnd,
    /// End of the log including the line that is being written, or that was being written when the process
    /// died. Null: no write is pending.
    pub next: Option<LogEnd>,
}

/// Position at which a log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEnd {
    /// Number of lines.
    pub lines: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// SHA-256 of the last line without its line terminator; of the empty input if there is no line.
    pub digest: Digest,
}

impl LogEndDocument {
    /// Creates the record of a log that is about to end at `next`.
    pub fn intended(path: String, run_id: StageRunId, end: LogEnd, next: LogEnd) -> Self {
        Self { path, run_id: Some(run_id), change: 1, confirmed: false, end, next: Some(next) }
    }

    /// Creates the record of an incident event log that ends at `end`.
    pub fn of_events(path: String, end: LogEnd) -> Self {
        Self { path, run_id: None, change: 1, confirmed: true, end, next: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_as_it_was_written_and_no_other_version_is() {
        let end = LogEnd { lines: 0, bytes: 0, digest: Digest::from_bytes([1; 32]) };
        let next = LogEnd { lines: 1, bytes: 80, digest: Digest::from_bytes([2; 32]) };
        let run_id = StageRunId::new("2026-11-22", 1).unwrap();
        let document = LogEndDocument::intended("/runs/run-2026-11-22-001".to_owned(), run_id, end, next);
        let bytes = KIND.encode(&document).unwrap();
        assert_eq!(KIND.decode::<LogEndDocument>(&bytes).unwrap(), document);
        let newer = String::from_utf8(bytes).unwrap().replace("1.0.0", "2.0.0");
        assert!(KIND.decode::<LogEndDocument>(newer.as_bytes()).is_err());
        assert!(KIND.decode::<LogEndDocument>(b"{}").is_err());
    }
}
