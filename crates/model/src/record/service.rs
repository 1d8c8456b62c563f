//! Facts about services.

use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;

use super::{Ending, Executable, LeakedProcess, Log, Notice, Span, StartFailure};
use crate::id::ActionId;

/// Facts about a service, up to the moment when it became ready or the wait for it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceFacts {
    /// How the service was started. None: the service runs outside Referee's control.
    pub started: Option<ServiceStart>,
    /// Port that the service is to listen at.
    pub port: Option<u16>,
    /// For each readiness probe, in order, its last result.
    pub probes: Vec<ProbeObservation>,
    /// The processes that listen at the port. None: the port was not inspected.
    #[serde(rename = "diagnostics")]
    pub port_check: Option<PortCheck>,
    /// How the wait ended.
    pub readiness: Readiness,
    /// Complete output of a service that did not become ready and was stopped. A service that became ready
    /// keeps printing; its output belongs to its [`ServiceRecord`].
    #[serde(rename = "output")]
    pub log: Option<Log>,
    /// Processes that the service left behind when the wait was given up. They were stopped.
    #[serde(rename = "leakedProcesses")]
    pub leaked: Vec<LeakedProcess>,
}

/// How a service was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServiceStart {
    /// Program and arguments as started, the shell included.
    pub argv: Vec<String>,
    /// Absolute path of the working directory.
    #[serde(rename = "workingDirectory")]
    pub directory: String,
    /// Programs that were resolved for the command.
    pub executables: Vec<Executable>,
    /// Environment variables passed to the service, redacted.
    pub environment: BTreeMap<String, String>,
    /// Names of variables in Referee's environment that were not passed on.
    pub dropped_variables: Vec<String>,
    /// Process id. None: the service never started.
    pub pid: Option<u32>,
}

/// How the wait for a service ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Readiness {
    /// The service became ready.
    Ready {
        /// Time from the start of the service until it was ready, in milliseconds.
        after_ms: u64,
    },
    /// Another process listened at the port before the start, so the service was not started.
    PortTaken,
    /// A process outside the service's process tree listens at its port.
    ForeignPort,
    /// The service ended before it was ready.
    Ended {
        /// How the service's process ended.
        ending: Ending,
    },
    /// The service was not ready in time.
    DeadlineExceeded {
        /// The limit that was hit, in milliseconds.
        #[serde(rename = "limitMs")]
        timeout_ms: u64,
        /// Whether the limit was that of the task rather than of the action.
        of_task: bool,
    },
    /// The run was interrupted.
    Interrupted,
    /// The service could not be started.
    CouldNotStart {
        /// Kind of the start failure.
        cause: StartFailure,
        /// Message of the failure, for people.
        message: String,
    },
}

/// Last result of one readiness probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeObservation {
    /// Condition that was probed: a URL, `port 3000` or `output /ready/`. Redacted.
    pub probe: String,
    /// Whether the condition was met.
    pub held: bool,
    /// Number of times that the condition was checked.
    pub attempts: u64,
    /// Last result: a status, `CONNECTION_REFUSED`, `TIMEOUT`, or a sentence.
    pub last: String,
    /// Time spent checking the condition, in milliseconds.
    #[serde(rename = "duration")]
    pub duration_ms: u64,
}

/// The processes that listen at a port of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PortCheck {
    /// Port that was inspected.
    pub port: u16,
    /// Whether any process listens at the port.
    #[serde(rename = "portInUse")]
    pub in_use: bool,
    /// Listening processes. Empty: there are none, or none could be identified.
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
    /// Command line of the process, redacted and shortened.
    pub command: String,
    /// Whether the process belongs to the service's own process tree.
    pub own: bool,
}

/// How a service ended after it had become ready, or a container that an action left running.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServiceRecord {
    /// Id of the action that started the service.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// Number of the attempt in which the service became ready, from 1.
    pub attempt: u32,
    /// Time span in which the service ran.
    #[serde(rename = "execution")]
    pub span: Span,
    /// How the service ended. [`Ending::Interrupted`]: Referee stopped it, as intended.
    pub ending: Ending,
    /// Whether the cleanup phase had begun when the service ended.
    pub in_cleanup: bool,
    /// Complete output of the service. None: the output is not kept.
    #[serde(rename = "output")]
    pub log: Option<Log>,
    /// Processes that the service left behind. They were stopped.
    #[serde(rename = "leakedProcesses")]
    pub leaked: Vec<LeakedProcess>,
    /// Notices for people about a container, in addition to the facts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
}

impl ServiceRecord {
    /// Returns whether the service ended by itself before cleanup, when checks could still need it.
    pub fn ended_early(&self) -> bool {
        !matches!(self.ending, Ending::Interrupted { .. }) && !self.in_cleanup
    }
}
