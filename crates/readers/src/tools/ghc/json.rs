//! `-fdiagnostics-as-json`, since GHC 9.10: an object on each line.

use referee_model::limit;
use referee_model::reading::Level;
use serde::Deserialize;

use crate::claim::{Claim, Findings, LineReader, Use, diagnostic, name};
use crate::scan::Line;
use crate::text;
use crate::tool::LineFormat;

pub(crate) const FORMAT: LineFormat =
    LineFormat { wakes: &["\"ghcVersion\":\"ghc-"], reader: |_| Box::new(Json { findings: Findings::default() }) };

struct Json {
    findings: Findings,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    span: Option<Span>,
    severity: String,
    code: Option<u32>,
    message: Vec<String>,
    #[serde(default)]
    hints: Vec<String>,
    reason: Option<Reason>,
}

#[derive(Deserialize)]
struct Span {
    file: String,
    start: Place,
    end: Place,
}

#[derive(Deserialize)]
struct Place {
    line: u32,
    column: u32,
}

#[derive(Deserialize)]
struct Reason {
    #[serde(default)]
    flags: Vec<String>,
}

impl LineReader for Json {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if !line.text.starts_with('{') || !line.text.contains("\"ghcVersion\"") {
            return Use::None;
        }
        let Ok(finding) = serde_json::from_str::<Finding>(&line.text) else {
            return Use::None;
        };
        let level = match finding.severity.as_str() {
            "Error" => Level::Error,
            "Warning" => Level::Warning,
            _ => Level::Info,
        };
        let mut found = diagnostic("ghc", "ghc/json", line, level, "");
        for part in finding.message.iter().flat_map(|part| part.lines()) {
            text::append_line(&mut found.message, part, limit::MESSAGE_BYTES);
        }
        if let Some(span) = &finding.span {
            found.file = Some(name(&text::path(&span.file)));
            (found.line, found.column) = (Some(span.start.line), Some(span.start.column));
            (found.end_line, found.end_column) = (Some(span.end.line), Some(span.end.column));
        }
        let flag = finding.reason.and_then(|reason| reason.flags.into_iter().next()).map(|flag| format!("-W{flag}"));
        found.code = flag.filter(|_| level != Level::Error).or(finding.code.map(|code| format!("GHC-{code:05}")));
        found.suggestion = finding.hints.first().map(|hint| name(hint));
        self.findings.add(found);
        Use::Line
    }

    fn sleeps(&self) -> bool {
        true
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "json", findings: self.findings, ..Claim::default() })
    }
}
