//! What a specification says of the gate itself: which files are protected, which folders are outputs, how dependencies are
//! installed, which programs are pinned, what commands may use.

use std::collections::BTreeMap;

use crate::circumstances::protection::Mode;
use crate::id::Digest;

/// What a specification says of the gate itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Guard {
    /// Files and folders that the checks write, as patterns relative to the workspace: they are no inputs.
    pub outputs: Vec<String>,
    /// What is protected beside the defaults, and how.
    pub protect: Vec<ProtectRule>,
    /// What is done about suppressions that a change adds.
    pub suppressions: Answer,
    /// How dependencies are installed in a clean room. None: they are not.
    pub setup: Option<Setup>,
    /// Programs that must be these files, by the name they are asked for by.
    pub pins: BTreeMap<String, Digest>,
    /// What commands may use.
    pub limits: Limits,
}

/// A rule of protection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectRule {
    /// The mode.
    pub mode: Mode,
    /// A pattern for files, relative to the workspace.
    pub pattern: String,
    /// The value in the file that alone is protected, as a JSON pointer. None: the whole file.
    pub pointer: Option<String>,
}

/// What is done about something that is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// It is reported.
    #[default]
    Report,
    /// It blocks.
    Block,
    /// Nothing.
    Ignore,
}

/// How dependencies are installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The command line.
    pub command: String,
    /// Milliseconds after which it is stopped.
    pub deadline_ms: u64,
}

/// What commands may use. None: no limit beyond those of the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Processes at once.
    pub processes: Option<u64>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Output of one action in bytes; never more than [`crate::limit::OUTPUT_BYTES`].
    pub output_bytes: Option<u64>,
}
