//! HTTP requests.

use referee_model::limit;
use referee_model::plan::http::{Assertion, Body, BodyKind};
use referee_model::plan::{HttpRequest, Template};

use super::task::Draft;
use super::{Reader, milliseconds};
use crate::http::{
    captures, header_assertions, json_assertions, json_template, method, regex, schema_source, statuses, vacuous,
    weigh_body, weigh_url,
};
use crate::tree::{Kind, Node};
use crate::variables::Variables;

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
        for capture in &captures {
            draft.variables.declare_late(capture.name.clone());
        }
        let ca_file = match parameters.get("caFile") {
            Some(node) => Some(self.workspace_path(node, &draft.variables)?),
            None => None,
        };
        let flag = |key: &str| parameters.get(key).and_then(Node::boolean);
        let limit_bytes = parameters.get("bodyLimit").and_then(Node::integer);
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
            body_limit_bytes: limit_bytes.and_then(|limit| u64::try_from(limit).ok()).unwrap_or(limit::BODY_BYTES),
        })
    }

    /// Reads a URL.
    pub(super) fn url(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Template> {
        let filled = self.filler.template(node.text()?, node.span, variables, self.findings)?;
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
        if let Some(schema) = filled.get("jsonSchema") {
            assertions.push(Assertion::JsonSchema(schema_source(schema, self.findings)?));
        }
        assertions.extend(self.needles(filled.get("containsText")).into_iter().map(Assertion::ContainsText));
        for pattern in filled.get("matchesRegex").map(Node::one_or_more).unwrap_or_default() {
            assertions.extend(regex(pattern, self.findings).map(Assertion::MatchesRegex));
        }
        if let Some(paths) = filled.get("jsonPath") {
            assertions.extend(json_assertions(paths, self.findings));
        }
        if let Some(headers) = filled.get("headers") {
            assertions.extend(header_assertions(headers, self.findings));
        }
        let longest = filled.get("maxDuration").and_then(|node| milliseconds(node, limit::ACTION_DEADLINE_MS_MAX));
        assertions.extend(longest.map(|milliseconds| Assertion::MaxDuration { milliseconds }));
        Some(assertions)
    }
}
