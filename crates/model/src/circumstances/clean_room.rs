//! A tree that is built for one run: the candidate's files, with the protected ones from the baseline.

use crate::id::Digest;

/// A tree that was built for one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanRoom {
    /// The workspace that it was built from, absolute.
    pub candidate: String,
    /// How many of the candidate's files were copied.
    pub files: u64,
    /// Protected files that were taken from the baseline because the candidate's differ, or are missing; sorted.
    pub restored: Vec<String>,
    /// How dependencies came into it. None: the specification names no set-up.
    pub setup: Option<SetUp>,
}

/// How dependencies came into a clean room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetUp {
    /// The command, as it is written.
    pub command: String,
    /// What they are cached by: digest over command, lock files and machine.
    pub key: Digest,
    /// Whether they were taken from the cache.
    pub cached: bool,
}
