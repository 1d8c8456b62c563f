//! `go vet`: `vet/v.go:19:2: unreachable code`, preceded by `# [example.com/demo]` where a package was named.
//! With `-json`: `{"example.com/demo": {"printf": [{"posn": "/demo/v.go:14:14", "message": "…"}]}}`.

use std::io::{self, BufRead};

use super::go_build::lines;
use crate::json::{self, Path, Records};
use crate::prelude::*;
use crate::shapes::json_findings::place;
use crate::shapes::members::is_filled;
use crate::shapes::record_kind::finding;

pub(crate) static TOOL: Tool = Tool::new("govet", &["go-vet", "vet"], Role::Lint)
    .lines(&[LineFormat::new(&[".go:"], |is_hinted| Box::new(lines::Compiler::new(&lines::VET, is_hinted)))])
    .documents(&[DocumentFormat::new(&[], &["\""], |stream, is_hinted| {
        Box::new(Report { stream, is_hinted, findings: Findings::default() })
    })
    .or_empty("{}")]);

/// Findings by package and analyzer.
const PATHS: &[Path] = &[&[ANY, ANY, ANY]];

/// Reads the JSON format. No key identifies it, so it is read only with a hint.
struct Report {
    stream: Stream,
    is_hinted: bool,
    findings: Findings,
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let mut extent = json::read(reader, start, PATHS, self)?;
        if self.findings.counts.total() == 0 {
            // Any object may begin like this: one of another shape is not a broken report of vet.
            (extent.is_complete, extent.lines) = (true, extent.lines.max(1));
        }
        Ok(extent)
    }

    fn finish(self: Box<Self>, _: bool) -> Option<Candidate> {
        let found = 0 < self.findings.counts.total();
        (self.is_hinted && found).then(|| Candidate { format: "json", findings: self.findings, ..Candidate::default() })
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let said = |key: &str| record.value.get(key).and_then(serde_json::Value::as_str);
        let (Some(position), Some(message)) = (said("posn"), said("message")) else { return };
        let mut found = finding("govet", Level::Error, message);
        found.origin = place("govet/json", self.stream, &record);
        found.code = record.key.map(name);
        let mut parts = position.rsplitn(3, ':');
        found.column = parts.next().and_then(text::position);
        found.line = parts.next().and_then(text::position);
        found.file = parts.next().map(|file| name(&text::path(file)));
        found.fixable = is_filled(&record.value, "suggested_fixes");
        self.findings.add(found);
    }
}
