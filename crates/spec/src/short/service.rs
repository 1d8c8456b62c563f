//! Servers that run while the checks do.

use referee_model::plan::service::{Port, PrerequisiteKind, Probe, Service};
use referee_model::plan::{CaptureName, Template};

use super::Reader;
use super::scope::{Scope, captured};
use super::value::look_ahead;
use crate::complaint::{Code, Finding};
use crate::service::{local_port, port, port_name, probes};
use crate::source::{Span, quote};
use crate::tree::{Entry, Kind, Node};

/// The short name of a port that is found when its service starts.
const PORT: &str = "PORT";

/// Keys that speak of what starts a service.
const COMMAND_KEYS: [&str; 5] = ["pipefail", "env", "cwd", "grace", "evidence"];

impl Reader<'_> {
    /// Reads a service.
    pub(super) fn service(&mut self, entry: &Entry, scope: &Scope<'_>) -> Option<Service> {
        let node = &entry.value;
        if !matches!(node.kind, Kind::Map(_)) {
            return None;
        }
        let starts = node.get("run").or_else(|| node.get("argv")).is_some();
        if let (Some(_), Some(argv)) = (node.entry("run"), node.entry("argv")) {
            let message = "a service has one of `run` and `argv`, and here are both";
            self.findings.push(Finding::error(Code::Contradiction, argv.key_span, message));
        }
        let name = port_name(&entry.key)?;
        let own = node.get("port").and_then(|node| port(node, &name));
        let mut inner = scope.inside();
        if let Some(Port::Auto(name)) = &own {
            inner.declare_late(name.clone(), captured(name.clone()));
            inner.declare_late(CaptureName::parse(PORT)?, captured(name.clone()));
        }
        let command = if starts { Some(self.command(node, &inner)?) } else { None };
        let mut ready = self.probes(node, own.as_ref(), &inner);
        let own = own.or_else(|| local_port(&ready).filter(|_| starts));
        if ready.is_empty() && node.get("ready").is_none() {
            ready.extend(own.clone().map(Probe::Port));
        }
        if !starts {
            self.weigh_foreign(entry, own.as_ref());
        } else if node.get("ready").is_none() && node.get("port").is_none() {
            let message =
                format!("nothing tells when {} is ready: the checks begin shortly after it", quote(&entry.key));
            let help = "name a URL, a port or a line of its output under `ready`";
            self.findings.push(Finding::warning(Code::NoReadiness, entry.key_span, message).help(help));
        }
        let external = node.get("external").and_then(Node::boolean).unwrap_or(!starts);
        let port = if starts { own } else { None };
        Some(Service { command, ready, port, external, kind: PrerequisiteKind::ServiceHealthy })
    }

    fn probes(&mut self, node: &Node, own: Option<&Port>, scope: &Scope<'_>) -> Vec<Probe> {
        let Some(ready) = node.get("ready") else { return Vec::new() };
        let (budget, ahead) = (&mut self.budget, &self.ahead);
        let mut fill = |text: &str, span: Span, findings: &mut _| -> Option<Template> {
            look_ahead(ahead, text, span, scope, findings)?;
            scope.template(text, span, budget, findings)
        };
        probes(ready, own, self.findings, &mut fill)
    }

    /// Complains where a service that somebody else runs is said to be what only one that is started here can be.
    fn weigh_foreign(&mut self, entry: &Entry, own: Option<&Port>) {
        let node = &entry.value;
        if node.get("ready").is_none() && node.get("port").is_none() {
            let message = "nothing starts this service, and nothing tells that it is there";
            let help = "start it with `run` or `argv`, or say under `ready` how to see that somebody else runs it";
            self.findings.push(Finding::error(Code::Vacuous, entry.key_span, message).help(help));
        }
        let mut contradiction = |place: Span, message: String| {
            self.findings.push(Finding::error(Code::Contradiction, place, message));
        };
        for key in COMMAND_KEYS.into_iter().filter_map(|key| node.entry(key)) {
            contradiction(key.key_span, format!("`{}` goes with `run` or `argv`, and here is neither", key.key));
        }
        if let Some(external) = node.entry("external").filter(|entry| entry.value.boolean() == Some(false)) {
            contradiction(external.key_span, "a service that is not started here is somebody else's".to_owned());
        }
        if let (Some(Port::Auto(_)), Some(port)) = (own, node.get("port")) {
            contradiction(port.span, "a free port can be given only to a service that is started here".to_owned());
        }
        let probes = node.get("ready").map(Node::one_or_more).unwrap_or_default();
        for output in probes.iter().filter_map(|probe| probe.entry("output")) {
            contradiction(output.key_span, "the output of a service that is not started here is not seen".to_owned());
        }
    }

    /// Makes the port of a service known to everything after it: always under its long name, and as `PORT` where it is
    /// the only one of its kind and no variable has that name.
    pub(super) fn declare_port(&mut self, service: &Service, is_only: bool, scope: &mut Scope<'_>) {
        let Some(Port::Auto(name)) = &service.port else { return };
        if is_only && !scope.knows(PORT) {
            let short = CaptureName::parse(PORT).expect("PORT is a name");
            scope.declare_late(short, captured(name.clone()));
        }
        scope.declare_late(name.clone(), captured(name.clone()));
        self.ahead.remove(name);
    }
}
