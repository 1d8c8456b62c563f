//! Settings of the gate in a specification: protected files, output directories, installation of dependencies,
//! pinned programs, and limits of commands.

use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::{Action, Command, Invocation, Phase, Role, Work};
use crate::id::{ActionId, Digest};
use crate::run_context::protection::Mode;

/// Settings of the gate in a specification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Guard {
    /// Patterns, relative to the workspace, for files and directories that the checks write. They are not inputs.
    pub outputs: Vec<String>,
    /// Rules of protection in addition to the defaults.
    pub protect: Vec<ProtectRule>,
    /// Response to suppressions that a change adds.
    pub suppressions: Answer,
    /// Response to tests of a change that pass without the change.
    #[serde(default, skip_serializing_if = "ProbeAnswer::is_default")]
    pub probe: ProbeAnswer,
    /// When the checks are tested with planted defects that they are known to report.
    #[serde(default, skip_serializing_if = "ProbeSchedule::is_default")]
    pub probe_schedule: ProbeSchedule,
    /// Number of planted defects that a check must report in an audit. Each costs about one more run of the
    /// check. None: one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_count: Option<NonZeroU32>,
    /// Installation of dependencies in a clean room. None: no dependencies are installed.
    pub setup: Option<Setup>,
    /// Digests of pinned programs, by the name under which they are called.
    pub pins: BTreeMap<String, Digest>,
    /// Limits on the resources of commands.
    pub limits: Limits,
}

/// A rule that protects files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProtectRule {
    /// Mode of protection.
    pub mode: Mode,
    /// Pattern for files, relative to the workspace.
    pub pattern: String,
    /// JSON pointer to the only value in the file that is protected. None: the whole file is protected.
    pub pointer: Option<String>,
}

/// Response to a finding of the gate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Not specified: findings are reported, and fewer tests than in the lock or the trusted commit block.
    #[default]
    Default,
    /// Findings are reported.
    Report,
    /// Findings block.
    Block,
    /// Findings are ignored.
    Ignore,
}

document_words! {
    /// When checks are tested with planted defects that they are known to report.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum ProbeSchedule {
        /// Never.
        Never = "never",
        /// If the environment variable `CI` is set.
        Ci = "ci",
        /// If anything but sources and new test files changed since the probes were learned.
        #[default]
        OnChange = "on-change",
        /// After every run that passed.
        Always = "always",
    }
}

impl ProbeSchedule {
    /// Returns whether this is the default schedule.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

document_words! {
    /// Response to tests of a change that pass without the change.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum ProbeAnswer {
        /// The change is not probed.
        Off = "off",
        /// Such tests are reported.
        #[default]
        Report = "report",
        /// Such tests block.
        Block = "block",
    }
}

impl ProbeAnswer {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Installation of dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Setup {
    /// Command line for the shell.
    pub command: String,
    /// Milliseconds after which the command is stopped.
    #[serde(rename = "deadlineMs")]
    pub timeout_ms: u64,
}

impl Setup {
    /// Name of the installation in reports.
    pub const NAME: &'static str = "setup";

    /// Returns the id of the prerequisite that installs the dependencies in a clean room, `SETUP.1`. No form of
    /// a specification can assign this id.
    ///
    /// # Panics
    /// Never: the text is a valid id.
    pub fn id() -> ActionId {
        ActionId::parse("SETUP.1").expect("capital letters, a dot and a number are an id")
    }

    /// Returns the prerequisite that installs the dependencies in a clean room. Its output is not searched for
    /// findings: the command either succeeds or fails.
    pub fn action(&self) -> Action {
        Action {
            timeout_ms: self.timeout_ms,
            continue_on_failure: false,
            ..Action::of(
                Self::id(),
                Phase::Prerequisite,
                Self::NAME,
                Work::Command(Command { role: Some(Role::Other), ..Command::of(Invocation::line(&self.command)) }),
            )
        }
    }
}

/// Limits on the resources of commands. None: only the limits of the machine apply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Limits {
    /// Maximum number of concurrent processes.
    pub processes: Option<u64>,
    /// Maximum memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Maximum output of one action in bytes; never more than [`crate::limit::OUTPUT_BYTES`].
    pub output_bytes: Option<u64>,
}
