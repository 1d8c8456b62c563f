//! HLint: text and `--json`.
//!
//! ```text
//! Warn.hs:6:27-43: Warning: Use concatMap
//! Found:
//!   concat (map g xs)
//! Perhaps:
//!   concatMap g xs
//! ```

use std::io::{self, BufRead};
use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level, Origin};
use referee_model::record::Stream;
use referee_syntax::cut;
use regex::Regex;
use serde::Deserialize;

use crate::claim::{self, Claim, DocumentReader, Findings, LineReader, Use, name};
use crate::document::{Extent, Opening};
use crate::json::{self, Record, Records};
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// HLint.
pub(crate) const TOOL: Tool = Tool {
    name: "hlint",
    aliases: &["hlint-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[": Suggestion: ", ": Warning: ", ": Error: ", "No hints"],
        reader: |is_hinted| Box::new(Hlint { is_hinted, ..Hlint::default() }),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[{\"module\":", "[{\"decl\":"], keys: &[], empty: Some("[]") },
        reader: |stream, _| Box::new(Json { stream, findings: Findings::default() }),
    }],
    settle: claim::gravest,
};

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.l?hs):(?:(?<line>\d+):(?<column>\d+)(?:-(?<last>\d+))?|\((?<line2>\d+),(?<column2>\d+)\)-\((?<end_line>\d+),(?<last2>\d+)\)): (?<level>Suggestion|Warning|Error): (?<message>\S.*)$",
    )
});

static COUNT: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?:\d+ hints?|No hints)(?: \(\d+ ignored\))?$"));

/// What the lines are part of.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Message,
    Found,
    Perhaps,
    Note,
}

#[derive(Default)]
struct Hlint {
    is_hinted: bool,
    findings: Findings,
    open: Option<Diagnostic>,
    part: Part,
    was_clean: bool,
}

impl Hlint {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
        self.part = Part::Message;
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = line
            .text
            .contains(".hs:")
            .then(|| HEADING.captures(&line.text))
            .flatten()
            .or_else(|| line.text.contains(".lhs:").then(|| HEADING.captures(&line.text)).flatten())
        else {
            return false;
        };
        self.close();
        let number = |group: &str| captures.name(group).and_then(|digits| text::position(digits.as_str()));
        let mut found = matched("hlint", "hlint/text", line, &captures, Level::Warning);
        found.line = number("line").or_else(|| number("line2"));
        found.column = number("column").or_else(|| number("column2"));
        let last = number("last").or_else(|| number("last2"));
        found.end_line = number("end_line").or(found.line.filter(|_| last.is_some()));
        found.end_column = last.map(|last| last.saturating_add(1));
        self.open = Some(found);
        true
    }

    fn go_on(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = &mut self.open else {
            return false;
        };
        let text = line.text.trim_end();
        match text {
            "Found:" => self.part = Part::Found,
            "Perhaps:" | "Perhaps you should remove it." => self.part = Part::Perhaps,
            _ if text.starts_with("Note: ") => self.part = Part::Note,
            _ if text.starts_with("  ") => match self.part {
                Part::Found => append(&mut found.source, text),
                Part::Perhaps => append(&mut found.suggestion, text),
                Part::Note | Part::Message => return false,
            },
            _ => return false,
        }
        found.origin.end = line.end;
        true
    }
}

fn append(text: &mut Option<String>, line: &str) {
    let line = line.strip_prefix("  ").unwrap_or(line);
    text::append_line(text.get_or_insert_default(), line, limit::MESSAGE_BYTES);
}

impl LineReader for Hlint {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.begin(line) {
            return Use::Line;
        }
        if line.is_blank() {
            self.close();
            return Use::None;
        }
        if self.go_on(line) {
            return Use::Line;
        }
        self.close();
        let is_count = line.text.contains("hint") && COUNT.is_match(&line.text);
        self.was_clean |= is_count && line.text.starts_with("No hints");
        if is_count { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = 0 < self.findings.counts.total() || self.is_hinted && self.was_clean;
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}

struct Json {
    stream: Stream,
    findings: Findings,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hint {
    #[serde(rename = "hint")]
    title: String,
    severity: String,
    file: String,
    start_line: u32,
    start_column: u32,
    end_line: Option<u32>,
    end_column: Option<u32>,
    from: Option<String>,
    to: Option<String>,
}

impl Records for Json {
    fn record(&mut self, record: Record<'_>) {
        let (start, end) = (record.start, record.end);
        let Ok(hint) = serde_json::from_value::<Hint>(record.value) else {
            return;
        };
        let level = match hint.severity.as_str() {
            "Error" => Level::Error,
            "Warning" => Level::Warning,
            "Ignore" => return,
            _ => Level::Info,
        };
        self.findings.add(Diagnostic {
            tool: "hlint".to_owned(),
            file: Some(name(&text::path(&hint.file))),
            line: Some(hint.start_line),
            column: Some(hint.start_column),
            end_line: hint.end_line,
            end_column: hint.end_column,
            code: None,
            level,
            message: cut::head(&hint.title, limit::MESSAGE_BYTES).to_owned(),
            fixable: false,
            suggestion: hint.to,
            source: hint.from,
            edits: Vec::new(),
            related: Vec::new(),
            origin: Origin { rule: "hlint/json".to_owned(), stream: self.stream, start, end },
        });
    }
}

impl DocumentReader for Json {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        json::read(reader, start, &[&[json::ANY]], self)
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Claim> {
        Some(Claim { format: "json", findings: self.findings, ..Claim::default() })
    }
}
