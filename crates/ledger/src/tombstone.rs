//! `tombstone.json`: replaces the files of a run in the history that was pruned. The run's seal stays beside it, so the
//! chain of seals is unbroken.

use std::collections::BTreeMap;

use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use referee_model::document::{DocumentError, Kind};
use referee_model::seal::SealedFile;

pub const KIND: Kind = Kind { name: "tombstone.json", key: "tombstoneVersion", version: "1.0.0" };

/// A run whose files were removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tombstone {
    pub task_id: TaskId,
    pub execution_id: ExecutionId,
    /// When the run's files were removed.
    pub pruned_at: Timestamp,
    pub reason: String,
    /// SHA-256 of the `seal.json` beside it. Null: the run had died before it was sealed.
    pub seal_digest: Option<Digest>,
    /// Removed files, by path.
    pub removed: Vec<SealedFile>,
}

impl Tombstone {
    /// Creates a tombstone over these files, each name once.
    pub fn new(
        (task_id, execution_id): (TaskId, ExecutionId),
        (pruned_at, reason): (Timestamp, String),
        seal_digest: Option<Digest>,
        removed: BTreeMap<String, SealedFile>,
    ) -> Self {
        Self { task_id, execution_id, pruned_at, reason, seal_digest, removed: removed.into_values().collect() }
    }
}

/// Parses a tombstone.
///
/// # Errors
/// Fails if the bytes are not a tombstone, have another version, or name a file twice.
pub fn read(bytes: &[u8]) -> Result<Tombstone, DocumentError> {
    let tombstone: Tombstone = KIND.decode(bytes)?;
    if let Some(pair) = tombstone.removed.windows(2).find(|pair| pair[0].path >= pair[1].path) {
        return Err(KIND.content(format!("`{}` appears twice or out of order", pair[1].path)));
    }
    Ok(tombstone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tombstone_is_read_as_it_was_written_and_what_is_none_is_refused() {
        let file = |path: &str| SealedFile { path: path.to_owned(), bytes: 1, sha256: Digest::from_bytes([1; 32]) };
        let run = (TaskId::parse("T001").unwrap(), ExecutionId::parse("exec-1").unwrap());
        let removed = ["b", "a"].map(|path| (path.to_owned(), file(path)));
        let when = (Timestamp::from_millisecond(0), "older than 30 days".to_owned());
        let tombstone = Tombstone::new(run, when, Some(Digest::from_bytes([2; 32])), BTreeMap::from(removed));
        let bytes = KIND.encode(&tombstone).unwrap();
        assert_eq!(read(&bytes).unwrap(), tombstone);
        let text = String::from_utf8(bytes).unwrap();
        assert!(read(text.replace("\"path\": \"b\"", "\"path\": \"a\"").as_bytes()).is_err());
        assert!(read(text.replace("1.0.0", "2.0.0").as_bytes()).is_err());
        assert!(read(b"{}").is_err());
    }
}
