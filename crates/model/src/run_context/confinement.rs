//! Confinement of commands to the files and resources that they may use.

use serde::{Deserialize, Serialize};

/// Confinement of the commands of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Confinement {
    /// Mechanism that restricts writing to files.
    pub files: FileConfinement,
    /// Directories that commands could write to, in order.
    pub writable: Vec<String>,
    /// Limits on the resources of commands, and their enforcement.
    pub limits: Vec<Limit>,
}

/// Mechanism that restricts where commands may write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum FileConfinement {
    /// No restriction; none was requested.
    NotAskedFor,
    /// Landlock, with all restrictions that the ABI version supports. From version 6 on, commands also cannot
    /// send signals to processes outside, or connect to their abstract sockets.
    Landlock {
        /// Version of the Landlock ABI.
        abi: u32,
    },
    /// No restriction, although one was requested.
    Missing {
        /// Reason for which no restriction was possible.
        reason: String,
    },
}

/// A limit on a resource of commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Limit {
    /// Limited resource.
    pub resource: Resource,
    /// Value of the limit, in bytes or as a number of processes.
    pub value: u64,
    /// Mechanism that enforces the limit.
    pub enforced_by: Enforcement,
}

/// Resource that can be limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// Number of concurrent processes.
    Processes,
    /// Memory, in bytes.
    Memory,
    /// Output of one action, in bytes.
    Output,
}

/// Mechanism that enforces a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Enforcement {
    /// A control group of the kernel.
    ControlGroup,
    /// Referee, by sampling several times a second.
    Sampled,
    /// Referee, by counting the bytes as they pass.
    Counted,
}
