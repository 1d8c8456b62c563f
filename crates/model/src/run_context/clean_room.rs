//! A directory tree that is built for one run: the files of the candidate, with protected files taken from the
//! baseline.

use serde::{Deserialize, Serialize};

use crate::id::Digest;

/// A directory tree that was built for one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CleanRoom {
    /// Absolute path of the workspace that it was built from.
    pub candidate: String,
    /// Number of files that were copied from the candidate.
    pub files: u64,
    /// Protected files that were taken from the baseline because they differ or are missing in the candidate; sorted.
    pub restored: Vec<String>,
    /// Installation of dependencies. None: the specification defines none.
    pub setup: Option<SetUp>,
}

/// Installation of dependencies in a clean room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetUp {
    /// Command line, as the specification states it.
    pub command: String,
    /// Source of the dependencies.
    pub provision: Provision,
}

/// Source of the dependencies in a clean room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Provision {
    /// The command ran as the first prerequisite. Its results may be cached for later runs.
    Installed {
        /// Cache key: digest over command, lock files and machine.
        key: Digest,
    },
    /// The command ran, but there is no lock file, so nothing is cached.
    InstalledWithoutLockFile,
    /// The results of an earlier run of the command were used. The command did not run.
    Cached {
        /// Cache key of the results.
        key: Digest,
    },
}
