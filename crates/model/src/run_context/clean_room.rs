//! A tree that is built for one run: the candidate's files, with the protected ones from the baseline.

use serde::{Deserialize, Serialize};

use crate::id::Digest;

/// A tree that was built for one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetUp {
    /// The command, as it is written.
    pub command: String,
    /// Where they came from.
    pub provision: Provision,
}

/// Where the dependencies in a clean room came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Provision {
    /// The command, which ran as the first prerequisite. What it made may be kept for later runs.
    Installed {
        /// What it is kept by: digest over command, lock files and machine.
        key: Digest,
    },
    /// The command; there is no lock file, so nothing is kept.
    InstalledWithoutLockFile,
    /// What an earlier run of the command made. It did not run.
    Cached {
        /// What it was kept by.
        key: Digest,
    },
}
