//! Converts a service to a prerequisite that runs in the background.

use crate::form::http::Probe;
use crate::form::short::{Service, Specification};
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Member, Node};

use super::check::{command, described};
use super::{kept, said, text};
use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Returns the actions for the services of a document. They come after the prerequisites, one after another.
pub(super) fn actions(root: &Specification<'_>, findings: &mut Findings) -> Vec<Node> {
    let services = root.services.entries();
    let is_alone = services.iter().filter(|entry| has_free_port(&entry.value)).count() == 1;
    let services = services.iter().enumerate().filter(|(_, entry)| matches!(entry.value.kind, Kind::Map(_)));
    let action = |(index, entry): (usize, &Entry)| action(root, entry, index + 1, is_alone, findings);
    services.map(action).collect()
}

fn action(root: &Specification<'_>, service: &Entry, number: usize, is_alone: bool, findings: &mut Findings) -> Node {
    let (written, place) = (&service.value, service.key_span);
    if root.prerequisites.entries().iter().any(|entry| entry.key == service.key) {
        let message = format!("{} is the name of a prerequisite, too", quote(&service.key));
        let finding = Finding::error(Code::DuplicateName, place, message);
        findings.push(finding.help("give one of the two another name, so that `needs` can tell them apart"));
    }
    let asked = Service::of(written);
    match (asked.run.entry(), asked.argv.entry()) {
        (Some(_), Some(argv)) => {
            let message = "a service has one of `run` and `argv`, and here are both";
            findings.push(Finding::error(Code::Contradiction, argv.key_span, message));
        }
        (None, None) => weigh_foreign(service, findings),
        _ => {}
    }
    let mut parameters = command(written);
    parameters.extend(kept([asked.ready, asked.port, asked.external]));
    parameters.push(said("background", place, super::node(Kind::Bool(true), place)));
    parameters.push(said("service", place, text(&service.key, place)));
    if is_alone && has_free_port(written) {
        parameters.push(said("alias", place, super::node(Kind::Bool(true), place)));
    }
    described(root, service, &format!("SERVICE.{number}"), "TERMINAL_COMMAND", parameters)
}

/// Complains about a service started elsewhere without a readiness check, or with keys for services that
/// Referee starts.
fn weigh_foreign(service: &Entry, findings: &mut Findings) {
    let written = Service::of(&service.value);
    if !written.ready.or(written.port).is_given() {
        let message = "nothing starts this service, and nothing tells that it is there";
        let help = "start it with `run` or `argv`, or say under `ready` how to see that it runs elsewhere";
        findings.push(Finding::error(Code::Vacuous, service.key_span, message).help(help));
    }
    let mut contradiction = |place: Span, message: String| {
        findings.push(Finding::error(Code::Contradiction, place, message));
    };
    let of_command = [written.pipefail, written.env, written.cwd, written.grace, written.evidence];
    for key in of_command.into_iter().filter_map(Member::entry) {
        contradiction(key.key_span, format!("`{}` goes with `run` or `argv`, and here is neither", key.key));
    }
    if let Some(external) = written.external.entry().filter(|_| written.external.boolean() == Some(false)) {
        contradiction(external.key_span, "a service that is not started here is external".to_owned());
    }
    if let Some(port) = written.port.node().filter(|_| has_free_port(&service.value)) {
        contradiction(port.span, "a free port can be given only to a service that is started here".to_owned());
    }
    for output in written.ready.one_or_more().iter().filter_map(|probe| Probe::of(probe).output.entry()) {
        contradiction(output.key_span, "the output of a service that is not started here is not seen".to_owned());
    }
}

fn has_free_port(service: &Node) -> bool {
    Service::of(service).port.text() == Some("auto")
}
