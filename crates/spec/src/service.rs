//! Services in both forms: port and readiness.

use crate::form::http as keys;
use referee_model::plan::service::{Port, Probe};
use referee_model::plan::{CaptureName, Template};
use referee_syntax::span::Span;
use referee_syntax::tree::Node;

use crate::complaint::{Code, Finding, Findings};
use crate::http::{is_url_shaped, regex, weigh_url};

/// Returns the variable name for the port of a service. None: the service's own name has characters that are
/// not allowed in such a name.
pub(crate) fn port_name(service: &str) -> Option<CaptureName> {
    CaptureName::parse(&format!("services.{service}.port"))
}

/// Reads a port: a number, or `auto`, which is then available under this name.
pub(crate) fn port(node: &Node, name: &CaptureName) -> Option<Port> {
    if node.text() == Some("auto") {
        return Some(Port::Auto(name.clone()));
    }
    u16::try_from(node.integer()?).ok().filter(|port| *port > 0).map(Port::Fixed)
}

/// Reads the readiness of a service: a URL, or probes. `own` is the service's port; `fill` fills in a URL.
/// Values with the wrong shape are skipped.
pub(crate) fn probes(
    node: &Node,
    own: Option<&Port>,
    findings: &mut Findings,
    fill: &mut impl FnMut(&str, Span, &mut Findings) -> Option<Template>,
) -> Vec<Probe> {
    node.one_or_more().iter().filter_map(|node| probe(node, own, findings, fill)).collect()
}

fn probe(
    node: &Node,
    own: Option<&Port>,
    findings: &mut Findings,
    fill: &mut impl FnMut(&str, Span, &mut Findings) -> Option<Template>,
) -> Option<Probe> {
    let asked = keys::Probe::of(node);
    if let Some(output) = asked.output.node() {
        return regex(output, findings).map(Probe::Output);
    }
    if let Some(port) = asked.port.node() {
        return port_probe(asked.host.text(), port, own, findings);
    }
    let url = asked.url.node().unwrap_or(node);
    let written = url.text().filter(|text| is_url_shaped(text))?;
    let filled = fill(written, url.span, findings)?;
    let verify_tls = asked.tls.boolean().unwrap_or(true);
    weigh_url(&filled, url.span, findings).then_some(Probe::Url { url: filled, verify_tls })
}

/// Reads a port of a machine.
pub(crate) fn port_probe(
    host: Option<&str>,
    port: &Node,
    own: Option<&Port>,
    findings: &mut Findings,
) -> Option<Probe> {
    let host = host.filter(|host| !is_local(host));
    if port.text() == Some("auto") {
        let found = own.filter(|port| matches!(port, Port::Auto(_)) && host.is_none());
        if found.is_none() {
            let message = "`auto` is the port that this service is given, and it is given none";
            let help = "write `port: auto` beside `ready`, or the number of the port";
            findings.push(Finding::error(Code::Contradiction, port.span, message).help(help));
        }
        return found.cloned().map(Probe::Port);
    }
    let number = u16::try_from(port.integer()?).ok().filter(|port| *port > 0)?;
    Some(match host {
        Some(host) => Probe::Address { host: host.to_owned(), port: number },
        None => Probe::Port(Port::Fixed(number)),
    })
}

/// Returns the port of this machine that the first of these probes uses, if one does.
pub(crate) fn local_port(probes: &[Probe]) -> Option<Port> {
    probes.iter().find_map(|probe| match probe {
        Probe::Url { url, .. } => url.as_plain().and_then(port_of_url).map(Port::Fixed),
        Probe::Port(port) => Some(port.clone()),
        Probe::Address { .. } | Probe::Output(_) => None,
    })
}

/// Returns the port of a URL on this machine. None: it is on another machine.
pub(crate) fn port_of_url(url: &str) -> Option<u16> {
    let (scheme, rest) = url.split_once("://")?;
    let default = if scheme.eq_ignore_ascii_case("https") { 443 } else { 80 };
    let authority = rest.split(['/', '?', '#']).next()?;
    let authority = authority.rsplit_once('@').map_or(authority, |(_, machine)| machine);
    let after_address = authority.rfind(']').map_or(0, |end| end + 1);
    let (host, port) = match authority[after_address..].rfind(':') {
        Some(colon) => (&authority[..after_address + colon], authority[after_address + colon + 1..].parse().ok()?),
        None => (authority, default),
    };
    is_local(host).then_some(port)
}

/// Returns whether a name or address refers to this machine.
fn is_local(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let loopback =
        host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback() || address.is_unspecified());
    loopback || host == "localhost" || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_tells_the_port_that_it_asks_on_this_machine() {
        for (url, port) in [
            ("http://localhost:3000/health", Some(3000)),
            ("http://127.0.0.1:80", Some(80)),
            ("http://127.1.2.3:81", Some(81)),
            ("http://[::1]:8080/x?y=http://a:1", Some(8080)),
            ("http://[::1]/", Some(80)),
            ("https://LOCALHOST", Some(443)),
            ("http://me:secret@localhost:3000/", Some(3000)),
            ("http://app.localhost:3000#a", Some(3000)),
            ("http://0.0.0.0:9", Some(9)),
            ("http://example.com:3000/localhost:1", None),
            ("http://localhost.example.com/", None),
            ("http://localhost:port/", None),
            ("http://localhost:99999/", None),
            ("localhost:3000", None),
            ("", None),
        ] {
            assert_eq!(port_of_url(url), port, "{url}");
        }
    }
}
