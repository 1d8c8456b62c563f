//! cfn-lint: text, `parseable` and `json`.
//!
//! ```text
//! E3006 Resource type 'AWS::S3::Bucketx' does not exist in 'us-east-1'
//! t.yaml:3:5
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
use crate::shapes::members::{file, position, words};
use crate::shapes::pattern;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// cfn-lint.
pub(crate) const TOOL: Tool = Tool {
    name: "cfn-lint",
    aliases: &["cfn-lint-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[".yaml:", ".yml:", ".json:", ".template:"],
        reader: |_| Box::new(CfnLint::default()),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[{\"Filename\":"], keys: &["\"Filename\":"], empty: Some("[]") },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::together,
};

static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "cfn-lint/json",
    paths: &[&[ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

fn of_object(value: &Value) -> Option<Diagnostic> {
    let code = value.pointer("/Rule/Id")?.as_str()?;
    let level = match words(value, "Level")? {
        "Error" => Level::Error,
        "Warning" => Level::Warning,
        _ => Level::Info,
    };
    let mut found = finding("cfn-lint", level, words(value, "Message")?);
    found.file = file(value, "Filename");
    found.line = position(value, "Location/Start/LineNumber");
    found.column = position(value, "Location/Start/ColumnNumber");
    found.end_line = position(value, "Location/End/LineNumber");
    found.end_column = position(value, "Location/End/ColumnNumber");
    found.code = Some(name(code));
    Some(found)
}

/// The first line of a finding; its place follows.
static HEAD: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?<code>[EWI]\d{4}) (?<message>\S.*)$"));

/// The place, of a template.
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<file>\S.*\.(?:ya?ml|json|template|cfn)):(?<line>\d+):(?<column>\d+)$"));

static PARSEABLE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+):(?<end_line>\d+):(?<end_column>\d+):(?<code>[EWI]\d{4}):(?<message>\S.*)$",
    )
});

fn level(code: &str) -> Level {
    match code.bytes().next() {
        Some(b'E') => Level::Error,
        Some(b'W') => Level::Warning,
        _ => Level::Info,
    }
}

#[derive(Default)]
struct CfnLint {
    findings: Findings,
    head: Option<Diagnostic>,
}

impl LineReader for CfnLint {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(mut found) = self.head.take()
            && let Some(captures) = PLACE.captures(text)
        {
            found.file = Some(name(&text::path(&captures["file"])));
            (found.line, found.column) = (text::position(&captures["line"]), text::position(&captures["column"]));
            found.origin.end = line.end;
            self.findings.add(found);
            return Use::WithPrevious;
        }
        let captures = match HEAD.captures(text) {
            Some(captures) => captures,
            None => match text.contains(':').then(|| PARSEABLE.captures(text)).flatten() {
                Some(captures) => captures,
                None => return Use::None,
            },
        };
        let found = pattern::matched("cfn-lint", "cfn-lint/text", line, &captures, level(&captures["code"]));
        if found.file.is_some() {
            self.findings.add(found);
            return Use::Line;
        }
        self.head = Some(found);
        Use::None
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let has_findings = 0 < self.findings.counts.total();
        has_findings.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
