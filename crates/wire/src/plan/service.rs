//! Services, in documents.

use referee_model::plan::service::{Port, PrerequisiteKind, Probe, Service};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::action::CommandDocument;
use super::template::{Name, TemplateDocument};
use crate::form;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ServiceDocument {
    /// What starts it. Null: somebody else runs it.
    command: Option<CommandDocument>,
    /// What tells that it is ready; all must hold.
    ready: Vec<ProbeDocument>,
    /// The port that it listens on.
    port: Option<PortDocument>,
    /// Whether somebody outside its tree of processes may hold the port.
    external: bool,
    /// What kind of prerequisite it stands for.
    prerequisite: PrerequisiteKind,
}

/// The port of a service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum PortDocument {
    /// This one.
    Fixed(u16),
    /// A free one, found when the service starts; later actions use it under this name.
    Auto(#[schemars(with = "form::CaptureName")] Name),
}

/// What tells that a service is ready.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
enum ProbeDocument {
    /// A GET is answered with 200 to 403.
    Url {
        /// The URL.
        url: TemplateDocument,
        /// Whether certificates are checked.
        verify_tls: bool,
    },
    /// Somebody accepts connections at this port of this machine.
    Port {
        /// The port.
        port: PortDocument,
    },
    /// Somebody accepts connections at this port of another machine.
    Address {
        /// Name or address of the machine.
        host: String,
        /// The port.
        port: u16,
    },
    /// A line of its output matches this regular expression.
    Output {
        /// The regular expression.
        pattern: String,
    },
}

impl From<&Service> for ServiceDocument {
    fn from(service: &Service) -> Self {
        Self {
            command: service.command.as_ref().map(CommandDocument::from),
            ready: service.ready.iter().map(ProbeDocument::from).collect(),
            port: service.port.as_ref().map(PortDocument::from),
            external: service.external,
            prerequisite: service.kind,
        }
    }
}

impl From<&Port> for PortDocument {
    fn from(port: &Port) -> Self {
        match port {
            Port::Fixed(number) => Self::Fixed(*number),
            Port::Auto(name) => Self::Auto(name.into()),
        }
    }
}

impl From<&Probe> for ProbeDocument {
    fn from(probe: &Probe) -> Self {
        match probe {
            Probe::Url { url, verify_tls } => Self::Url { url: url.into(), verify_tls: *verify_tls },
            Probe::Port(port) => Self::Port { port: port.into() },
            Probe::Address { host, port } => Self::Address { host: host.clone(), port: *port },
            Probe::Output(pattern) => Self::Output { pattern: pattern.clone() },
        }
    }
}

impl TryFrom<ServiceDocument> for Service {
    type Error = String;

    fn try_from(document: ServiceDocument) -> Result<Self, String> {
        Ok(Self {
            command: document.command.map(TryInto::try_into).transpose()?,
            ready: document.ready.into_iter().map(Probe::try_from).collect::<Result<_, _>>()?,
            port: document.port.map(Port::from),
            external: document.external,
            kind: document.prerequisite,
        })
    }
}

impl From<PortDocument> for Port {
    fn from(document: PortDocument) -> Self {
        match document {
            PortDocument::Fixed(number) => Self::Fixed(number),
            PortDocument::Auto(Name(name)) => Self::Auto(name),
        }
    }
}

impl TryFrom<ProbeDocument> for Probe {
    type Error = String;

    fn try_from(document: ProbeDocument) -> Result<Self, String> {
        Ok(match document {
            ProbeDocument::Url { url, verify_tls } => Self::Url { url: url.try_into()?, verify_tls },
            ProbeDocument::Port { port } => Self::Port(port.into()),
            ProbeDocument::Address { host, port } => Self::Address { host, port },
            ProbeDocument::Output { pattern } => Self::Output(pattern),
        })
    }
}
