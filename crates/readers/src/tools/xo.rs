//! XO, and other tools that use eslint-formatter-pretty: `  ✖  1:5  x is never used.  no-unused-vars` below the
//! location of the first finding in a file, and counts at the end.

use crate::prelude::*;
use crate::rows::Row;

pub(crate) static TOOL: Tool =
    Tool::new("xo", &[], Role::Lint).lines(&[LineFormat::rows(&["  ✖  ", "  ⚠  ", "  ×  ", "  ‼  "], &XO)]);

pub(crate) static TSD: Tool =
    Tool::new("tsd", &[], Role::Typecheck).lines(&[LineFormat::rows(&["  ✖  ", "  ⚠  ", "  ×  ", "  ‼  "], &OF_TSD)]);

static XO: Rows = Rows::new("xo", "pretty").confidence(Confidence::Likely).rows(PRETTY);

static OF_TSD: Rows = Rows::new("tsd", "pretty").confidence(Confidence::Likely).rows(PRETTY);

const PRETTY: &[Row] = &[
    finding(
        r"^  (?<level>[✖×⚠‼])  +(?<line>\d+):(?<column>\d+)  +(?<message>\S.*?)(?:  +(?<code>[@A-Za-z][\w@/-]*))?$",
    )
    .levels(&[("✖", Level::Error), ("×", Level::Error), ("⚠", Level::Warning), ("‼", Level::Warning)])
    .check(|made, _| made.file.is_some()),
    sum(r"^  (?:(?<errors>\d+) errors?|(?<warnings>\d+) warnings?)$"),
    heading(r"^  (?<file>\S.*?\.\w+)(?::\d+:\d+)?$").tentative(),
];
