//! Terraform's `validate` and TFLint, which show their findings alike, and the JSON of both.
//!
//! ```text
//! │ Error: Unsupported argument
//! │
//! │   on main.tf line 3, in resource "aws_instance" "web":
//! │    3:   foo = 1
//! ```
//! TFLint prints no border, and puts its rule behind the message: `Warning: terraform version missing (terraform_required_version)`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, diagnostic, name};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, is_true, named, position, said};
use crate::shapes::pattern::{OneLine, level};
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// Terraform and OpenTofu.
pub(crate) const TERRAFORM: Tool = Tool {
    name: "terraform",
    aliases: &["tofu", "opentofu", "terraform-json"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &["│ Error: ", "│ Warning: ", "Success! The configuration is valid"],
        reader: |_| Box::new(Text::new("terraform")),
    }],
    documents: &[DocumentFormat {
        opening: Opening {
            compact: &["{\"format_version\":\"", "{\"valid\":"],
            keys: &["\"format_version\":", "\"valid\":"],
            empty: None,
        },
        reader: |stream, is_hinted| VALIDATE_JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// TFLint.
pub(crate) const TFLINT: Tool = Tool {
    name: "tflint",
    aliases: &["tflint-json"],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &["Error: ", "Warning: ", "Notice: "], reader: |_| Box::new(Text::new("tflint")) },
        LineFormat { wakes: &[".tf:"], reader: |_| COMPACT.reader() },
    ],
    documents: &[DocumentFormat {
        opening: Opening {
            compact: &["{\"issues\":[{\"rule\":"],
            keys: &["\"issues\":"],
            empty: Some("{\"issues\":[],\"errors\":[]}"),
        },
        reader: |stream, is_hinted| TFLINT_JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<level>Error|Warning|Notice): (?:\[Fixable\] )?(?<message>.*?)(?: \((?<code>[a-z0-9]+(?:_[a-z0-9]+)+)\))?$",
    )
});

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^  on (?<file>\S.*?) line (?<line>\d+)(?:, in .*)?:$"));

/// `main.tf:1:1: Warning - Missing version (terraform_required_version)`.
static COMPACT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?\.tf(?:vars)?):(?<line>\d+):(?<column>\d+): (?<level>Error|Warning|Notice) - (?<message>.*?) \((?<code>\w+)\)$",
    )
});

static COMPACT: OneLine = OneLine {
    tool: "tflint",
    format: "compact",
    rule: "tflint/compact",
    pattern: &COMPACT_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

/// `{"format_version":"1.0","valid":false,…,"diagnostics":[{"severity":"error","summary":…,"range":{…}}]}`.
static VALIDATE_JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "terraform/json",
    paths: &[&["diagnostics", ANY]],
    record: |record| validated(record).into(),
    is_own: |members| members.contains_key("valid") && members.contains_key("error_count"),
    is_strict: false,
    standing: Standing::Certain,
};

fn validated(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let mut found = finding("terraform", level(said(value, "severity")?)?, said(value, "summary")?);
    if let Some(detail) = said(value, "detail").filter(|detail| !detail.is_empty()) {
        text::add_line(&mut found.message, detail, referee_model::limit::MESSAGE_BYTES);
    }
    place(&mut found, value.get("range"));
    Some(found)
}

/// `{"issues":[{"rule":{"name":…,"severity":"warning"},"message":…,"range":{…}}],"errors":[]}`.
static TFLINT_JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "tflint/json",
    paths: &[&["issues", ANY], &["errors", ANY]],
    record: |record| issue(record).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

fn issue(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    if record.path == 1 {
        let mut found = finding("tflint", Level::Error, said(value, "message")?);
        place(&mut found, value.get("range"));
        return Some(found);
    }
    let rule = value.get("rule")?;
    let mut found = finding("tflint", level(said(rule, "severity")?)?, said(value, "message")?);
    found.code = Some(named(rule, "name")?);
    found.fixable = is_true(value, "fixable");
    place(&mut found, value.get("range"));
    Some(found)
}

/// Says where a finding stands, by a range of HCL.
fn place(found: &mut Diagnostic, range: Option<&serde_json::Value>) {
    let Some(range) = range else {
        return;
    };
    found.file = file(range, "filename");
    if let (Some(start), Some(end)) = (range.get("start"), range.get("end")) {
        found.line = position(start, "line");
        found.column = position(start, "column");
        found.end_line = position(end, "line");
        found.end_column = position(end, "column");
    }
}

/// Reads the text of either.
struct Text {
    tool: &'static str,
    findings: Findings,
    open: Option<Diagnostic>,
    lines: u8,
    is_clean: bool,
}

impl Text {
    fn new(tool: &'static str) -> Self {
        Self { tool, findings: Findings::default(), open: None, lines: 0, is_clean: false }
    }

    fn close(&mut self) {
        let Some(found) = self.open.take() else {
            return;
        };
        // TFLint's findings all have a rule and a place; Terraform's may stand alone within their border.
        if self.tool == "terraform" || (found.code.is_some() && found.file.is_some()) {
            self.findings.add(found);
        }
    }
}

impl LineReader for Text {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        let inner = match (self.tool, text.strip_prefix('│')) {
            ("terraform", Some(inner)) => inner.strip_prefix(' ').unwrap_or(inner),
            ("terraform", None) => {
                let is_border = text == "╷" || text == "╵";
                self.close();
                self.is_clean |= text.starts_with("Success! The configuration is valid");
                return if is_border || text.starts_with("Success! The configuration") { Use::Line } else { Use::None };
            }
            _ => text,
        };
        if let Some(captures) = HEAD.captures(inner) {
            self.close();
            let rule = if self.tool == "terraform" { "terraform/text" } else { "tflint/text" };
            let said = level(&captures["level"]).unwrap_or(Level::Error);
            let mut found = diagnostic(self.tool, rule, line, said, &captures["message"]);
            found.code = captures.name("code").map(|code| name(code.as_str()));
            found.fixable = inner.contains(": [Fixable] ");
            self.open = Some(found);
            self.lines = 0;
            return Use::Line;
        }
        let Some(open) = &mut self.open else {
            return Use::None;
        };
        self.lines += 1;
        if let Some(captures) = PLACE.captures(inner) {
            open.file = Some(name(&text::path(&captures["file"])));
            open.line = text::position(&captures["line"]);
        } else if self.tool == "tflint" && (open.file.is_some() && text.is_empty() || 3 < self.lines) {
            self.close();
            return Use::None;
        }
        if 60 < self.lines {
            self.close();
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let is_recognized = self.is_clean || 0 < self.findings.counts.total();
        is_recognized.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
