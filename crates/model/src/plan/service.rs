//! Services that run while the checks do.

use super::{CaptureName, Command, Template};
use serde::{Deserialize, Serialize};

/// A service that is started and waited for, or only waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Service {
    /// Command that starts the service. None: the service runs outside Referee's control.
    pub command: Option<Command>,
    /// Probes of readiness, all of which must succeed. Empty: the service is ready after it has run for a moment.
    pub ready: Vec<Probe>,
    /// Port that the service listens at. No process may listen there before the start, and once the service is
    /// ready, the listener must belong to the service's process tree, unless the service is external (ruling
    /// 4).
    pub port: Option<Port>,
    /// Whether a process outside the service's process tree may listen at the port.
    pub external: bool,
    /// Kind of prerequisite that the service represents in documents.
    pub kind: PrerequisiteKind,
}

/// The port of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Port {
    /// A fixed port.
    Fixed(u16),
    /// A free port, chosen when the service starts. The service receives it in the variable `PORT`, and later
    /// actions use it under this name.
    Auto(CaptureName),
}

/// Probe of a service's readiness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Probe {
    /// A GET request is answered with a status from 200 to 403: a server that refuses the request is running
    /// nevertheless.
    Url {
        /// The URL.
        url: Template,
        /// Whether TLS certificates are verified.
        verify_tls: bool,
    },
    /// A connection to this port of this machine is accepted.
    Port(Port),
    /// A connection to a port of another machine is accepted.
    Address {
        /// Name or address of the machine.
        host: String,
        /// The port.
        port: u16,
    },
    /// A line of the service's output matches this regular expression.
    Output(String),
}

document_words! {
    /// Kinds of prerequisite (schema 2.0.0, `executionWorkflow.prerequisites`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum PrerequisiteKind {
        /// The development server is running.
        DevServerRunning = "DEV_SERVER_RUNNING",
        /// A database is reachable.
        DatabaseAvailable = "DATABASE_AVAILABLE",
        /// A service responds.
        ServiceHealthy = "SERVICE_HEALTHY",
        /// A file exists.
        FileExists = "FILE_EXISTS",
    }
}
