//! GitLab's code quality report, a list of Code Climate issues:
//! `[{"description":"…","check_name":"DL3006","severity":"major","location":{"path":"a","lines":{"begin":1}}}]`.

use crate::formats::finding_report::{JsonDialect, JsonReport, Report, finding, position};
use crate::json::Path;
use crate::prelude::*;

/// Code quality reports, regardless of the tool that wrote them.
pub(crate) static TOOL: Tool =
    Tool::new("gitlab-codequality", &["codeclimate", "gitlab"], Role::Lint).documents(&[DocumentFormat::new(
        &[
            "[{\"categories\":",
            "[{\"check_name\":",
            "[{\"description\":",
            "[{\"fingerprint\":",
            "[{\"engine_name\":",
            "[{\"type\":\"issue\"",
            "[{\"type\": \"issue\"",
            "[{\"check_name\" :",
            "[{ \"description\":",
            "[{\"severity\":",
            "[{\"location\":{\"path\"",
            "[{\"location\": {\"path\"",
        ],
        &[
            "\"categories\":",
            "\"check_name\":",
            "\"description\":",
            "\"fingerprint\":",
            "\"engine_name\":",
            "\"type\": \"issue\"",
            "\"type\":\"issue\"",
            "\"severity\":",
            "\"location\":",
        ],
        |stream, is_hinted| Box::new(JsonReport(Report::<CodeQuality>::new(stream, is_hinted))),
    )
    .or_empty("[]")]);

#[derive(Debug, Default)]
struct CodeQuality;

impl JsonDialect for CodeQuality {
    const FORMAT: &'static str = "json";
    const RULE: &'static str = "gitlab-codequality/json";
    const PATHS: &'static [Path] = &[&[ANY]];

    fn record(&mut self, record: Record<'_>, at: Origin, findings: &mut Findings) -> bool {
        let issue = &record.value;
        // Engines of Code Climate list measurements among their issues.
        if issue["type"].as_str().is_some_and(|kind| kind != "issue") {
            return issue["type"] == "measurement";
        }
        let (Some(description), Some(path)) = (issue["description"].as_str(), issue["location"]["path"].as_str())
        else {
            return false;
        };
        if issue.get("fingerprint").is_none() && issue.get("check_name").is_none() {
            return false;
        }
        let mut found = finding("gitlab-codequality", at, level(&issue["severity"]), description);
        let (lines, positions) = (&issue["location"]["lines"], &issue["location"]["positions"]);
        let line = |edge: &str| position(lines.get(edge)).or_else(|| position(positions[edge].get("line")));
        let column = |edge: &str| position(positions[edge].get("column"));
        found.file = Some(name(&text::path(path)));
        (found.line, found.end_line) = (line("begin"), line("end"));
        found.column = column("begin").filter(|_| found.line.is_some());
        found.code = issue["check_name"].as_str().filter(|code| !code.is_empty()).map(name);
        findings.add(found);
        true
    }
}

/// Returns the level, according to how tools map their own levels: errors to `major` or worse, warnings to
/// `minor`.
fn level(severity: &Value) -> Level {
    match severity.as_str() {
        Some("blocker" | "critical" | "major") => Level::Error,
        Some("info") => Level::Info,
        _ => Level::Warning,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::finding_report::tests::{shown, told};
    use referee_model::record::Stream;

    fn read(document: &str) -> Option<Vec<String>> {
        told(TOOL.documents[0].reader(Stream::Stdout, false), document).map(shown)
    }

    #[test]
    fn issues_are_findings() {
        let document = r#"[{"description":"a","check_name":"X1","fingerprint":"f","severity":"minor","location":{"path":"a.py","lines":{"begin":3,"end":4}}},
            {"description":"b","check_name":"","fingerprint":"f","severity":"blocker","location":{"path":"b.py","positions":{"begin":{"line":5,"column":2},"end":{"line":5,"column":9}}}}]"#;
        assert_eq!(read(document).unwrap(), ["Warning a.py 3:-:4:- X1: a", "Error b.py 5:2:5:- -: b"]);
    }

    #[test]
    fn other_lists_are_not_claimed() {
        for other in [r#"[{"description":"a","severity":"x"}]"#, "[]", "[1]", r#"[{"severity":2,"message":"m"}]"#] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
