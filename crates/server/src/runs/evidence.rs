//! Routes of evidence files: files by their names in the seal, in full or in part, and logs with their findings.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use referee_engine::library::{LibraryError, Lines, Part};
use referee_model::limit as bound;
use serde::Deserialize;

use super::listed::Nothing;
use super::{Placed, answered, named, read, which};
use crate::extract::QueryParameters;
use crate::problem::Problem;
use crate::service::Service;

/// Header with the size of the whole file, in bytes.
const FILE_BYTES: &str = "referee-file-bytes";

/// Header with the SHA-256 of the whole file.
const FILE_SHA256: &str = "referee-file-sha256";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartAsked {
    offset: Option<u64>,
    length: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogAsked {
    attempt: Option<u32>,
    from: Option<i64>,
    lines: Option<usize>,
}

/// The requested bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteSelection {
    Whole,
    /// Offset and length from the query.
    Named(u64, u64),
    /// A range request (RFC 9110, section 14).
    Range(Range),
}

/// A range of bytes, as in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    /// First and last byte, both 0-based and included. `None`: to the end.
    Between(u64, Option<u64>),
    Last(u64),
}

pub(super) async fn files(
    State(service): State<Arc<Service>>,
    Placed((task, run)): Placed<(String, String)>,
    QueryParameters(Nothing {}): QueryParameters<Nothing>,
) -> Result<Response, Problem> {
    let (task, which) = (named(&task)?, which(&run)?);
    read(&service, move |library| library.files(&task, &which)).await.map(answered)
}

pub(super) async fn file(
    State(service): State<Arc<Service>>,
    Placed((task, run, file)): Placed<(String, String, String)>,
    QueryParameters(asked): QueryParameters<PartAsked>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (task, which) = (named(&task)?, which(&run)?);
    let wanted = wanted(&asked, &headers);
    let media_type = media_type(&file);
    let (part, size) = read(&service, move |library| {
        let run = library.open(&task, &which)?;
        let size = run.size(&file)?;
        let part = match bytes_of(wanted, size)? {
            Some((start, length)) => Some(run.part(&file, start, length)?),
            None => None,
        };
        Ok((part, size))
    })
    .await?;
    Ok(match part {
        Some(part) => shown(part, media_type, matches!(wanted, ByteSelection::Range(_))),
        None => unsatisfiable(size),
    })
}

pub(super) async fn log(
    State(service): State<Arc<Service>>,
    Placed((task, run, action)): Placed<(String, String, String)>,
    QueryParameters(asked): QueryParameters<LogAsked>,
) -> Result<Response, Problem> {
    let (task, which, action) = (named(&task)?, which(&run)?, named(&action)?);
    let lines = lines(&asked)?;
    read(&service, move |library| library.open(&task, &which)?.log(&action, asked.attempt, lines)).await.map(answered)
}

pub(super) async fn diagnostics(
    State(service): State<Arc<Service>>,
    Placed((task, run, action)): Placed<(String, String, String)>,
    QueryParameters(Nothing {}): QueryParameters<Nothing>,
) -> Result<Response, Problem> {
    let (task, which, action) = (named(&task)?, which(&run)?, named(&action)?);
    let found = read(&service, move |library| library.open(&task, &which)?.diagnostics(&action)).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], found).into_response())
}

/// Parses the requested lines: a number of lines from a first one, which counts from the end if it is negative.
fn lines(asked: &LogAsked) -> Result<Lines, Problem> {
    if asked.attempt == Some(0) {
        return Err(Problem::invalid("`attempt` begins at 1"));
    }
    let most = bound::LOG_LINES_MAX;
    let count = match asked.lines {
        Some(lines) if lines == 0 || lines > most => {
            return Err(Problem::invalid(format!("`lines` is a number from 1 to {most}")));
        }
        lines => lines.unwrap_or(bound::LOG_LINES),
    };
    let from = asked.from.unwrap_or(1);
    match (u64::try_from(from), usize::try_from(from.unsigned_abs())) {
        (Ok(from), _) if from > 0 => Ok(Lines::From(from, count)),
        (Err(_), Ok(back)) if back <= most => Ok(Lines::Back(back, count)),
        _ => Err(Problem::invalid(format!("`from` is a line from 1 on, or one of the last, from -1 to -{most}"))),
    }
}

fn wanted(asked: &PartAsked, headers: &HeaderMap) -> ByteSelection {
    if asked.offset.is_some() || asked.length.is_some() {
        return ByteSelection::Named(asked.offset.unwrap_or(0), asked.length.unwrap_or(bound::EVIDENCE_PART_BYTES));
    }
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok()).and_then(range);
    range.map_or(ByteSelection::Whole, ByteSelection::Range)
}

/// Parses a single byte range. `None`: another unit, or several ranges, which are ignored as the standard allows.
fn range(text: &str) -> Option<Range> {
    let (first, last) = text.trim().strip_prefix("bytes=")?.split_once('-')?;
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
    };
    match (first, last) {
        ("", last) => number(last).map(Range::Last),
        (first, "") => Some(Range::Between(number(first)?, None)),
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(Range::Between(first, Some(last)))
        }
    }
}

