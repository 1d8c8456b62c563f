//! Requests to make.

use referee_model::id::WorkspacePath;
use referee_model::limit;
use referee_model::plan::Template;
use referee_model::plan::http::{Assertion, Body, BodyKind, HttpRequest, Method};

use super::Reader;
use super::scope::Scope;
use super::value::look_ahead;
use crate::complaint::{Code, Finding};
use crate::http::{
    captures, header_assertions, is_url_shaped, json_assertions, json_template, method, regex, statuses, vacuous,
    weigh_body, weigh_url,
};
use crate::tree::{Entry, Kind, Node};

/// Keys that ask something of an answer's body.
const BODY_KEYS: [&str; 4] = ["json", "contains", "matches", "schema"];

impl Reader<'_> {
    /// Reads a request and what its answer must hold to.
    pub(super) fn http(&mut self, node: &Node, url: &Node, scope: &Scope<'_>) -> Option<HttpRequest> {
        let place = url.span;
        let written = url.text().filter(|text| is_url_shaped(text))?;
        let url = self.template(written, place, scope);
        if let Some(url) = &url {
            weigh_url(url, place, self.findings);
        }
        let method = match node.get("method") {
            Some(word) => method(&word.text()?.to_ascii_uppercase())?,
            None => Method::Get,
        };
        let headers = self.headers(node, scope);
        let body = node.entry("body").map(|entry| self.body(entry, method, scope));
        self.weigh_head(node, method);
        let (verify_tls, ca_file) = self.tls(node, scope);
        let limit = node.get("bodyLimit").and_then(Node::integer).and_then(|bytes| u64::try_from(bytes).ok());
        Some(HttpRequest {
            method,
            url: url?,
            headers: headers?,
            body: match body {
                Some(body) => Some(body?),
                None => None,
            },
            expected_statuses: node.get("status").map(|node| statuses(node, self.findings)).unwrap_or_default(),
            assertions: self.assertions(node, scope),
            captures: node.get("capture").map(|node| captures(node, self.findings)).unwrap_or_default(),
            follow_redirects: node.get("redirects").and_then(Node::boolean).unwrap_or(true),
            verify_tls,
            ca_file,
            body_limit_bytes: limit.unwrap_or(limit::BODY_BYTES),
        })
    }

    fn headers(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Vec<(String, Template)>> {
        let entries = node.get("headers").map(Node::entries).unwrap_or_default().iter();
        let headers: Vec<Option<(String, Template)>> = entries
            .map(|entry| {
                let value = match &entry.value.kind {
                    Kind::Text(text) => self.template(text, entry.value.span, scope)?,
                    Kind::Integer { literal, .. } | Kind::Float { literal, .. } => Template::plain(literal.as_str()),
                    _ => return None,
                };
                Some((entry.key.clone(), value))
            })
            .collect();
        headers.into_iter().collect()
    }

    fn body(&mut self, entry: &Entry, method: Method, scope: &Scope<'_>) -> Option<Body> {
        weigh_body(method, entry.key_span, self.findings);
        let body = &entry.value;
        if let Some(text) = body.text() {
            return Some(Body { kind: BodyKind::Text, content: self.template(text, body.span, scope)? });
        }
        let (budget, ahead) = (&mut self.budget, &self.ahead);
        let mut fill = |text: &str, span, findings: &mut _| {
            look_ahead(ahead, text, span, scope, findings)?;
            scope.template(text, span, budget, findings)
        };
        Some(Body { kind: BodyKind::Json, content: json_template(body, self.findings, &mut fill)? })
    }

    /// Complains where something is asked of a body that never comes.
    fn weigh_head(&mut self, node: &Node, method: Method) {
        if method != Method::Head {
            return;
        }
        for entry in BODY_KEYS.into_iter().filter_map(|key| node.entry(key)) {
            let message = format!("the answer to a HEAD request has no body, so `{}` can never hold", entry.key);
            self.findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
        }
    }

    fn tls(&mut self, node: &Node, scope: &Scope<'_>) -> (bool, Option<WorkspacePath>) {
        let Some(tls) = node.get("tls") else { return (true, None) };
        let verify = tls.boolean().or_else(|| tls.get("verify").and_then(Node::boolean)).unwrap_or(true);
        let ca_file = tls.get("ca").and_then(|ca| self.path(ca, scope));
        if let Some(ca) = tls.entry("ca").filter(|_| !verify) {
            let message = "certificates that are not checked need none that are trusted";
            self.findings.push(Finding::error(Code::Contradiction, ca.key_span, message));
        }
        (verify, ca_file)
    }

    fn assertions(&mut self, node: &Node, scope: &Scope<'_>) -> Vec<Assertion> {
        let mut assertions = Vec::new();
        if let Some(json) = node.get("json") {
            let json = self.filled(json, scope);
            assertions.extend(json_assertions(&json, self.findings));
        }
        if let Some(header) = node.get("header") {
            let header = self.filled(header, scope);
            assertions.extend(header_assertions(&header, self.findings));
        }
        for needle in node.get("contains").map(Node::one_or_more).unwrap_or_default() {
            let filled = needle.text().and_then(|text| self.fill(text, needle.span, scope));
            match filled {
                Some(text) if text.is_empty() => {
                    vacuous(needle.span, "every body contains the empty text", self.findings);
                }
                Some(text) => assertions.push(Assertion::ContainsText(text)),
                None => {}
            }
        }
        for pattern in node.get("matches").map(Node::one_or_more).unwrap_or_default() {
            assertions.extend(regex(pattern, self.findings).map(Assertion::MatchesRegex));
        }
        if let Some(schema) = node.get("schema") {
            assertions.extend(self.schema(schema, scope).map(Assertion::JsonSchema));
        }
        if let Some(most) = node.get("maxDuration") {
            let most = self.milliseconds(most, 1, limit::ACTION_DEADLINE_MS_MAX);
            assertions.extend(most.map(|milliseconds| Assertion::MaxDuration { milliseconds }));
        }
        assertions
    }
}
