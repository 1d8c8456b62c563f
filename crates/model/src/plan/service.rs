//! Services: what runs while the checks do.

use super::{CaptureName, Command, Template};
use serde::{Deserialize, Serialize};

/// A service that is started and waited for, or only waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Service {
    /// What starts it. None: somebody else runs it.
    pub command: Option<Command>,
    /// What tells that it is ready; all must hold. Empty: it is ready when it has run for a moment.
    pub ready: Vec<Probe>,
    /// The port that it listens on. Before it is started nobody may listen there, and once it is ready whoever listens
    /// must be of its own tree of processes, unless it is external (ruling 4).
    pub port: Option<Port>,
    /// Whether somebody outside its tree of processes may hold the port.
    pub external: bool,
    /// What kind of prerequisite it stands for, as documents say it.
    pub kind: PrerequisiteKind,
}

/// The port of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Port {
    /// This one.
    Fixed(u16),
    /// A free one, found when the service starts. The service is given it in `PORT`, and later actions use it under this
    /// name.
    Auto(CaptureName),
}

/// What tells that a service is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Probe {
    /// A GET is answered with 200 to 403: whoever refuses to answer this one is there all the same.
    Url {
        /// The URL.
        url: Template,
        /// Whether certificates are checked.
        verify_tls: bool,
    },
    /// Somebody accepts connections at this port of this machine.
    Port(Port),
    /// Somebody accepts connections at this port of another machine.
    Address {
        /// Name or address of the machine.
        host: String,
        /// The port.
        port: u16,
    },
    /// A line of its output matches this regular expression.
    Output(String),
}

/// Kinds of prerequisite (schema 2.0.0, `executionWorkflow.prerequisites`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PrerequisiteKind {
    /// The dev server runs.
    DevServerRunning,
    /// A database can be reached.
    DatabaseAvailable,
    /// A service answers.
    ServiceHealthy,
    /// A file exists.
    FileExists,
}

impl PrerequisiteKind {
    /// Returns the kind as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DevServerRunning => "DEV_SERVER_RUNNING",
            Self::DatabaseAvailable => "DATABASE_AVAILABLE",
            Self::ServiceHealthy => "SERVICE_HEALTHY",
            Self::FileExists => "FILE_EXISTS",
        }
    }
}
