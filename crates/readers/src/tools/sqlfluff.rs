//! sqlfluff: the table that people read, and `json` as it was in several versions.
//!
//! ```text
//! == [q.sql] FAIL
//! L:   1 | P:  10 | LT01 | Expected single whitespace between comma ',' and naked
//!                        | identifier. [layout.spacing]
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, name};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, position, words};
use crate::shapes::pattern;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// sqlfluff.
pub(crate) const TOOL: Tool = Tool {
    name: "sqlfluff",
    aliases: &["sqlfluff-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &["== [", "L:   ", "All Finished"],
        reader: |is_hinted| Box::new(Sqlfluff { is_hinted, ..Sqlfluff::default() }),
    }],
    documents: &[
        DocumentFormat {
            opening: Opening { compact: &["[{\"filepath\":"], keys: &["\"filepath\":"], empty: Some("[]") },
            reader: |stream, is_hinted| BY_FILE.reader(stream, is_hinted),
        },
        DocumentFormat {
            opening: Opening { compact: &["{\"violations\":"], keys: &["\"violations\":"], empty: None },
            reader: |stream, is_hinted| VIOLATIONS.reader(stream, is_hinted),
        },
        DocumentFormat {
            opening: Opening { compact: &["[{\"rule_code\":"], keys: &["\"rule_code\":"], empty: None },
            reader: |stream, is_hinted| LIST.reader(stream, is_hinted),
        },
    ],
    settle: claim::together,
};

static BY_FILE: JsonFindings = JsonFindings {
    format: "json",
    rule: "sqlfluff/json",
    paths: &[&[ANY, "violations", ANY]],
    record: |record| of_record(record).into(),
    is_own: |members| members.contains_key("filepath"),
    is_strict: false,
    standing: Standing::Certain,
};

static VIOLATIONS: JsonFindings = JsonFindings { paths: &[&["violations", ANY]], is_own: |_| false, ..BY_FILE };

static LIST: JsonFindings = JsonFindings { paths: &[&[ANY]], is_own: |_| false, ..BY_FILE };

/// Makes a finding of a violation.
fn of_record(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let code = words(value, "code").or_else(|| words(value, "rule_code"))?;
    let said = ["description", "rule_description", "rule_name", "name"];
    let message = said.iter().find_map(|key| words(value, key))?;
    let is_warning = value.get("warning").and_then(Value::as_bool).unwrap_or(false);
    let mut found = finding("sqlfluff", if is_warning { Level::Warning } else { Level::Error }, message);
    let around = record.around("filepath").and_then(Value::as_str).map(|file| name(&text::path(file)));
    found.file = file(value, "path").or(around);
    let either = |keys: [&str; 2]| keys.iter().find_map(|key| position(value, key));
    found.line = either(["start_line_no", "line_no"]);
    found.column = either(["start_line_pos", "line_pos"]).filter(|_| found.line.is_some());
    found.end_line = position(value, "end_line_no");
    found.end_column = position(value, "end_line_pos");
    found.code = Some(name(code));
    found.fixable = value.get("fixes").and_then(Value::as_array).is_some_and(|fixes| !fixes.is_empty());
    Some(found)
}

static FILE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^== \[(?<file>.+)\] (?:FAIL|PASS)$"));

static ROW: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^L: *(?<line>\d+) \| P: *(?<column>\d+) \| +(?<code>[A-Z0-9_]{2,12}) \| (?<message>\S.*)$")
});

#[derive(Default)]
struct Sqlfluff {
    is_hinted: bool,
    findings: Findings,
    file: Option<String>,
    open: Option<Diagnostic>,
    is_known: bool,
}

impl Sqlfluff {
    fn close(&mut self) {
        if let Some(mut found) = self.open.take() {
            // The name of the rule ends the message.
            if found.message.ends_with(']')
                && let Some(rule) = found.message.rfind(" [")
            {
                found.message.truncate(rule);
            }
            self.findings.add(found);
        }
    }
}

impl LineReader for Sqlfluff {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(captures) = text.starts_with("== [").then(|| FILE.captures(text)).flatten() {
            self.close();
            self.is_known = true;
            self.file = Some(name(&text::path(&captures["file"])));
            return Use::Line;
        }
        if let Some(captures) = text.starts_with("L:").then(|| ROW.captures(text)).flatten() {
            self.close();
            let mut found = pattern::matched("sqlfluff", "sqlfluff/text", line, &captures, Level::Error);
            found.file.clone_from(&self.file);
            self.open = Some(found);
            return Use::Line;
        }
        if let Some(open) = &mut self.open
            && let Some(more) = text.trim_start().strip_prefix("| ").filter(|_| text.starts_with("     "))
        {
            if open.message.len() + more.len() < limit::MESSAGE_BYTES {
                open.message.push(' ');
                open.message.push_str(more.trim());
            }
            open.origin.end = line.end;
            return Use::Line;
        }
        self.close();
        let is_end = text.starts_with("All Finished") && (self.is_known || self.is_hinted);
        self.is_known |= is_end;
        if is_end { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let has_findings = 0 < self.findings.counts.total();
        (has_findings || self.is_known).then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
