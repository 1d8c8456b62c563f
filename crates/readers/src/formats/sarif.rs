//! SARIF 2.1.0, the static analysis results interchange format (OASIS standard).
//!
//! `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Hadolint","rules":[…]}},"results":[{"ruleId":"DL3006",
//! "level":"warning","message":{"text":"…"},"locations":[{"physicalLocation":{…}}]}]}]}`
//!
//! A result may leave its level and message to its rule, and the rules may follow the results; so the results
//! of a run are held back until its end.

mod result;
mod rules;

use result::Waiting;
use rules::Rules;
use serde_json::Map;

use crate::formats::finding_report::{JsonDialect, finding, reader};
use crate::json::{Closed, Path};
use crate::prelude::*;

/// SARIF, regardless of the tool that wrote it; each finding is attributed to the run's driver.
pub(crate) static TOOL: Tool = Tool::new("sarif", &["sarif-json"], Role::Lint).documents(&[DocumentFormat::new(
    &[
        "{\"$schema\":",
        "{\"version\":\"2.1.0\"",
        "{\"version\": \"2.1.0\"",
        "{\"runs\":",
        "{ \"$schema\":",
        "{ \"version\": \"2.1.0\"",
        "{ \"runs\":",
    ],
    &[
        "\"$schema\"",
        "\"version\": \"2.1.0\"",
        "\"version\":\"2.1.0\"",
        "\"version\" : \"2.1.0\"",
        "\"runs\"",
        "\"properties\":",
    ],
    reader::<Sarif>,
)]);

/// Maximum number of results held back until the end of their run; beyond it, results are completed with the
/// values known so far.
const WAITING: usize = 4096;

/// State while one document is read.
#[derive(Debug, Default)]
struct Sarif {
    rules: Rules,
    waiting: Vec<Waiting>,
    /// Errors that the tool reports about itself.
    broken: Vec<(Value, Origin)>,
    driver: Option<String>,
    runs: u64,
    /// Whether the document was identified as SARIF, rather than another document with runs.
    is_known: bool,
}

impl JsonDialect for Sarif {
    const FORMAT: &'static str = "sarif";
    const RULE: &'static str = "sarif/2.1.0";
    const PATHS: &'static [Path] = &[
        &["runs", ANY, "results", ANY],
        &["runs", ANY, "tool", "driver", "rules", ANY],
        &["runs", ANY, "tool", "driver", "name"],
        &["runs", ANY, "tool", "extensions", ANY],
        &["runs", ANY, "invocations", ANY],
        &["runs", ANY, "tool", "driver", "notifications"],
    ];

    fn record(&mut self, record: Record<'_>, at: Origin, findings: &mut Findings) -> bool {
        match record.path {
            0 => {
                self.is_known |= record.value.get("message").is_some();
                if let Some(waiting) = Waiting::new(record.value, at) {
                    self.waiting.push(waiting);
                }
                if self.waiting.len() == WAITING {
                    self.merge(record.around.get(2), findings);
                }
            }
            1 => self.rules.add(&record.value),
            2 => {
                self.is_known = true;
                self.driver = record.value.as_str().map(candidate::name);
            }
            3 => self.rules.add_extension(&record.value),
            4 => self.invocation(&record.value, &at),
            _ => {}
        }
        true
    }

    fn closed(&mut self, around: &Closed<'_>, findings: &mut Findings) {
        let Closed { depth, members, .. } = *around;
        // The nesting is: root object, list of runs, run.
        if depth == 2 {
            self.runs += 1;
            self.merge(Some(members), findings);
            (self.rules, self.driver) = (Rules::default(), None);
        }
        if depth == 0 {
            let is_schema =
                members.get("$schema").and_then(Value::as_str).is_some_and(|schema| schema.contains("sarif"));
            self.is_known |= is_schema || members.get("version").and_then(Value::as_str) == Some("2.1.0");
        }
    }

    fn end(&mut self, findings: &mut Findings) -> bool {
        // In a document that breaks off, the last run was not closed.
        self.merge(None, findings);
        self.is_known
    }
}

impl Sarif {
    fn merge(&mut self, run: Option<&Map<String, Value>>, findings: &mut Findings) {
        let tool = self.driver.clone().unwrap_or_else(|| "sarif".to_owned());
        for waiting in self.waiting.drain(..) {
            if let Some(found) = waiting.found(&tool, &self.rules, run) {
                findings.add(found);
            }
        }
        for (notification, at) in self.broken.drain(..) {
            let said = result::message(&notification["message"], None);
            let mut found = finding(&tool, at, Level::Error, said.as_deref().unwrap_or_default());
            if let Some(place) = notification["locations"].get(0) {
                result::locate(&mut found, place, run);
            }
            let code = notification["descriptor"]["id"].as_str().or(notification["associatedRule"]["id"].as_str());
            found.code = code.map(candidate::name);
            findings.add(found);
        }
    }

    /// Keeps the errors that the tool reports about itself: unreadable files, failed rules.
    fn invocation(&mut self, invocation: &Value, at: &Origin) {
        const KEPT: usize = 200;
        let lists = ["toolExecutionNotifications", "toolConfigurationNotifications"];
        for notification in lists.iter().filter_map(|list| invocation[*list].as_array()).flatten() {
            if notification["level"] == "error" && self.broken.len() < KEPT {
                self.broken.push((notification.clone(), at.clone()));
            }
        }
        self.rules.override_levels(&invocation["ruleConfigurationOverrides"]);
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::formats::finding_report::tests::{shown, told};

    fn read(document: &str) -> Option<Vec<String>> {
        told(TOOL.documents[0].reader(Stream::Stdout, false), document).map(shown)
    }

    #[test]
    fn levels_come_from_the_result_then_the_rule() {
        let document = r#"{"version":"2.1.0","runs":[{"results":[
            {"ruleId":"A","message":{"text":"a"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/a%20b.c","uriBaseId":"R"},"region":{"startLine":3,"startColumn":2,"endColumn":5}}}]},
            {"ruleIndex":1,"level":"note","message":{"id":"m","arguments":["x"]}},
            {"ruleId":"B/1","message":{"text":"b"}},
            {"ruleId":"C","message":{"text":"c"},"suppressions":[{"kind":"inSource"}]},
            {"ruleId":"C","kind":"pass","message":{"text":"c"}}],
            "tool":{"driver":{"name":"X","rules":[{"id":"A","defaultConfiguration":{"level":"error"}},
            {"id":"B","messageStrings":{"m":{"text":"say {0}"}}}]}},"originalUriBaseIds":{"R":{"uri":"file:///p/"}}}]}"#;
        assert_eq!(
            read(document).unwrap(),
            ["Error src/a b.c 3:2:3:5 A: a", "Info - -:-:-:- B: say x", "Warning - -:-:-:- B/1: b"]
        );
    }

    #[test]
    fn a_run_without_results_is_a_clean_run() {
        let clean = r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","runs":[{"tool":{"driver":{"name":"X"}},"results":[]}]}"#;
        assert_eq!(read(clean), Some(Vec::new()));
        for other in [r#"{"$schema":"https://x/package.json","name":"x"}"#, r#"{"runs":[{"results":[1]}]}"#] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn what_the_tool_could_not_do_is_an_error() {
        let document = r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"X"}},"results":[],"invocations":[{"executionSuccessful":false,
            "toolExecutionNotifications":[{"level":"error","message":{"text":"cannot parse"},"descriptor":{"id":"P"}},{"level":"note","message":{"text":"n"}}]}]}]}"#;
        assert_eq!(read(document).unwrap(), ["Error - -:-:-:- P: cannot parse"]);
    }
}
