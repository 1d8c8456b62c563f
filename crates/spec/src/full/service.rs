//! Services: commands in the background, and the dev server.

use crate::form::full as keys;
use referee_model::id::{ActionId, WorkspacePath};
use referee_model::limit;
use referee_model::plan::service::{Port, PrerequisiteKind, Probe};
use referee_model::plan::{CaptureName, Command, Phase, Service, Work};
use referee_syntax::span::Span;
use referee_syntax::tree::{Member, Node};

use super::Reader;
use super::action::{self, Task};
use super::draft::Draft;
use super::workspace_root::Located;
use crate::complaint::{Code, Finding};
use crate::http::vacuous;
use crate::service::{local_port, port, port_name, port_of_url, probes};
use crate::source::quote;
use crate::task::{Check, Maker};
use crate::variables::{Budget, Names, Variables, captured};

/// Variable through which a service gets its free port.
pub(super) const PORT: &str = "PORT";

/// Maximum length of a path or URL that is compared between commands and requests, in bytes.
pub(super) const PATH_BYTES: usize = 16 * 1024;

/// Start of a service, without its readiness.
struct Start {
    /// Command that starts it. None: it is started elsewhere.
    command: Option<Command>,
    place: Span,
    /// Whether its port is configured.
    has_port: bool,
    external: bool,
    kind: PrerequisiteKind,
}

