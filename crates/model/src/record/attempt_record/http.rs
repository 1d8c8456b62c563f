//! Views that a record contains next to the facts of an HTTP request (seed 1, "HTTP Request Evidence").

use std::collections::BTreeMap;

use crate::record::Span;
use crate::record::http::{HttpDiagnostics, HttpEnding, HttpFacts, HttpSent, Redirect};
use crate::time::Timestamp;
use serde::Serialize;

/// Facts about an HTTP request and its response.
#[derive(Debug, Serialize)]
pub(super) struct HttpDocument<'record> {
    /// The request as sent, or as it was about to be sent.
    request: RequestDocument<'record>,
    /// The redirects that were followed, in order.
    redirects: &'record [Redirect],
    /// The response, or the reason for its absence.
    response: ResponseDocument<'record>,
    /// State of the server. Left out if it was not inspected.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<DiagnosticsDocument<'record>>,
}

#[derive(Debug, Serialize)]
struct RequestDocument<'record> {
    #[serde(flatten)]
    sent: &'record HttpSent,
    /// Headers by name, redacted. Values of the same name are joined by commas.
    headers: BTreeMap<&'record str, String>,
    /// Time at which the request was made.
    timestamp: Timestamp,
}

#[derive(Debug, Serialize)]
struct ResponseDocument<'record> {
    /// Whether a complete response arrived.
    success: bool,
    #[serde(flatten)]
    ending: &'record HttpEnding,
    /// Headers by name, redacted. Values of the same name are joined by commas. Left out if no complete
    /// response arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<BTreeMap<&'record str, String>>,
    /// Time until the request was given up, in milliseconds. Left out for a complete response, which has its
    /// own duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<u64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
struct DiagnosticsDocument<'record> {
    #[serde(flatten)]
    seen: &'record HttpDiagnostics,
    /// First address of the host. Null: the name has no address, or was not resolved.
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

/// Returns the headers by name, in the spelling of the first occurrence. Values of the same name are joined by
/// commas, as in RFC 9110.
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
