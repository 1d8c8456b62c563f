//! HTTP in both forms: expected statuses, assertions on a response, captures.
//!
//! Values with the wrong shape are skipped: they have their complaint.

mod assertion;
mod capture;
mod value;

use referee_model::id::WorkspacePath;
use referee_model::plan::http::{Method, StatusRange};
use referee_model::plan::{Piece, SchemaSource, Template};
use referee_schema::validator::Validator;
use referee_syntax::span::Span;
use referee_syntax::tree::{Kind, Node};
use regex::{Regex, RegexBuilder};
use serde_json_path::JsonPath;

pub(crate) use self::assertion::{header_assertions, json_assertions};
pub(crate) use self::capture::captures;
pub(crate) use self::value::{json_template, json_value};
use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Maximum length of a JSON path, in bytes.
const PATH_BYTES: usize = 4 * 1024;

/// Maximum nesting of brackets in a JSON path.
const PATH_DEPTH: usize = 16;

/// Reads the statuses that are expected: `200`, `2xx`, `200-299`, or a list of these.
pub(crate) fn statuses(node: &Node, findings: &mut Findings) -> Vec<StatusRange> {
    node.one_or_more().iter().filter_map(|node| status(node, findings)).collect()
}

fn status(node: &Node, findings: &mut Findings) -> Option<StatusRange> {
    let Some(text) = node.text() else {
        let status = u16::try_from(node.integer()?).ok().filter(|status| (100..=599).contains(status))?;
        return Some(StatusRange { from: status, to: status });
    };
    let class = text.strip_suffix(['x', 'X']).and_then(|text| text.strip_suffix(['x', 'X']));
    if let Some(class) = class {
        let from = class.parse::<u16>().ok()? * 100;
        return Some(StatusRange { from, to: from + 99 });
    }
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    if from > to {
        let message = format!("no status is from {from} to {to}");
        findings.push(Finding::error(Code::Contradiction, node.span, message));
        return None;
    }
    Some(StatusRange { from, to })
}

/// Complains about a body where servers ignore it.
pub(crate) fn weigh_body(method: Method, place: Span, findings: &mut Findings) {
    if matches!(method, Method::Get | Method::Head) {
        let message = format!("servers do not look for a body in a {} request", method.as_str());
        findings.push(Finding::warning(Code::UnusualBody, place, message).help("did you mean another `method`?"));
    }
}

/// Returns whether a text has the shape of a URL. If not, it has its complaint.
pub(crate) fn is_url_shaped(text: &str) -> bool {
    !text.is_empty() && !text.contains(|character: char| character <= ' ' || character == '\x7f')
}

/// Complains about a URL that is neither `http` nor `https`, or has no host. Returns whether it is valid.
/// Values captured during the run are checked once they are known.
pub(crate) fn weigh_url(url: &Template, place: Span, findings: &mut Findings) -> bool {
    let (start, whole) = match url.pieces() {
        [] => ("", true),
        [Piece::Text(text)] => (text.as_str(), true),
        [Piece::Text(text), ..] => (text.as_str(), false),
        [Piece::Captured(_), ..] => return true,
    };
    let lower = start.to_ascii_lowercase();
    let scheme = ["http://", "https://"].into_iter().find(|scheme| lower.starts_with(scheme));
    let begins = !whole && ["http://", "https://"].iter().any(|scheme| scheme.starts_with(&lower));
    let message = match scheme.map(|scheme| &start[scheme.len()..]) {
        None if begins => return true,
        None => format!("the URL {} begins with neither `http://` nor `https://`", quote(start)),
        Some(rest) if rest.starts_with(['/', '?', '#', ':']) || (rest.is_empty() && whole) => {
            format!("the URL {} has no host", quote(start))
        }
        Some(_) => match start.find(|character: char| character.is_whitespace() || character.is_control()) {
            None => return true,
            Some(_) => format!("the URL {} holds a space or a line break: write `%20` for a space", quote(start)),
        },
    };
    findings.push(Finding::error(Code::InvalidUrl, place, message));
    false
}

