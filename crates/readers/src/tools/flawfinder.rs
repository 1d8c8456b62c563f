//! Flawfinder: `src/bar.c:779:  [5] (buffer) strncat:Easily used incorrectly … (CWE-120).`, on one line (`-S`)
//! or with the message indented below.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("flawfinder", &[], Role::Lint).lines(&[LineFormat::rows(
    &["Flawfinder version ", ":  [5] (", ":  [4] (", ":  [3] (", ":  [2] (", ":  [1] (", ":  [0] ("],
    &TEXT,
)]);

static TEXT: Rows = Rows::new("flawfinder", "text").level(Level::Info).rows(&[
    head(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)?  \[(?<level>[0-5])\] \((?<code>\w+)\) (?<message>\S.*)$",
    )
    .levels(&[("5", Level::Error), ("4", Level::Error), ("3", Level::Warning)]),
    part(r"^  (?<message>.*)$").joined(),
    known(r"^Flawfinder version "),
]);