/// Returns offset and length of the requested bytes. `None`: the file has none of them.
fn bytes_of(wanted: ByteSelection, size: u64) -> Result<Option<(u64, u64)>, LibraryError> {
    match wanted {
        ByteSelection::Whole if size > bound::EVIDENCE_PART_BYTES => Err(LibraryError::TooLarge(format!(
            "the file has {size} bytes, and one answer holds {}: ask for a part, by `offset` and `length` or by a range",
            bound::EVIDENCE_PART_BYTES
        ))),
        ByteSelection::Whole => Ok(Some((0, size))),
        ByteSelection::Named(start, length) => Ok(Some((start, length))),
        ByteSelection::Range(Range::Between(first, last)) if first < size => {
            let end = last.map_or(size, |last| last.saturating_add(1)).min(size);
            Ok(Some((first, end - first)))
        }
        ByteSelection::Range(Range::Last(count)) if count > 0 && size > 0 => {
            let count = count.min(size).min(bound::EVIDENCE_PART_BYTES);
            Ok(Some((size - count, count)))
        }
        ByteSelection::Range(_) => Ok(None),
    }
}

/// Builds the response: JSON for our own documents, otherwise plain text, which no browser takes for a page or a
/// program.
fn shown(part: Part, media_type: &'static str, is_range: bool) -> Response {
    let status = if is_range { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let end = part.start + part.bytes.len() as u64;
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(FILE_BYTES, part.of.into());
    let texts = [
        (header::HeaderName::from_static(FILE_SHA256), Some(part.sha256.to_string())),
        (
            header::CONTENT_RANGE,
            is_range.then(|| format!("bytes {}-{}/{}", part.start, end.saturating_sub(1), part.of)),
        ),
    ];
    for (name, text) in texts {
        if let Some(value) = text.and_then(|text| HeaderValue::from_str(&text).ok()) {
            headers.insert(name, value);
        }
    }
    (status, headers, part.bytes).into_response()
}

fn unsatisfiable(size: u64) -> Response {
    let mut problem = Problem::invalid(format!("the file has {size} bytes, and none of those that were asked for"));
    problem.status = StatusCode::RANGE_NOT_SATISFIABLE;
    let mut response = problem.into_response();
    if let Ok(value) = HeaderValue::from_str(&format!("bytes */{size}")) {
        response.headers_mut().insert(header::CONTENT_RANGE, value);
    }
    response
}

fn media_type(name: &str) -> &'static str {
    let ends_so = |end: &str| name.len() > end.len() && name.ends_with(end);
    if ends_so(".json") {
        "application/json"
    } else if ends_so(".png") {
        "image/png"
    } else {
        "text/plain; charset=utf-8"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_the_standard_says_and_others_are_passed_over() {
        for (text, read) in [
            ("bytes=0-4", Some(Range::Between(0, Some(4)))),
            ("bytes=5-", Some(Range::Between(5, None))),
            ("bytes=-3", Some(Range::Last(3))),
            ("bytes=99999999999999999999-", Some(Range::Between(u64::MAX, None))),
            ("bytes=4-0", None),
            ("bytes=-", None),
            ("bytes=0-1,3-4", None),
            ("bytes=+1-2", None),
            ("lines=0-4", None),
            ("", None),
        ] {
            assert_eq!(range(text), read, "{text}");
        }
    }

    #[test]
    fn only_bytes_that_are_there_are_taken() {
        let of = |wanted, size| bytes_of(wanted, size).unwrap();
        assert_eq!(of(ByteSelection::Whole, 7), Some((0, 7)));
        assert_eq!(of(ByteSelection::Range(Range::Between(2, Some(100))), 7), Some((2, 5)));
        assert_eq!(of(ByteSelection::Range(Range::Between(7, None)), 7), None);
        assert_eq!(of(ByteSelection::Range(Range::Last(100)), 7), Some((0, 7)));
        assert_eq!(of(ByteSelection::Range(Range::Last(0)), 7), None);
        assert_eq!(of(ByteSelection::Range(Range::Last(1)), 0), None);
        let most = bound::EVIDENCE_PART_BYTES;
        assert!(bytes_of(ByteSelection::Whole, most + 1).is_err());
        assert_eq!(of(ByteSelection::Range(Range::Last(most + 5)), most + 9), Some((9, most)));
    }

    #[test]
    fn nothing_is_shown_as_a_page() {
        for (name, shown) in [
            ("execution-report.json", "application/json"),
            ("journal.jsonl", "text/plain; charset=utf-8"),
            ("STEP.1-x.log", "text/plain; charset=utf-8"),
            ("x.html", "text/plain; charset=utf-8"),
            (".json", "text/plain; charset=utf-8"),
        ] {
            assert_eq!(media_type(name), shown, "{name}");
        }
    }
}
