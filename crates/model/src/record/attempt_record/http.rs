//! The views that stand beside the facts of a request (seed 1, "HTTP Request Evidence").

use std::collections::BTreeMap;

use crate::record::Span;
use crate::record::http::{HttpDiagnostics, HttpEnding, HttpFacts, HttpSent, Redirect};
use crate::time::Timestamp;
use serde::Serialize;

/// What was observed of a request and its answer.
#[derive(Debug, Serialize)]
pub(super) struct HttpDocument<'record> {
    /// What was sent, or was to be.
    request: RequestDocument<'record>,
    /// The redirects that were followed.
    redirects: &'record [Redirect],
    /// What came of it.
    response: ResponseDocument<'record>,
    /// Whether the server was there. Left out where nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<DiagnosticsDocument<'record>>,
}

#[derive(Debug, Serialize)]
struct RequestDocument<'record> {
    #[serde(flatten)]
    sent: &'record HttpSent,
    /// The headers by name; redacted. Values of one name are joined by commas.
    headers: BTreeMap<&'record str, String>,
    /// When it was made.
    timestamp: Timestamp,
}

#[derive(Debug, Serialize)]
struct ResponseDocument<'record> {
    /// Whether an answer came whole.
    success: bool,
    #[serde(flatten)]
    ending: &'record HttpEnding,
    /// The headers by name; redacted. Values of one name are joined by commas. Left out where no answer came.
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<BTreeMap<&'record str, String>>,
    /// Milliseconds until it was given up. An answer has its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<u64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct DiagnosticsDocument<'record> {
    #[serde(flatten)]
    seen: &'record HttpDiagnostics,
    /// The first address of the host. Null: it has none, or nobody asked.
    dns_resolution: Option<&'record str>,
}

impl<'record> HttpDocument<'record> {
    pub(super) fn new(facts: &'record HttpFacts, span: &Span) -> Self {
        let HttpFacts { request, redirects, ending, diagnostics } = facts;
        let answer = match ending {
            HttpEnding::Answered(answer) => Some(answer),
            HttpEnding::NoAnswer(_) | HttpEnding::DeadlineExceeded { .. } | HttpEnding::Interrupted => None,
        };
        let addresses = diagnostics.resolution.iter().flat_map(|resolution| &resolution.addresses);
        let seen = DiagnosticsDocument { seen: diagnostics, dns_resolution: addresses.map(String::as_str).next() };
        Self {
            request: RequestDocument { sent: request, headers: by_name(&request.headers), timestamp: span.started },
            redirects,
            response: ResponseDocument {
                success: answer.is_some(),
                ending,
                headers: answer.map(|answer| by_name(&answer.headers)),
                duration: answer.is_none().then_some(span.duration_ms),
            },
            diagnostics: (*diagnostics != HttpDiagnostics::default()).then_some(seen),
        }
    }
}

/// Returns headers by name, as the first of each name spells it; values of one name are joined by commas, as RFC 9110
/// has it.
fn by_name(lines: &[(String, String)]) -> BTreeMap<&str, String> {
    let mut spelling: BTreeMap<String, &str> = BTreeMap::new();
    let mut headers: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in lines {
        let first = *spelling.entry(name.to_ascii_lowercase()).or_insert(name);
        headers
            .entry(first)
            .and_modify(|joined| {
                joined.push_str(", ");
                joined.push_str(value);
            })
            .or_insert_with(|| value.clone());
    }
    headers
}
