//! typos: long (``error: `teh` should be `the` ``, below it `╭▸ a.txt:1:6` or `--> a.txt:1:6`), brief
//! (``a.txt:1:6: `teh` -> `the` ``) and JSON, one object a line (`{"type":"typo","path":"a.txt","line_num":1,…}`).

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, Findings, LineReader, Use, name};
use crate::scan::Line;
use crate::shapes::json_findings::{JsonLines, finding};
use crate::shapes::members::{file, position, position_from_zero, words};
use crate::shapes::pattern;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The spell checker.
pub(crate) const TOOL: Tool = Tool {
    name: "typos",
    aliases: &[],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &["` should be `", "` -> `", "` is disallowed"], reader: |_| Box::new(Text::default()) },
        LineFormat { wakes: &["\"type\":\"typo\""], reader: |_| JSON.reader() },
    ],
    documents: &[],
    settle: claim::gravest,
};

/// ``error: `teh` should be `the`, `tea` ``.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^error: (?<message>`[^`]+` (?:should be (?<right>`[^`]+`(?:, `[^`]+`)*)|is disallowed))$")
});

/// `  ╭▸ a.txt:1:6`; of a file's own name there is no line.
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^ *(?:╭▸|-->|╭─\[?) ?(?<file>\S.*?)(?::(?<line>\d+):(?<column>\d+))?\]?$"));

/// ``a.txt:1:6: `teh` -> `the` ``.
static BRIEF: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>`[^`]+` (?:-> (?<right>`[^`]+`(?:, `[^`]+`)*)|is disallowed))$",
    )
});

/// A line of the frame below a finding.
static FRAME: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^ *(?:(?<number>\d+) *)?(?:\||│|╰╴|╰─)(?: ?(?<rest>.*))?$"));

/// Reads long and brief.
#[derive(Default)]
struct Text {
    findings: Findings,
    open: Option<Diagnostic>,
}

impl Text {
    fn close(&mut self) {
        if let Some(found) = self.open.take().filter(|found| found.file.is_some()) {
            self.findings.add(found);
        }
    }
}

/// Takes the corrections from a finding: ``"`the`, `tea`"`` gives `the, tea`.
fn propose(found: &mut Diagnostic, captures: &regex::Captures<'_>) {
    let right = captures.name("right").map(|right| name(&right.as_str().replace('`', "")));
    // Only one correction is applied.
    found.fixable = right.as_deref().is_some_and(|right| !right.contains(", "));
    found.suggestion = right;
}

impl LineReader for Text {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if let Some(captures) = text.starts_with("error: `").then(|| HEADING.captures(text)).flatten() {
            self.close();
            let mut found = pattern::matched("typos", "typos/long", line, &captures, Level::Error);
            propose(&mut found, &captures);
            self.open = Some(found);
            return Use::Line;
        }
        if let Some(captures) = text.contains(": `").then(|| BRIEF.captures(text)).flatten() {
            self.close();
            let mut found = pattern::matched("typos", "typos/brief", line, &captures, Level::Error);
            propose(&mut found, &captures);
            self.findings.add(found);
            return Use::Line;
        }
        let Some(found) = &mut self.open else {
            return Use::None;
        };
        if found.file.is_none() {
            let Some(captures) = PLACE.captures(text) else {
                self.close();
                return Use::None;
            };
            found.file = Some(name(&text::path(&captures["file"])));
            found.line = captures.name("line").and_then(|line| text::position(line.as_str()));
            found.column = captures.name("column").and_then(|column| text::position(column.as_str()));
        } else if let Some(captures) = FRAME.captures(text) {
            let number = captures.name("number").and_then(|number| text::position(number.as_str()));
            if let Some(rest) = captures.name("rest").filter(|_| number.is_some() && number == found.line) {
                found.source = Some(cut::head(rest.as_str(), limit::MESSAGE_BYTES).to_owned());
            }
        } else {
            self.close();
            return Use::None;
        }
        found.origin.end = line.end;
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}

static JSON: JsonLines = JsonLines {
    format: "json",
    rule: "typos/json",
    keys: &["\"type\":\"typo\""],
    record: |record| of_object(&record.value).into(),
};

/// Makes a finding of an object of the JSON format.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let wrong = words(value, "typo")?;
    let right: Vec<&str> = value
        .get("corrections")
        .and_then(Value::as_array)
        .map(|all| all.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let message = if right.is_empty() {
        format!("`{wrong}` is disallowed")
    } else {
        format!("`{wrong}` should be `{}`", right.join("`, `"))
    };
    let mut found = finding("typos", Level::Error, &message);
    found.file = file(value, "path");
    found.line = position(value, "line_num");
    found.column = position_from_zero(value, "byte_offset").filter(|_| found.line.is_some());
    found.fixable = right.len() == 1;
    found.suggestion = (!right.is_empty()).then(|| name(&right.join(", ")));
    Some(found)
}
