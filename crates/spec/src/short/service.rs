//! A service becomes a prerequisite that runs in the background.

use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Node};

use super::check::{command, described};
use super::{Rename, renamed, said, text};
use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Keys of a service beside those of its command.
const SERVICE: &[Rename] = &[("ready", "ready"), ("port", "port"), ("external", "external")];

/// Keys that speak of what starts a service.
const COMMAND_KEYS: [&str; 5] = ["pipefail", "env", "cwd", "grace", "evidence"];

/// The actions that the services of a document are. They come after the prerequisites, one after the other.
pub(super) fn actions(root: &Node, findings: &mut Findings) -> Vec<Node> {
    let services = root.get("services").map(Node::entries).unwrap_or_default();
    let is_alone = services.iter().filter(|entry| has_free_port(&entry.value)).count() == 1;
    let services = services.iter().enumerate().filter(|(_, entry)| matches!(entry.value.kind, Kind::Map(_)));
    let action = |(index, entry): (usize, &Entry)| action(root, entry, index + 1, is_alone, findings);
    services.map(action).collect()
}

fn action(root: &Node, service: &Entry, number: usize, is_alone: bool, findings: &mut Findings) -> Node {
    let (written, place) = (&service.value, service.key_span);
    if root.get("prerequisites").is_some_and(|node| node.entry(&service.key).is_some()) {
        let message = format!("{} is the name of a prerequisite, too", quote(&service.key));
        let finding = Finding::error(Code::DuplicateName, place, message);
        findings.push(finding.help("give one of the two another name, so that `needs` can tell them apart"));
    }
    match (written.entry("run"), written.entry("argv")) {
        (Some(_), Some(argv)) => {
            let message = "a service has one of `run` and `argv`, and here are both";
            findings.push(Finding::error(Code::Contradiction, argv.key_span, message));
        }
        (None, None) => weigh_foreign(service, findings),
        _ => {}
    }
    let mut parameters = command(written);
    parameters.extend(renamed(written, SERVICE));
    parameters.push(said("background", place, super::node(Kind::Bool(true), place)));
    parameters.push(said("service", place, text(&service.key, place)));
    if is_alone && has_free_port(written) {
        parameters.push(said("alias", place, super::node(Kind::Bool(true), place)));
    }
    described(root, service, &format!("SERVICE.{number}"), "TERMINAL_COMMAND", parameters)
}

/// Complains where a service that somebody else runs is said to be what only one that is started here can be.
fn weigh_foreign(service: &Entry, findings: &mut Findings) {
    let written = &service.value;
    if written.get("ready").is_none() && written.get("port").is_none() {
        let message = "nothing starts this service, and nothing tells that it is there";
        let help = "start it with `run` or `argv`, or say under `ready` how to see that somebody else runs it";
        findings.push(Finding::error(Code::Vacuous, service.key_span, message).help(help));
    }
    let mut contradiction = |place: Span, message: String| {
        findings.push(Finding::error(Code::Contradiction, place, message));
    };
    for key in COMMAND_KEYS.into_iter().filter_map(|key| written.entry(key)) {
        contradiction(key.key_span, format!("`{}` goes with `run` or `argv`, and here is neither", key.key));
    }
    if let Some(external) = written.entry("external").filter(|entry| entry.value.boolean() == Some(false)) {
        contradiction(external.key_span, "a service that is not started here is somebody else's".to_owned());
    }
    if let Some(port) = written.get("port").filter(|_| has_free_port(written)) {
        contradiction(port.span, "a free port can be given only to a service that is started here".to_owned());
    }
    let probes = written.get("ready").map(Node::one_or_more).unwrap_or_default();
    for output in probes.iter().filter_map(|probe| probe.entry("output")) {
        contradiction(output.key_span, "the output of a service that is not started here is not seen".to_owned());
    }
}

fn has_free_port(service: &Node) -> bool {
    service.get("port").and_then(Node::text) == Some("auto")
}
