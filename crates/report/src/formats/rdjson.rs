//! Reviewdog Diagnostic Format, one finding per line (`rdjsonl`), for reviewdog and compatible tools.

use std::io::{self, Write};

use referee_model::reading::{Diagnostic, Level, Reading, RelatedPlace, TestFailure};
use referee_model::report::Report;
use serde::Serialize;

use super::check;

/// Name of the source of what no tool reported.
const REFEREE: &str = "Referee";

#[derive(Debug, Serialize)]
struct Finding<'a> {
    message: String,
    /// Reviewdog reads no finding without one.
    location: Location<'a>,
    severity: &'static str,
    source: Source<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Related<'a>>,
}

#[document(unpublished)]
struct Location<'a> {
    path: &'a str,
    range: Option<Range>,
}

impl<'a> Location<'a> {
    /// A whole file.
    fn of(path: &'a str) -> Self {
        Self { path, range: None }
    }
}

#[document(unpublished)]
struct Range {
    start: Position,
    end: Option<Position>,
}

#[document(unpublished)]
struct Position {
    line: u32,
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

#[document(unpublished)]
struct Related<'a> {
    message: &'a str,
    location: Option<Location<'a>>,
}

/// Returns the findings and failed tests of a reading, one JSON object per line. What names no file is found in the
/// input, which is named as given.
///
/// # Errors
/// Fails only for values that JSON cannot hold, which no reading has.
pub fn lines(input: &str, reading: &Reading) -> Result<Vec<u8>, serde_json::Error> {
    let mut lines = Vec::new();
    for finding in findings(reading, Level::Error, input) {
        serde_json::to_writer(&mut lines, &finding)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// Writes the findings and failed tests of runs, one JSON object per line. What blocks without one of them has a line,
/// too. What names no file is found in the specification.
pub(crate) fn write_runs(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    for report in reports {
        let file = report.plan.specification.file.as_str();
        for check in check::all(report) {
            if check.is_unexplained() {
                let message = format!("{}: {}", check.title(), check.message);
                write_line(&of_referee(message, check.outcome(), file), out)?;
            }
            let highest = check.highest_level();
            for finding in check.reading.into_iter().flat_map(|reading| findings(reading, highest, file)) {
                write_line(&finding, out)?;
            }
        }
    }
    Ok(())
}

fn write_line(finding: &Finding<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, finding)?;
    out.write_all(b"\n")
}

/// Returns the findings and failed tests of a reading, none with a higher level than the given one. `file` is where those
/// are found that name none.
fn findings<'a>(reading: &'a Reading, highest: Level, file: &'a str) -> impl Iterator<Item = Finding<'a>> {
    let framework = reading.tests.as_ref().map_or("", |tests| tests.framework.as_str());
    let failures = reading.tests.iter().flat_map(|tests| &tests.failures);
    let findings = reading.diagnostics.iter().map(move |found| of_diagnostic(found, highest, file));
    findings.chain(failures.map(move |failure| of_failure(failure, framework, highest, file)))
}

fn of_diagnostic<'a>(found: &'a Diagnostic, highest: Level, file: &'a str) -> Finding<'a> {
    let end = found.end_line.or(found.end_column.and(found.line));
    let end = end.map(|line| Position { line, column: found.end_column });
    Finding {
        message: found.message.clone(),
        location: location(found.file.as_deref(), found.line, found.column, end).unwrap_or(Location::of(file)),
        severity: severity(found.level.max(highest)),
        source: Source { name: &found.tool },
        code: found.code.as_deref().map(|value| Code { value }),
        related_locations: found.related.iter().map(related).collect(),
    }
}

fn of_failure<'a>(failure: &'a TestFailure, framework: &'a str, highest: Level, file: &'a str) -> Finding<'a> {
    let place = location(failure.file.as_deref(), failure.line, failure.column, None);
    Finding {
        message: format!("{}: {}", failure.name, failure.message),
        location: place.unwrap_or(Location::of(file)),
        severity: severity(highest),
        source: Source { name: framework },
        code: None,
        related_locations: Vec::new(),
    }
}

