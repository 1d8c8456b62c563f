//! SARIF 2.1.0: findings for viewers of static analysis results. One run per tool.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::reading::{Diagnostic, Level, Reading, RelatedPlace, TestFailure};
use referee_syntax::percent;
use serde::Serialize;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Rule id of a failed test.
const FAILED_TEST: &str = "failed-test";

/// A SARIF log.
#[derive(Debug, Serialize)]
pub struct SarifDocument<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: Vec<Run<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    column_kind: &'static str,
    results: Vec<Finding<'a>>,
}

#[derive(Debug, Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Debug, Serialize)]
struct Driver<'a> {
    name: &'a str,
    rules: Vec<Rule<'a>>,
}

#[derive(Debug, Serialize)]
struct Rule<'a> {
    id: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_id: Option<&'a str>,
    level: &'static str,
    message: Text<'a>,
    locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'a>>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Text<'a> {
    text: std::borrow::Cow<'a, str>,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text<'a>>,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Debug, PartialEq, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
}

/// Returns the findings and failed tests of some readings as a SARIF log.
pub fn document<'a>(readings: impl IntoIterator<Item = &'a Reading>) -> SarifDocument<'a> {
    let mut runs: BTreeMap<&str, Vec<Finding<'a>>> = BTreeMap::new();
    for reading in readings {
        // A tool without findings is a run without results, which shows that it ran.
        if let Some(reader) = &reading.reader {
            runs.entry(&reader.tool).or_default();
        }
        for found in &reading.diagnostics {
            runs.entry(&found.tool).or_default().push(of_diagnostic(found));
        }
        if let Some(tests) = &reading.tests {
            runs.entry(&tests.framework).or_default().extend(tests.failures.iter().map(of_failure));
        }
    }
    let runs = runs.into_iter().map(|(name, results)| {
        let rules: BTreeSet<&str> = results.iter().filter_map(|found| found.rule_id).collect();
        let rules = rules.into_iter().map(|id| Rule { id }).collect();
        Run { tool: Tool { driver: Driver { name, rules } }, column_kind: "unicodeCodePoints", results }
    });
    SarifDocument { schema: SCHEMA, version: "2.1.0", runs: runs.collect() }
}

fn of_diagnostic(found: &Diagnostic) -> Finding<'_> {
    let region = found.line.map(|start_line| Region {
        start_line,
        start_column: found.column,
        end_line: found.end_line,
        end_column: found.end_column.filter(|_| found.column.is_some()),
    });
    Finding {
        rule_id: found.code.as_deref(),
        level: match found.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "note",
        },
        message: Text { text: found.message.as_str().into() },
        locations: place(found.file.as_deref(), region, None).into_iter().collect(),
        related_locations: distinct(found.related.iter().filter_map(related)),
    }
}

/// Returns each location once (SARIF 2.1.0, `relatedLocations`).
fn distinct<'a>(places: impl Iterator<Item = Location<'a>>) -> Vec<Location<'a>> {
    let mut distinct: Vec<Location<'a>> = Vec::new();
    for place in places {
        if !distinct.contains(&place) {
            distinct.push(place);
        }
    }
    distinct
}

fn of_failure(failure: &TestFailure) -> Finding<'_> {
    let region = failure.line.map(|start_line| Region {
        start_line,
        start_column: failure.column,
        end_line: None,
        end_column: None,
    });
    Finding {
        rule_id: Some(FAILED_TEST),
        level: "error",
        message: Text { text: format!("{}: {}", failure.name, failure.message).into() },
        locations: place(failure.file.as_deref(), region, None).into_iter().collect(),
        related_locations: Vec::new(),
    }
}

fn related(place_of: &RelatedPlace) -> Option<Location<'_>> {
    let region = place_of.line.map(|start_line| Region {
        start_line,
        start_column: place_of.column,
        end_line: None,
        end_column: None,
    });
    place(place_of.file.as_deref(), region, Some(Text { text: place_of.message.as_str().into() }))
}

fn place<'a>(file: Option<&str>, region: Option<Region>, message: Option<Text<'a>>) -> Option<Location<'a>> {
    let artifact_location = ArtifactLocation { uri: uri(file?) };
    Some(Location { physical_location: Some(PhysicalLocation { artifact_location, region }), message })
}

/// Returns a path as a URI reference (RFC 3986): relative where the path is, else a `file` URI.
fn uri(path: &str) -> String {
    let is_drive =
        path.as_bytes().get(1) == Some(&b':') && path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    match path.split_at_checked(2) {
        Some((drive, rest)) if is_drive => format!("file:///{drive}{}", percent::path(rest)),
        _ if path.starts_with('/') => format!("file://{}", percent::path(path)),
        _ => percent::path(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uri_references() {
        for (path, expected) in [
            ("src/a.ts", "src/a.ts"),
            ("a b/ü:c.ts", "a%20b/%C3%BC%3Ac.ts"),
            ("/project/[id].ts", "file:///project/%5Bid%5D.ts"),
            ("C:/project/a.cs", "file:///C:/project/a.cs"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}
