//! A judged diagnostic as stored in `diagnostics.json` of an incident's directory. Other programs may have
//! written that file, so it is read leniently: unknown content is ignored.

use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::reading::Level;
use serde_json::{Map, Value};

use crate::wording;

/// Maximum number of diagnostics that are read.
const FINDINGS: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub severity: Level,
    /// Origin of the diagnostic. None: not given.
    pub source: Option<DiagnosticSource>,
    /// File as it was written, with forward slashes.
    pub file: Option<String>,
    /// File under test of a failed test, if known, with forward slashes.
    pub under_test: Option<String>,
    /// 1-based line.
    pub line: Option<u64>,
    /// 1-based column.
    pub column: Option<u64>,
    pub tool: Option<String>,
    /// Code or rule; for a failed test its name.
    pub code: Option<String>,
    pub message: String,
    /// Action that showed the diagnostic.
    pub action: Option<String>,
    pub action_name: Option<String>,
    pub command: Option<String>,
    /// Whether the diagnostic prevents a pass.
    pub blocking: bool,
}

impl Finding {
    /// Returns the location and the message.
    pub fn sentence(&self) -> String {
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            (Some(file), None) => format!("{file}: "),
            (None, _) => String::new(),
        };
        let level = wording::level(self.severity);
        // The message often begins with the name of the test.
        let code = self.code.as_ref().filter(|code| !self.message.starts_with(code.as_str()));
        let code = code.map(|code| format!(" {code}")).unwrap_or_default();
        format!("{place}{level}{code}: {}", self.message)
    }
}

/// Reads the diagnostics of an incident: a list, or an object that has one. Blocking ones come first, then the
/// most severe.
pub fn read(document: &Value) -> Vec<Finding> {
    const LISTS: [&str; 4] = ["diagnostics", "diagnosticsLog", "diagnostics_log", "entries"];
    let list = match document {
        Value::Array(list) => Some(list),
        Value::Object(object) => LISTS.iter().find_map(|key| object.get(*key)?.as_array()),
        _ => None,
    };
    let entries = list.into_iter().flatten().filter_map(Value::as_object);
    let mut findings: Vec<Finding> = entries.filter_map(finding).take(FINDINGS).collect();
    findings.sort_by_key(|finding| (!finding.blocking, finding.severity));
    findings
}

fn finding(entry: &Map<String, Value>) -> Option<Finding> {
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| entry.get(*key)?.as_str());
        found.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let number =
        |key| entry.get(key).or_else(|| entry.get("position")?.get(key))?.as_u64().filter(|number| *number > 0);
    Some(Finding {
        severity: severity(text(&["severity", "level"]).as_deref()),
        source: text(&["source", "origin"]).and_then(|word| source(&word)),
        file: text(&["file", "path"]).map(|file| file.replace('\\', "/")),
        under_test: text(&["file_under_test", "fileUnderTest"]).map(|file| file.replace('\\', "/")),
        line: number("line"),
        column: number("column"),
        tool: text(&["tool"]),
        code: text(&["code", "rule"]),
        message: text(&["message"])?,
        action: text(&["actionId", "action_id", "action"]),
        action_name: text(&["actionName", "action_name"]),
        command: text(&["command"]),
        blocking: entry.get("blocking").and_then(Value::as_bool).unwrap_or(false),
    })
}

/// Returns the level for a word. Without one it is an error: the diagnostic was recorded because something failed.
fn severity(word: Option<&str>) -> Level {
    match word.map(str::to_ascii_lowercase).as_deref() {
        Some("warning" | "warn") => Level::Warning,
        Some("info" | "note" | "hint") => Level::Info,
        _ => Level::Error,
    }
}

fn source(word: &str) -> Option<DiagnosticSource> {
    DiagnosticSource::parse(&word.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whatever_can_be_understood_of_diagnostics_is_taken() {
        let warning = json!({"severity": "warning", "message": "w", "source": "lint", "file": "b.ts"});
        let error = json!({"severity": "error", "message": "e", "source": "build", "file": "src\\a.ts", "code": "TS1",
            "position": {"line": 3}, "actionId": "STEP.1", "actionName": "types", "blocking": true});
        let junk = [json!(3), json!({}), json!({"message": 3}), json!({"message": " "})];
        let list: Vec<Value> = [warning, error].into_iter().chain(junk).collect();
        for document in [json!(list), json!({"diagnostics": list}), json!({"diagnosticsLog": list})] {
            let found = read(&document);
            assert_eq!(found.len(), 2, "{document}");
            assert_eq!(found[0].sentence(), "src/a.ts:3: error TS1: e");
            assert_eq!(found[1].sentence(), "b.ts: warning: w");
        }
        for junk in [json!(null), json!("x"), json!({"diagnostics": {}}), json!([])] {
            assert!(read(&junk).is_empty(), "{junk}");
        }
    }
}
