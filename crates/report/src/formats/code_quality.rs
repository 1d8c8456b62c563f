//! GitLab Code Quality: findings for the widget of a merge request, as a list of Code Climate issues.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use referee_model::diagnostic_log::Finding;
use referee_model::id::{Digest, WorkspacePath};
use referee_model::reading::Level;
use referee_model::report::Report;
use referee_syntax::line::one_line;
use serde::Serialize;

use super::check::{self, Check};

/// Name of the specification in a list that cannot name its path.
const SPECIFICATION: &str = "referee.yaml";

#[derive(Debug, Serialize)]
struct Issue {
    description: String,
    check_name: String,
    /// Identity of the issue, which does not change when lines move.
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Debug, Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Debug, Serialize)]
struct Lines {
    begin: u32,
}

/// Writes the findings of runs as one list, which is never empty if a run did not pass. What has no place in the
/// workspace is left out, because GitLab requires one.
pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let mut issues: Vec<Issue> = reports.iter().flat_map(|report| issues(report)).collect();
    make_distinct(&mut issues);
    serde_json::to_writer(&mut *out, &issues)?;
    out.write_all(b"\n")
}

/// Returns the issues of a run: its findings, and an issue of the specification for each check that blocks without a
/// finding that is listed.
fn issues(report: &Report) -> Vec<Issue> {
    let mut issues = Vec::new();
    let mut explained = BTreeSet::new();
    for found in &report.diagnostics.entries {
        let Some(issue) = of_finding(found) else { continue };
        issues.push(issue);
        if found.blocking {
            explained.insert(found.action.as_str());
        }
    }
    let checks = check::all(report);
    let blocking = checks.iter().filter(|check| check.status.is_failure());
    issues.extend(blocking.filter(|check| !explained.contains(check.id)).map(|check| of_check(report, check)));
    issues
}

/// Returns the issue for a finding. None: it is in no file of the workspace.
fn of_finding(found: &Finding) -> Option<Issue> {
    let path = found.file.as_deref().and_then(path)?;
    let name = found.code.as_ref().or(found.tool.as_ref()).unwrap_or(&found.action_name);
    let message = if found.message.trim().is_empty() { name } else { &found.message };
    Some(Issue {
        description: one_line(message),
        check_name: one_line(name),
        fingerprint: found.fingerprint.to_string(),
        severity: severity(found.severity, found.blocking),
        location: Location { path, lines: Lines { begin: found.line().unwrap_or(1) } },
    })
}

fn of_check(report: &Report, check: &Check<'_>) -> Issue {
    let reason = format!("{}: {} ({})", check.title(), check.message, check.outcome());
    of_specification(report, check.outcome(), check.name, &reason)
}

/// Returns an issue for what blocks without a place. Its identity is that of the rule and the check.
fn of_specification(report: &Report, rule: &str, check: &str, reason: &str) -> Issue {
    let file = report.plan.specification.file.as_str();
    let name = || file.rsplit('/').next().and_then(path).unwrap_or_else(|| SPECIFICATION.to_owned());
    Issue {
        description: one_line(reason),
        check_name: rule.to_owned(),
        fingerprint: Digest::of(format!("{} {rule} {check}", report.plan.task)).to_string(),
        severity: severity(Level::Error, true),
        location: Location { path: path(file).unwrap_or_else(name), lines: Lines { begin: 1 } },
    }
}

fn severity(level: Level, blocks: bool) -> &'static str {
    match (blocks, level) {
        (true, Level::Error) => "blocker",
        (true, Level::Warning) => "critical",
        (true, Level::Info) => "major",
        (false, Level::Error | Level::Warning) => "minor",
        (false, Level::Info) => "info",
    }
}

/// Returns a path relative to the workspace, without `./`. None: it lies outside of the workspace, or is no path.
fn path(file: &str) -> Option<String> {
    let is_drive = file.as_bytes().get(1) == Some(&b':');
    if is_drive || file.contains("://") {
        return None;
    }
    WorkspacePath::parse(file).ok().map(String::from).filter(|path| !path.is_empty())
}

/// Makes fingerprints distinct, because GitLab drops an issue whose fingerprint it has seen.
fn make_distinct(issues: &mut [Issue]) {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for issue in issues {
        let number = numbers.entry(issue.fingerprint.clone()).or_default();
        *number += 1;
        if *number > 1 {
            issue.fingerprint = format!("{}:{number}", issue.fingerprint);
        }
    }
}

#[cfg(test)]
mod tests {
    use referee_model::diagnostic_log::{DiagnosticSource, Position};
    use referee_model::fingerprint::Fingerprint;
    use referee_model::time::Timestamp;
    use serde_json::{Value, json};

    use super::*;
    use crate::human::fixture::{id, run_context, runs};