/// Returns the finding for what blocks without a finding of a tool.
fn of_referee<'a>(message: String, code: &'a str, file: &'a str) -> Finding<'a> {
    Finding {
        message,
        location: Location::of(file),
        severity: severity(Level::Error),
        source: Source { name: REFEREE },
        code: Some(Code { value: code }),
        related_locations: Vec::new(),
    }
}

fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "ERROR",
        Level::Warning => "WARNING",
        Level::Info => "INFO",
    }
}

fn related(place: &RelatedPlace) -> Related<'_> {
    Related { message: &place.message, location: location(place.file.as_deref(), place.line, place.column, None) }
}

fn location(file: Option<&str>, line: Option<u32>, column: Option<u32>, end: Option<Position>) -> Option<Location<'_>> {
    let range = line.map(|line| Range { start: Position { line, column }, end });
    file.map(|path| Location { path, range })
}

#[cfg(test)]
mod tests {
    use referee_model::report::ActionHistory;
    use serde_json::{Value, json};

    use super::*;
    use crate::human::fixture::runs;

    fn written(report: &Report) -> Vec<Value> {
        let mut out = Vec::new();
        write_runs(&[report], &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns the lines that Referee itself has to say, by their codes.
    fn of_referee_alone(report: &Report) -> Vec<Value> {
        let is_own = |line: &Value| line["source"]["name"] == "Referee";
        written(report).into_iter().filter(is_own).map(|line| line["code"]["value"].clone()).collect()
    }

    #[test]
    fn findings_and_failed_tests_of_every_check_have_a_line_and_so_has_what_blocks_without_one() {
        let lines = written(&runs::failing());
        assert_eq!(lines.len(), 1 + 3 + 9 + 1 + 1, "{lines:#?}");
        let last = json!({
            "message": "STEP.6 built: dist/server.js does not exist",
            "location": { "path": "referee.yaml" },
            "severity": "ERROR",
            "source": { "name": "Referee" },
            "code": { "value": "VALIDATION_FAILURE" },
        });
        assert_eq!(lines.last(), Some(&last));
        assert!(lines.iter().all(|line| line["location"]["path"].is_string()), "{lines:#?}");
        assert_eq!(written(&runs::passing()), Vec::<Value>::new());
    }

    #[test]
    fn a_run_that_did_not_pass_is_never_without_a_line() {
        assert_eq!(of_referee_alone(&runs::timed_out()), ["TIMEOUT"]);
        assert_eq!(of_referee_alone(&runs::prerequisite_failed()), ["PREREQUISITE_FAILURE"]);
        assert_eq!(of_referee_alone(&runs::blocked()), ["BLOCKED"]);
        assert!(
            written(&runs::blocked())[0]["message"]
                .as_str()
                .unwrap()
                .starts_with("VERDICT the task passes: Referee itself failed")
        );
    }

    #[test]
    fn findings_of_a_check_that_does_not_block_are_no_errors() {
        let mut report = runs::failing();
        let ActionHistory::Ran(types) = &mut report.actions[1].history else { unreachable!("it ran") };
        assert_eq!(written(&runs::failing())[0]["severity"], "ERROR");
        types.judgement.blocking = false;
        let lines = written(&report);
        assert_eq!((&lines[0]["code"]["value"], &lines[0]["severity"]), (&json!("TS2345"), &json!("WARNING")));
    }

    #[test]
    fn text_of_tools_ends_no_line() {
        let evil = "\"}\n{\"message\":\"forged\"}\r\u{0}\u{1b}[31m\u{2028}";
        let lines = written(&runs::hostile(evil, &evil.repeat(1000)));
        assert!(lines.len() == 4 && lines.iter().all(|line| line["message"] != "forged"), "{lines:#?}");
    }
}
