//! ShellCheck: for people (`tty`), for compilers' readers (`gcc`), and JSON in its two layouts.
//!
//! ```text
//! In deploy.sh line 3:
//! echo $foo
//!      ^--^ SC2086 (info): Double quote to prevent globbing and word splitting.
//!
//! Did you mean:
//! echo "$foo"
//! ```

mod tty;

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;
use serde_json::Value;

use crate::claim::{self, Standing};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, position, said};
use crate::shapes::pattern::{OneLine, level};
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// ShellCheck.
pub(crate) const TOOL: Tool = Tool {
    name: "shellcheck",
    aliases: &["shellcheck-json"],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &["^-- SC", "-^ SC", "^ SC"], reader: |_| Box::new(tty::Tty::default()) },
        LineFormat { wakes: &[" [SC"], reader: |_| GCC.reader() },
    ],
    documents: &[
        DocumentFormat {
            opening: Opening { compact: &["[{\"file\":\""], keys: &["\"file\":"], empty: Some("[]") },
            reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
        },
        DocumentFormat {
            opening: Opening {
                compact: &["{\"comments\":["],
                keys: &["\"comments\":"],
                empty: Some("{\"comments\":[]}"),
            },
            reader: |stream, is_hinted| JSON1.reader(stream, is_hinted),
        },
    ],
    settle: claim::gravest,
};

/// `deploy.sh:3:6: note: Double quote to prevent globbing and word splitting. [SC2086]`.
static GCC_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<level>error|warning|note|info|style): (?<message>.*) \[(?<code>SC\d{4})\]$",
    )
});

static GCC: OneLine = OneLine {
    tool: "shellcheck",
    format: "gcc",
    rule: "shellcheck/gcc",
    pattern: &GCC_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

/// `[{"file":"a.sh","line":3,"endLine":3,"column":6,"endColumn":10,"level":"info","code":2086,…,"fix":null}]`.
const LIST: JsonFindings = JsonFindings {
    format: "json",
    rule: "shellcheck/json",
    paths: &[&[ANY]],
    record: |record| comment(record).into(),
    is_own: |_| false,
    is_strict: false,
    standing: Standing::Certain,
};

static JSON: JsonFindings = LIST;

/// The same list under `comments`.
static JSON1: JsonFindings = JsonFindings { paths: &[&["comments", ANY]], ..LIST };

fn comment(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let code = value.get("code").and_then(Value::as_u64).filter(|code| (1000..10_000).contains(code))?;
    value.get("endColumn")?;
    let mut found = finding("shellcheck", level(said(value, "level")?)?, said(value, "message")?);
    found.code = Some(format!("SC{code}"));
    found.file = file(value, "file");
    found.line = position(value, "line");
    found.column = position(value, "column");
    found.end_line = position(value, "endLine");
    found.end_column = position(value, "endColumn");
    found.fixable = value.get("fix").is_some_and(|fix| !fix.is_null());
    Some(found)
}
