//! revive: JSON (a list of failures, one failure a line, or an object of files), `friendly`
//! (`  ⚠  https://revive.run/r#exported  message`, below it the place), `stylish`, `unix`
//! (`main.go:10:6: [exported] message`), `plain` and the default, which names no rule.

use std::io::{self, BufRead};
use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use referee_model::record::Stream;
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, DocumentReader, Findings, LineReader, Standing, Use, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Record, Records};
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding, place};
use crate::shapes::members::{file, named, position, words};
use crate::shapes::pattern;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// The linter.
pub(crate) const TOOL: Tool = Tool {
    name: "revive",
    aliases: &["revive-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &["https://revive.run/r#", ".go:"],
        reader: |is_hinted| Box::new(Text { is_hinted, ..Text::default() }),
    }],
    documents: &[
        DocumentFormat {
            opening: Opening { compact: &["[{\"Severity\":\""], keys: &["\"Severity\":"], empty: Some("[]") },
            reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
        },
        DocumentFormat {
            opening: Opening { compact: &[], keys: &["\""], empty: None },
            reader: |stream, _| Box::new(ByFile { stream, findings: Findings::default(), has_strangers: false }),
        },
    ],
    settle: claim::gravest,
};

/// `main.go:10:6: [exported] message`, with the page of the rule behind it in the plain format.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S[^:]*\.go):(?<line>\d+):(?<column>\d+): (?:\[(?<code>[a-z][a-z0-9-]+)\] )?(?<message>\S.*?)(?: https://revive\.run/r#(?<page>[a-z0-9-]+))?$",
    )
});

/// `  ⚠  https://revive.run/r#exported  message`; stylish has the place before.
static RULE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ *(?:(?<mark>⚠|✘)|\((?<line>\d+), (?<column>\d+)\)) +https://revive\.run/r#(?<code>[a-z0-9-]+) +(?<message>\S.*)$",
    )
});

/// The place below a friendly finding.
static PLACE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ +(?<file>\S.*\.go):(?<line>\d+):(?<column>\d+)$"));

/// Reads the text formats.
#[derive(Default)]
struct Text {
    is_hinted: bool,
    findings: Findings,
    file: Option<String>,
    open: Option<Diagnostic>,
}

impl LineReader for Text {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if let Some(captures) = text.contains("https://revive.run/r#").then(|| RULE.captures(text)).flatten() {
            let level = if captures.name("mark").is_some_and(|mark| mark.as_str() == "✘") {
                Level::Error
            } else {
                Level::Warning
            };
            let mut found = pattern::matched("revive", "revive/text", line, &captures, level);
            if captures.name("mark").is_some() {
                self.open = Some(found);
            } else {
                found.file.clone_from(&self.file);
                self.findings.add(found);
            }
            return Use::Line;
        }
        if let Some(mut found) = self.open.take() {
            if let Some(captures) = PLACE.captures(text) {
                found.file = Some(name(&text::path(&captures["file"])));
                found.line = text::position(&captures["line"]);
                found.column = text::position(&captures["column"]);
                found.origin.end = line.end;
                self.findings.add(found);
                return Use::Line;
            }
            self.findings.add(found);
        }
        if text::has_extension(text, &["go"]) && !text.starts_with(' ') {
            self.file = Some(name(&text::path(text)));
            return Use::None;
        }
        let Some(captures) = text.contains(".go:").then(|| LINE.captures(text)).flatten() else {
            return Use::None;
        };
        let code = captures.name("code").or(captures.name("page"));
        // Without a rule's page, the line is one that many tools print.
        if !self.is_hinted && captures.name("page").is_none() {
            return Use::None;
        }
        let mut found = pattern::matched("revive", "revive/text", line, &captures, Level::Warning);
        found.code = code.map(|code| name(code.as_str()));
        self.findings.add(found);
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}

static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "revive/json",
    paths: &[&[ANY]],
    record: |record| failure(&record.value).into(),
    is_own: |_| false,
    is_strict: true,
    standing: Standing::Certain,
};

/// Reads a failure as revive's own formatter writes it.
fn failure(value: &Value) -> Option<Diagnostic> {
    let level = words(value, "Severity").and_then(pattern::level).unwrap_or(Level::Warning);
    let mut found = finding("revive", level, words(value, "Failure")?);
    found.code = Some(named(value, "RuleName")?);
    found.file = file(value, "Position/Start/Filename");
    found.line = position(value, "Position/Start/Line");
    found.column = position(value, "Position/Start/Column");
    found.end_line = position(value, "Position/End/Line");
    found.end_column = position(value, "Position/End/Column");
    Some(found)
}

/// Reads a failure below the name of its file.
fn of_file(value: &Value, path: &str) -> Option<Diagnostic> {
    let level = words(value, "severity").and_then(pattern::level).unwrap_or(Level::Warning);
    let mut found = finding("revive", level, words(value, "message")?);
    found.code = Some(named(value, "rule")?);
    found.file = Some(name(&text::path(path)));
    found.line = position(value, "line");
    found.column = position(value, "column");
    Some(found)
}

/// Reads failures by file, of which nothing tells at the beginning that they are revive's.
struct ByFile {
    stream: Stream,
    findings: Findings,
    /// Whether a record came of another shape.
    has_strangers: bool,
}

impl DocumentReader for ByFile {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let mut extent = json::read(reader, start, &[&[ANY, ANY]], self)?;
        if self.findings.counts.total() == 0 {
            // Any object may begin so: one of another shape is not a broken one of this.
            (extent.is_complete, extent.lines) = (true, extent.lines.max(1));
        }
        Ok(extent)
    }

    fn finish(self: Box<Self>, _: bool) -> Option<Claim> {
        let found = !self.has_strangers && 0 < self.findings.counts.total();
        found.then(|| Claim { format: "json", findings: self.findings, ..Claim::default() })
    }
}

impl Records for ByFile {
    fn record(&mut self, record: Record<'_>) {
        let of_go = record.key.filter(|path| text::has_extension(path, &["go"]));
        match of_go.and_then(|path| of_file(&record.value, path)) {
            Some(mut found) => {
                found.origin = place("revive/json", self.stream, &record);
                self.findings.add(found);
            }
            None => self.has_strangers = true,
        }
    }
}
