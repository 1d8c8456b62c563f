//! Reek: smells below each file, or with `--single-line` one a line, and JSON.
//!
//! ```text
//! app/a.rb -- 2 warnings:
//!   [3]:IrresponsibleModule: A has no descriptive comment [https://github.com/troessner/reek/…]
//!   app/a.rb:8: FeatureEnvy: A#b refers to 'c' more than self
//! 2 total warnings
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level, RelatedPlace};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, name};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, named, said};
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// Reek.
pub(crate) const TOOL: Tool = Tool {
    name: "reek",
    aliases: &["reek-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[" warnings:", " 1 warning:", " total warning"],
        reader: |is_hinted| Box::new(Reek::new(is_hinted)),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[{\"context\":\""], keys: &["\"context\":"], empty: Some("[]") },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// Further places of one smell that are kept.
const RELATED_KEPT: usize = 16;

static HEAD: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?<file>\S.*?) -- \d+ warnings?:$"));

static SMELL: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^  (?:(?<file>\S.*?):(?<line>\d+): |\[(?<lines>[\d, ]+)\]:)?(?<code>[A-Z]\w+): (?<message>.*?)(?: \[https?://\S+\])?$",
    )
});

static TOTAL: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(\d+) total warnings?$"));

/// `[{"context":"A","lines":[3],"message":"has no descriptive comment","smell_type":…,"source":"a.rb"}]`.
static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "reek/json",
    paths: &[&[ANY]],
    record: |record| smell(record).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

fn smell(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let code = named(value, "smell_type")?;
    let message = format!("{} {}", said(value, "context")?, said(value, "message")?);
    let mut found = finding("reek", Level::Warning, &message);
    found.code = Some(code);
    found.file = file(value, "source");
    let lines = value.get("lines").and_then(Value::as_array).into_iter().flatten();
    place(&mut found, lines.filter_map(Value::as_u64).filter_map(|line| u32::try_from(line).ok()));
    Some(found)
}

/// Puts a smell where it was found: the first line, with the others beside it.
fn place(found: &mut Diagnostic, mut lines: impl Iterator<Item = u32>) {
    found.line = lines.next().filter(|line| 0 < *line);
    let file = found.file.clone();
    let related = |line| RelatedPlace { file: file.clone(), line: Some(line), column: None, message: String::new() };
    found.related = lines.take(RELATED_KEPT).map(related).collect();
}

/// Reads one stream.
struct Reek {
    is_hinted: bool,
    file: Option<String>,
    findings: Findings,
    listed: u64,
    has_total: bool,
}

impl Reek {
    fn new(is_hinted: bool) -> Self {
        Self { is_hinted, file: None, findings: Findings::default(), listed: 0, has_total: false }
    }
}

impl LineReader for Reek {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(captures) = HEAD.captures(text) {
            self.file = Some(name(&text::path(&captures["file"])));
            return Use::Line;
        }
        if let Some(total) = TOTAL.captures(text).and_then(|captures| text::count(&captures[1])) {
            let listed = std::mem::take(&mut self.listed);
            if listed == 0 && !self.is_hinted {
                return Use::None;
            }
            self.findings.add_unlisted(Level::Warning, total.saturating_sub(listed));
            self.has_total = true;
            self.file = None;
            return Use::Line;
        }
        if self.file.is_none() && !self.is_hinted {
            return Use::None;
        }
        let Some(captures) = SMELL.captures(text) else {
            let is_progress = text.starts_with("Inspecting ") && text.ends_with(" file(s):");
            return if is_progress { Use::Line } else { Use::None };
        };
        let mut found = matched("reek", "reek/text", line, &captures, Level::Warning);
        found.file = found.file.or_else(|| self.file.clone());
        if let Some(lines) = captures.name("lines") {
            place(&mut found, lines.as_str().split(", ").filter_map(text::position));
        }
        self.listed += 1;
        self.findings.add(found);
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let is_recognized = 0 < self.findings.counts.total() || (self.is_hinted && self.has_total);
        is_recognized.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
