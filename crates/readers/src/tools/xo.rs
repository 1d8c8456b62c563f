//! XO, and other tools that use eslint-formatter-pretty: `  ✖  1:5  x is never used.  no-unused-vars` below the
//! location of the first finding in a file, and counts at the end.

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("xo", &[], Role::Lint).lines(&[LineFormat::rows(&["  ✖  ", "  ⚠  ", "  ×  ", "  ‼  "], &XO)]);

pub(crate) static TSD: Tool =
    Tool::new("tsd", &[], Role::Typecheck).lines(&[LineFormat::rows(&["  ✖  ", "  ⚠  ", "  ×  ", "  ‼  "], &OF_TSD)]);

static XO: LazyLock<Rows> = LazyLock::new(|| pretty("xo"));

static OF_TSD: LazyLock<Rows> = LazyLock::new(|| pretty("tsd"));

fn pretty(tool: &'static str) -> Rows {
    Rows::new(tool, "pretty").confidence(Confidence::Likely).rows([
        finding(
            r"^  (?<level>[✖×⚠‼])  +(?<line>\d+):(?<column>\d+)  +(?<message>\S.*?)(?:  +(?<code>[@A-Za-z][\w@/-]*))?$",
        )
        .levels(&[("✖", Level::Error), ("×", Level::Error), ("⚠", Level::Warning), ("‼", Level::Warning)])
        .check(|made, _| made.file.is_some()),
        sum(r"^  (?:(?<errors>\d+) errors?|(?<warnings>\d+) warnings?)$"),
        heading(r"^  (?<file>\S.*?\.\w+)(?::\d+:\d+)?$").tentative(),
    ])
}
