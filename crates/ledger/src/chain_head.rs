//! The head of a task's chain of seals, kept in the user's state directory, where changes of the workspace cannot reach
//! it (design, "Seal" and "Publication").

use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use referee_model::document::{DocumentError, Kind};

pub const KIND: Kind = Kind { name: "the head of a chain", key: "chainVersion", version: "1.0.0" };

/// State of a task's chain, independent of its evidence directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChainHead {
    /// The evidence root, for people: the name of the file's directory is its digest.
    pub evidence_root: String,
    pub task_id: TaskId,
    /// The latest run that was sealed and published. Null: none since heads are kept.
    pub head: Option<Link>,
    /// A run that is being published: written before its directory is moved, cleared afterwards.
    pub pending: Option<Pending>,
    /// Runs that started and were neither published nor cleaned up yet.
    pub started: Vec<Started>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Link {
    /// SHA-256 of the run's `seal.json`.
    pub seal_digest: Digest,
    pub execution_id: ExecutionId,
    /// Number of the run in the chain, from 1.
    pub sequence: u64,
    /// When the run started. Null: unknown.
    pub started_at: Option<Timestamp>,
    pub sealed_at: Timestamp,
}

/// A run that is being published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pending {
    pub link: Link,
    /// Whether the run goes straight to the history, because a run that started later is the task's latest one.
    pub superseded: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Started {
    pub execution_id: ExecutionId,
    pub started_at: Timestamp,
}

impl ChainHead {
    /// Creates the record of an empty chain.
    pub fn new(evidence_root: String, task_id: TaskId) -> Self {
        Self { evidence_root, task_id, head: None, pending: None, started: Vec::new() }
    }
}

/// Parses the head of a chain.
///
/// # Errors
/// Fails if the bytes are not a chain head, or have another version.
pub fn read(bytes: &[u8]) -> Result<ChainHead, DocumentError> {
    let head: ChainHead = KIND.decode(bytes)?;
    let links = head.head.iter().chain(head.pending.as_ref().map(|pending| &pending.link));
    if links.into_iter().any(|link| link.sequence == 0) {
        return Err(KIND.content("a chain is numbered from 1"));
    }
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> ChainHead {
        let link = Link {
            seal_digest: Digest::from_bytes([7; 32]),
            execution_id: ExecutionId::parse("exec-1").unwrap(),
            sequence: 3,
            started_at: Some(Timestamp::from_millisecond(0)),
            sealed_at: Timestamp::from_millisecond(1_000),
        };
        ChainHead {
            head: Some(link.clone()),
            pending: Some(Pending { link, superseded: false }),
            started: vec![Started {
                execution_id: ExecutionId::parse("exec-2").unwrap(),
                started_at: Timestamp::from_millisecond(2_000),
            }],
            ..ChainHead::new("/work/evidence".to_owned(), TaskId::parse("T001").unwrap())
        }
    }

    #[test]
    fn a_head_is_read_as_it_was_written_and_what_is_none_is_refused() {
        let bytes = KIND.encode(&sample()).unwrap();
        assert_eq!(read(&bytes).unwrap(), sample());
        let text = String::from_utf8(bytes).unwrap();
        for (wrong, part) in [
            (text.replace("\"1.0.0\"", "\"1.1.0\""), "use a newer Referee"),
            (text.replace("\"sequence\": 3", "\"sequence\": 0"), "numbered from 1"),
            (text.replace("\"pending\"", "\"forged\""), "unknown field"),
            (text[..text.len() / 2].to_owned(), "cannot read"),
            (String::new(), "cannot read"),
        ] {
            let error = read(wrong.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
