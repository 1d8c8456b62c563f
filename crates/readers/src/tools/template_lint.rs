//! Linters of Ruby's templates: `slim-lint`, `haml-lint` and `erb_lint`.
//!
//! ```text
//! app/views/top.html.slim:40 [W] RuboCop: Layout/ExtraSpacing: Unnecessary spacing detected.
//! application.html.erb:4:6: Use 1 newline after `<%` instead of 2.
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, diagnostic, name};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{named, position, said};
use crate::shapes::pattern::{OneLine, level};
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// slim-lint.
pub(crate) const SLIM: Tool = Tool {
    name: "slim-lint",
    aliases: &["slim_lint"],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &[".slim:"], reader: |_| SLIM_TEXT.reader() }],
    documents: &[],
    settle: claim::gravest,
};

/// haml-lint.
pub(crate) const HAML: Tool = Tool {
    name: "haml-lint",
    aliases: &["haml_lint"],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &[".haml:"], reader: |_| HAML_TEXT.reader() }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["{\"metadata\":{\"haml"], keys: &["\"metadata\":"], empty: None },
        reader: |stream, is_hinted| HAML_JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// ERB Lint.
pub(crate) const ERB: Tool = Tool {
    name: "erb-lint",
    aliases: &["erb_lint", "erblint"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[".erb:", "In file: ", " linters..."],
        reader: |is_hinted| Box::new(Erb::new(is_hinted)),
    }],
    documents: &[],
    settle: claim::gravest,
};

static SLIM_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>\S.*?\.slim):(?<line>\d+) \[(?<level>[A-Z])\] (?:(?<code>[A-Z]\w+): )?(?<message>.*)$")
});

static SLIM_TEXT: OneLine = OneLine {
    tool: "slim-lint",
    format: "text",
    rule: "slim-lint/text",
    pattern: &SLIM_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

static HAML_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>\S.*?\.haml):(?<line>\d+) \[(?<level>[A-Z])\] (?:(?<code>[A-Z]\w+): )?(?<message>.*)$")
});

static HAML_TEXT: OneLine = OneLine {
    tool: "haml-lint",
    format: "text",
    rule: "haml-lint/text",
    pattern: &HAML_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

/// `{"metadata":{"hamllint_version":…},"files":[{"path":"a.haml","offenses":[{"severity":"warning","location":{"line":1}}]}]}`.
static HAML_JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "haml-lint/json",
    paths: &[&["files", ANY, "offenses", ANY]],
    record: |record| haml_offense(record).into(),
    is_own: |members| {
        let metadata = members.get("metadata");
        metadata.is_some_and(|it| it.get("hamllint_version").or_else(|| it.get("haml_lint_version")).is_some())
    },
    is_strict: false,
    standing: Standing::Certain,
};

fn haml_offense(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let code = named(value, "linter_name")?;
    let mut found = finding("haml-lint", level(said(value, "severity")?)?, said(value, "message")?);
    found.code = Some(code);
    found.file = record.around("path").and_then(Value::as_str).map(|path| name(&text::path(path)));
    found.line = value.get("location").and_then(|location| position(location, "line"));
    Some(found)
}

/// The compact format; the column is that of the character before, so 0 is none.
static ERB_LINE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<file>\S.*?\.\w+):(?<line>\d+):(?<column>\d+): (?<message>\S.*)$"));

/// The place below a message, in the default format: `In file: app/views/a.html.erb:4`.
static IN_FILE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^In file: (?<file>\S.*?):(?<line>\d+)$"));

/// Reads what ERB Lint prints.
struct Erb {
    has_sign: bool,
    findings: Findings,
    message: Option<Diagnostic>,
    is_clean: bool,
}

impl Erb {
    fn new(is_hinted: bool) -> Self {
        Self { has_sign: is_hinted, findings: Findings::default(), message: None, is_clean: false }
    }
}

impl LineReader for Erb {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.starts_with("Linting ") && (text.ends_with(" linters...") || text.contains(" linters (")) {
            self.has_sign = true;
            return Use::Line;
        }
        if let Some(captures) = IN_FILE.captures(text) {
            let Some(mut found) = self.message.take() else {
                return Use::None;
            };
            self.has_sign |= text::has_extension(&captures["file"], &["erb"]);
            found.file = Some(name(&text::path(&captures["file"])));
            found.line = text::position(&captures["line"]);
            found.origin.end = line.end;
            self.findings.add(found);
            return Use::WithPrevious;
        }
        if let Some(captures) = ERB_LINE.captures(text).filter(|_| self.has_sign) {
            self.findings.add(crate::shapes::pattern::matched(
                "erb-lint",
                "erb-lint/compact",
                line,
                &captures,
                Level::Warning,
            ));
            return Use::Line;
        }
        self.is_clean |= self.has_sign && text == "No errors were found in ERB files";
        if !text.is_empty() {
            self.message = Some(diagnostic("erb-lint", "erb-lint/multiline", line, Level::Warning, text));
        }
        if text.ends_with(" found in ERB files") || text == "No errors were found in ERB files" {
            Use::Line
        } else {
            Use::None
        }
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let is_recognized = self.has_sign && (self.is_clean || 0 < self.findings.counts.total());
        is_recognized.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
