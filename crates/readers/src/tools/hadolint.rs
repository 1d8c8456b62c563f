//! Hadolint: `Dockerfile:1 DL3006 warning: Always tag the version of an image explicitly`, with `-f gnu`
//! `hadolint:Dockerfile:1: DL3006 …`, and JSON.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Standing};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, named, position, said};
use crate::shapes::pattern::{OneLine, level};
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// Hadolint.
pub(crate) const TOOL: Tool = Tool {
    name: "hadolint",
    aliases: &["hadolint-json"],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &[" DL3", " DL4", " DL1", " SC1", " SC2"], reader: |_| TEXT.reader() },
        LineFormat { wakes: &[" unexpected "], reader: |_| SYNTAX.reader() },
    ],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[{\"code\":\"DL", "[{\"code\":\"SC"], keys: &["\"code\":"], empty: Some("[]") },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// Before version 2 no level was printed.
static TEXT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:hadolint:)?(?<file>\S.*?):(?<line>\d+)(?::(?<column>\d+))?:? (?<code>(?:DL|SC)\d{4}) (?:(?<level>error|warning|info|style): )?(?<message>\S.*)$",
    )
});

static TEXT: OneLine = OneLine {
    tool: "hadolint",
    format: "tty",
    rule: "hadolint/tty",
    pattern: &TEXT_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

/// `Dockerfile:2:1 unexpected 'R' expecting …`: the file could not be parsed.
static SYNTAX_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>\S*(?:Docker|Container)file\S*):(?<line>\d+):(?<column>\d+) (?<message>unexpected .*)$")
});

static SYNTAX: OneLine = OneLine {
    tool: "hadolint",
    format: "tty",
    rule: "hadolint/syntax",
    pattern: &SYNTAX_LINE,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |_, _| true,
};

/// `[{"code":"DL3006","column":1,"file":"Dockerfile","level":"warning","line":1,"message":…}]`.
static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "hadolint/json",
    paths: &[&[ANY]],
    record: |record| problem(record).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

fn problem(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let code = named(value, "code").filter(|code| code.starts_with("DL") || code.starts_with("SC"))?;
    let mut found = finding("hadolint", level(said(value, "level")?)?, said(value, "message")?);
    found.code = Some(code);
    found.file = file(value, "file");
    found.line = position(value, "line");
    found.column = position(value, "column");
    Some(found)
}
