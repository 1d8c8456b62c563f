//! `seal.json`: size and hash of every file of a run, and the digest of the previous run's seal.

use crate::id::{Digest, ExecutionId, TaskId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};

const KIND: Kind = Kind { name: "seal.json", key: "sealVersion", version: VERSION };

/// The version that is written.
pub const VERSION: &str = "1.1.0";

/// The version before runs had sequence numbers.
pub const FIRST_VERSION: &str = "1.0.0";

/// The seal of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Seal {
    /// Version of this format.
    pub seal_version: String,
    /// Id of the run.
    pub execution_id: ExecutionId,
    /// Id of the task.
    pub task_id: TaskId,
    /// Time at which the run was sealed.
    pub sealed_at: Timestamp,
    /// Digest of the plan's canonical document.
    pub plan_digest: Digest,
    /// SHA-256 of the task's current seal when this run was sealed. Null: there was none.
    pub previous_seal: Option<Digest>,
    /// Sequence number of the run in the task's chain, from 1. Left out in seals of version 1.0.0, and if the run
    /// was superseded: no later seal names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    /// Whether the run that `previousSeal` names was missing when this one was sealed. Left out: it was present,
    /// or there is none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub previous_gone: bool,
    /// Digest of the workspace's inputs before the first action. Left out: not observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree_before: Option<Digest>,
    /// Digest of the workspace's inputs after the last action. Left out: not observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree_after: Option<Digest>,
    /// The files, sorted by path.
    pub files: Vec<SealedFile>,
}

/// A sealed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SealedFile {
    /// Path of the file in the evidence directory.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of its content.
    pub sha256: Digest,
}

/// Parses a seal of a known version, without unknown keys, whose files are sorted by path without duplicates.
pub fn read(bytes: &[u8]) -> Result<Seal, DocumentError> {
    let seal: Seal = KIND.read(bytes)?;
    if let Some(pair) = seal.files.windows(2).find(|pair| pair[0].path >= pair[1].path) {
        return Err(KIND.content(format!("`{}` appears twice or out of order", pair[1].path)));
    }
    if seal.sequence == Some(0) {
        return Err(KIND.content("a chain is numbered from 1"));
    }
    Ok(seal)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A seal as written by version 1.0.0.
    fn sample() -> Value {
        json!({
            "sealVersion": "1.0.0",
            "executionId": "exec-1",
            "taskId": "T001",
            "sealedAt": "2026-11-21T09:05:24.123Z",
            "planDigest": "ab".repeat(32),
            "previousSeal": null,
            "files": [
                { "path": "a", "bytes": 1, "sha256": "cd".repeat(32) },
                { "path": "b", "bytes": 2, "sha256": "ef".repeat(32) },
            ],
        })
    }

    fn error(seal: &Value) -> String {
        read(seal.to_string().as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_seal_is_read_as_it_was_written() {
        let seal = read(sample().to_string().as_bytes()).unwrap();
        assert_eq!(serde_json::to_value(&seal).unwrap(), sample());
        let mut whole = sample();
        whole["sealVersion"] = json!("1.1.0");
        whole["sequence"] = json!(2);
        whole["previousGone"] = json!(true);
        whole["treeBefore"] = json!("01".repeat(32));
        whole["treeAfter"] = json!("02".repeat(32));
        let seal = read(whole.to_string().as_bytes()).unwrap();
        assert_eq!(serde_json::to_value(&seal).unwrap(), whole);
    }

    #[test]
    fn a_seal_that_means_something_else_is_refused() {
        let with = |key: &str, value: Value| {
            let mut seal = sample();
            seal[key] = value;
            seal
        };
        let file = |path: &str| json!({ "path": path, "bytes": 1, "sha256": "cd".repeat(32) });
        for (seal, part) in [
            (with("sealVersion", json!("1.2.0")), "version 1.2.0, and this Referee reads 1.1.0"),
            (with("sealVersion", json!(1)), "has no version"),
            (with("extra", json!(1)), "unknown field `extra`"),
            (with("files", json!([file("b"), file("a")])), "`a` appears twice or out of order"),
            (with("files", json!([file("a"), file("a")])), "`a` appears twice or out of order"),
            (with("sequence", json!(0)), "numbered from 1"),
            (with("taskId", json!("../T001")), "is not a task id"),
            (with("planDigest", json!("ab")), "is not a SHA-256 digest"),
        ] {
            let error = error(&seal);
            assert!(error.contains(part), "{error}");
        }
    }
}
