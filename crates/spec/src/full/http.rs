//! HTTP requests.

use referee_model::limit;
use referee_model::plan::http::{Assertion, Body, BodyKind};
use referee_model::plan::{CaptureName, HttpRequest, SchemaSource, Template};
use referee_syntax::tree::{Kind, Node};

use super::Reader;
use super::place::{Located, is_absolute};
use super::task::Draft;
use crate::complaint::{Code, Finding};
use crate::http::{
    captures, header_assertions, is_url_shaped, json_assertions, json_template, method, regex, schema_source, statuses,
    vacuous, weigh_body, weigh_url,
};
use crate::quantity::whole;
use crate::source::quote;
use crate::variables::{Variables, captured};

impl Reader<'_> {
    /// Reads a request. What it captures is known to the actions after it.
    pub(super) fn request(&mut self, parameters: &Node, draft: &mut Draft<'_>) -> Option<HttpRequest> {
        let method = parameters.get("method").and_then(Node::text).and_then(method);
        let url = parameters.get("url").and_then(|node| self.url(node, &draft.variables));
        let headers = self.headers(parameters.get("headers"), &draft.variables);
        let body = match parameters.entry("body") {
            Some(entry) => {
                if let Some(method) = method {
                    weigh_body(method, entry.key_span, self.findings);
                }
                Some(self.body(&entry.value, &draft.variables))
            }
            None => None,
        };
        let expected = parameters.get("expectedStatus").map(|node| statuses(node, self.findings)).unwrap_or_default();
        let assertions = match parameters.get("validateResponse") {
            Some(node) => self.assertions(node, &draft.variables),
            None => Some(Vec::new()),
        };
        let captures = parameters.get("capture").map(|node| captures(node, self.findings)).unwrap_or_default();
        self.declare_captures(parameters, draft);
        let ca_file = match parameters.get("caFile") {
            Some(node) => Some(self.workspace_path(node, &draft.variables)?),
            None => None,
        };
        let flag = |key: &str| parameters.get(key).and_then(Node::boolean);
        Some(HttpRequest {
            method: method?,
            url: url?,
            headers: headers?,
            body: match body {
                Some(body) => Some(body?),
                None => None,
            },
            expected_statuses: expected,
            assertions: assertions?,
            captures,
            follow_redirects: flag("followRedirects").unwrap_or(self.settings.follow_redirects),
            verify_tls: flag("validateSSL").unwrap_or(self.settings.verify_tls),
            ca_file,
            body_limit_bytes: parameters.get("bodyLimit").and_then(whole).unwrap_or(limit::BODY_BYTES),
        })
    }

    /// Makes known what a request captures. In the short form it takes no name away.
    fn declare_captures(&mut self, parameters: &Node, draft: &mut Draft<'_>) {
        for entry in parameters.get("capture").map(Node::entries).unwrap_or_default() {
            let Some(name) = CaptureName::parse(&entry.key) else { continue };
            let made_of = captured(name);
            let is_taken = draft.variables.has(&entry.key) && draft.variables.late(&entry.key) != Some(&made_of);
            if self.is_short() && is_taken {
                let message = format!("{} is the name of a variable, too", quote(&entry.key));
                self.findings.push(Finding::error(Code::DuplicateName, entry.key_span, message));
            }
            draft.variables.declare(&entry.key, &made_of);
        }
    }

    /// Reads a URL.
    pub(super) fn url(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Template> {
        let written = node.text().filter(|text| is_url_shaped(text))?;
        let filled = self.filler.template(written, node.span, variables, self.findings)?;
        let usable = !filled.complete || weigh_url(&filled.text, node.span, self.findings);
        usable.then_some(filled.text)
    }

    fn headers(&mut self, node: Option<&Node>, variables: &Variables<'_>) -> Option<Vec<(String, Template)>> {
        let entries = node.map(Node::entries).unwrap_or_default().iter();
        let headers = entries.filter_map(|entry| {
            let written = match &entry.value.kind {
                Kind::Text(text) => text,
                Kind::Integer { literal, .. } | Kind::Float { literal, .. } => literal,
                _ => return None,
            };
            let filled = self.filler.template(written, entry.value.span, variables, self.findings);
            Some(filled.map(|filled| (entry.key.clone(), filled.text)))
        });
        headers.collect::<Vec<_>>().into_iter().collect()
    }

    fn body(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Body> {
        if let Some(text) = node.text() {
            let filled = self.filler.template(text, node.span, variables, self.findings)?;
            return Some(Body { kind: BodyKind::Text, content: filled.text });
        }
        let Self { filler, findings, .. } = self;
        let content = json_template(node, findings, &mut |text, span, findings| {
            Some(filler.template(text, span, variables, findings)?.text)
        })?;
        Some(Body { kind: BodyKind::Json, content })
    }

    fn assertions(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Vec<Assertion>> {
        if node.entries().iter().all(|entry| entry.key.starts_with("x-")) {
            vacuous(node.span, "this validation is empty, and every answer holds to it", self.findings);
            return None;
        }
        let filled = self.filler.node(node, variables, self.findings)?;
        let mut assertions = Vec::new();
        if let Some(paths) = filled.get("jsonPath") {
            assertions.extend(json_assertions(paths, self.findings));
        }
        if let Some(headers) = filled.get("headers") {
            assertions.extend(header_assertions(headers, self.findings));
        }
        assertions.extend(self.needles(filled.get("containsText")).into_iter().map(Assertion::ContainsText));
        for pattern in filled.get("matchesRegex").map(Node::one_or_more).unwrap_or_default() {
            assertions.extend(regex(pattern, self.findings).map(Assertion::MatchesRegex));
        }
        if let Some(schema) = filled.get("jsonSchema") {
            assertions.push(Assertion::JsonSchema(self.schema(schema)?));
        }
        let longest = filled.get("maxDuration").and_then(|node| self.timeout(node));
        assertions.extend(longest.map(|milliseconds| Assertion::MaxDuration { milliseconds }));
        Some(assertions)
    }

    /// Reads a JSON Schema, or the path of one. An absolute path that lies in the workspace becomes relative.
    pub(super) fn schema(&mut self, node: &Node) -> Option<SchemaSource> {
        if !matches!(node.kind, Kind::Text(_) | Kind::Map(_)) {
            return None;
        }
        let located = node.text().filter(|text| is_absolute(text)).map(|text| self.place.locate(text));
        if let Some(Located::Inside(path)) = located {
            let relative = Node { kind: Kind::Text(path.as_str().to_owned()), span: node.span };
            return schema_source(&relative, self.findings);
        }
        schema_source(node, self.findings)
    }
}
