//! What a specification says of the gate itself: which files are protected, which directories are outputs, how
//! dependencies are installed, which programs are pinned, what commands may use.

use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::{Action, Command, EvidenceCapture, Invocation, Phase, Role, Work};
use crate::id::{ActionId, Digest};
use crate::limit;
use crate::run_context::protection::Mode;

/// What a specification says of the gate itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Guard {
    /// Files and directories that the checks write, as patterns relative to the workspace: they are no inputs.
    pub outputs: Vec<String>,
    /// What is protected beside the defaults, and how.
    pub protect: Vec<ProtectRule>,
    /// What is done about suppressions that a change adds.
    pub suppressions: Answer,
    /// What is done about tests of a change that pass without it.
    #[serde(default, skip_serializing_if = "ProbeAnswer::is_default")]
    pub probe: ProbeAnswer,
    /// When checks are asked whether they still report planted defects.
    #[serde(default, skip_serializing_if = "ProbeSchedule::is_default")]
    pub probe_schedule: ProbeSchedule,
    /// Planted defects that a check must report when it is asked; each costs about one more run of the check. None: one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_count: Option<NonZeroU32>,
    /// How dependencies are installed in a clean room. None: they are not.
    pub setup: Option<Setup>,
    /// Programs that must be these files, by the name they are asked for by.
    pub pins: BTreeMap<String, Digest>,
    /// What commands may use.
    pub limits: Limits,
}

/// A rule of protection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProtectRule {
    /// The mode.
    pub mode: Mode,
    /// A pattern for files, relative to the workspace.
    pub pattern: String,
    /// The value in the file that alone is protected, as a JSON pointer. None: the whole file.
    pub pointer: Option<String>,
}

/// What is done about something that is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Nothing was said: it is reported, and fewer tests than a lock or a trusted commit knows of block.
    #[default]
    Default,
    /// It is reported.
    Report,
    /// It blocks.
    Block,
    /// Nothing.
    Ignore,
}

/// When checks are asked whether they still report planted defects that they were known to report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeSchedule {
    /// Never.
    Never,
    /// Where the variable `CI` is set.
    Ci,
    /// Where more changed than sources and new files of tests since they were learned.
    #[default]
    OnChange,
    /// After every run that passed.
    Always,
}

impl ProbeSchedule {
    /// Returns the schedule as specifications spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Ci => "ci",
            Self::OnChange => "on-change",
            Self::Always => "always",
        }
    }

    /// Whether nothing was said of it.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What is done about tests of a change that pass without it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProbeAnswer {
    /// Nobody asks.
    Off,
    /// It is reported.
    #[default]
    Report,
    /// It blocks.
    Block,
}

impl ProbeAnswer {
    /// Returns the answer as specifications spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Report => "report",
            Self::Block => "block",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How dependencies are installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Setup {
    /// The command line.
    pub command: String,
    /// Milliseconds after which it is stopped.
    #[serde(rename = "deadlineMs")]
    pub timeout_ms: u64,
}

impl Setup {
    /// What it is called in reports.
    pub const NAME: &'static str = "setup";

    /// Returns the id of the prerequisite that it becomes in a clean room, `SETUP.1`. No form of a specification gives this
    /// id to anything.
    ///
    /// # Panics
    /// Never: the text is an id.
    pub fn id() -> ActionId {
        ActionId::parse("SETUP.1").expect("capital letters, a dot and a number are an id")
    }

    /// Returns the prerequisite that it becomes in a clean room. What it prints is no finding: it works or it does not.
    pub fn action(&self) -> Action {
        Action {
            id: Self::id(),
            phase: Phase::Prerequisite,
            name: Self::NAME.to_owned(),
            work: Work::Command(Command { role: Some(Role::Other), ..Command::of(Invocation::line(&self.command)) }),
            needs: Vec::new(),
            timeout_ms: self.timeout_ms,
            grace_ms: limit::GRACE_MS,
            continue_on_failure: false,
            retries: 0,
            expect: None,
            evidence: EvidenceCapture::default(),
            level: None,
        }
    }
}

/// What commands may use. None: no limit beyond those of the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Limits {
    /// Processes at once.
    pub processes: Option<u64>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Output of one action in bytes; never more than [`crate::limit::OUTPUT_BYTES`].
    pub output_bytes: Option<u64>,
}
