//! pyright and basedpyright: text, and `--outputjson`.
//!
//! ```text
//! /project/app.py
//!   /project/app.py:33:18 - error: Argument of type … cannot be assigned to parameter "a" …
//!     "Literal['1']" is not assignable to "int" (reportArgumentType)
//! 18 errors, 2 warnings, 0 informations
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, name};
use crate::document::Opening;
use crate::json::ANY;
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, named, position_from_zero, words};
use crate::shapes::pattern;
use crate::shapes::python::is_source;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// pyright.
pub(crate) const TOOL: Tool = Tool {
    name: "pyright",
    aliases: &["pyright-json", "basedpyright"],
    role: Role::Typecheck,
    lines: &[LineFormat {
        wakes: &[
            " - error: ",
            " - warning: ",
            " - information: ",
            " - note: ",
            " informations",
            " notes",
            " warnings, ",
        ],
        reader: |is_hinted| Box::new(Pyright { is_hinted, ..Pyright::default() }),
    }],
    documents: &[DocumentFormat {
        opening: Opening {
            compact: &["{\"version\":", "{\"generalDiagnostics\":"],
            keys: &["\"version\":", "\"generalDiagnostics\":"],
            empty: None,
        },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::together,
};

static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "pyright/json",
    paths: &[&["generalDiagnostics", ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |members| {
        let summary = members.get("summary");
        summary.is_some_and(|summary| summary.get("filesAnalyzed").is_some() || summary.get("errorCount").is_some())
    },
    is_strict: false,
    standing: Standing::Certain,
};

/// A finding; it is indented below its file.
static LOCATED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ {0,4}(?<file>\S.*?):(?:(?<line>\d+):(?<column>\d+) -)? (?<level>error|warning|information|note): (?<message>.*?)(?: \((?<code>report\w+)\))?$",
    )
});

/// The rule at the end of a message of several lines.
static RULE_AT_END: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?<message>.*?) ?\((?<code>report\w+)\)$"));

/// The closing line. basedpyright counts notes.
static CLOSING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<errors>\d+) errors?, (?<warnings>\d+) warnings?, (?<infos>\d+) (?:informations?|infos?|notes?)\.? ?$",
    )
});

/// Makes a finding of an object. Lines and columns are counted from 0.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let level = pattern::level(words(value, "severity")?)?;
    let message = words(value, "message")?;
    let mut found = finding("pyright", level, message);
    found.file = file(value, "file").or_else(|| file(value, "uri"));
    found.line = position_from_zero(value, "range/start/line");
    found.column = position_from_zero(value, "range/start/character");
    found.end_line = position_from_zero(value, "range/end/line");
    found.end_column = position_from_zero(value, "range/end/character");
    found.code = named(value, "rule");
    Some(found)
}

#[derive(Default)]
struct Pyright {
    is_hinted: bool,
    findings: Findings,
    open: Option<Diagnostic>,
    /// Findings since the last closing line.
    listed: [u64; 3],
    is_certain: bool,
    is_clean: bool,
    notes: Vec<String>,
}

impl Pyright {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            let at = match found.level {
                Level::Error => 0,
                Level::Warning => 1,
                Level::Info => 2,
            };
            self.listed[at] += 1;
            self.findings.add(found);
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if !["error: ", "warning: ", "information: ", "note: "].iter().any(|level| text.contains(level)) {
            return false;
        }
        let Some(captures) = LOCATED.captures(text) else {
            return false;
        };
        let is_python = is_source(&captures["file"]);
        // Without its place it looks like what any compiler prints.
        let is_placed = captures.name("line").is_some();
        if !(is_python || self.is_hinted) || !(is_placed || text.starts_with("  ")) {
            return false;
        }
        self.close();
        let found = pattern::matched("pyright", "pyright/text", line, &captures, Level::Error);
        self.is_certain |= found.code.is_some() || (is_python && is_placed);
        self.open = Some(found);
        true
    }

    /// Takes a line that goes on with the message.
    fn continues(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        let text = line.text.trim_end();
        // Part of the indentation are spaces that do not break.
        let indent = text.chars().take_while(|first| first.is_whitespace()).count();
        if indent < 4 || text.trim().is_empty() {
            return false;
        }
        open.origin.end = line.end;
        let said = match RULE_AT_END.captures(text) {
            Some(captures) if open.code.is_none() => {
                open.code = Some(name(&captures["code"]));
                captures["message"].trim().to_owned()
            }
            _ => text.trim().to_owned(),
        };
        text::add_line(&mut open.message, &said, limit::MESSAGE_BYTES);
        true
    }

    fn sum_up(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = CLOSING.captures(&line.text) else {
            return false;
        };
        self.close();
        self.is_clean = true;
        let levels = [(Level::Error, "errors"), (Level::Warning, "warnings"), (Level::Info, "infos")];
        for ((level, group), listed) in levels.into_iter().zip(self.listed) {
            let unlisted = text::count(&captures[group]).unwrap_or(0).saturating_sub(listed);
            if 0 < unlisted && self.notes.len() < 20 {
                self.notes.push(format!("pyright sums up {unlisted} {group} more than were read one by one"));
            }
            if self.is_hinted || self.is_certain {
                self.findings.add_unlisted(level, unlisted);
            }
        }
        self.listed = [0; 3];
        true
    }
}

impl LineReader for Pyright {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.begin(line) || self.continues(line) {
            return Use::Line;
        }
        self.close();
        let text = line.text.trim_end();
        let is_own = text == "No configuration file found." || text.starts_with("Assuming Python platform ");
        if self.sum_up(line) || (is_own && self.is_hinted) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let has_findings = 0 < self.findings.counts.total();
        let is_certain = self.is_certain || self.is_hinted;
        let standing = if is_certain { Standing::Certain } else { Standing::Likely };
        (has_findings || self.is_clean).then(|| Claim {
            format: "text",
            standing,
            findings: self.findings,
            notes: self.notes,
            ..Claim::default()
        })
    }
}
