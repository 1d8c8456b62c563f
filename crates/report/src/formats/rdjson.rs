//! Reviewdog Diagnostic Format, one finding per line (`rdjsonl`), for reviewdog and compatible tools.

use referee_model::reading::{Diagnostic, Level, Reading, RelatedPlace, TestFailure};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Finding<'a> {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location<'a>>,
    severity: &'static str,
    source: Source<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Related<'a>>,
}

#[derive(Debug, Serialize)]
struct Location<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

#[derive(Debug, Serialize)]
struct Range {
    start: Position,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Position>,
}

#[derive(Debug, Serialize)]
struct Position {
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

#[derive(Debug, Serialize)]
struct Source<'a> {
    name: &'a str,
}

#[derive(Debug, Serialize)]
struct Code<'a> {
    value: &'a str,
}

#[derive(Debug, Serialize)]
struct Related<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location<'a>>,
}

/// Returns the findings and failed tests of a reading, one JSON object per line.
///
/// # Errors
/// Fails only for values that JSON cannot hold, which no reading has.
pub fn lines(reading: &Reading) -> Result<Vec<u8>, serde_json::Error> {
    let findings = reading.diagnostics.iter().map(of_diagnostic);
    let framework = reading.tests.as_ref().map_or("", |tests| &tests.framework);
    let failures = reading.tests.iter().flat_map(|tests| &tests.failures);
    let mut lines = Vec::new();
    for finding in findings.chain(failures.map(|failure| of_failure(failure, framework))) {
        serde_json::to_writer(&mut lines, &finding)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

fn of_diagnostic(found: &Diagnostic) -> Finding<'_> {
    let end = found.end_line.or(found.end_column.and(found.line));
    let end = end.map(|line| Position { line, column: found.end_column });
    Finding {
        message: found.message.clone(),
        location: location(found.file.as_deref(), found.line, found.column, end),
        severity: match found.level {
            Level::Error => "ERROR",
            Level::Warning => "WARNING",
            Level::Info => "INFO",
        },
        source: Source { name: &found.tool },
        code: found.code.as_deref().map(|value| Code { value }),
        related_locations: found.related.iter().map(related).collect(),
    }
}

fn of_failure<'a>(failure: &'a TestFailure, framework: &'a str) -> Finding<'a> {
    Finding {
        message: format!("{}: {}", failure.name, failure.message),
        location: location(failure.file.as_deref(), failure.line, failure.column, None),
        severity: "ERROR",
        source: Source { name: framework },
        code: None,
        related_locations: Vec::new(),
    }
}

fn related(place: &RelatedPlace) -> Related<'_> {
    Related { message: &place.message, location: location(place.file.as_deref(), place.line, place.column, None) }
}

fn location(file: Option<&str>, line: Option<u32>, column: Option<u32>, end: Option<Position>) -> Option<Location<'_>> {
    let range = line.map(|line| Range { start: Position { line, column }, end });
    file.map(|path| Location { path, range })
}
