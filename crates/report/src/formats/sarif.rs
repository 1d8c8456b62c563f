//! SARIF 2.1.0: findings for viewers of static analysis results. One run per tool, or one per task.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use referee_model::exit_code;
use referee_model::outcome::Outcome;
use referee_model::reading::{Diagnostic, Level, Reading, RelatedPlace, TestFailure};
use referee_model::report::Report;
use referee_model::time::Timestamp;
use referee_syntax::count::count;
use referee_syntax::percent;
use serde::Serialize;

use super::check::{self, Check, Status};
use crate::wording;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const VERSION: &str = "2.1.0";

/// Unit in which columns are counted.
const COLUMNS: &str = "unicodeCodePoints";

/// Rule id of a failed test.
const FAILED_TEST: &str = "failed-test";

/// Name of the tool that ran the checks.
const REFEREE: &str = "Referee";

/// Name of the root of the sources, which relative paths refer to.
const ROOT: &str = "%SRCROOT%";

/// Maximum number of results of one run that GitHub accepts.
const RESULTS: usize = 25_000;

/// A SARIF log.
#[derive(Debug, Serialize)]
pub struct SarifDocument<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: Vec<Run<'a>>,
}

#[document(unpublished)]
struct Run<'a> {
    tool: Tool<'a>,
    automation_details: Option<AutomationDetails>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    invocations: Vec<Invocation>,
    column_kind: &'static str,
    results: Vec<Finding<'a>>,
}

#[derive(Debug, Serialize)]
struct AutomationDetails {
    id: String,
}

#[document(unpublished)]
struct Invocation {
    execution_successful: bool,
    exit_code: u8,
    start_time_utc: Timestamp,
    end_time_utc: Timestamp,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_configuration_notifications: Vec<Notification>,
}

#[document(unpublished)]
struct Notification {
    level: &'static str,
    message: Text<'static>,
    associated_rule: Option<RuleReference>,
}

#[derive(Debug, Serialize)]
struct RuleReference {
    id: &'static str,
}

#[derive(Debug, Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[document(unpublished)]
struct Driver<'a> {
    name: &'a str,
    version: Option<&'a str>,
    rules: Vec<Rule<'a>>,
}

#[document(unpublished)]
struct Rule<'a> {
    id: &'a str,
    short_description: Option<Text<'a>>,
}

#[document(unpublished)]
struct Finding<'a> {
    rule_id: Option<&'a str>,
    level: &'static str,
    message: Text<'a>,
    locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'a>>,
    properties: Option<Properties<'a>>,
}

#[derive(Debug, Serialize)]
struct Properties<'a> {
    /// Tool that reported the result.
    tool: &'a str,
}

#[derive(Debug, PartialEq, Serialize)]
struct Text<'a> {
    text: Cow<'a, str>,
}

#[document(unpublished)]
#[derive(PartialEq)]
struct Location<'a> {
    physical_location: Option<PhysicalLocation>,
    message: Option<Text<'a>>,
}

#[document(unpublished)]
#[derive(PartialEq)]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Option<Region>,
}

#[document(unpublished)]
#[derive(PartialEq)]
struct ArtifactLocation {
    uri: String,
    uri_base_id: Option<&'static str>,
}

#[document(unpublished)]
#[derive(Default, PartialEq)]
struct Region {
    start_line: u32,
    start_column: Option<u32>,
    end_line: Option<u32>,
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
        let rules = rules.into_iter().map(|id| Rule { id, short_description: None }).collect();
        Run {
            tool: Tool { driver: Driver { name, version: None, rules } },
            automation_details: None,
            invocations: Vec::new(),
            column_kind: COLUMNS,
            results,
        }
    });
    SarifDocument { schema: SCHEMA, version: VERSION, runs: runs.collect() }
}

/// Writes runs as one log, with one run for each task. Every result has what GitHub needs to show it.
pub(crate) fn write_runs(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let runs = reports.iter().map(|report| of_report(report)).collect();
    serde_json::to_writer(&mut *out, &SarifDocument { schema: SCHEMA, version: VERSION, runs })?;
    out.write_all(b"\n")
}

