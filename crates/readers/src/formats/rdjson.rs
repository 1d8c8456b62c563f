//! Reviewdog's diagnostic format: `rdjson`, a document with a list of diagnostics, and `rdjsonl`, one on each line.
//!
//! `{"message":"…","location":{"path":"a.go","range":{"start":{"line":14,"column":15}}},"severity":"WARNING"}`

use crate::formats::finding_report::{JsonDialect, JsonReport, Report, finding, position};
use crate::json::{Closed, Path};
use crate::prelude::*;
use crate::shapes::json_findings::place;

const TOOL_NAME: &str = "rdjson";

/// Maximum number of related locations kept per diagnostic.
const RELATED: usize = 50;

/// Reviewdog's diagnostic format, regardless of the tool that wrote it.
pub(crate) static TOOL: Tool = Tool::new(TOOL_NAME, &["rdjsonl", "reviewdog"], Role::Lint)
    .lines(&[LineFormat::new(&["\"location\":{\"path\":", "\"location\": {\"path\":"], |_| LINES.reader())])
    .documents(&[DocumentFormat::new(
        &["{\"source\":{\"name\":", "{\"diagnostics\":[", "{\"source\": {\"name\":", "{\"diagnostics\": ["],
        &["\"source\":", "\"diagnostics\":", "\"severity\":"],
        |stream, is_hinted| Box::new(JsonReport(Report::<RdJson>::new(stream, is_hinted))),
    )]);

/// Maximum number of diagnostics held back for values that the document sets for all of them, possibly after
/// them; beyond it, diagnostics are completed with the values known so far.
const WAITING: usize = 4096;

/// State while one document is read.
#[derive(Debug, Default)]
struct RdJson {
    waiting: Vec<Diagnosed>,
    severity: Option<Level>,
    source: Option<String>,
}

impl JsonDialect for RdJson {
    const FORMAT: &'static str = TOOL_NAME;
    const RULE: &'static str = "rdjson/document";
    const PATHS: &'static [Path] = &[&["diagnostics", ANY]];

    fn record(&mut self, record: Record<'_>, at: Origin, findings: &mut Findings) -> bool {
        let Some(found) = diagnostic(&record.value, at) else { return false };
        self.waiting.push(found);
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
        for Diagnosed { mut found, level, tool } in self.waiting.drain(..) {
            found.level = level.or(self.severity).unwrap_or(Level::Warning);
            found.tool = tool.or_else(|| self.source.clone()).unwrap_or(found.tool);
            findings.add(found);
        }
        true
    }
}

/// A diagnostic, with those of its values that may also be set for all diagnostics.
#[derive(Debug)]
struct Diagnosed {
    found: Diagnostic,
    level: Option<Level>,
    tool: Option<String>,
}

static LINES: JsonLines = JsonLines {
    format: "rdjsonl",
    rule: "rdjson/line",
    keys: &["\"location\"", "\"message\""],
    record: |record| {
        let found = diagnostic(&record.value, place("", Stream::Stdout, record));
        found
            .map(|Diagnosed { found, level, tool }| Diagnostic {
                level: level.unwrap_or(Level::Warning),
                tool: tool.unwrap_or_else(|| TOOL_NAME.to_owned()),
                ..found
            })
            .into()
    },
};

/// Parses one diagnostic.
fn diagnostic(value: &Value, at: Origin) -> Option<Diagnosed> {
    let (said, location) = (value["message"].as_str()?, &value["location"]);
    let path = location["path"].as_str()?;
    // A member that the format does not define indicates another format.
    if location.as_object()?.keys().any(|key| !matches!(key.as_str(), "path" | "range")) {
        return None;
    }
    let tool = value["source"]["name"].as_str().filter(|name| !name.is_empty()).map(name);
    let mut found = finding(TOOL_NAME, at, Level::Warning, said);
    let (start, end) = (&location["range"]["start"], &location["range"]["end"]);
    found.file = (!path.is_empty()).then(|| name(&text::path(path)));
    found.line = position(start.get("line"));
    found.column = position(start.get("column")).filter(|_| found.line.is_some());
    found.end_line = position(end.get("line"));
    found.end_column = position(end.get("column"));
    found.code = value["code"]["value"].as_str().filter(|code| !code.is_empty()).map(name);
    let suggestions = value["suggestions"].as_array().filter(|all| !all.is_empty());
    found.fixable = suggestions.is_some();
    found.suggestion = suggestions.and_then(|all| all[0]["text"].as_str()).filter(|text| !text.is_empty()).map(name);
    let related = value["relatedLocations"].as_array().or(value["related_locations"].as_array());
    found.related = related.into_iter().flatten().take(RELATED).map(related_place).collect();
    Some(Diagnosed { found, level: level(&value["severity"]), tool })
}

fn related_place(value: &Value) -> RelatedPlace {
    let (location, start) = (&value["location"], &value["location"]["range"]["start"]);
    RelatedPlace {
        file: location["path"].as_str().map(|path| name(&text::path(path))),
        line: position(start.get("line")),
        column: position(start.get("column")),
        message: name(value["message"].as_str().unwrap_or_default()),
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
