//! Linters of prose that print a heading for each file: Vale, alex and write-good.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, name};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{named, position, said};
use crate::shapes::pattern::{OneLine, level, matched};
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// Vale.
pub(crate) const VALE: Tool = Tool {
    name: "vale",
    aliases: &["vale-json"],
    role: Role::Lint,
    lines: &[
        LineFormat {
            wakes: &[" suggestions in ", " suggestion in "],
            reader: |is_hinted| Box::new(Headed::new(&VALE_TEXT, is_hinted)),
        },
        LineFormat { wakes: &[":Vale.", ":Microsoft.", ":Google.", ":write-good."], reader: |_| VALE_LINE.reader() },
    ],
    documents: &[DocumentFormat {
        opening: Opening { compact: &[], keys: &["\"Action\":"], empty: Some("{}") },
        reader: |stream, is_hinted| VALE_JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// alex.
pub(crate) const ALEX: Tool = Tool {
    name: "alex",
    aliases: &["remark", "remark-lint"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &["  warning  ", "  error  ", ": no issues found"],
        reader: |is_hinted| Box::new(Headed::new(&ALEX_TEXT, is_hinted)),
    }],
    documents: &[],
    settle: claim::gravest,
};

/// write-good.
pub(crate) const WRITE_GOOD: Tool = Tool {
    name: "write-good",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[" at column "],
        reader: |is_hinted| Box::new(Headed::new(&WRITE_GOOD_TEXT, is_hinted)),
    }],
    documents: &[],
    settle: claim::gravest,
};

/// A format with a heading for each file, and findings that stand on one line each below it.
struct Layout {
    tool: &'static str,
    rule: &'static str,
    head: LazyLock<Regex>,
    finding: LazyLock<Regex>,
    /// What closes the whole, or tells that nothing was found.
    closing: LazyLock<Regex>,
    /// What tells that the heading before was none. Without a hint findings count only with what closes the whole.
    closes: bool,
    /// Added to columns, which some tools count from 0.
    shift: u32,
}

/// ` docs/a.md`, and below ` 1:5   error    Did you really mean 'foo'?  Vale.Spelling`; wrapped lines are not read.
static VALE_TEXT: Layout = Layout {
    tool: "vale",
    rule: "vale/text",
    head: LazyLock::new(|| text::pattern(r"^ (?<file>\S+\.\w+)$")),
    finding: LazyLock::new(|| {
        text::pattern(
            r"^ (?<line>\d+):(?<column>\d+) {2,}(?<level>error|warning|suggestion) {2,}(?<message>\S.*?)(?: {2,}(?<code>[\w-]+(?:\.[\w-]+)+))?$",
        )
    }),
    closing: LazyLock::new(|| {
        text::pattern(r"^[✖✔] \d+ errors?, \d+ warnings? and \d+ suggestions? in (?:\d+ files?|stdin)\.$")
    }),
    closes: true,
    shift: 0,
};

/// `README.md`, and below `  1:5-1:14  warning  `boogeyman` may be insensitive  boogeyman  retext-equality`.
static ALEX_TEXT: Layout = Layout {
    tool: "alex",
    rule: "alex/text",
    head: LazyLock::new(|| text::pattern(r"^(?<file>\S+\.\w+)$")),
    finding: LazyLock::new(|| {
        text::pattern(
            r"^ +(?<line>\d+):(?<column>\d+)-(?<end_line>\d+):(?<end_column>\d+) {2,}(?<level>error|warning|info) {2,}(?<message>\S.*?)(?: {2,}(?<code>[\w-]+) {2,}[\w:-]+)?$",
        )
    }),
    closing: LazyLock::new(|| {
        text::pattern(
            r"^(?:⚠ \d+ warnings?|✖ \d+ errors?(?:, ⚠ \d+ warnings?)?|\d+ messages? \(.*\)|.*: no issues found)$",
        )
    }),
    closes: true,
    shift: 0,
};

/// `In README.md`, and below `"So" adds no meaning on line 1 at column 0`.
static WRITE_GOOD_TEXT: Layout = Layout {
    tool: "write-good",
    rule: "write-good/text",
    head: LazyLock::new(|| text::pattern(r"^In (?<file>\S.*)$")),
    finding: LazyLock::new(|| text::pattern(r#"^(?<message>".*" .*) on line (?<line>\d+) at column (?<column0>\d+)$"#)),
    closing: LazyLock::new(|| text::pattern(r"^=+$|^-{10,}$")),
    closes: false,
    shift: 1,
};

/// Reads one stream of such a format.
struct Headed {
    layout: &'static Layout,
    is_hinted: bool,
    file: Option<String>,
    findings: Findings,
    has_closing: bool,
}

impl Headed {
    fn new(layout: &'static Layout, is_hinted: bool) -> Self {
        Self { layout, is_hinted, file: None, findings: Findings::default(), has_closing: false }
    }
}

impl LineReader for Headed {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let Layout { tool, rule, head, finding, closing, shift, .. } = self.layout;
        let text = line.text.trim_end();
        if let Some(captures) = finding.captures(text) {
            if self.file.is_none() {
                return Use::None;
            }
            let mut found = matched(tool, rule, line, &captures, Level::Warning);
            found.file.clone_from(&self.file);
            if let Some(column) = captures.name("column0") {
                found.column = column.as_str().parse().ok().and_then(|column: u32| column.checked_add(*shift));
            }
            self.findings.add(found);
            return Use::Line;
        }
        if closing.is_match(text) {
            self.has_closing = true;
            return Use::Line;
        }
        match head.captures(text) {
            Some(captures) => {
                self.file = Some(name(&text::path(&captures["file"])));
                Use::None
            }
            None => Use::None,
        }
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let Layout { closes, .. } = self.layout;
        let has_findings = 0 < self.findings.counts.total();
        let is_recognized = match (self.is_hinted, closes) {
            (true, _) => has_findings || self.has_closing,
            (false, true) => has_findings && self.has_closing,
            (false, false) => has_findings,
        };
        is_recognized.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}

/// `docs/a.md:1:5:Vale.Spelling:Did you really mean 'foo'?`, with `--output=line`.
static VALE_LINE_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+):(?<code>[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+):(?<message>\S.*)$",
    )
});

static VALE_LINE: OneLine = OneLine {
    tool: "vale",
    format: "line",
    rule: "vale/line",
    pattern: &VALE_LINE_PATTERN,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

/// `{"docs/a.md":[{"Check":"Vale.Spelling","Message":…,"Severity":"error","Span":[5,7],"Line":1}]}`.
static VALE_JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "vale/json",
    paths: &[&[ANY, ANY]],
    record: |record| alert(record).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

fn alert(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let code = named(value, "Check")?;
    let mut found = finding("vale", level(said(value, "Severity")?)?, said(value, "Message")?);
    found.code = Some(code);
    found.file = record.key.map(|file| name(&text::path(file)));
    found.line = position(value, "Line");
    let span = value.get("Span").and_then(Value::as_array);
    let column = span.and_then(|span| span.first()).and_then(Value::as_u64);
    found.column = column.and_then(|column| u32::try_from(column).ok()).filter(|column| 0 < *column);
    Some(found)
}
