//! pylint: `text`, `parseable`, `msvs` and templates like them, and `json` and `json2`.
//!
//! ```text
//! ************* Module app
//! app.py:38:0: C0301: Line too long (116/100) (line-too-long)
//! app.py:38: [C0301(line-too-long), f] Line too long (116/100)
//! app.py(38): [C0301(line-too-long)f] Line too long (116/100)
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, name};
use crate::document::Opening;
use crate::json::ANY;
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, position, position_from_zero, words};
use crate::shapes::pattern;
use crate::shapes::python::is_source;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// pylint.
pub(crate) const TOOL: Tool = Tool {
    name: "pylint",
    aliases: &["pylint-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[
            "************* Module ",
            "Your code has been rated at ",
            ": [C",
            ": [R",
            ": [W",
            ": [E",
            ": [F",
            ": [I",
            ": C0",
            ": R0",
            ": W0",
            ": E0",
            ": F0",
            ": I0",
            ": C1",
            ": R1",
            ": W1",
            ": E1",
            ": C2",
            ": C3",
            ": C4",
            ": R2",
            ": R3",
            ": W2",
            ": W3",
            ": W4",
            ": W6",
            ": E2",
            ": E3",
            ": E4",
            ": E6",
            ": R5",
            ": R6",
            ": W9",
            ": R9",
        ],
        reader: |is_hinted| Box::new(Pylint { is_hinted, ..Pylint::default() }),
    }],
    documents: &[
        DocumentFormat {
            opening: Opening { compact: &["[{\"type\":"], keys: &["\"type\":"], empty: Some("[]") },
            reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
        },
        DocumentFormat {
            opening: Opening { compact: &["{\"messages\":"], keys: &["\"messages\":"], empty: None },
            reader: |stream, is_hinted| JSON2.reader(stream, is_hinted),
        },
    ],
    settle: claim::together,
};

static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "pylint/json",
    paths: &[&[ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

static JSON2: JsonFindings = JsonFindings {
    format: "json2",
    rule: "pylint/json2",
    paths: &[&["messages", ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |members| members.get("statistics").is_some_and(|it| it.get("messageTypeCount").is_some()),
    is_strict: false,
    standing: Standing::Certain,
};

/// A finding behind its place.
static LOCATED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:()]*?)(?::[A-Za-z_][\w.]*)?(?::(?<line>\d+)(?::(?<column>\d+))?|\((?<line2>\d+)\)): (?:(?<code>[CRWEFI]\d{4}): (?<message>.*?)|\[(?<code2>[CRWEFI](?:\d{4})?)(?:\((?<symbol>[\w-]+)\))?(?:, ?[^\]]*|[A-Za-z_<][^\],]*)?\] (?<message2>.*?))(?: \((?<symbol2>[a-z][a-z-]+)\))?$",
    )
});

/// The level that the letter of a code means.
fn level(letter: Option<char>) -> Level {
    match letter {
        Some('E' | 'F') => Level::Error,
        Some('W') => Level::Warning,
        _ => Level::Info,
    }
}

/// Makes a finding of an object; those of `json2` have the members of their own. Columns are counted from 0.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let code = words(value, "messageId").or_else(|| words(value, "message-id"));
    let symbol = words(value, "symbol");
    value.get("module")?;
    let level = match words(value, "type")? {
        "fatal" | "error" => Level::Error,
        "warning" => Level::Warning,
        "convention" | "refactor" | "info" | "information" | "statement" => Level::Info,
        _ => return None,
    };
    let mut found = finding("pylint", level, words(value, "message")?);
    found.file = file(value, "path").or_else(|| file(value, "absolutePath"));
    found.line = position(value, "line");
    found.column = position_from_zero(value, "column").filter(|_| found.line.is_some());
    found.end_line = position(value, "endLine");
    found.end_column = position_from_zero(value, "endColumn");
    found.code = code.or(symbol).map(name);
    Some(found)
}

#[derive(Default)]
struct Pylint {
    is_hinted: bool,
    findings: Findings,
    /// Whether a line came that only pylint prints.
    is_certain: bool,
    is_rated: bool,
    /// Whether the findings are annotations for GitHub, which are read elsewhere.
    is_annotated: bool,
}

impl LineReader for Pylint {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.starts_with("************* Module ") {
            self.is_certain = true;
            return Use::Line;
        }
        if text.starts_with("::") {
            self.is_annotated = true;
            return Use::None;
        }
        if text.starts_with("Your code has been rated at ") {
            self.is_rated = true;
            return Use::WithPrevious;
        }
        if !text.contains(": ") {
            return Use::None;
        }
        let Some(captures) = LOCATED.captures(text) else {
            return Use::None;
        };
        let group = |names: &[&str]| names.iter().find_map(|name| captures.name(name)).map(|found| found.as_str());
        let code = group(&["code", "code2"]).unwrap_or_default();
        let symbol = group(&["symbol", "symbol2"]);
        let has_number = 1 < code.len();
        let is_python = is_source(&captures["file"]);
        if !self.is_hinted && !is_python {
            return Use::None;
        }
        let mut found = pattern::matched("pylint", "pylint/text", line, &captures, level(code.chars().next()));
        found.line = group(&["line", "line2"]).and_then(text::position);
        // Columns are counted from 0.
        found.column =
            group(&["column"]).and_then(|column| column.parse::<u32>().ok()).and_then(|at| at.checked_add(1));
        group(&["message", "message2"]).unwrap_or_default().clone_into(&mut found.message);
        if let Some((message, symbol)) = captures.name("message2").zip(captures.name("symbol2")) {
            // Behind a code in brackets the name is part of the message: no template of pylint's writes it there.
            found.message = format!("{} ({})", message.as_str(), symbol.as_str());
        }
        found.code = if has_number { Some(code.to_owned()) } else { symbol.map(name) };
        self.is_certain |= symbol.is_some();
        self.findings.add(found);
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let has_findings = 0 < self.findings.counts.total();
        let is_certain = self.is_certain || self.is_rated || self.is_hinted;
        let standing = if is_certain { Standing::Certain } else { Standing::Likely };
        (has_findings || (self.is_rated && !self.is_annotated)).then(|| Claim {
            format: "text",
            standing,
            findings: self.findings,
            ..Claim::default()
        })
    }
}