fn of_report(report: &Report) -> Run<'_> {
    let checks = check::all(report);
    let mut results = results(report, &checks);
    let left_out = results.len().saturating_sub(RESULTS);
    results.truncate(RESULTS);
    let version = Some(report.run.host.version.as_str());
    let id = format!("{}/{}", report.plan.task, report.run.execution);
    Run {
        tool: Tool { driver: Driver { name: REFEREE, version, rules: rules(&results) } },
        automation_details: Some(AutomationDetails { id }),
        invocations: vec![invocation(report, &checks, left_out)],
        column_kind: COLUMNS,
        results,
    }
}

/// Returns the outcomes as rules, and the rules of tools that results refer to.
fn rules<'a>(results: &[Finding<'a>]) -> Vec<Rule<'a>> {
    let outcomes = Outcome::ALL.map(|outcome| {
        let text = wording::outcome_alone(outcome).into();
        Rule { id: outcome.as_str(), short_description: Some(Text { text }) }
    });
    let is_outcome = |id: &str| Outcome::ALL.iter().any(|outcome| outcome.as_str() == id);
    let others: BTreeSet<&'a str> = results.iter().filter_map(|result| result.rule_id).collect();
    let others = others.into_iter().filter(|id| !is_outcome(id)).map(|id| Rule { id, short_description: None });
    outcomes.into_iter().chain(others).collect()
}

/// Returns the results of a run, those of checks that block first.
fn results<'r>(report: &'r Report, checks: &[Check<'r>]) -> Vec<Finding<'r>> {
    let (blocking, others): (Vec<&Check<'r>>, Vec<_>) = checks.iter().partition(|check| check.status.is_failure());
    let of_checks = blocking.into_iter().chain(others).flat_map(of_check);
    let mut results: Vec<Finding<'r>> = of_checks.collect();
    for result in &mut results {
        complete(result, &report.plan.specification.file);
    }
    results
}

/// Returns the results of a check. Those of one that does not block are at most warnings.
fn of_check<'r>(check: &Check<'r>) -> Vec<Finding<'r>> {
    let highest = check.highest_level();
    let mut results = Vec::new();
    if check.is_unexplained() {
        let message = format!("{}: {}", check.title(), check.message);
        results.push(of_referee(check.outcome(), message));
    }
    let Some(reading) = check.reading else { return results };
    results.extend(reading.diagnostics.iter().map(|found| Finding {
        level: level(found.level.max(highest)),
        properties: Some(Properties { tool: &found.tool }),
        ..of_diagnostic(found)
    }));
    if let Some(tests) = &reading.tests {
        results.extend(tests.failures.iter().map(|failure| Finding {
            level: level(highest),
            properties: Some(Properties { tool: &tests.framework }),
            ..of_failure(failure)
        }));
    }
    results
}

/// Returns the result for what blocks without a finding of a tool.
fn of_referee<'r>(rule: &'static str, message: String) -> Finding<'r> {
    Finding {
        rule_id: Some(rule),
        level: level(Level::Error),
        message: Text { text: message.into() },
        locations: Vec::new(),
        related_locations: Vec::new(),
        properties: Some(Properties { tool: REFEREE }),
    }
}

/// Completes a result with what GitHub needs to show it: a rule, and a place with a line. What has no place is shown
/// at the specification.
fn complete(result: &mut Finding<'_>, specification: &str) {
    result.rule_id = result.rule_id.or(Some(Outcome::ValidationFailure.as_str()));
    result.message.text = without_links(&result.message.text).into();
    if result.locations.is_empty() {
        result.locations.extend(place(Some(specification), None, None));
    }
    for physical in result.locations.iter_mut().filter_map(|location| location.physical_location.as_mut()) {
        physical.region.get_or_insert(Region { start_line: 1, ..Region::default() });
    }
    let locations = result.locations.iter_mut().chain(&mut result.related_locations);
    for physical in locations.filter_map(|location| location.physical_location.as_mut()) {
        let artifact = &mut physical.artifact_location;
        artifact.uri_base_id = (!artifact.uri.starts_with("file:")).then_some(ROOT);
    }
}

/// Returns a text in which no viewer sees a link, such as `[text](https://example.com)` (SARIF 2.1.0, §3.11.6).
fn without_links(text: &str) -> String {
    text.replace("](", "] (")
}

