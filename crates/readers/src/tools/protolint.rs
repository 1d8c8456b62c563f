//! protolint: `[api/order.proto:7:3] Found an incorrect indentation style`, and JSON:
//! `{"lints":[{"filename":"api/order.proto","line":7,"column":3,"message":"…","rule":"INDENT"}]}`.

use std::io::{self, BufRead};
use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use referee_model::record::Stream;
use regex::Regex;

use crate::claim::{self, Claim, DocumentReader, Findings, Standing, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Path, Record, Records};
use crate::pattern::{self, OneLine};
use crate::recorded::{diagnostic_at, file, position, words};
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// The linter of protocol buffers.
pub(crate) const TOOL: Tool = Tool {
    name: "protolint",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &[".proto:"], reader: |_| TEXT.reader() }],
    documents: &[DocumentFormat {
        opening: Opening {
            compact: &["{\"lints\":", "{\"basedir\":"],
            keys: &["\"lints\":", "\"basedir\":"],
            empty: None,
        },
        reader: |stream, _| Box::new(Report { stream, findings: Findings::default(), is_complete: false }),
    }],
    settle: claim::gravest,
};

static LINE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^\[(?<file>\S.*?\.proto):(?<line>\d+):(?<column>\d+)\] (?<message>\S.*)$"));

static TEXT: OneLine = OneLine {
    tool: "protolint",
    format: "text",
    rule: "protolint/text",
    pattern: &LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

const PATHS: &[Path] = &[&["lints", ANY]];

/// Reads the JSON format.
struct Report {
    stream: Stream,
    findings: Findings,
    is_complete: bool,
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let extent = json::read(reader, start, PATHS, self)?;
        self.is_complete |= extent.is_complete;
        Ok(extent)
    }

    fn finish(self: Box<Self>, _: bool) -> Option<Claim> {
        let has_result = self.is_complete || 0 < self.findings.counts.total();
        has_result.then(|| Claim { format: "json", findings: self.findings, ..Claim::default() })
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let value = &record.value;
        let Some(message) = words(value, &["message"]) else {
            return;
        };
        let level = words(value, &["severity"]).and_then(pattern::level).unwrap_or(Level::Warning);
        let place = record.start..record.end;
        let mut found = diagnostic_at("protolint", "protolint/json", self.stream, place, level, message);
        found.code = words(value, &["rule"]).map(name);
        found.file = file(value, &["filename"]);
        found.line = position(value, &["line"]);
        found.column = position(value, &["column"]);
        self.findings.add(found);
    }
}
