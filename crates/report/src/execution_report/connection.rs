//! Health check and port check of a server that did not answer (seed 1, `diagnostics.serverHealthCheck` and
//! `portCheck`).

use referee_model::record::http::{self, HttpDiagnostics};
use referee_model::record::service::{PortCheck, PortHolder, ProbeObservation};
use referee_model::record::{HttpFacts, ServiceFacts};
use serde::Serialize;

use referee_model::number::Count;

/// Findings about a server that did not answer.
#[document(nulls)]
pub(super) struct ConnectionDocument {
    /// Result of asking the server whether it answers. Left out for a service.
    #[serde(skip_serializing_if = "Option::is_none")]
    server_health_check: Option<HealthCheck>,
    /// Listeners at the port. Null: not examined, or the port belongs to another machine.
    port_check: Option<PortDocument>,
    /// First address that the host name resolved to. Left out: not resolved; null: it has no address.
    #[serde(skip_serializing_if = "Option::is_none")]
    dns_resolution: Option<Resolved>,
    /// Addresses that the host resolved to, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    addresses: Vec<String>,
}

/// Result of asking a server whether it answers.
#[document(nulls)]
pub(super) struct HealthCheck {
    /// Whether the server was asked at all.
    attempted: bool,
    /// URL, port or other sign that was checked. Null: nothing was.
    url: Option<String>,
    /// Last result: a status, a word such as `CONNECTION_REFUSED`, or a sentence. Null: not attempted.
    result: Option<String>,
    /// Time during which the server was asked, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<Count>,
}

/// Result of resolving a host name.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Resolved {
    /// First address of the host.
    Address(String),
    /// The host has no address.
    Nothing(()),
}

impl Resolved {
    fn new(addresses: &[String]) -> Self {
        addresses.first().map_or(Self::Nothing(()), |address| Self::Address(address.clone()))
    }
}

/// Listeners at a port of this machine.
#[document(nulls)]
struct PortDocument {
    /// Number of the TCP port that was examined.
    port: u16,
    /// Whether any process listens at the port.
    in_use: bool,
    /// Process that occupies the port, or else that listens on it. Null: there is none, or none could be found.
    process: Option<PortHolder>,
    /// Other processes that listen on the port.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_processes: Vec<PortHolder>,
}

impl ConnectionDocument {
    /// Returns the known facts about the server of a request.
    pub(super) fn of_request(facts: &HttpFacts) -> Option<Self> {
        let HttpDiagnostics { port_check, resolution, health_check } = &facts.diagnostics;
        if facts.diagnostics == HttpDiagnostics::default() {
            return None;
        }
        let addresses = resolution.as_ref().map(|resolution| resolution.addresses.clone());
        Some(Self {
            server_health_check: Some(health_check.as_ref().map_or_else(HealthCheck::none, HealthCheck::of_look)),
            port_check: port_check.as_ref().map(PortDocument::from),
            dns_resolution: addresses.as_ref().map(|addresses| Resolved::new(addresses)),
            addresses: addresses.unwrap_or_default(),
        })
    }

    /// Returns the listeners at the port of a service. None: the port was not examined.
    pub(super) fn of_service(facts: &ServiceFacts) -> Option<Self> {
        let port = facts.port_check.as_ref()?;
        Some(Self {
            server_health_check: None,
            port_check: Some(port.into()),
            dns_resolution: None,
            addresses: Vec::new(),
        })
    }
}

impl HealthCheck {
    fn none() -> Self {
        Self { attempted: false, url: None, result: None, duration: None }
    }

    fn of_look(check: &http::HealthCheck) -> Self {
        Self {
            attempted: true,
            url: Some(check.url.clone()),
            result: Some(check.result.clone()),
            duration: Some(check.duration_ms.into()),
        }
    }

    /// Returns the result of the most telling probe: the first that failed, else the first.
    pub(super) fn of_probes(probes: &[ProbeObservation]) -> Self {
        let telling = probes.iter().find(|probe| !probe.held).or_else(|| probes.first());
        telling.filter(|probe| probe.attempts > 0).map_or_else(Self::none, |probe| Self {
            attempted: true,
            url: Some(probe.probe.clone()),
            result: Some(probe.last.clone()),
            duration: Some(probe.duration_ms.into()),
        })
    }
}

impl From<&PortCheck> for PortDocument {
    fn from(check: &PortCheck) -> Self {
        let mut holders = check.holders.clone();
        holders.sort_by_key(|holder| holder.own);
        let mut holders = holders.into_iter();
        Self { port: check.port, in_use: check.in_use, process: holders.next(), other_processes: holders.collect() }
    }
}
