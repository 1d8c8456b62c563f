//! staticcheck: `test.go:9:9: empty branch (SA9003)`; stylish (the file, below it `  (9, 9)  SA9003  empty branch`);
//! JSON, one object a line (`{"code":"SA9003","severity":"error","location":{"file":…,"line":9,"column":9},…}`).

use std::io::{self, BufRead};
use std::ops::Range;
use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use referee_model::record::Stream;
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, DocumentReader, Findings, LineReader, Standing, Use, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Path, Record, Records};
use crate::pattern::{self, OneLine};
use crate::recorded::{diagnostic_at, file, position, words};
use crate::scan::Line;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// The linter.
pub(crate) const TOOL: Tool = Tool {
    name: "staticcheck",
    aliases: &["staticcheck-json"],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &[" (SA", " (S1", " (ST1", " (QF1", " (U1000)", " (compile)"], reader: |_| TEXT.reader() },
        LineFormat { wakes: &["  SA", "  S1", "  ST1", "  QF1", "  U1000"], reader: |_| Box::new(Stylish::default()) },
        LineFormat { wakes: &["{\"code\":\""], reader: |_| Box::new(Json::default()) },
    ],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[{\"code\":\""], keys: &["\"code\":"], empty: None },
        reader: |stream, _| Box::new(List { stream, findings: Findings::default(), foreign: 0 }),
    }],
    settle: claim::gravest,
};

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S[^:]*\.go):(?<line>\d+):(?<column>\d+): (?<message>.*) \((?<code>(?:SA|S|ST|QF|U)\d{4}|compile)\)$",
    )
});

static TEXT: OneLine = OneLine {
    tool: "staticcheck",
    format: "text",
    rule: "staticcheck/text",
    pattern: &LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |found, captures| {
        if &captures["code"] == "compile" {
            found.level = Level::Error;
        }
        true
    },
};

static ROW: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^ +\((?<line>\d+), (?<column>\d+)\) +(?<code>(?:SA|S|ST|QF|U)\d{4}|compile) +(?<message>\S.*)$")
});

/// Reads the stylish format.
#[derive(Default)]
struct Stylish {
    file: Option<String>,
    findings: Findings,
}

impl LineReader for Stylish {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text::has_extension(text, "go") && !text.starts_with(' ') {
            self.file = Some(name(&text::path(text)));
            return Use::None;
        }
        let Some(captures) = text.starts_with(' ').then(|| ROW.captures(text)).flatten() else {
            return Use::None;
        };
        let mut found = pattern::matched("staticcheck", "staticcheck/stylish", line, &captures, Level::Warning);
        found.file.clone_from(&self.file);
        self.findings.add(found);
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "stylish", findings: self.findings, ..Claim::default() })
    }
}

/// Reads the JSON format.
#[derive(Default)]
struct Json {
    findings: Findings,
}

impl LineReader for Json {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim();
        if !text.starts_with("{\"code\":\"") {
            return Use::None;
        }
        let value = serde_json::from_str::<Value>(text).ok().filter(is_problem);
        let Some(value) = value else {
            return Use::None;
        };
        if let Some(found) = problem(&value, line.stream, line.start..line.end) {
            self.findings.add(found);
        }
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "json", findings: self.findings, ..Claim::default() })
    }
}

fn is_problem(value: &Value) -> bool {
    words(value, &["message"]).is_some() && words(value, &["location", "file"]).is_some()
}

/// Makes a finding of a problem; none of one that is ignored.
fn problem(value: &Value, stream: Stream, place: Range<u64>) -> Option<Diagnostic> {
    let level = match words(value, &["severity"]) {
        Some("ignored") => return None,
        Some("error") => Level::Error,
        _ => Level::Warning,
    };
    let message = words(value, &["message"])?;
    let mut found = diagnostic_at("staticcheck", "staticcheck/json", stream, place, level, message);
    found.file = file(value, &["location", "file"]);
    found.code = words(value, &["code"]).map(name);
    found.line = position(value, &["location", "line"]);
    found.column = position(value, &["location", "column"]);
    found.end_line = position(value, &["end", "line"]);
    found.end_column = position(value, &["end", "column"]);
    Some(found)
}

const PATHS: &[Path] = &[&[ANY]];

/// Reads problems that somebody put into one list.
struct List {
    stream: Stream,
    findings: Findings,
    /// Records of another shape.
    foreign: u64,
}

impl DocumentReader for List {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        json::read(reader, start, PATHS, self)
    }

    fn finish(self: Box<Self>, _: bool) -> Option<Claim> {
        let found = self.foreign == 0 && 0 < self.findings.counts.total();
        found.then(|| Claim { format: "json", findings: self.findings, ..Claim::default() })
    }
}

impl Records for List {
    fn record(&mut self, record: Record<'_>) {
        if !is_problem(&record.value) {
            self.foreign += 1;
        } else if let Some(found) = problem(&record.value, self.stream, record.start..record.end) {
            self.findings.add(found);
        }
    }
}