impl<'a> Reader<'a> {
    pub(super) fn dev_server(&self) -> Option<&'a Node> {
        self.global.dev_server.node()
    }

    /// Returns whether a command is the one that starts the dev server: the same line in the same directory
    /// (ruling 4).
    pub(super) fn names_dev_server(&self, own: keys::Terminal<'_>, variables: &Variables<'_>) -> bool {
        let server = keys::DevServer::of(self.dev_server());
        let directory = |named: Member<'_>| match named.node() {
            None => Some(WorkspacePath::root()),
            Some(node) => match self.place.locate(&known(node, variables)?) {
                Located::Inside(path) => Some(path),
                Located::Listed(..) | Located::Outside => None,
            },
        };
        let line = |command: Member<'_>| command.text().map(|line| line.trim().to_owned());
        line(own.command).is_some_and(|own| line(server.command) == Some(own))
            && directory(own.working_directory).is_some_and(|own| directory(server.working_directory) == Some(own))
    }

    /// Reads a command that runs in the background.
    pub(super) fn background(
        &mut self,
        parameters: &Node,
        id: &ActionId,
        phase: Phase,
        is_server: bool,
        asked: Option<u64>,
        draft: &mut Draft<'_>,
    ) -> Option<Task> {
        let written = keys::Terminal::of(parameters);
        if phase == Phase::Cleanup {
            let place = written.background.entry().map_or(parameters.span, |entry| entry.key_span);
            let message = "a service in the cleanup would be stopped as soon as it is started";
            self.findings.push(Finding::error(Code::Contradiction, place, message));
            return None;
        }
        let server = keys::DevServer::of(if is_server { self.dev_server() } else { None });
        draft.server.started |= is_server;
        let named = written.service.text();
        let maker = Maker { id: id.clone(), name: named.unwrap_or(id.as_str()).to_owned(), phase };
        let own_port = written.port.or(server.port);
        let port = own_port.node().and_then(|node| self.port(node, named, maker, draft));
        if is_server {
            self.declare_origin(port.as_ref(), draft);
        }
        let environments = [server.environment.node(), written.environment.node()];
        let starts = written.command.is_given() || written.argv.is_given();
        let known = with_own_port(port.as_ref(), &draft.variables);
        let command = if starts { Some(self.command(parameters, &environments, &known)?) } else { None };
        let ready = written.ready.or(server.health_check_url).node();
        let external = written.external.or(server.external).boolean().unwrap_or(!starts);
        let kind = if is_server { PrerequisiteKind::DevServerRunning } else { PrerequisiteKind::ServiceHealthy };
        let place = written.command.node().unwrap_or(parameters).span;
        let start = Start { command, place, has_port: own_port.is_given(), external, kind };
        let service = self.service(start, ready, port.clone(), &known);
        if let Some(Port::Auto(name)) = port.filter(|_| written.alias.is_given()) {
            // The port of the only such service has a short name as well, unless a variable has that name.
            if !draft.variables.has(PORT) {
                draft.variables.declare(PORT, &captured(name));
            }
        }
        let startup = self.timeout(server.startup_timeout);
        Some(Task {
            work: Work::Service(Box::new(service)),
            asked_ms: startup.or(asked),
            default_ms: limit::STARTUP_DEADLINE_MS,
        })
    }

    fn service(
        &mut self,
        Start { command, place, has_port, external, kind }: Start,
        ready: Option<&Node>,
        port: Option<Port>,
        variables: &Variables<'_>,
    ) -> Service {
        let named = ready.is_some() || has_port;
        let mut ready = ready.map(|node| self.probes(node, port.as_ref(), variables)).unwrap_or_default();
        let port = port.or_else(|| local_port(&ready).filter(|_| command.is_some()));
        if let Some(port) = port.as_ref().filter(|_| ready.is_empty()) {
            ready.push(Probe::Port(port.clone()));
        }
        if ready.is_empty() && !named && command.is_some() {
            let message = "nothing tells when this service is ready: what comes next begins shortly after it";
            let help = "name a URL, a port or a line of its output under `ready`";
            self.findings.push(Finding::warning(Code::NoReadiness, place, message).help(help));
        }
        Service { port: port.filter(|_| command.is_some()), command, ready, external, kind }
    }

    /// Reads the readiness probes of a service.
    fn probes(&mut self, node: &Node, own: Option<&Port>, variables: &Variables<'_>) -> Vec<Probe> {
        let Self { filler, findings, settings, .. } = self;
        let mut probes = probes(node, own, findings, &mut |text, span, findings| {
            // An incomplete text has its own problem, and is not checked.
            filler.template(text, span, variables, findings).filter(|filled| filled.complete).map(|filled| filled.text)
        });
        for probe in &mut probes {
            if let Probe::Url { verify_tls, .. } = probe {
                *verify_tls &= settings.verify_tls;
            }
        }
        probes
    }

    /// Reads the port of a service. A free one is available as `${PORT}` from here on, or under the name of its
    /// service.
    fn port(&mut self, node: &Node, service: Option<&str>, maker: Maker, draft: &mut Draft<'_>) -> Option<Port> {
        let name = service.map_or_else(|| CaptureName::parse(PORT), port_name)?;
        let found = port(node, &name)?;
        if let Port::Auto(_) = found {
            let other = self.filler.captures.get(&name).filter(|other| other.id != maker.id);
            if let Some(other) = other {
                let message = format!("`${{{name}}}` is given by {} already, and only one can hold", other.id);
                self.findings.push(Finding::error(Code::DuplicateName, node.span, message));
                return None;
            }
            draft.variables.declare(name.as_str(), &captured(name.clone()));
            self.filler.captures.insert(name, maker);
        }
        Some(found)
    }

    /// Returns whether a step uses the dev server.
    pub(super) fn asks_server(&self, steps: &[&Node], variables: &Variables<'_>) -> bool {
        let server = keys::DevServer::of(self.dev_server());
        let auto = server.port.text() == Some("auto");
        let number = server.port.integer().and_then(|port| u16::try_from(port).ok());
        let url = |node: &Node| known(node, variables).and_then(|url| port_of_url(&url));
        let port = number.or_else(|| server.health_check_url.node().and_then(url));
        steps.iter().any(|step| {
            let step = keys::Action::of(*step);
            if self.asks_origin(step, variables) {
                return true;
            }
            let is_request = step.kind.text() == Some("HTTP_REQUEST");
            let asked = keys::Http::of(step.parameters.node()).url;
            let Some(asked) = asked.node().filter(|_| is_request) else { return false };
            if auto {
                asked.text().is_some_and(|url| url.contains("${PORT}"))
            } else {
                port.is_some() && url(asked) == port
            }
        })
    }

    /// Adds an action that starts the dev server, or waits for it if there is no start command.
    pub(super) fn start_server(&mut self, name: &str, draft: &mut Draft<'_>) {
        let Some(node) = self.dev_server() else { return };
        let server = keys::DevServer::of(node);
        let id = ActionId::parse("DEVSERVER.1").expect("capital letters, a dot and a number are an id");
        let place = server.command.node().unwrap_or(node).span;
        if !draft.ids.insert(id.clone()) {
            let message =
                format!("the dev server is started by {}, and there is such an action already", quote(id.as_str()));
            self.findings.push(Finding::error(Code::DuplicateAction, place, message));
            return;
        }
        draft.server.started = true;
        self.filler.action = Some(id.clone());
        let maker = Maker { id: id.clone(), name: id.to_string(), phase: Phase::Prerequisite };
        let port = server.port.node().and_then(|node| self.port(node, None, maker, draft));
        self.declare_origin(port.as_ref(), draft);
        let service = if server.command.is_given() {
            let command = self.command(node, &[server.environment.node()], &draft.variables);
            command.map(|command| {
                let start = Start {
                    command: Some(command),
                    place,
                    has_port: server.port.is_given(),
                    external: server.external.is_true(),
                    kind: PrerequisiteKind::DevServerRunning,
                };
                self.service(start, server.health_check_url.node(), port, &draft.variables)
            })
        } else {
            self.watched(node, server.health_check_url, port, draft)
        };
        let startup = self.timeout(server.startup_timeout);
        let action = service.map(|service| referee_model::plan::Action {
            name: name.to_owned(),
            timeout_ms: startup.unwrap_or(limit::STARTUP_DEADLINE_MS),
            ..action::plain(id.clone(), Phase::Prerequisite, Work::Service(Box::new(service)))
        });
        draft.checks.push(Check {
            name: id.to_string(),
            id,
            phase: Phase::Prerequisite,
            place,
            work_place: place,
            needs: Vec::new(),
            timeout_ms: startup,
            action,
        });
    }

    /// Returns the service for a dev server that is started elsewhere.
    fn watched(&mut self, server: &Node, url: Member<'_>, port: Option<Port>, draft: &Draft<'_>) -> Option<Service> {
        let url = url.node();
        let port = port.filter(|port| matches!(port, Port::Fixed(_)));
        if url.is_none() && port.is_none() {
            let message = "this dev server says neither how it is started nor how it is found: it needs `command`, \
                           `healthCheckUrl` or the number of its `port`";
            vacuous(server.span, message, self.findings);
            return None;
        }
        let mut ready = url.map(|node| self.probes(node, None, &draft.variables)).unwrap_or_default();
        if url.is_none() {
            ready.extend(port.map(Probe::Port));
        }
        let kind = PrerequisiteKind::DevServerRunning;
        Some(Service { command: None, ready, port: None, external: true, kind })
    }
}

/// Returns the variables for the service itself: its free port is its `PORT`, whatever its name elsewhere.
fn with_own_port<'v>(port: Option<&Port>, outside: &'v Variables<'v>) -> Variables<'v> {
    let mut variables = outside.inside();
    if let Some(Port::Auto(name)) = port {
        variables.declare(PORT, &captured(name.clone()));
    }
    variables
}

/// Returns a text with known values filled in, without complaints.
fn known(node: &Node, variables: &Variables<'_>) -> Option<String> {
    let expanded = variables.expand(node.text()?, Names::Captured, &mut Budget::of(PATH_BYTES));
    if expanded.too_large { None } else { expanded.template.as_plain().map(str::to_owned) }
}
