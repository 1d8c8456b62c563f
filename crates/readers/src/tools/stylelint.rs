//! Stylelint: `string` and `verbose` (a file on a line, below it a table of its findings, at the end their number),
//! `compact`, `unix` and JSON.
//!
//! A clean run prints nothing, but for `verbose`.

pub(crate) mod json;
pub(crate) mod table;

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{self, Standing};
use crate::shapes::counted::{Counted, Other};
use crate::shapes::tally::Sum;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// Stylelint.
pub(crate) const TOOL: Tool = Tool {
    name: "stylelint",
    aliases: &["stylelint-json"],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &[", error - ", ", warning - "], reader: |is_hinted| COMPACT.reader(is_hinted) },
        LineFormat { wakes: &[") [error]", ") [warning]"], reader: |is_hinted| UNIX.reader(is_hinted) },
        // Its closing count is that of `unix`, too: it comes behind it, and so does not outdo it.
        LineFormat {
            wakes: &["  ✖  ", "  ⚠  ", "  ×  ", "  ‼  ", "  ℹ  ", " sources checked", " source checked"],
            reader: |is_hinted| Box::new(table::Table::new(is_hinted)),
        },
    ],
    documents: &[DocumentFormat {
        opening: json::OPENING,
        reader: |stream, is_hinted| json::FORMAT.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// `css/a.css: line 1, col 3, error - Unexpected unit (length-zero-no-unit)`.
static COMPACT_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<level>error|warning) - (?<message>.*?)(?: \((?<code>[\w@/-]+)\))?$",
    )
});

static COMPACT: Counted = Counted {
    tool: "stylelint",
    format: "compact",
    rule: "stylelint/compact",
    pattern: &COMPACT_FINDING,
    literal: ": line ",
    level: Level::Error,
    standing: Standing::Likely,
    // HTMLHint prints so, too, of other files.
    complete: |found, _| found.file.as_deref().is_some_and(is_style),
    tells: |_| true,
    other: |_| Other::Nothing,
};

/// `css/a.css:1:3: Unexpected unit (length-zero-no-unit) [error]`.
static UNIX_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*?) \((?<code>[\w@/-]+)\) \[(?<level>error|warning)\]$",
    )
});

static UNIX: Counted = Counted {
    tool: "stylelint",
    format: "unix",
    rule: "stylelint/unix",
    pattern: &UNIX_FINDING,
    literal: ") [",
    level: Level::Error,
    standing: Standing::Certain,
    complete: |_, _| true,
    tells: |_| true,
    other: |text| problems(text).map_or(Other::Nothing, Other::Sum),
};

/// `✖ 21 problems (19 errors, 2 warnings)`, before version 15 without a mark.
static PROBLEMS: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?:[✖×⚠‼] )?(?<all>\d+) problems? \((?<errors>\d+) errors?, (?<warnings>\d+) warnings?\)$")
});

/// Returns what a closing line counts.
fn problems(text: &str) -> Option<Sum> {
    if !text.contains(" problem") {
        return None;
    }
    let captures = PROBLEMS.captures(text)?;
    let (errors, warnings) = (text::count(&captures["errors"])?, text::count(&captures["warnings"])?);
    let is_sum = text::count(&captures["all"])? == errors + warnings;
    is_sum.then_some(Sum::errors_and_warnings(errors, warnings))
}

/// Whether a file may hold styles alone: HTML and its like are other linters' too.
fn is_style(file: &str) -> bool {
    let extension = file.rsplit('.').next().unwrap_or_default();
    ["css", "scss", "sass", "less", "sss", "pcss", "postcss", "styl", "vue", "svelte", "astro"].contains(&extension)
        || file == "<input css 1>"
}
