//! HTMLHint: the default format, `compact`, `unix` and JSON.

pub(crate) mod default;
pub(crate) mod json;

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::{Captures, Regex};

use crate::claim::{self, Standing};
use crate::shapes::counted::{Counted, Other};
use crate::shapes::tally::Sum;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// HTMLHint.
pub(crate) const TOOL: Tool = Tool {
    name: "htmlhint",
    aliases: &["htmlhint-json"],
    role: Role::Lint,
    lines: &[
        LineFormat {
            wakes: &[", error - ", ", warning - ", ", info - "],
            reader: |is_hinted| COMPACT.reader(is_hinted),
        },
        LineFormat { wakes: &["[error/", "[warning/", "[info/"], reader: |is_hinted| UNIX.reader(is_hinted) },
        LineFormat { wakes: &["      L", "Scanned "], reader: |is_hinted| Box::new(default::Default::new(is_hinted)) },
    ],
    documents: &[DocumentFormat {
        opening: json::OPENING,
        reader: |stream, is_hinted| json::FORMAT.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// `index.html: line 2, col 14, error - <title></title> must not be empty. (title-require)`.
static COMPACT_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<level>error|warning|info) - (?<message>.*) \((?<code>[\w-]+)\)$",
    )
});

static COMPACT: Counted = Counted {
    tool: "htmlhint",
    format: "compact",
    rule: "htmlhint/compact",
    pattern: &COMPACT_FINDING,
    literal: ": line ",
    level: Level::Error,
    standing: Standing::Likely,
    complete: is_markup,
    tells: |_| true,
    other: |text| problems(text).map_or(Other::Nothing, |number| Other::Sum(Sum::all(number))),
};

/// `index.html:2:14: <title></title> must not be empty. [error/title-require]`.
static UNIX_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<level>error|warning|info)/(?<code>[\w-]+)\]$",
    )
});

static UNIX: Counted = Counted {
    tool: "htmlhint",
    format: "unix",
    rule: "htmlhint/unix",
    pattern: &UNIX_FINDING,
    literal: "]",
    level: Level::Error,
    standing: Standing::Certain,
    complete: |_, _| true,
    tells: |_| true,
    other: |text| problems(text).map_or(Other::Nothing, |number| Other::Sum(Sum::all(number))),
};

/// `9 problems`.
fn problems(text: &str) -> Option<u64> {
    text.strip_suffix(" problems").or_else(|| text.strip_suffix(" problem")).and_then(text::count)
}

/// Stylelint prints much the same of styles.
fn is_markup(found: &mut Diagnostic, _: &Captures<'_>) -> bool {
    let extension = found.file.as_deref().unwrap_or_default().rsplit('.').next().unwrap_or_default();
    !["css", "scss", "sass", "less", "sss", "pcss", "styl"].contains(&extension)
}
