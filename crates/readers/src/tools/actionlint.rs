//! actionlint: one finding a line, with a code frame below it or not, and JSON.
//!
//! ```text
//! .github/workflows/test.yml:3:5: unexpected key "branch" for "push" section [syntax-check]
//!   |
//! 3 |     branch: main
//!   |     ^~~~~~~
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, name};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, named, position, said};
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// actionlint.
pub(crate) const TOOL: Tool = Tool {
    name: "actionlint",
    aliases: &["actionlint-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[".yml:", ".yaml:", "<stdin>:"],
        reader: |is_hinted| Box::new(Text { is_hinted, findings: Findings::default(), open: None }),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[{\"message\":\""], keys: &["\"message\":"], empty: Some("[]") },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// What actionlint checks, in brackets behind each message.
const KINDS: &[&str] = &[
    "syntax-check",
    "expression",
    "shellcheck",
    "pyflakes",
    "job-needs",
    "matrix",
    "events",
    "glob",
    "action",
    "runner-label",
    "workflow-call",
    "credentials",
    "permissions",
    "env-var",
    "id",
    "deprecated-commands",
    "if-cond",
    "shell-name",
];

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<code>[a-z]+(?:-[a-z]+)*)\]$")
});

/// A line of the frame: the gutter, with the source line or the mark.
static FRAME: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ *(?<number>\d*) +?\|(?: (?<source>.*))?$"));

/// `[{"message":…,"filepath":…,"line":4,"column":5,"kind":"syntax-check","snippet":…,"end_column":11}]`.
static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "actionlint/json",
    paths: &[&[ANY]],
    record: |record| error(record).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

fn error(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let mut found = finding("actionlint", Level::Error, said(value, "message")?);
    found.code = Some(named(value, "kind")?);
    found.file = Some(file(value, "filepath")?);
    found.line = position(value, "line");
    found.column = position(value, "column");
    found.end_line = found.line;
    // The end is that of the last character.
    found.end_column = position(value, "end_column").and_then(|column| column.checked_add(1));
    Some(found)
}

/// Reads the text of one stream.
struct Text {
    is_hinted: bool,
    findings: Findings,
    open: Option<Diagnostic>,
}

impl Text {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }
}

impl LineReader for Text {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.ends_with(']')
            && let Some(captures) = FINDING.captures(text)
            && (self.is_hinted || KINDS.contains(&&captures["code"]))
        {
            self.close();
            self.open = Some(matched("actionlint", "actionlint/text", line, &captures, Level::Error));
            return Use::Line;
        }
        let Some(open) = &mut self.open else {
            return Use::None;
        };
        let Some(captures) = FRAME.captures(text) else {
            self.close();
            return Use::None;
        };
        open.origin.end = line.end;
        let source = captures.name("source").map_or("", |source| source.as_str());
        if !captures["number"].is_empty() {
            open.source = Some(name(source));
        } else if source.trim_start().starts_with('^') {
            open.end_line = open.line;
            open.end_column = u32::try_from(source.chars().count() + 1).ok();
            self.close();
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let is_recognized = 0 < self.findings.counts.total();
        is_recognized.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
