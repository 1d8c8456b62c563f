//! Description of an action's work, in sentences.

use crate::execution_report::expectation;
use referee_model::id::ActionId;
use referee_model::plan::http::{BodyKind, Capture, CaptureSource};
use referee_model::plan::interaction::Transaction;
use referee_model::plan::{
    Browser, Command, DataSyntax, FileCheck, FileContent, FileExpectation, HttpRequest, Interaction, Invocation, Query,
    SchemaSource, Service, Work,
};
use referee_syntax::count::count;

use crate::wording;

/// Whether an action takes long enough for its timeout to be shown.
pub(super) fn takes_time(work: &Work) -> bool {
    match work {
        Work::Command(_) | Work::Http(_) | Work::Service(_) | Work::Interaction(_) => true,
        Work::File(_) => false,
    }
}

/// Returns what an action does beyond its first line.
pub(super) fn sentences(work: &Work, told: Option<&(ActionId, String, String)>) -> Vec<String> {
    match work {
        Work::Command(command) => self::command(command, told),
        Work::File(check) => vec![file(check)],
        Work::Http(request) => http(request),
        Work::Service(service) => self::service(service),
        Work::Interaction(interaction) => match interaction.as_ref() {
            Interaction::Query(query) => self::query(query),
            Interaction::Browser(browser) => self::browser(browser),
        },
    }
}

fn command(command: &Command, told: Option<&(ActionId, String, String)>) -> Vec<String> {
    let mut sentences = Vec::new();
    if !command.directory.as_str().is_empty() {
        sentences.push(format!("in {}", command.directory));
    }
    if let Invocation::Container(container) = &command.invocation
        && container.detached
    {
        sentences.push("runs on until the end of the task".to_owned());
    }
    if let Some(last) = command.seen_through.last() {
        sentences.push(format!("which runs: {last}"));
    }
    if let Some((_, role, because)) = told {
        sentences.push(if because.is_empty() { role.clone() } else { format!("{role}: {because}") });
    }
    if command.expected_exit_codes != [0] && !command.expected_exit_codes.is_empty() {
        let codes: Vec<String> = command.expected_exit_codes.iter().map(i32::to_string).collect();
        sentences.push(format!("expected exit codes: {}", codes.join(", ")));
    }
    if command.allow_no_tests {
        sentences.push("a run without tests is accepted".to_owned());
    }
    if command.exit_code_only {
        sentences.push("the exit code decides where the runner leaves no summary".to_owned());
    }
    sentences
}

fn file(check: &FileCheck) -> String {
    let content = match &check.expectation {
        FileExpectation::Absent => return "must not exist".to_owned(),
        FileExpectation::Present(content) => content,
    };
    let FileContent { min_size, max_size, contains, matches, sha256, syntax, schema, unspecified } = content;
    let mut parts = vec![if check.glob { "each must exist" } else { "must exist" }.to_owned()];
    parts.extend(min_size.map(|bytes| format!("hold at least {}", count(bytes, "byte"))));
    parts.extend(max_size.map(|bytes| format!("hold at most {}", count(bytes, "byte"))));
    parts.extend(contains.iter().map(|text| format!("contain `{text}`")));
    parts.extend(matches.iter().map(|pattern| format!("match `{pattern}`")));
    parts.extend(sha256.iter().map(|digest| format!("have the SHA-256 {digest}")));
    parts.extend(syntax.map(|syntax| {
        let format = match syntax {
            DataSyntax::Json => "JSON",
            DataSyntax::Yaml => "YAML",
        };
        format!("be well-formed {format}")
    }));
    parts.extend(schema.iter().map(|schema| match schema {
        SchemaSource::Inline(_) => "match the schema of the specification".to_owned(),
        SchemaSource::File(file) => format!("match the schema {file}"),
    }));
    let sentence = parts.join(", ");
    if *unspecified { format!("{sentence}; a match of content is asked for, and none is given") } else { sentence }
}

fn http(request: &HttpRequest) -> Vec<String> {
    let mut sentences = Vec::new();
    if !request.headers.is_empty() {
        let names: Vec<&str> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
        sentences.push(format!("headers: {}", names.join(", ")));
    }
    if let Some(body) = &request.body {
        let kind = match body.kind {
            BodyKind::Json => "JSON",
            BodyKind::Text => "text",
        };
        sentences.push(format!("body ({kind}): {}", body.content));
    }
    sentences.push(format!("expected status: {}", expectation::statuses(&request.expected_statuses).join(", ")));
    sentences.extend(request.assertions.iter().map(expectation::assertion));
    sentences.extend(request.captures.iter().map(capture));
    sentences.extend((!request.follow_redirects).then(|| "redirects are not followed".to_owned()));
    sentences.extend((!request.verify_tls).then(|| "certificates are not checked".to_owned()));
    sentences.extend(request.ca_file.as_ref().map(|file| format!("certificates in {file} are trusted, too")));
    sentences
}

fn query(query: &Query) -> Vec<String> {
    let mut sentences = vec![
        match query.transaction {
            Transaction::ReadOnly => "the server refuses changes",
            Transaction::Rollback => "changes are undone",
            Transaction::Commit => "changes stay",
        }
        .to_owned(),
    ];
    sentences.extend(query.expectations.iter().map(|wanted| format!("expected: {}", expectation::rows(wanted))));
    sentences
}

fn browser(browser: &Browser) -> Vec<String> {
    let shown = if browser.headless { "without a window" } else { "in a window" };
    let mut sentences = vec![format!("{} {shown}", browser.engine.as_str())];
    sentences.extend(browser.commands.iter().map(|command| command.operation.as_line()));
    sentences
}

fn capture(capture: &Capture) -> String {
    let from = match &capture.from {
        CaptureSource::JsonPath(path) => path.clone(),
        CaptureSource::Header(name) => format!("header {name}"),
        CaptureSource::Regex(pattern) => format!("/{pattern}/"),
    };
    let secret = if capture.secret { ", kept out of all evidence" } else { "" };
    format!("{from} becomes ${{{}}}{secret}", capture.name)
}

fn service(service: &Service) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(command) = service.command.as_ref().filter(|command| !command.directory.as_str().is_empty()) {
        sentences.push(format!("in {}", command.directory));
    }
    sentences.push(match (&service.command, service.ready.as_slice()) {
        (Some(_), []) => "a service, ready when it has run for a moment".to_owned(),
        (Some(_), probes) => format!("a service, ready when {}", probes_words(probes)),
        (None, probes) => format!("external; ready when {}", probes_words(probes)),
    });
    if let Some(port) = &service.port {
        let whose = if service.external { "which anybody may hold" } else { "which no other process may hold" };
        sentences.push(format!("listens on {}, {whose}", wording::asked::port(port)));
    }
    sentences.extend(service.command.is_some().then(|| "stopped in cleanup, always".to_owned()));
    sentences
}

fn probes_words(probes: &[referee_model::plan::service::Probe]) -> String {
    probes.iter().map(wording::asked::probe).collect::<Vec<_>>().join(" and ")
}
