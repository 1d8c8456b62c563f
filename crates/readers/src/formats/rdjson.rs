//! Reviewdog's diagnostic format: `rdjson`, a document with a list of diagnostics, and `rdjsonl`, one on each line.
//!
//! `{"message":"…","location":{"path":"a.go","range":{"start":{"line":14,"column":15}}},"severity":"WARNING"}`

use crate::formats::finding_report::{JsonDialect, reader};
use crate::json::{Closed, Path};
use crate::prelude::*;
use crate::shapes::members::{file, position, words};

const TOOL_NAME: &str = "rdjson";

/// Maximum number of related locations kept per diagnostic.
const RELATED: usize = 50;

/// Reviewdog's diagnostic format, regardless of the tool that wrote it.
pub(crate) static TOOL: Tool = Tool::new(TOOL_NAME, &["rdjsonl", "reviewdog"], Role::Lint)
    .lines(&[LineFormat::new(&["\"location\":{\"path\":", "\"location\": {\"path\":"], |_| LINES.reader())])
    .documents(&[DocumentFormat::new(
        &["{\"source\":{\"name\":", "{\"diagnostics\":[", "{\"source\": {\"name\":", "{\"diagnostics\": ["],
        &["\"source\":", "\"diagnostics\":", "\"severity\":"],
        reader::<RdJson>,
    )]);

/// Maximum number of diagnostics held back for values that the document sets for all of them, possibly after
/// them; beyond it, diagnostics are completed with the values known so far.
const WAITING: usize = 4096;

/// State while one document is read.
#[derive(Debug, Default)]
struct RdJson {
    /// Diagnostics, each with its own level.
    waiting: Vec<(Diagnostic, Option<Level>)>,
    severity: Option<Level>,
    source: Option<String>,
}

impl JsonDialect for RdJson {
    const FORMAT: &'static str = TOOL_NAME;
    const RULE: &'static str = "rdjson/document";
    const PATHS: &'static [Path] = &[&["diagnostics", ANY]];

    fn record(&mut self, record: Record<'_>, at: Origin, findings: &mut Findings) -> bool {
        let Some(found) = DIAGNOSTIC.finding(&record) else { return false };
        self.waiting.push((Diagnostic { origin: at, ..found }, level(&record.value["severity"])));
        if self.waiting.len() == WAITING {
            self.end(findings);
        }
        true
    }

    fn closed(&mut self, around: &Closed<'_>, _findings: &mut Findings) {
        let Closed { depth, members, .. } = *around;
        if depth == 0 {
            self.severity = members.get("severity").and_then(level);
            let source = members.get("source").and_then(|source| source["name"].as_str());
            self.source = source.filter(|source| !source.is_empty()).map(name);
        }
    }

    fn end(&mut self, findings: &mut Findings) -> bool {
        for (mut found, level) in self.waiting.drain(..) {
            found.level = level.or(self.severity).unwrap_or(Level::Warning);
            if let Some(source) = self.source.as_ref().filter(|_| found.tool == TOOL_NAME) {
                found.tool.clone_from(source);
            }
            findings.add(found);
        }
        true
    }
}

static LINES: JsonLines =
    JsonLines { rule: Some("rdjson/line"), ..JsonLines::of("rdjsonl", &["\"location\"", "\"message\""], &DIAGNOSTIC) };

/// A diagnostic; its level and its tool may be set for all diagnostics instead.
const DIAGNOSTIC: Members = Members {
    tool: TOOL_NAME,
    file: "location/path",
    line: "location/range/start/line",
    column: "location/range/start/column",
    end_line: "location/range/end/line",
    end_column: "location/range/end/column",
    code: "code/value",
    suggestion: "suggestions/0/text",
    fix: "suggestions",
    is_mute: true,
    check: complete,
    ..Members::MESSAGE
};

fn complete(made: &mut Diagnostic, record: &Record<'_>) -> bool {
    let value = &record.value;
    made.level = level(&value["severity"]).unwrap_or(Level::Warning);
    made.suggestion = made.suggestion.as_deref().map(name);
    if let Some(tool) = words(value, "source/name") {
        made.tool = name(tool);
    }
    let related = value["relatedLocations"].as_array().or(value["related_locations"].as_array());
    made.related = related.into_iter().flatten().take(RELATED).map(related_place).collect();
    // A member that the format does not define indicates another format.
    let mut members = value["location"].as_object().into_iter().flatten();
    let is_defined = members.all(|(key, _)| matches!(key.as_str(), "path" | "range"));
    is_defined && ["message", "location/path"].iter().all(|path| said(value, path).is_some())
}

fn related_place(value: &Value) -> RelatedPlace {
    RelatedPlace {
        file: file(value, "location/path"),
        line: position(value, "location/range/start/line"),
        column: position(value, "location/range/start/column"),
        message: name(said(value, "message").unwrap_or_default()),
    }
}

/// Returns the level of a severity, which is a name or a number of the format's schema.
fn level(severity: &Value) -> Option<Level> {
    match (severity.as_str(), severity.as_u64()) {
        (Some("ERROR"), _) | (_, Some(1)) => Some(Level::Error),
        (Some("WARNING"), _) | (_, Some(2)) => Some(Level::Warning),
        (Some("INFO"), _) | (_, Some(3)) => Some(Level::Info),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::finding_report::tests::{shown, told};

    #[test]
    fn documents_and_lines_are_read() {
        let one = r#"{"message":"m","location":{"path":"a.go","range":{"start":{"line":14,"column":15},"end":{"line":14,"column":18}}},"severity":"ERROR","code":{"value":"X1"}}"#;
        let document = format!(
            r#"{{"source":{{"name":"lint"}},"diagnostics":[{one},{{"message":"n","location":{{"path":"b.go"}}}}],"severity":"INFO"}}"#
        );
        let read = told(TOOL.documents[0].reader(Stream::Stdout, false), &document).unwrap();
        assert_eq!(shown(read), ["Error a.go 14:15:14:18 X1: m", "Info b.go -:-:-:- -: n"]);
        let mut reader = LINES.reader();
        let line = |text: &'static str| Line::new(text, Stream::Stdout, 0..1);
        assert_eq!(reader.line(&line(one)), Use::Line);
        let other = r#"{"message":"m","location":{"path":"a","lines":{"begin":1}}}"#;
        assert_eq!(reader.line(&line(other)), Use::None);
        assert_eq!(shown(reader.finish().unwrap()), ["Error a.go 14:15:14:18 X1: m"]);
    }
}
