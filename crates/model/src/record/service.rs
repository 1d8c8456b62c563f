//! What was observed of services.

use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;

use super::{Ending, Executable, LeakedProcess, Log, Span, StartFailure};
use crate::id::ActionId;

/// What was observed of a service, up to the moment when it was ready or given up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceFacts {
    /// What was started. None: somebody else runs it.
    pub started: Option<ServiceStart>,
    /// The port that it was to listen on.
    pub port: Option<u16>,
    /// For each probe, in order, what was observed last.
    pub probes: Vec<ProbeObservation>,
    /// Who listens at the port, where that was looked at.
    #[serde(rename = "diagnostics")]
    pub port_check: Option<PortCheck>,
    /// How the wait ended.
    pub readiness: Readiness,
    /// All of its output, where it did not become ready and was stopped. A service that is ready goes on printing; its
    /// output belongs to its [`ServiceRecord`].
    #[serde(rename = "output")]
    pub log: Option<Log>,
    /// Processes that it left behind when it was given up, and that were stopped.
    #[serde(rename = "leakedProcesses")]
    pub leaked: Vec<LeakedProcess>,
}

/// How a service was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServiceStart {
    /// Program and arguments as they were started, shell included.
    pub argv: Vec<String>,
    /// Absolute directory it ran in.
    #[serde(rename = "workingDirectory")]
    pub directory: String,
    /// The programs that were resolved for it.
    pub executables: Vec<Executable>,
    /// The variables that it was given, redacted.
    pub environment: BTreeMap<String, String>,
    /// Names of the caller's variables that it was not given.
    pub dropped_variables: Vec<String>,
    /// Its process id. None: it never started.
    pub pid: Option<u32>,
}

/// How the wait for a service ended: exactly one of these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Readiness {
    /// It is ready.
    Ready {
        /// Milliseconds from the start of the service until it was ready.
        after_ms: u64,
    },
    /// Somebody listened at its port before it was started; it was not started.
    PortTaken,
    /// Somebody listens at its port who is not of its tree of processes.
    ForeignPort,
    /// It ended before it was ready.
    Ended {
        /// How the service's process ended.
        ending: Ending,
    },
    /// It was not ready in time.
    DeadlineExceeded {
        /// The limit that was hit, in milliseconds.
        #[serde(rename = "limitMs")]
        timeout_ms: u64,
        /// Whether the limit was the task's, not the action's.
        of_task: bool,
    },
    /// The run was interrupted.
    Interrupted,
    /// It never started.
    CouldNotStart {
        /// Kind of the start failure.
        cause: StartFailure,
        /// Message of the failure, for people.
        message: String,
    },
}

/// What was observed of one sign of readiness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeObservation {
    /// What was looked for: a URL, `port 3000`, `output /ready/`. Redacted.
    pub probe: String,
    /// Whether it held.
    pub held: bool,
    /// How often it was looked for.
    pub attempts: u64,
    /// What was seen last: a status, `CONNECTION_REFUSED`, `TIMEOUT`, or a sentence.
    pub last: String,
    /// Milliseconds that it was looked for.
    #[serde(rename = "duration")]
    pub duration_ms: u64,
}

/// Who listens at a port of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PortCheck {
    /// The port.
    pub port: u16,
    /// Whether anybody listens.
    #[serde(rename = "portInUse")]
    pub in_use: bool,
    /// Who. Empty where nobody does, or nobody could be found.
    pub holders: Vec<PortHolder>,
}

/// A process that listens at a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PortHolder {
    /// Process id of the process that listens at the port.
    pub pid: u32,
    /// Name of the process, as the operating system gives it.
    pub name: String,
    /// Its command line, redacted and shortened.
    pub command: String,
    /// Whether it is of the service's own tree of processes.
    pub own: bool,
}

/// What became of a service that was ready.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServiceRecord {
    /// The action that started it.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// The attempt that made it ready.
    pub attempt: u32,
    /// When it ran.
    #[serde(rename = "execution")]
    pub span: Span,
    /// How it ended. [`Ending::Interrupted`]: it was stopped, as it should be.
    pub ending: Ending,
    /// Whether cleanup had begun when it ended.
    pub in_cleanup: bool,
    /// All of its output. None: it is not kept.
    #[serde(rename = "output")]
    pub log: Option<Log>,
    /// Processes that it left behind, and that were stopped.
    #[serde(rename = "leakedProcesses")]
    pub leaked: Vec<LeakedProcess>,
}

impl ServiceRecord {
    /// Whether it ended although nobody stopped it, while checks could still need it.
    pub fn ended_early(&self) -> bool {
        !matches!(self.ending, Ending::Interrupted { .. }) && !self.in_cleanup
    }
}
