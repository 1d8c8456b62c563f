//! Origin of the application: an undeclared `${API_BASE_URL}` is the origin of the dev server's URLs.

use crate::form::full as keys;
use referee_model::plan::service::Port;
use referee_model::plan::{CaptureName, Template};
use referee_syntax::tree::{Kind, Node};

use super::Reader;
use super::draft::Draft;
use super::service::{PATH_BYTES, PORT};
use crate::variables::{API_BASE_URL, Budget, Names, Variables, captured, mentions};

/// Returns the variables that need no declaration. An origin with a port to be found is known once the port is.
pub(super) fn built_in<'v>(workspace: &str, origin: Option<&Template>) -> Variables<'v> {
    let mut variables = Variables::built_in(workspace);
    match origin {
        Some(origin) if origin.as_plain().is_some() => variables.declare_built_in(API_BASE_URL, origin.clone()),
        Some(_) => variables.forget(API_BASE_URL),
        None => {}
    }
    variables
}

/// Returns the origin of the dev server's URLs, if the global configuration contains it.
pub(super) fn of(global: keys::GlobalConfiguration<'_>, workspace: &str) -> Option<Template> {
    let server = keys::DevServer::of(global.dev_server.node()?);
    let is_found = server.port.text() == Some("auto");
    let mut variables = Variables::built_in(workspace);
    variables.forget(API_BASE_URL);
    let mut budget = Budget::of(PATH_BYTES);
    for entry in global.environment.entries() {
        let (Kind::Text(written) | Kind::Integer { literal: written, .. }) = &entry.value.kind else { continue };
        let expanded = variables.expand(written, Names::Captured, &mut budget);
        if let Some(value) = expanded.template.as_plain().filter(|_| expanded.unknown.is_empty() && !expanded.too_large)
        {
            variables.declare(&entry.key, &Template::plain(value));
        }
    }
    let mut late = Variables::nothing();
    if is_found {
        variables.declare(PORT, &captured(found_port()));
        late.declare(PORT, &captured(found_port()));
    }
    let url = server.health_check_url.text().and_then(|written| {
        let expanded = variables.expand(written, Names::Captured, &mut budget);
        let complete = expanded.unknown.is_empty() && !expanded.too_large;
        let origin = origin(&expanded.template.to_string()).filter(|_| complete)?;
        Some(late.expand(&origin, Names::Captured, &mut Budget::of(PATH_BYTES)).template)
    });
    let number = server.port.integer().and_then(|port| u16::try_from(port).ok());
    let by_port = if is_found { Some(Port::Auto(found_port())) } else { number.map(Port::Fixed) };
    url.or_else(|| by_port.map(|port| local(&port)))
}

/// Returns scheme, host and port of a URL.
fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let machine = authority.rsplit_once('@').map_or(authority, |(_, machine)| machine);
    let is_http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    (is_http && !machine.is_empty()).then(|| format!("{scheme}://{machine}"))
}

/// Returns the origin of a server on a port of this machine.
fn local(port: &Port) -> Template {
    let mut template = Template::plain("http://localhost:");
    match port {
        Port::Fixed(number) => template.push_text(&number.to_string()),
        Port::Auto(name) => template.push_captured(name.clone()),
    }
    template
}

fn found_port() -> CaptureName {
    CaptureName::parse(PORT).expect("capital letters are a name")
}

impl Reader<'_> {
    /// Declares the origin of the dev server, once its port is known.
    pub(super) fn declare_origin(&self, port: Option<&Port>, draft: &mut Draft<'_>) {
        let is_known = self.origin.as_ref().is_some_and(|origin| origin.as_plain().is_some());
        let Some(port) = port.filter(|_| !is_known && !draft.variables.declares(API_BASE_URL)) else { return };
        let origin = match (&self.origin, port) {
            (Some(origin), Port::Auto(_)) => origin.clone(),
            _ => local(port),
        };
        draft.variables.declare_built_in(API_BASE_URL, origin);
    }

    /// Returns whether a step uses the application at a port that is found when the dev server starts.
    pub(super) fn asks_origin(&self, step: keys::Action<'_>, variables: &Variables<'_>) -> bool {
        let is_found = self.origin.as_ref().is_some_and(|origin| origin.as_plain().is_none());
        is_found && !variables.declares(API_BASE_URL) && step.parameters.node().is_some_and(names_origin)
    }
}

fn names_origin(node: &Node) -> bool {
    match &node.kind {
        Kind::Text(text) => mentions(text, API_BASE_URL),
        Kind::List(elements) => elements.iter().any(names_origin),
        Kind::Map(entries) => entries.iter().any(|entry| names_origin(&entry.value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_url_without_what_comes_after_its_machine() {
        for (url, expected) in [
            ("http://localhost:4000/health?x#y", Some("http://localhost:4000")),
            ("https://me:secret@app.test/", Some("https://app.test")),
            ("http://[::1]:8080", Some("http://[::1]:8080")),
            ("http://localhost:${PORT}/health", Some("http://localhost:${PORT}")),
            ("http:///a", None),
            ("ftp://a/", None),
            ("localhost:3000", None),
            ("", None),
        ] {
            assert_eq!(origin(url).as_deref(), expected, "{url}");
        }
    }
}
