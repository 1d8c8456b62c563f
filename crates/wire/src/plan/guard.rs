//! What a specification says of the gate itself, in `plan.json`.

use std::collections::BTreeMap;

use referee_model::circumstances::protection::Mode;
use referee_model::id::Digest;
use referee_model::plan::guard::{Answer, Guard, Limits, ProtectRule, Setup};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

/// What a specification says of the gate itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GuardDocument {
    /// Files and folders that the checks write, as patterns: they are no inputs.
    outputs: Vec<String>,
    /// What is protected beside the defaults, and how.
    protect: Vec<ProtectRuleDocument>,
    /// What is done about suppressions that a change adds.
    #[schemars(with = "form::Answer")]
    suppressions: Answer,
    /// How dependencies are installed in a clean room. Null: they are not.
    setup: Option<SetupDocument>,
    /// Programs that must be these files, by the name they are asked for by.
    #[schemars(with = "BTreeMap<String, form::Sha256>")]
    pins: BTreeMap<String, Digest>,
    /// What commands may use.
    limits: LimitsDocument,
}

impl From<&Guard> for GuardDocument {
    fn from(value: &Guard) -> Self {
        Self {
            outputs: value.outputs.clone(),
            protect: value.protect.iter().map(Into::into).collect(),
            suppressions: value.suppressions,
            setup: value.setup.as_ref().map(Into::into),
            pins: value.pins.clone(),
            limits: (&value.limits).into(),
        }
    }
}

impl From<GuardDocument> for Guard {
    fn from(document: GuardDocument) -> Self {
        Self {
            outputs: document.outputs,
            protect: document.protect.into_iter().map(Into::into).collect(),
            suppressions: document.suppressions,
            setup: document.setup.map(Into::into),
            pins: document.pins,
            limits: document.limits.into(),
        }
    }
}

/// A rule of protection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ProtectRuleDocument {
    /// The mode.
    #[schemars(with = "form::ProtectionMode")]
    mode: Mode,
    /// A pattern for files, relative to the workspace.
    pattern: String,
    /// The value in the file that alone is protected, as a JSON pointer. Null: the whole file.
    pointer: Option<String>,
}

impl From<&ProtectRule> for ProtectRuleDocument {
    fn from(value: &ProtectRule) -> Self {
        Self { mode: value.mode, pattern: value.pattern.clone(), pointer: value.pointer.clone() }
    }
}

impl From<ProtectRuleDocument> for ProtectRule {
    fn from(document: ProtectRuleDocument) -> Self {
        Self { mode: document.mode, pattern: document.pattern, pointer: document.pointer }
    }
}

/// How dependencies are installed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SetupDocument {
    /// The command line.
    command: String,
    /// Milliseconds after which it is stopped.
    deadline_ms: u64,
}

impl From<&Setup> for SetupDocument {
    fn from(value: &Setup) -> Self {
        Self { command: value.command.clone(), deadline_ms: value.deadline_ms }
    }
}

impl From<SetupDocument> for Setup {
    fn from(document: SetupDocument) -> Self {
        Self { command: document.command, deadline_ms: document.deadline_ms }
    }
}

/// What commands may use. Null: no limit beyond those of the machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LimitsDocument {
    /// Processes at once.
    processes: Option<u64>,
    /// Memory in bytes.
    memory_bytes: Option<u64>,
    /// Output of one action in bytes.
    output_bytes: Option<u64>,
}

impl From<&Limits> for LimitsDocument {
    fn from(value: &Limits) -> Self {
        Self { processes: value.processes, memory_bytes: value.memory_bytes, output_bytes: value.output_bytes }
    }
}

impl From<LimitsDocument> for Limits {
    fn from(document: LimitsDocument) -> Self {
        Self { processes: document.processes, memory_bytes: document.memory_bytes, output_bytes: document.output_bytes }
    }
}
