//! `-fdiagnostics-format=json`: one array for each compiled file, with notes as children of their diagnostic.

use std::io::{self, BufRead};

use serde::Deserialize;

use super::CRASH;
use crate::json::{self, Records};
use crate::level::level as level_of;
use crate::prelude::*;

/// The order of the keys differs between versions.
pub(crate) const FORMAT: DocumentFormat = DocumentFormat::new(
    &[
        "[{\"kind\": \"error\"",
        "[{\"kind\": \"warning\"",
        "[{\"kind\": \"fatal error\"",
        "[{\"kind\": \"note\"",
        "[{\"locations\": [{\"caret\"",
        "[{\"locations\": [{\"finish\"",
        "[{\"column-origin\": ",
        "[{\"escape-source\": ",
        "[{\"option\": \"-W",
        "[{\"option_url\": ",
        "[{\"children\": [",
        "[{\"fixits\": [",
        "[{\"message\": \"",
    ],
    &[],
    |stream, _| Box::new(Json { stream, findings: Findings::default() }),
);

/// Maximum number of related locations kept for one finding.
const RELATED_KEPT: usize = 16;

struct Json {
    stream: Stream,
    findings: Findings,
}

#[derive(Deserialize)]
struct Finding {
    kind: String,
    message: String,
    option: Option<String>,
    locations: Vec<Location>,
    #[serde(default)]
    children: Vec<Finding>,
    #[serde(default)]
    fixits: Vec<FixIt>,
}

#[derive(Deserialize)]
struct Location {
    caret: JsonLocation,
    finish: Option<JsonLocation>,
}

#[derive(Deserialize)]
struct JsonLocation {
    file: Option<String>,
    line: u32,
    column: u32,
}

#[derive(Deserialize)]
struct FixIt {
    string: String,
}

impl Finding {
    fn diagnostic(&self, origin: Origin) -> Diagnostic {
        let level = match self.kind.as_str() {
            "internal compiler error" | "sorry, unimplemented" => Level::Error,
            kind => level_of(kind).unwrap_or(Level::Info),
        };
        let said = if self.kind == CRASH { format!("{CRASH}: {}", self.message) } else { self.message.clone() };
        let location = self.locations.first();
        let caret = location.map(|location| &location.caret);
        let finish = location.and_then(|location| location.finish.as_ref());
        let line = caret.map(|caret| caret.line).filter(|line| 0 < *line);
        Diagnostic {
            tool: "gcc".to_owned(),
            file: caret.and_then(|caret| caret.file.as_deref()).map(|file| name(&text::path(file))),
            line,
            column: caret.map(|caret| caret.column).filter(|column| 0 < *column && line.is_some()),
            end_line: finish.map(|finish| finish.line),
            end_column: finish.map(|finish| finish.column.saturating_add(1)),
            code: self.option.as_deref().map(name),
            level,
            message: cut::head(said.trim(), limit::MESSAGE_BYTES).to_owned(),
            fixable: !self.fixits.is_empty(),
            suggestion: self.fixits.first().map(|fix| name(&fix.string)),
            source: None,
            edits: Vec::new(),
            related: Vec::new(),
            origin,
        }
    }

    fn related(&self) -> RelatedPlace {
        let caret = self.locations.first().map(|location| &location.caret);
        RelatedPlace {
            file: caret.and_then(|caret| caret.file.as_deref()).map(|file| name(&text::path(file))),
            line: caret.map(|caret| caret.line),
            column: caret.map(|caret| caret.column),
            message: cut::head(&self.message, limit::MESSAGE_BYTES / RELATED_KEPT).to_owned(),
        }
    }
}

impl Records for Json {
    fn record(&mut self, record: Record<'_>) {
        let (start, end) = (record.start, record.end);
        let Ok(finding) = serde_json::from_value::<Finding>(record.value) else { return };
        let origin = || Origin { rule: "gcc/json".to_owned(), stream: self.stream, start, end };
        let mut found = finding.diagnostic(origin());
        found.related = finding.children.iter().take(RELATED_KEPT).map(Finding::related).collect();
        self.findings.add(found);
        for note in &finding.children {
            self.findings.add(note.diagnostic(origin()));
        }
    }
}

impl DocumentReader for Json {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        json::read(reader, start, &[&[json::ANY]], self)
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Candidate> {
        self.findings.candidate("json")
    }
}
