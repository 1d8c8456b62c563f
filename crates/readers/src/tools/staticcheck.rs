//! staticcheck: `test.go:9:9: empty branch (SA9003)`; stylish (the file, below it `  (9, 9)  SA9003  empty branch`);
//! JSON, one object a line (`{"code":"SA9003","severity":"error","location":{"file":…,"line":9,"column":9},…}`).

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, name};
use crate::document::Opening;
use crate::json::ANY;
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, JsonLines, Told, finding};
use crate::shapes::members::{file, named, position, words};
use crate::shapes::pattern::{self, OneLine};
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// The linter.
pub(crate) const TOOL: Tool = Tool {
    name: "staticcheck",
    aliases: &["staticcheck-json"],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &[" (SA", " (S1", " (ST1", " (QF1", " (U1000)", " (compile)"], reader: |_| TEXT.reader() },
        LineFormat { wakes: &["  SA", "  S1", "  ST1", "  QF1", "  U1000"], reader: |_| Box::new(Stylish::default()) },
        LineFormat { wakes: &["{\"code\":\""], reader: |_| JSON.reader() },
    ],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[{\"code\":\""], keys: &["\"code\":"], empty: None },
        reader: |stream, _| LIST.reader(stream, false),
    }],
    settle: claim::gravest,
};

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S[^:]*\.go):(?<line>\d+):(?<column>\d+): (?<message>.*) \((?<code>(?:SA|S|ST|QF|U)\d{4}|compile)\)$",
    )
});

static TEXT: OneLine = OneLine {
    tool: "staticcheck",
    format: "text",
    rule: "staticcheck/text",
    pattern: &LINE,
    // It has no levels in text, and fails for all that it finds.
    level: Level::Error,
    standing: Standing::Certain,
    complete: |_, _| true,
};

static ROW: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^ +\((?<line>\d+), (?<column>\d+)\) +(?<code>(?:SA|S|ST|QF|U)\d{4}|compile) +(?<message>\S.*)$")
});

/// Reads the stylish format.
#[derive(Default)]
struct Stylish {
    file: Option<String>,
    findings: Findings,
}

impl LineReader for Stylish {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text::has_extension(text, &["go"]) && !text.starts_with(' ') {
            self.file = Some(name(&text::path(text)));
            return Use::None;
        }
        let Some(captures) = text.starts_with(' ').then(|| ROW.captures(text)).flatten() else {
            return Use::None;
        };
        let mut found = pattern::matched("staticcheck", "staticcheck/stylish", line, &captures, Level::Error);
        found.file.clone_from(&self.file);
        self.findings.add(found);
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "stylish", findings: self.findings, ..Claim::default() })
    }
}

static JSON: JsonLines = JsonLines {
    format: "json",
    rule: "staticcheck/json",
    keys: &["{\"code\":\""],
    record: |record| problem(&record.value),
};

/// Problems that somebody put into one list.
static LIST: JsonFindings = JsonFindings {
    format: "json",
    rule: "staticcheck/json",
    paths: &[&[ANY]],
    record: |record| problem(&record.value),
    is_own: |_| false,
    is_strict: true,
    standing: Standing::Certain,
};

/// Tells what an object of the JSON format is: problems that are ignored stand there, too.
fn problem(value: &Value) -> Told {
    let (Some(message), Some(path)) = (words(value, "message"), file(value, "location/file")) else {
        return Told::Stranger;
    };
    let level = match words(value, "severity") {
        Some("ignored") => return Told::Nothing,
        Some("error") => Level::Error,
        _ => Level::Warning,
    };
    let mut found = finding("staticcheck", level, message);
    found.file = Some(path);
    found.code = named(value, "code");
    found.line = position(value, "location/line");
    found.column = position(value, "location/column");
    found.end_line = position(value, "end/line");
    found.end_column = position(value, "end/column");
    Told::Finding(Box::new(found))
}
