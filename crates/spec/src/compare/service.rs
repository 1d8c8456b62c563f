//! Compares how services are recognized as ready, and as the ones that were started (ruling 4).

use referee_model::plan::Service;
use referee_model::plan::service::{Port, Probe};
use referee_model::run_context::weakening::WeakeningKind as Kind;

use super::command;
use super::weaker::Weaker;

/// Compares a service with its former version.
pub(super) fn compare(name: &str, before: &Service, after: &Service, weaker: &mut Weaker) {
    match (&before.command, &after.command) {
        (Some(old), Some(new)) => command::compare(name, old, new, weaker),
        (Some(_), None) => weaker.add(Kind::ServiceLoosened, name, "started", "external"),
        (None, _) => {}
    }
    if after.external && !before.external {
        weaker.add(Kind::ServiceLoosened, name, "its port is its own", "anybody may hold its port");
    }
    if before.port.is_some() && after.port.is_none() {
        weaker.add(Kind::ServiceLoosened, name, "its port is looked at", "no port");
    }
    let all = |service: &Service| service.ready.iter().map(shown).collect::<Vec<_>>();
    let (old, new) = (all(before), all(after));
    weaker.gone(Kind::ServiceLoosened, name, (&old, &new), Clone::clone);
}

/// Describes a readiness probe. The port of a server on this machine does not matter.
fn shown(probe: &Probe) -> String {
    match probe {
        Probe::Url { url, verify_tls } => {
            let url = url.to_string();
            let path = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
            let path = path.find('/').and_then(|at| path.get(at..)).unwrap_or("/");
            let unchecked = if *verify_tls { "" } else { ", certificates not checked" };
            format!("answers at {path}{unchecked}")
        }
        Probe::Port(Port::Fixed(_) | Port::Auto(_)) => "accepts connections at its port".to_owned(),
        Probe::Address { host, .. } => format!("accepts connections at {host}"),
        Probe::Output(pattern) => format!("prints {pattern}"),
    }
}