/// Reads a JSON Schema: a mapping is one, a string is the path of a file in the workspace.
pub(crate) fn schema_source(node: &Node, findings: &mut Findings) -> Option<SchemaSource> {
    let Some(text) = node.text() else {
        return inline_schema(node, findings);
    };
    if text.contains("://") {
        let message = format!("the schema {} is a URL, and schemas are never fetched", quote(text));
        let help = "keep a copy of it in the workspace, and name its path";
        findings.push(Finding::error(Code::InvalidSchema, node.span, message).help(help));
        return None;
    }
    match WorkspacePath::parse(text) {
        Ok(path) if path.as_str().is_empty() => {
            let message = "the workspace itself is not a schema: the path of a file is needed";
            findings.push(Finding::error(Code::InvalidSchema, node.span, message));
            None
        }
        Ok(path) => Some(SchemaSource::File(path)),
        Err(_) => {
            let message = format!("the path {} is outside the workspace: use a path inside it", quote(text));
            findings.push(Finding::error(Code::LeavesWorkspace, node.span, message));
            None
        }
    }
}

fn inline_schema(node: &Node, findings: &mut Findings) -> Option<SchemaSource> {
    if !matches!(node.kind, Kind::Map(_) | Kind::Bool(_)) {
        return None;
    }
    let schema = json_value(node, findings)?;
    if referee_schema::validator::is_vacuous(&schema) {
        vacuous(node.span, "every document holds to this schema", findings);
        return None;
    }
    match Validator::new(&schema) {
        Ok(_) => Some(SchemaSource::Inline(schema.to_string())),
        Err(error) => {
            let message = format!("this is not a usable JSON Schema: {error}");
            findings.push(Finding::error(Code::InvalidSchema, node.span, message));
            None
        }
    }
}

/// Reads a regular expression. One that matches every text is an error (ruling 5).
pub(crate) fn regex(node: &Node, findings: &mut Findings) -> Option<String> {
    let (text, regex) = compiled(node, findings)?;
    if is_idle(&regex) {
        let message =
            format!("the regular expression {} matches the empty text, and so next to everything", quote(text));
        let help = "ask for what must be there; for an empty text write `\\A\\z`";
        findings.push(Finding::error(Code::Vacuous, node.span, message).help(help));
        return None;
    }
    Some(text.to_owned())
}

/// Reads a regular expression that extracts a part of a text, and may match anything.
pub(crate) fn pattern(node: &Node, findings: &mut Findings) -> Option<String> {
    compiled(node, findings).map(|(text, _)| text.to_owned())
}

/// Returns whether an expression matches everything: the empty string, and strings that have nothing in common.
fn is_idle(regex: &Regex) -> bool {
    ["", "a", "7 x", "\u{f8ff}\u{f8ff}", "{\"a\":\t1}"].iter().all(|text| regex.is_match(text))
}

fn compiled<'a>(node: &'a Node, findings: &mut Findings) -> Option<(&'a str, Regex)> {
    let text = node.text()?;
    match RegexBuilder::new(text).multi_line(true).crlf(true).build() {
        Ok(regex) => Some((text, regex)),
        Err(error) => {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let message = format!("invalid regular expression {}: {reason}", quote(text));
            findings.push(Finding::error(Code::InvalidRegex, node.span, message));
            None
        }
    }
}

/// Checks a JSON path (RFC 9535), and returns it.
pub(crate) fn json_path(text: &str, place: Span, findings: &mut Findings) -> Option<String> {
    if !text.starts_with('$') {
        // A wrong beginning of a path is a complaint about the shape.
        return None;
    }
    let reason = if text.len() > PATH_BYTES {
        format!("it is longer than {PATH_BYTES} bytes")
    } else if depth(text) > PATH_DEPTH {
        // The parser of paths is recursive in brackets.
        format!("its brackets are nested deeper than {PATH_DEPTH}")
    } else {
        match JsonPath::parse(text) {
            Ok(_) => return Some(text.to_owned()),
            Err(error) => error.to_string(),
        }
    };
    let message = format!("the JSON path {} cannot be read: {reason}", quote(text));
    let finding = Finding::error(Code::InvalidJsonPath, place, message);
    findings.push(finding.help("paths are those of RFC 9535, such as `$.items[0].id` or `$['a key']`"));
    None
}

/// Returns the maximum nesting of brackets in a text, wherever they are.
fn depth(text: &str) -> usize {
    let mut open = 0_usize;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'!' => open += 1,
            b')' | b']' => open = open.saturating_sub(1),
            _ => continue,
        }
        deepest = deepest.max(open);
    }
    deepest
}