    fn written(reports: &[&Report]) -> Vec<Value> {
        let mut out = Vec::new();
        write(reports, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    fn finding(action: &str, file: Option<&str>, line: u32, message: &str) -> Finding {
        Finding {
            source: DiagnosticSource::Lint,
            action: id(action),
            action_name: "lint".to_owned(),
            command: "npx eslint src".to_owned(),
            tool: Some("eslint".to_owned()),
            file: file.map(str::to_owned),
            under_test: None,
            position: (line > 0).then_some(Position { line, column: None }),
            code: Some("no-console".to_owned()),
            severity: Level::Error,
            message: message.to_owned(),
            blocking: true,
            timestamp: Timestamp::from_millisecond(0),
            occurrences: 1,
            fingerprint: Fingerprint::version_1(Digest::of(message)),
        }
    }

    #[test]
    fn a_finding_is_an_issue_of_its_line() {
        let mut report = runs::failing();
        report.diagnostics.entries = vec![finding("STEP.3", Some("./src/a.ts"), 7, "Unexpected\nconsole statement.")];
        let issue = json!({
            "description": "Unexpected console statement.",
            "check_name": "no-console",
            "fingerprint": report.diagnostics.entries[0].fingerprint.to_string(),
            "severity": "blocker",
            "location": { "path": "src/a.ts", "lines": { "begin": 7 } },
        });
        assert_eq!(written(&[&report])[0], issue);
    }

    #[test]
    fn fingerprints_do_not_change_with_the_line_and_are_distinct() {
        let with_lines = |lines: [u32; 3]| {
            let mut report = runs::passing();
            report.diagnostics.entries = lines.map(|line| finding("STEP.1", Some("a.ts"), line, "said")).into();
            written(&[&report, &report])
        };
        let fingerprints = |issues: Vec<Value>| -> BTreeSet<String> {
            issues.iter().map(|issue| issue["fingerprint"].as_str().unwrap().to_owned()).collect()
        };
        let fingerprints = [[1, 2, 3], [4, 5, 0]].map(|lines| fingerprints(with_lines(lines)));
        assert_eq!(fingerprints[0].len(), 6);
        assert_eq!(fingerprints[0], fingerprints[1]);
    }

    #[test]
    fn what_is_in_no_file_of_the_workspace_is_left_out() {
        let mut report = runs::passing();
        let files = ["/etc/passwd", "../a.ts", "C:/a.ts", "https://example.com/a.ts", ".", ""].map(Some);
        let files = files.into_iter().chain([None]);
        report.diagnostics.entries = files.map(|file| finding("STEP.1", file, 1, "said")).collect();
        assert_eq!(written(&[&report]), Vec::<Value>::new());
    }

    #[test]
    fn a_check_that_blocks_without_an_issue_is_one_of_the_specification() {
        let mut report = runs::failing();
        report.diagnostics.entries = vec![
            finding("STEP.1", Some("src/routes.ts"), 39, "said"),
            finding("STEP.2", None, 0, "said"),
            Finding { blocking: false, ..finding("STEP.3", Some("src/server.ts"), 9, "said") },
        ];
        let issues = written(&[&report]);
        let places: Vec<&Value> = issues.iter().map(|issue| &issue["location"]["path"]).collect();
        assert_eq!(places, ["src/routes.ts", "src/server.ts", "referee.yaml", "referee.yaml", "referee.yaml"]);
        assert_eq!(issues[1]["severity"], "minor");
        let built = &issues[4];
        assert_eq!((&built["check_name"], &built["severity"]), (&json!("VALIDATION_FAILURE"), &json!("blocker")));
        assert_eq!(built["description"], "STEP.6 built: dist/server.js does not exist (VALIDATION_FAILURE)");
        assert_eq!(built["location"]["lines"]["begin"], 1);
    }

    #[test]
    fn the_list_of_a_run_that_did_not_pass_is_never_empty() {
        for report in [runs::timed_out(), runs::prerequisite_failed(), runs::blocked(), run_context::conditions()] {
            assert_eq!(written(&[&report]).len(), 1);
        }
        let mut report = runs::blocked();
        for (file, path) in [("/elsewhere/checks.yaml", "checks.yaml"), ("../..", "referee.yaml")] {
            file.clone_into(&mut report.plan.specification.file);
            assert_eq!(written(&[&report])[0]["location"]["path"], path);
        }
        assert_eq!(written(&[&runs::passing()]), Vec::<Value>::new());
    }

    #[test]
    fn severities_follow_from_level_and_blocking() {
        let levels = [Level::Error, Level::Warning, Level::Info];
        assert_eq!(levels.map(|level| severity(level, true)), ["blocker", "critical", "major"]);
        assert_eq!(levels.map(|level| severity(level, false)), ["minor", "minor", "info"]);
    }

    #[test]
    fn text_of_tools_is_one_line_without_control_characters() {
        let evil = "\"}]\n\u{0}\u{1b}[31m\u{202e}gpj.exe\r[{\"x\":1}";
        let mut report = runs::hostile(evil, &evil.repeat(1000));
        report.diagnostics.entries = vec![Finding { code: None, ..finding("STEP.1", Some("src/a.ts"), 1, evil) }];
        let issues = written(&[&report]);
        assert_eq!(issues.len(), 2, "{issues:#?}");
        for issue in &issues {
            let description = issue["description"].as_str().unwrap();
            assert!(!description.contains(referee_syntax::line::is_deceptive), "{description:?}");
        }
    }
}