/// Returns how the run went, with what kept checks from saying anything of the work.
fn invocation(report: &Report, checks: &[Check<'_>], left_out: usize) -> Invocation {
    let errored: Vec<&Check<'_>> = checks.iter().filter(|check| check.status == Status::Errored).collect();
    let ending = check::early_end(report);
    let execution_successful = ending.is_none() && errored.is_empty();
    let (configuration, execution): (Vec<&Check<'_>>, Vec<_>) =
        errored.into_iter().partition(|check| check.outcome() == Outcome::SpecificationError.as_str());
    let of_run = ending.map(|message| notification("error", &message, None));
    let of_checks = execution.into_iter().map(of_errored);
    let rest = format!("{} left out", count(left_out, "result"));
    let rest = (left_out > 0).then(|| notification("warning", &rest, None));
    Invocation {
        execution_successful,
        exit_code: exit_code::of(report.verdict.exit),
        start_time_utc: report.run.started,
        end_time_utc: report.run.ended,
        tool_execution_notifications: of_run.into_iter().chain(of_checks).chain(rest).collect(),
        tool_configuration_notifications: configuration.into_iter().map(of_errored).collect(),
    }
}

fn of_errored(check: &Check<'_>) -> Notification {
    let message = format!("{}: {}", check.title(), check.message);
    notification("error", &message, Some(RuleReference { id: check.outcome() }))
}

fn notification(level: &'static str, message: &str, associated_rule: Option<RuleReference>) -> Notification {
    Notification { level, message: Text { text: without_links(message).into() }, associated_rule }
}

fn of_diagnostic(found: &Diagnostic) -> Finding<'_> {
    let region = region(found.line, found.column).map(|start| Region {
        end_line: found.end_line,
        end_column: found.end_column.filter(|_| found.column.is_some()),
        ..start
    });
    Finding {
        rule_id: found.code.as_deref(),
        level: level(found.level),
        message: Text { text: found.message.as_str().into() },
        locations: place(found.file.as_deref(), region, None).into_iter().collect(),
        related_locations: distinct(found.related.iter().filter_map(related)),
        properties: None,
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
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
    let region = region(failure.line, failure.column);
    Finding {
        rule_id: Some(FAILED_TEST),
        level: "error",
        message: Text { text: format!("{}: {}", failure.name, failure.message).into() },
        locations: place(failure.file.as_deref(), region, None).into_iter().collect(),
        related_locations: Vec::new(),
        properties: None,
    }
}

fn related(place_of: &RelatedPlace) -> Option<Location<'_>> {
    let region = region(place_of.line, place_of.column);
    place(place_of.file.as_deref(), region, Some(Text { text: place_of.message.as_str().into() }))
}

fn region(line: Option<u32>, start_column: Option<u32>) -> Option<Region> {
    line.map(|start_line| Region { start_line, start_column, ..Region::default() })
}

fn place<'a>(file: Option<&str>, region: Option<Region>, message: Option<Text<'a>>) -> Option<Location<'a>> {
    let artifact_location = ArtifactLocation { uri: uri(file?), uri_base_id: None };
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
    use referee_model::report::ActionHistory;
    use serde_json::{Value, json};

    use super::*;
    use crate::human::fixture::{run_context, runs};

    fn written(reports: &[&Report]) -> Value {
        let mut out = Vec::new();
        write_runs(reports, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    fn results_of(run: &Value) -> &[Value] {
        run["results"].as_array().unwrap()
    }

    /// Returns the rules of the results that Referee itself has to say.
    fn own_rules(report: &Report) -> Vec<Value> {
        let log = written(&[report]);
        let own = results_of(&log["runs"][0]).iter().filter(|result| result["properties"]["tool"] == "Referee");
        own.map(|result| result["ruleId"].clone()).collect()
    }

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

    #[test]
    fn each_task_is_a_run_of_referee() {
        let log = written(&[&runs::failing(), &runs::passing()]);
        assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 2));
        let run = &log["runs"][0];
        let driver = &run["tool"]["driver"];
        assert_eq!((&driver["name"], &driver["version"]), (&json!("Referee"), &json!("0.1.0")));
        assert_eq!(run["automationDetails"]["id"], "T001/exec-20261121T090524123Z-1f3a9c04");
        let ids: Vec<&str> =
            driver["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
        assert_eq!(ids[..7], Outcome::ALL.map(Outcome::as_str));
        assert!(ids.contains(&"TS2345") && ids.contains(&"failed-test"), "{ids:?}");
        let invocation = json!([{
            "executionSuccessful": true,
            "exitCode": 1,
            "startTimeUtc": "2026-11-21T09:05:24.000Z",
            "endTimeUtc": run["invocations"][0]["endTimeUtc"],
        }]);
        assert_eq!(run["invocations"], invocation);
        assert_eq!(log["runs"][1]["results"], json!([]));
    }

    #[test]
    fn results_are_findings_failed_tests_and_what_blocks_without_them() {
        let log = written(&[&runs::failing()]);
        let results = results_of(&log["runs"][0]);
        assert_eq!(results.len(), 1 + 3 + 9 + 1 + 1, "{results:#?}");
        let place = json!([{ "physicalLocation": {
            "artifactLocation": { "uri": "referee.yaml", "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": 1 },
        } }]);
        let built = json!({
            "ruleId": "VALIDATION_FAILURE",
            "level": "error",
            "message": { "text": "STEP.6 built: dist/server.js does not exist" },
            "locations": place,
            "properties": { "tool": "Referee" },
        });
        assert!(results.contains(&built), "{results:#?}");
        assert_eq!((&results[0]["ruleId"], &results[0]["properties"]["tool"]), (&json!("TS2345"), &json!("tsc")));
        // A check that does not block comes last.
        assert_eq!(results.last().unwrap()["properties"]["tool"], "prettier");
        for result in results {
            let physical = &result["locations"][0]["physicalLocation"];
            assert!(physical["region"]["startLine"].is_u64() && result["ruleId"].is_string(), "{result:#}");
        }
    }

    #[test]
    fn a_run_that_did_not_pass_is_never_without_a_result() {
        assert_eq!(own_rules(&runs::timed_out()), ["TIMEOUT"]);
        assert_eq!(own_rules(&runs::prerequisite_failed()), ["PREREQUISITE_FAILURE"]);
        assert_eq!(own_rules(&runs::blocked()), ["BLOCKED"]);
        assert_eq!(own_rules(&run_context::conditions()), ["FAIL"]);
    }

    #[test]
    fn what_says_nothing_of_the_work_is_a_notification() {
        let log = written(&[&runs::timed_out(), &run_context::misspecified(), &runs::interrupted()]);
        let invocation = |run: usize| &log["runs"][run]["invocations"][0];
        assert_eq!([0, 1, 2].map(|run| &invocation(run)["executionSuccessful"]), [&json!(false); 3]);
        let timeout = &invocation(0)["toolExecutionNotifications"];
        assert_eq!(timeout[0]["associatedRule"]["id"], "TIMEOUT");
        let specification = &invocation(1)["toolConfigurationNotifications"];
        assert_eq!(specification[0]["associatedRule"]["id"], "SPECIFICATION_ERROR");
        let interrupted = &invocation(2)["toolExecutionNotifications"];
        assert_eq!(interrupted[0]["message"]["text"], "the run was interrupted by SIGINT");
    }

    #[test]
    fn findings_of_a_check_that_does_not_block_are_no_errors() {
        let mut report = runs::failing();
        let ActionHistory::Ran(types) = &mut report.actions[1].history else { unreachable!("it ran") };
        types.judgement.blocking = false;
        let log = written(&[&report]);
        let types = results_of(&log["runs"][0]).iter().find(|result| result["ruleId"] == "TS2345").unwrap();
        assert_eq!(types["level"], "warning");
    }

    #[test]
    fn no_more_results_are_written_than_are_accepted() {
        let mut report = runs::failing();
        let ActionHistory::Ran(types) = &mut report.actions[1].history else { unreachable!("it ran") };
        types.reading.diagnostics = vec![types.reading.diagnostics[0].clone(); RESULTS];
        let log = written(&[&report]);
        assert_eq!(results_of(&log["runs"][0]).len(), RESULTS);
        let notifications = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
        assert_eq!(notifications[0]["message"]["text"], "14 results left out");
    }

    #[test]
    fn text_of_tools_is_neither_a_link_nor_a_path_of_its_own() {
        let evil = "[safe](https://evil.example)\"}\u{0}\u{1b}[31m\n../../x";
        let log = written(&[&runs::hostile(evil, &evil.repeat(1000))]);
        for result in results_of(&log["runs"][0]) {
            let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
            let message = result["message"]["text"].as_str().unwrap();
            assert!(!message.contains("](") && !uri.contains(['\n', '"', ' ', '[']), "{result:#}");
        }
    }
}
