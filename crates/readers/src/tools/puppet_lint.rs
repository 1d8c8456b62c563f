//! puppet-lint: `init.pp - ERROR: docker not in autoload module layout on line 347 (check: autoloader_layout)`, and JSON.

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

/// puppet-lint.
pub(crate) const TOOL: Tool = Tool {
    name: "puppet-lint",
    aliases: &["puppetlint", "puppet-lint-json"],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &[" on line "], reader: |_| TEXT.reader() },
        LineFormat { wakes: &[".pp:"], reader: |_| FORMATTED.reader() },
    ],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[[{\"message\":"], keys: &["\"message\":", "["], empty: Some("[[]]") },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// The file stands before it where there are several; of one alone there must be the check.
static TEXT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:(?<file>\S.*?\.pp) - )?(?<level>ERROR|WARNING|FIXED|IGNORED): (?<message>.*) on line (?<line>\d+)(?: col (?<column>\d+))?(?: \(check: (?<code>\w+)\))?$",
    )
});

static TEXT: OneLine = OneLine {
    tool: "puppet-lint",
    format: "text",
    rule: "puppet-lint/text",
    pattern: &TEXT_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |found, captures| {
        let is_mended = matches!(&captures["level"], "FIXED" | "IGNORED");
        !is_mended && (found.file.is_some() || found.code.is_some())
    },
};

/// `manifests/init.pp:1:7:ERROR: foo not in autoload module layout`, as editors want it.
static FORMATTED_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?\.pp):(?<line>\d+)(?::(?<column>\d+))?: ?(?i:(?<level>error|warning)): (?<message>.*?)(?: \[(?<code>\w+)\])?$",
    )
});

static FORMATTED: OneLine = OneLine {
    tool: "puppet-lint",
    format: "formatted",
    rule: "puppet-lint/formatted",
    pattern: &FORMATTED_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

/// `[[{"message":…,"line":1,"column":7,"kind":"error","check":"autoloader_layout","path":"manifests/init.pp"}]]`.
static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "puppet-lint/json",
    paths: &[&[ANY, ANY]],
    record: |record| problem(record).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

fn problem(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let code = named(value, "check")?;
    value.get("KIND")?;
    let mut found = finding("puppet-lint", level(said(value, "kind")?)?, said(value, "message")?);
    found.code = Some(code);
    found.file = file(value, "path");
    found.line = position(value, "line");
    found.column = position(value, "column");
    Some(found)
}
