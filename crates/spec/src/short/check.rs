//! A check becomes an action.

use referee_model::plan::Phase;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Node};

use super::{Rename, is_true, map, node, put, renamed, said, text, upper};
use crate::complaint::{Code, Finding, Findings};

/// Keys of every action.
const ACTION: &[Rename] = &[
    ("needs", "dependsOn"),
    ("timeout", "timeout"),
    ("grace", "grace"),
    ("retries", "retries"),
    ("expect", "expect"),
    ("profile", "profile"),
];

/// Keys of a command.
pub(super) const COMMAND: &[Rename] = &[
    ("run", "command"),
    ("argv", "argv"),
    ("pipefail", "pipefail"),
    ("cwd", "workingDirectory"),
    ("env", "environment"),
    ("role", "role"),
    ("expectedExitCodes", "expectedExitCodes"),
    ("allowNoTests", "allowNoTests"),
    ("exitCodeOnly", "exitCodeOnly"),
];

/// Keys of a file.
const FILE: &[Rename] = &[
    ("file", "filePath"),
    ("minSize", "minSize"),
    ("maxSize", "maxSize"),
    ("contains", "expectedContent"),
    ("matches", "contentRegex"),
    ("sha256", "expectedHash"),
    ("schema", "schema"),
    ("valid", "syntax"),
    ("absent", "absent"),
    ("glob", "glob"),
];

/// Keys of a request.
const REQUEST: &[Rename] = &[
    ("http", "url"),
    ("headers", "headers"),
    ("body", "body"),
    ("status", "expectedStatus"),
    ("capture", "capture"),
    ("redirects", "followRedirects"),
    ("bodyLimit", "bodyLimit"),
];

/// Keys that ask something of an answer's body.
const BODY: &[Rename] =
    &[("json", "jsonPath"), ("contains", "containsText"), ("matches", "matchesRegex"), ("schema", "jsonSchema")];

/// Keys that ask something else of an answer.
const ANSWER: &[Rename] = &[("header", "headers"), ("maxDuration", "maxDuration")];

/// What is kept as evidence.
const EVIDENCE: &[Rename] =
    &[("stdout", "stdout"), ("stderr", "stderr"), ("body", "requestResponse"), ("content", "fileContents")];

/// The action that a check is.
pub(super) fn action(root: &Node, check: &Entry, phase: Phase, number: usize, findings: &mut Findings) -> Node {
    let written = &check.value;
    if let Some(background) = written.entry("background").filter(|entry| is_true(&entry.value)) {
        let message = "a check is run to its end, and this one is to run on";
        let finding = Finding::error(Code::Contradiction, background.key_span, message);
        findings.push(finding.help("declare it under `services`"));
    }
    let (kind, parameters) = if written.entry("file").is_some() {
        ("FILE_VALIDATION", file(written))
    } else if written.entry("http").is_some() {
        ("HTTP_REQUEST", request(written, findings))
    } else {
        ("TERMINAL_COMMAND", command(written))
    };
    let id = match phase {
        Phase::Prerequisite => "PREREQ",
        Phase::Step => "STEP",
        Phase::Cleanup => "CLEANUP",
    };
    described(root, check, &format!("{id}.{number}"), kind, parameters)
}

/// An action, with what is said of every kind of it.
pub(super) fn described(root: &Node, check: &Entry, id: &str, kind: &str, parameters: Vec<Entry>) -> Node {
    let (written, place) = (&check.value, check.key_span);
    let mut action = vec![
        said("actionId", place, text(id, place)),
        said("name", place, text(&check.key, place)),
        said("description", place, text(&check.key, place)),
        said("type", place, text(kind, place)),
        said("parameters", place, node(Kind::Map(parameters), written.span)),
    ];
    action.extend(renamed(written, ACTION));
    let goes_on = written.get("continueOnFailure").or_else(|| root.get("continueOnFailure"));
    let goes_on = goes_on.cloned().unwrap_or_else(|| node(Kind::Bool(true), Span::BEGINNING));
    action.push(said("continueOnFailure", place, goes_on));
    action.extend(
        written.entry("evidence").map(|kept| put("evidenceCapture", kept, map(renamed(&kept.value, EVIDENCE)))),
    );
    node(Kind::Map(action), written.span)
}

/// A command line, or a command written as a mapping.
pub(super) fn command(written: &Node) -> Vec<Entry> {
    match written.kind {
        Kind::Text(_) => vec![said("command", written.span, written.clone())],
        _ => renamed(written, COMMAND),
    }
}

pub(super) fn evaluator(written: &Node) -> Node {
    let mut evaluator = command(written);
    evaluator.extend(renamed(written, &[("timeout", "timeout"), ("grace", "grace")]));
    node(Kind::Map(evaluator), written.span)
}

fn file(written: &Node) -> Vec<Entry> {
    let mut parameters = renamed(written, FILE);
    let has_size = ["minSize", "maxSize"].into_iter().any(|key| written.entry(key).is_some());
    let kind = match written.get("absent") {
        Some(absent) if is_true(absent) => "NOT_EXISTS",
        _ if has_size => "SIZE_CHECK",
        _ => "EXISTS",
    };
    parameters.push(said("validationType", written.span, text(kind, written.span)));
    parameters.extend(written.get("evidence").map(|kept| renamed(kept, &[("content", "content")])).unwrap_or_default());
    parameters
}

fn request(written: &Node, findings: &mut Findings) -> Vec<Entry> {
    let mut parameters = renamed(written, REQUEST);
    let method = written.get("method").map_or_else(|| text("GET", written.span), upper);
    if method.text() == Some("HEAD") {
        for entry in BODY.iter().filter_map(|(key, _)| written.entry(key)) {
            let message = format!("the answer to a HEAD request has no body, so `{}` can never hold", entry.key);
            findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
        }
    }
    parameters.push(said("method", method.span, method));
    let mut answer = renamed(written, BODY);
    answer.extend(renamed(written, ANSWER));
    if !answer.is_empty() {
        parameters.push(said("validateResponse", written.span, node(Kind::Map(answer), written.span)));
    }
    parameters.extend(written.entry("tls").map(|tls| certificates(tls, findings)).unwrap_or_default());
    parameters
}

fn certificates(tls: &Entry, findings: &mut Findings) -> Vec<Entry> {
    if tls.value.boolean().is_some() {
        return vec![put("validateSSL", tls, tls.value.clone())];
    }
    let is_off = tls.value.get("verify").and_then(Node::boolean) == Some(false);
    if let Some(ca) = tls.value.entry("ca").filter(|_| is_off) {
        let message = "certificates that are not checked need none that are trusted";
        findings.push(Finding::error(Code::Contradiction, ca.key_span, message));
    }
    renamed(&tls.value, &[("verify", "validateSSL"), ("ca", "caFile")])
}
