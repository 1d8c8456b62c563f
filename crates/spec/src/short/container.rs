//! Converts a check that runs docker or podman.

use crate::form::short as keys;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Member, Node};

use super::{kept, node, put, renamed, said};
use crate::complaint::{Code, Finding, Findings};

/// Returns the parameters of a command of docker, if a check is one: after those of any command. Its program and daemon
/// are under a key of their own.
pub(super) fn parameters(
    written: &Node,
    of_command: impl FnOnce(&Node) -> Vec<Entry>,
    findings: &mut Findings,
) -> Option<Vec<Entry>> {
    let docker = keys::Docker::of(written);
    docker.docker.entry()?;
    let mut parameters = of_command(written);
    parameters.extend(renamed(&[(docker.docker, "dockerCommand")]));
    parameters.extend(kept([docker.volumes, docker.ports, docker.command, docker.arguments, docker.detached]));
    parameters.extend(target(docker, findings).map(|entry| put("containerOrImage", entry, entry.value.clone())));
    let settings: Vec<Entry> = kept([docker.program, docker.docker_host, docker.registry_auth]).collect();
    parameters.push(said("executor", written.span, node(Kind::Map(settings), written.span)));
    Some(parameters)
}

/// Returns what the subcommand is about: an image, a container or a directory, of which it takes one.
fn target<'a>(docker: keys::Docker<'a>, findings: &mut Findings) -> Option<&'a Entry> {
    let subcommand = docker.docker.text()?;
    let fitting: &[&str] = match subcommand {
        "run" => &["image"],
        "exec" | "logs" => &["container"],
        "inspect" => &["image", "container"],
        "build" => &["context"],
        "compose" | "ps" => &[],
        _ => return None,
    };
    let given: Vec<&Entry> =
        [docker.image, docker.container, docker.context].into_iter().filter_map(Member::entry).collect();
    let mut contradiction = |place: Span, message: String| {
        findings.push(Finding::error(Code::Contradiction, place, message));
    };
    for entry in given.iter().filter(|entry| !fitting.contains(&entry.key.as_str())) {
        contradiction(entry.key_span, format!("`{}` says nothing of `{subcommand}`", entry.key));
    }
    let mut fits = given.into_iter().filter(|entry| fitting.contains(&entry.key.as_str()));
    let first = fits.next();
    if let Some(second) = fits.next() {
        contradiction(second.key_span, format!("`{subcommand}` takes one of `image` and `container`"));
    }
    first
}
