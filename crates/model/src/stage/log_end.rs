//! Where a log ended when it was last written, as it is kept in the state directory, out of the reach of whoever works
//! where the log lies: the log of a workflow's run, or the events of incidents. A log in which no line ends there is
//! not the one that was written.

use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::id::Digest;
use crate::stage::id::StageRunId;

/// The document.
pub const KIND: Kind = Kind { name: "the end of a log", key: "log_end_version", version: "1.0.0" };

/// Where a log ended, and where the line that is being written will make it end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEndDocument {
    /// The run's directory, or the root of the incidents: absolute, without links.
    pub path: String,
    /// The run. None: it is about the events of incidents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<StageRunId>,
    /// How often this was written: a reader who finds the same number before and after has read one and the same.
    pub change: u64,
    /// Whether what ends at `end` was written here. False while a run is being composed or taken on: then only a log that ends at
    /// `next` is known.
    pub confirmed: bool,
    /// Where it ended.
    pub end: LogEnd,
    /// Where it ends with the line that is being written, or was when the process died. Null: none is.
    pub next: Option<LogEnd>,
}

/// Where a log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEnd {
    /// Lines.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
    /// SHA-256 of the last line without its end; of nothing where there is no line.
    pub digest: Digest,
}

impl LogEndDocument {
    /// Says that a log is to end at `next`.
    pub fn intended(path: String, run_id: StageRunId, end: LogEnd, next: LogEnd) -> Self {
        Self { path, run_id: Some(run_id), change: 1, confirmed: false, end, next: Some(next) }
    }

    /// Says that the events of incidents ended at `end`.
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
