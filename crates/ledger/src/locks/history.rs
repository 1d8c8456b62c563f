//! The history of the locks that were written for a workspace, kept in the user's state directory: who replaced
//! a lock, and which differences that accepted (design, "Lock"). An empty history says that a lock was seen
//! there that was written elsewhere.

use referee_model::id::Digest;
use referee_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use referee_model::document::Kind;

pub const KIND: Kind = Kind { name: "the history of a lock", key: "lockHistoryVersion", version: "1.1.0" };

/// Maximum number of locks in the history of a workspace.
const LOCKS: usize = 1_000;

/// Maximum number of paths per lock entry.
const PATHS: usize = 50;

/// Maximum number of specifications per workspace.
const SPECIFICATIONS: usize = 200;

/// The locks of one workspace, the latest last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockHistory {
    /// Path of the workspace, for people: the name of the file's directory is its digest.
    pub workspace: String,
    /// The specifications that were locked, sorted; relative to the workspace if they are in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub specifications: Vec<String>,
    /// The lock that an approver signed last. Null: none was signed. Only another signed lock replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<SignedLock>,
    /// Whether the workspace is in a linked worktree of git, which may be temporary.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub linked_worktree: bool,
    /// The locks, in the order in which they were written.
    pub locks: Vec<LockEntry>,
}

/// A lock that an approver signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignedLock {
    /// SHA-256 of the lock.
    pub digest: Digest,
    /// Name of the approver in the trust store.
    pub approver: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockEntry {
    /// SHA-256 of the lock.
    pub digest: Digest,
    /// SHA-256 of the lock that it replaced. Null: there was none.
    pub previous: Option<Digest>,
    pub at: Timestamp,
    /// Author of the lock, as far as that can be determined.
    pub by: LockAuthor,
    /// The agent in whose shell the lock was written. Null: no agent was detected.
    pub agent: Option<String>,
    /// Number of differences from the previous lock that were accepted.
    pub accepted: u32,
    /// The files that differed, sorted; at most 50.
    pub paths: Vec<String>,
}

/// Author of a lock, as far as that can be determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockAuthor {
    Terminal,
    /// A program without a terminal, and not an agent as far as its environment variables show.
    Script,
    Agent,
}

impl LockHistory {
    pub fn new(workspace: String) -> Self {
        Self { workspace, specifications: Vec::new(), signed: None, linked_worktree: false, locks: Vec::new() }
    }

    /// Adds specifications to the locked ones.
    pub fn know(&mut self, specifications: &[String]) {
        self.specifications.extend(specifications.iter().cloned());
        self.specifications.sort();
        self.specifications.dedup();
        self.specifications.truncate(SPECIFICATIONS);
    }

    /// Adds a lock. If there are too many, the oldest are dropped.
    pub fn push(&mut self, mut lock: LockEntry) {
        lock.paths.sort();
        lock.paths.dedup();
        lock.paths.truncate(PATHS);
        self.locks.push(lock);
        let too_many = self.locks.len().saturating_sub(LOCKS);
        self.locks.drain(..too_many);
    }

    /// Returns the latest entry of a lock.
    pub fn of(&self, digest: Digest) -> Option<&LockEntry> {
        self.locks.iter().rev().find(|lock| lock.digest == digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u16) -> LockEntry {
        let mut digest = [0; 32];
        digest[..2].copy_from_slice(&number.to_be_bytes());
        LockEntry {
            digest: Digest::from_bytes(digest),
            previous: None,
            at: Timestamp::from_millisecond(0),
            by: LockAuthor::Agent,
            agent: Some("claude-code".to_owned()),
            accepted: 3,
            paths: vec!["b".to_owned(), "a".to_owned(), "b".to_owned()],
        }
    }

    #[test]
    fn a_history_is_read_as_it_was_written_and_never_grows_without_end() {
        let mut history = LockHistory::new("/work".to_owned());
        for number in 0..=u16::try_from(LOCKS).unwrap() {
            history.push(entry(number));
        }
        let read = |bytes: &[u8]| KIND.decode::<LockHistory>(bytes);
        assert_eq!(read(&KIND.encode(&history).unwrap()).unwrap(), history);
        assert_eq!(history.locks.len(), LOCKS);
        assert_eq!(
            (history.of(entry(0).digest), &history.locks[0].paths[..]),
            (None, &["a", "b"].map(String::from)[..])
        );
        assert!(history.of(entry(1).digest).is_some());
        assert!(read(b"{}").is_err() && read(b"").is_err());
    }
}
