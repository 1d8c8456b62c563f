//! Reads HTTP requests.

use crate::form::full as keys;
use referee_model::limit;
use referee_model::plan::http::{Assertion, Body, BodyKind, Method};
use referee_model::plan::{CaptureName, HttpRequest, SchemaSource, Template};
use referee_syntax::tree::{Entry, Kind, Member, Node};

use super::Reader;
use super::draft::Draft;
use super::workspace_root::{Located, is_absolute};
use crate::complaint::{Code, Finding};
use crate::http::{
    captures, header_assertions, is_url_shaped, json_assertions, json_template, regex, schema_source, statuses,
    vacuous, weigh_body, weigh_url,
};
use crate::quantity::whole;
use crate::source::quote;
use crate::variables::{Variables, captured};

impl Reader<'_> {
    /// Reads a request. Its captures are known to later actions.
    pub(super) fn request(&mut self, parameters: &Node, draft: &mut Draft<'_>) -> Option<HttpRequest> {
        let written = keys::Http::of(parameters);
        let method = written.method.text().and_then(Method::parse);
        let url = written.url.node().and_then(|node| self.url(node, &draft.variables));
        let headers = self.headers(written.headers, &draft.variables);
        let body = match written.body.entry() {
            Some(entry) => {
                if let Some(method) = method {
                    weigh_body(method, entry.key_span, self.findings);
                }
                Some(self.body(&entry.value, &draft.variables))
            }
            None => None,
        };
        let expected = written.expected_status.node().map(|node| statuses(node, self.findings)).unwrap_or_default();
        let assertions = match written.validate_response.node() {
            Some(node) => self.assertions(node, &draft.variables),
            None => Some(Vec::new()),
        };
        let captures = captures(written.capture.entries(), self.findings);
        self.declare_captures(written.capture.entries(), draft);
        let ca_file = match written.ca_file.node() {
            Some(node) => Some(self.workspace_path(node, &draft.variables)?),
            None => None,
        };
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
            follow_redirects: written.follow_redirects.boolean().unwrap_or(self.settings.follow_redirects),
            verify_tls: written.validate_ssl.boolean().unwrap_or(self.settings.verify_tls),
            ca_file,
            body_limit_bytes: written.body_limit.node().and_then(whole).unwrap_or(limit::BODY_BYTES),
        })
    }

    /// Declares the captures of a request. In the short form they do not replace existing names.
    fn declare_captures(&mut self, written: &[Entry], draft: &mut Draft<'_>) {
        for entry in written {
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

    fn headers(&mut self, written: Member<'_>, variables: &Variables<'_>) -> Option<Vec<(String, Template)>> {
        let headers = written.entries().iter().filter_map(|entry| {
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
        let filled = keys::ValidateResponse::of(&filled);
        let mut assertions = json_assertions(filled.json_path.entries(), self.findings);
        assertions.extend(header_assertions(filled.headers.entries(), self.findings));
        assertions.extend(self.needles(filled.contains_text).into_iter().map(Assertion::ContainsText));
        for pattern in filled.matches_regex.one_or_more() {
            assertions.extend(regex(pattern, self.findings).map(Assertion::MatchesRegex));
        }
        if let Some(schema) = filled.json_schema.node() {
            assertions.push(Assertion::JsonSchema(self.schema(schema)?));
        }
        let longest = self.timeout(filled.max_duration);
        assertions.extend(longest.map(|milliseconds| Assertion::MaxDuration { milliseconds }));
        Some(assertions)
    }

    /// Reads a JSON Schema, or the path of one. An absolute path inside the workspace becomes relative.
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
