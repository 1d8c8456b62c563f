//! Converts a check to an action.

use crate::form::short::{self as keys, Specification};
use referee_model::plan::Phase;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Node};

use super::{browser, container, kept, map, node, put, query, renamed, said, text, upper};
use crate::complaint::{Code, Finding, Findings};

/// Returns the action for a check.
pub(super) fn action(
    root: &Specification<'_>,
    check: &Entry,
    phase: Phase,
    number: usize,
    findings: &mut Findings,
) -> Node {
    let written = &check.value;
    let (of_all, file, http) = (keys::Check::of(written), keys::File::of(written), keys::Http::of(written));
    if let Some(background) = of_all.background.entry().filter(|_| of_all.background.is_true()) {
        let message = "a check is run to its end, and this one is to run on";
        let finding = Finding::error(Code::Contradiction, background.key_span, message);
        findings.push(finding.help("declare it under `services`"));
    }
    let (kind, parameters) = if file.file.is_given() {
        ("FILE_VALIDATION", looked_at(file, written.span))
    } else if http.http.is_given() {
        ("HTTP_REQUEST", request(http, written.span, findings))
    } else if let Some(query) = query::parameters(written, of_all.timeout) {
        ("DATABASE_QUERY", query)
    } else if let Some(container) = container::parameters(written, command, findings) {
        ("DOCKER_COMMAND", container)
    } else if let Some(steps) = browser::parameters(written) {
        ("MCP_BROWSER_COMMAND", steps)
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

/// Returns an action, with the keys that all kinds share.
pub(super) fn described(root: &Specification<'_>, check: &Entry, id: &str, kind: &str, parameters: Vec<Entry>) -> Node {
    let (written, place) = (&check.value, check.key_span);
    let mut action = vec![
        said("actionId", place, text(id, place)),
        said("name", place, text(&check.key, place)),
        said("description", place, text(&check.key, place)),
        said("type", place, text(kind, place)),
        said("parameters", place, node(Kind::Map(parameters), written.span)),
    ];
    let of_all = keys::Check::of(written);
    let of_command = keys::Command::of(written);
    action.extend(renamed(&[(of_all.needs, "dependsOn")]));
    action.extend(kept([of_all.timeout, of_command.grace, of_all.retries, of_all.expect, of_all.profile]));
    let goes_on = of_all.continue_on_failure.or(root.continue_on_failure).node();
    let goes_on = goes_on.cloned().unwrap_or_else(|| node(Kind::Bool(true), Span::BEGINNING));
    action.push(said("continueOnFailure", place, goes_on));
    action.extend(of_command.evidence.entry().map(|kept| put("evidenceCapture", kept, evidence(&kept.value))));
    node(Kind::Map(action), written.span)
}

fn evidence(written: &Node) -> Node {
    let (output, answer) = (keys::OutputEvidence::of(written), keys::BodyEvidence::of(written));
    let content = keys::ContentEvidence::of(written).content;
    let (rows, page) = (keys::RowEvidence::of(written).rows, keys::PageEvidence::of(written).answers);
    let exchange = answer.body.or(rows).or(page);
    let renamed = renamed(&[(exchange, "requestResponse"), (content, "fileContents")]);
    map(kept([output.stdout, output.stderr]).chain(renamed).collect())
}

/// Returns the parameters of a command line, or of a command written as a mapping.
pub(super) fn command(written: &Node) -> Vec<Entry> {
    if let Kind::Text(_) = written.kind {
        return vec![said("command", written.span, written.clone())];
    }
    let command = keys::Command::of(written);
    let renamed = renamed(&[(command.run, "command"), (command.cwd, "workingDirectory"), (command.env, "environment")]);
    let told = [command.role, command.expected_exit_codes, command.allow_no_tests, command.exit_code_only];
    kept([command.argv, command.pipefail]).chain(kept(told)).chain(renamed).collect()
}

pub(super) fn evaluator(written: &Node) -> Node {
    let keys::Evaluator { timeout, grace, .. } = keys::Evaluator::of(written);
    let mut evaluator = command(written);
    evaluator.extend(kept([timeout, grace]));
    node(Kind::Map(evaluator), written.span)
}

fn looked_at(file: keys::File<'_>, place: Span) -> Vec<Entry> {
    let kind = if file.absent.is_true() {
        "NOT_EXISTS"
    } else if file.min_size.or(file.max_size).is_given() {
        "SIZE_CHECK"
    } else {
        "EXISTS"
    };
    let mut parameters = renamed(&[
        (file.file, "filePath"),
        (file.contains, "expectedContent"),
        (file.matches, "contentRegex"),
        (file.sha256, "expectedHash"),
        (file.valid, "syntax"),
    ]);
    let content = keys::ContentEvidence::of(file.evidence.node()).content;
    parameters.extend(kept([file.min_size, file.max_size, file.schema, file.absent, file.glob, content]));
    parameters.push(said("validationType", place, text(kind, place)));
    parameters
}

fn request(http: keys::Http<'_>, place: Span, findings: &mut Findings) -> Vec<Entry> {
    let mut parameters =
        renamed(&[(http.http, "url"), (http.status, "expectedStatus"), (http.redirects, "followRedirects")]);
    parameters.extend(kept([http.headers, http.body, http.capture, http.body_limit]));
    let of_body = [
        (http.json, "jsonPath"),
        (http.contains, "containsText"),
        (http.matches, "matchesRegex"),
        (http.schema, "jsonSchema"),
    ];
    let method = http.method.node().map_or_else(|| text("GET", place), upper);
    if method.text() == Some("HEAD") {
        for entry in of_body.iter().filter_map(|(member, _)| member.entry()) {
            let message = format!("the answer to a HEAD request has no body, so `{}` can never hold", entry.key);
            findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
        }
    }
    parameters.push(said("method", method.span, method));
    let mut answer = renamed(&of_body);
    answer.extend(renamed(&[(http.header, "headers")]).into_iter().chain(kept([http.max_duration])));
    if !answer.is_empty() {
        parameters.push(said("validateResponse", place, node(Kind::Map(answer), place)));
    }
    parameters.extend(http.tls.entry().map(|tls| certificates(tls, findings)).unwrap_or_default());
    parameters
}

fn certificates(tls: &Entry, findings: &mut Findings) -> Vec<Entry> {
    if tls.value.boolean().is_some() {
        return vec![put("validateSSL", tls, tls.value.clone())];
    }
    let keys::Tls { verify, ca } = keys::Tls::of(&tls.value);
    if let Some(ca) = ca.entry().filter(|_| verify.boolean() == Some(false)) {
        let message = "certificates that are not checked need none that are trusted";
        findings.push(Finding::error(Code::Contradiction, ca.key_span, message));
    }
    renamed(&[(verify, "validateSSL"), (ca, "caFile")])
}
