//! How commands were kept from what is none of their business.

use serde::{Deserialize, Serialize};

/// How commands were confined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Confinement {
    /// What keeps them from writing elsewhere.
    pub files: FileConfinement,
    /// The directories that they could write to, in order.
    pub writable: Vec<String>,
    /// What limits them, and how it is enforced.
    pub limits: Vec<Limit>,
}

/// What keeps commands from writing where they may not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum FileConfinement {
    /// Nothing, and nobody asked for it.
    NotAskedFor,
    /// Landlock, with all that this version of its interface can restrict. From version 6 on signals to processes outside
    /// and their abstract sockets are out of reach, too.
    Landlock {
        /// The version.
        abi: u32,
    },
    /// Nothing, although it was asked for.
    Missing {
        /// Why.
        reason: String,
    },
}

/// One limit on what a command may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Limit {
    /// Of what.
    pub resource: Resource,
    /// How much: bytes, or a number of processes.
    pub value: u64,
    /// Who enforces it.
    pub enforced_by: Enforcement,
}

/// What can be limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// Processes at once.
    Processes,
    /// Memory, in bytes.
    Memory,
    /// Output of one action, in bytes.
    Output,
}

/// Who enforces a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Enforcement {
    /// The kernel, by a control group.
    ControlGroup,
    /// Referee, by looking several times a second.
    Sampled,
    /// Referee, as the bytes pass.
    Counted,
}
