//! Flawfinder: `src/bar.c:779:  [5] (buffer) strncat:Easily used incorrectly … (CWE-120).`, on one line (`-S`) or with what
//! is said indented below.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate::gravest;
use crate::rows::{Rows, head, known, part};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "flawfinder",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &["Flawfinder version ", ":  [5] (", ":  [4] (", ":  [3] (", ":  [2] (", ":  [1] (", ":  [0] ("],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "flawfinder",
        "text",
        [
            head(
                r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)?  \[(?<level>[0-5])\] \((?<code>\w+)\) (?<message>\S.*)$",
            )
            .levels(&[("5", Level::Error), ("4", Level::Error), ("3", Level::Warning)]),
            part(r"^  (?<message>.*)$").joined(),
            known(r"^Flawfinder version "),
        ],
    )
    .level(Level::Info)
});
