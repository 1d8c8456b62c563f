//! bandit: `screen` and `txt`, `custom`, and `json`. Severity high is an error, medium a warning, low a remark.
//!
//! ```text
//! >> Issue: [B307:blacklist] Use of possibly insecure function - consider using safer ast.literal_eval.
//!    Severity: Medium   Confidence: High
//!    Location: ./app.py:38:27
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, diagnostic, name};
use crate::document::Opening;
use crate::json::ANY;
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, position, position_from_zero, words};
use crate::shapes::pattern;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// bandit.
pub(crate) const TOOL: Tool = Tool {
    name: "bandit",
    aliases: &["bandit-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[">> Issue: [", "[bandit]: ", "No issues identified.", "Total issues (by severity):"],
        reader: |_| Box::new(Bandit::default()),
    }],
    documents: &[DocumentFormat {
        opening: Opening {
            compact: &["{\"errors\":"],
            keys: &["\"errors\":", "\"results\":", "\"generated_at\":"],
            empty: None,
        },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::together,
};

static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "bandit/json",
    paths: &[&["results", ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |members| members.contains_key("generated_at") && members.contains_key("metrics"),
    is_strict: false,
    standing: Standing::Certain,
};

/// The first line of a finding. Before version 1.6 it had no name of the test.
static ISSUE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^>> Issue: \[(?<code>B\d{3})(?::[^\]]*)?\] ?(?<message>.*)$"));

static SEVERITY: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ +Severity: (?<severity>\w+) +Confidence: \w+$"));

static LOCATION: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^ +Location: (?<file>\S.*?):(?<line>\d+)(?::(?<column>\d+))?$"));

/// The default template of the format `custom`.
static CUSTOM: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): (?<code>B\d{3})\[bandit\]: (?<severity>LOW|MEDIUM|HIGH|UNDEFINED): (?<message>.*)$",
    )
});

fn level(severity: &str) -> Level {
    match severity.to_ascii_lowercase().as_str() {
        "high" => Level::Error,
        "medium" => Level::Warning,
        _ => Level::Info,
    }
}

/// Makes a finding of an object. Columns are counted from 0.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let code = words(value, "test_id")?;
    let mut found = finding("bandit", level(words(value, "issue_severity")?), words(value, "issue_text")?);
    found.file = file(value, "filename");
    found.line = position(value, "line_number");
    found.column = position_from_zero(value, "col_offset").filter(|_| found.line.is_some());
    found.code = Some(name(code));
    Some(found)
}

#[derive(Default)]
struct Bandit {
    findings: Findings,
    open: Option<Diagnostic>,
    is_clean: bool,
}

impl Bandit {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }

    /// Takes a line below the first of a finding; it ends with its place.
    fn continues(&mut self, line: &Line<'_>, text: &str) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        open.origin.end = line.end;
        if let Some(captures) = SEVERITY.captures(text) {
            open.level = level(&captures["severity"]);
        } else if let Some(captures) = LOCATION.captures(text) {
            open.file = Some(name(&text::path(&captures["file"])));
            open.line = text::position(&captures["line"]);
            let column = captures.name("column").and_then(|column| column.as_str().parse::<u32>().ok());
            open.column = column.and_then(|column| column.checked_add(1)).filter(|_| open.line.is_some());
            self.close();
        } else if !text.starts_with("   ") {
            self.close();
            return false;
        }
        true
    }
}

impl LineReader for Bandit {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.starts_with(">> Issue: [")
            && let Some(captures) = ISSUE.captures(text)
        {
            self.close();
            let mut found = diagnostic("bandit", "bandit/text", line, Level::Warning, &captures["message"]);
            found.code = Some(captures["code"].to_owned());
            self.open = Some(found);
            return Use::Line;
        }
        if text.contains("[bandit]: ")
            && let Some(captures) = CUSTOM.captures(text)
        {
            let level = level(&captures["severity"]);
            self.findings.add(pattern::matched("bandit", "bandit/custom", line, &captures, level));
            return Use::Line;
        }
        if self.continues(line, text) {
            return Use::Line;
        }
        let is_clear = text.trim() == "No issues identified.";
        self.is_clean |= is_clear;
        if is_clear { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let has_findings = 0 < self.findings.counts.total();
        (has_findings || self.is_clean).then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