pub(crate) fn vacuous(place: Span, message: &str, findings: &mut Findings) {
    findings.push(Finding::error(Code::Vacuous, place, message));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::value::tests::node;

    fn errors(findings: &Findings) -> bool {
        findings.has_errors()
    }

    #[test]
    fn statuses_are_numbers_classes_and_ranges() {
        for (written, expected) in [
            ("200", Some(vec![(200, 200)])),
            ("\"204\"", Some(vec![(204, 204)])),
            ("\"2xx\"", Some(vec![(200, 299)])),
            ("\"5XX\"", Some(vec![(500, 599)])),
            ("\"200-226\"", Some(vec![(200, 226)])),
            ("[200, \"4xx\"]", Some(vec![(200, 200), (400, 499)])),
            ("\"299-200\"", None),
        ] {
            let mut findings = Findings::default();
            let found = statuses(&node(written), &mut findings);
            let found: Vec<(u16, u16)> = found.into_iter().map(|range| (range.from, range.to)).collect();
            assert_eq!(found, expected.clone().unwrap_or_default(), "{written}");
            assert_eq!(errors(&findings), expected.is_none(), "{written}");
        }
    }

    #[test]
    fn urls_are_http_and_name_a_machine() {
        let captured = || referee_model::plan::CaptureName::parse("x").unwrap();
        for (text, hole, valid) in [
            ("http://localhost:3000/a", false, true),
            ("HTTPS://example.com", false, true),
            ("http://[::1]:80/", false, true),
            ("http://", true, true),
            ("ht", true, true),
            ("ftp", true, false),
            ("http://", false, false),
            ("http:///a", false, false),
            ("http://:80/a", false, false),
            ("localhost:3000", false, false),
            ("file:///etc/passwd", false, false),
            ("http://a/b c", false, false),
            ("http://a/b\nHost: c", false, false),
            ("", false, false),
        ] {
            let mut url = Template::plain(text);
            if hole {
                url.push_captured(captured());
            }
            assert_eq!(weigh_url(&url, Span::BEGINNING, &mut Findings::default()), valid, "{text} {hole}");
        }
        let mut late = Template::default();
        late.push_captured(captured());
        assert!(weigh_url(&late, Span::BEGINNING, &mut Findings::default()));
    }

    #[test]
    fn json_paths_are_those_of_the_rfc_and_bounded() {
        for (text, valid) in [
            ("$", true),
            ("$.items[0].id", true),
            ("$..id", true),
            ("$['a key'][?@.price > 10 && match(@.name, 'a.*')]", true),
            ("$[?length(@.a) > 1]", true),
            ("items", false),
            ("$.", false),
            ("$[", false),
            ("$.a b", false),
            ("", false),
        ] {
            let found = json_path(text, Span::BEGINNING, &mut Findings::default());
            assert_eq!(found.is_some(), valid, "{text}");
        }
        for hostile in [
            format!("$[?{}1==1{}]", "(".repeat(100_000), ")".repeat(100_000)),
            format!("$[?{}@.a]", "!(".repeat(1_000)),
            format!("$[?{}1==1{}]", "(".repeat(14), ")".repeat(14)),
            format!("${}", "[?@".repeat(14)),
            format!("$[?{}@.a]", "!".repeat(3_000)),
            format!("${}", ".a".repeat(100_000)),
        ] {
            let mut findings = Findings::default();
            json_path(&hostile, Span::BEGINNING, &mut findings);
        }
    }

    #[test]
    fn inline_schemas_are_schemas_and_ask_for_something() {
        for (written, code) in [
            (r#"{ "type": "object", "required": ["id"] }"#, None),
            ("schemas/a.json", None),
            ("{}", Some("vacuous")),
            ("true", Some("vacuous")),
            (r#"{ "type": "strin" }"#, Some("invalid-schema")),
            (r#"{ "$ref": "https://example.com/a.json" }"#, Some("invalid-schema")),
            ("https://example.com/a.json", Some("invalid-schema")),
            ("../a.json", Some("leaves-workspace")),
            (".", Some("invalid-schema")),
        ] {
            let mut findings = Findings::default();
            let text = if written.starts_with(['{', 't']) { written.to_owned() } else { format!("{written:?}") };
            let found = schema_source(&node(&text), &mut findings);
            assert_eq!(found.is_some(), code.is_none(), "{written}");
            let source = crate::source::Source::new("a", text);
            let codes: Vec<&str> =
                findings.into_complaints(&source, |_| String::new()).iter().map(|c| c.code.id()).collect();
            assert_eq!(codes, code.into_iter().collect::<Vec<_>>(), "{written}");
        }
    }
}
