//! ShellCheck: the formats `tty` and `gcc`, and JSON in its two layouts.
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

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("shellcheck", &["shellcheck-json"], Role::Lint)
    .lines(&[LineFormat::rows(&["^-- SC", "-^ SC", "^ SC"], &tty::TTY), LineFormat::rows(&[" [SC"], &GCC)])
    .documents(&[
        DocumentFormat::json(&["[{\"file\":\""], &["\"file\":"], &JSON).or_empty("[]"),
        DocumentFormat::json(&["{\"comments\":["], &["\"comments\":"], &JSON1).or_empty("{\"comments\":[]}"),
    ]);

static GCC: Rows = Rows::new("shellcheck", "gcc").rows(&[
    // `deploy.sh:3:6: note: Double quote to prevent globbing and word splitting. [SC2086]`.
    finding(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<level>error|warning|note|info|style): (?<message>.*) \[(?<code>SC\d{4})\]$",
    ),
]);

/// `[{"file":"a.sh","line":3,"endLine":3,"column":6,"endColumn":10,"level":"info","code":2086,…,"fix":null}]`.
static JSON: JsonFindings = JsonFindings::of(&MEMBERS);

/// The same list, in the member `comments`.
static JSON1: JsonFindings = JsonFindings { paths: &[&["comments", ANY]], ..JSON };

const MEMBERS: Members = Members {
    tool: "shellcheck",
    file: "file",
    line: "line",
    column: "column",
    end_line: "endLine",
    end_column: "endColumn",
    fix: "fix",
    level: "level",
    needs: &["endColumn", "level"],
    check: |made, record| {
        let number = record.value.get("code").and_then(Value::as_u64).filter(|code| (1000..10_000).contains(code));
        made.code = number.map(|number| format!("SC{number}"));
        made.code.is_some()
    },
    ..Members::MESSAGE
};
