//! GitLab's code quality report, a list of Code Climate issues:
//! `[{"description":"…","check_name":"DL3006","severity":"major","location":{"path":"a","lines":{"begin":1}}}]`.

use crate::formats::finding_report::{JsonDialect, reader};
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
        reader::<CodeQuality>,
    )
    .or_empty("[]")]);

#[derive(Debug, Default)]
struct CodeQuality;

impl JsonDialect for CodeQuality {
    const FORMAT: &'static str = "json";
    const RULE: &'static str = "gitlab-codequality/json";
    const PATHS: &'static [Path] = &[&[ANY]];

    fn record(&mut self, record: Record<'_>, at: Origin, findings: &mut Findings) -> bool {
        // Engines of Code Climate list measurements among their issues.
        match said(&record.value, "type") {
            None | Some("issue") => {
                let found = ISSUE.finding(&record);
                found.map(|found| findings.add(Diagnostic { origin: at, ..found })).is_some()
            }
            Some(kind) => kind == "measurement",
        }
    }
}

const ISSUE: Members = Members {
    tool: "gitlab-codequality",
    message: "description",
    file: "location/path",
    line: "location/lines/begin|location/positions/begin/line",
    column: "location/positions/begin/column",
    end_line: "location/lines/end|location/positions/end/line",
    code: "check_name",
    level: "severity",
    // Tools map their own errors to it, or worse.
    levels: &[("major", Level::Error)],
    otherwise: Level::Warning,
    is_mute: true,
    check: |_, record| {
        let issue = &record.value;
        let is_named = issue.get("fingerprint").or(issue.get("check_name")).is_some();
        is_named && ["description", "location/path"].iter().all(|path| said(issue, path).is_some())
    },
    ..Members::MESSAGE
};

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
