//! PHPStan: its table, the raw format with one finding a line, and JSON.
//!
//! ```text
//!  ------ ------------------------------------------------
//!   Line   src/Account.php
//!  ------ ------------------------------------------------
//!   12     Call to an undefined method Account::missing().
//!          🪪  method.notFound
//!          💡  Did you mean found()?
//!  ------ ------------------------------------------------
//!
//!  [ERROR] Found 1 error
//! ```

mod table;

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Standing};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{named, position, said};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// PHPStan.
pub(crate) const TOOL: Tool = Tool {
    name: "phpstan",
    aliases: &["larastan", "phpstan-json"],
    role: Role::Typecheck,
    lines: &[
        LineFormat {
            wakes: &["  Line   ", "[ERROR] Found ", "[OK] No errors", "     Error  "],
            reader: |is_hinted| Box::new(table::Table::new(is_hinted)),
        },
        LineFormat { wakes: &[".php:"], reader: |_| RAW.reader() },
    ],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["{\"totals\":{\"errors\":"], keys: &["\"totals\":"], empty: None },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// `/project/src/Account.php:63:Access to an undefined property Account::$id. [identifier=property.notFound]`.
static RAW_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^:\s][^:]*\.(?:php|phtml|inc|module))(?: \(in context of [^)]*\))?:(?<line>\d+):(?<message>[^\s\d].*?)(?: \[identifier=(?<code>[\w.]+)\])?$",
    )
});

static RAW: OneLine = OneLine {
    tool: "phpstan",
    format: "raw",
    rule: "phpstan/raw",
    pattern: &RAW_LINE,
    level: Level::Error,
    standing: Standing::Likely,
    complete: |_, _| true,
};

/// `{"totals":{"errors":0,"file_errors":1},"files":{"a.php":{"errors":1,"messages":[{"message":…,"line":3}]}},"errors":[]}`.
static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "phpstan/json",
    paths: &[&["files", ANY, "messages", ANY], &["errors", ANY]],
    record: |record| error(record).into(),
    is_own: |members| members.get("totals").is_some_and(|totals| totals.get("file_errors").is_some()),
    is_strict: false,
    standing: Standing::Certain,
};

fn error(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    if record.path == 1 {
        return value.as_str().map(|message| finding("phpstan", Level::Error, message));
    }
    value.get("ignorable")?;
    let mut found = finding("phpstan", Level::Error, said(value, "message")?);
    found.file = record.key.map(|file| claim::name(&text::path(file.split(" (in context of").next().unwrap_or(file))));
    found.line = position(value, "line");
    found.code = named(value, "identifier");
    found.suggestion = named(value, "tip");
    Some(found)
}
