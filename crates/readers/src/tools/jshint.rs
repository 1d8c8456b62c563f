//! JSHint: its default format and `unix`, with codes only where it is asked for them (`--verbose`).

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::{Captures, Regex};

use crate::claim::{self, Standing};
use crate::shapes::counted::{Counted, Other};
use crate::shapes::tally::Sum;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// JSHint.
pub(crate) const TOOL: Tool = Tool {
    name: "jshint",
    aliases: &[],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &[": line "], reader: |is_hinted| DEFAULT.reader(is_hinted) },
        LineFormat {
            wakes: &[" (W", " (E0"],
            reader: |is_hinted| if is_hinted { UNIX.reader(true) } else { UNIX_VERBOSE.reader(false) },
        },
    ],
    documents: &[],
    settle: claim::gravest,
};

/// `a.js: line 1, col 10, Missing semicolon. (W033)`.
static DEFAULT_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<message>.*?)(?: \((?<code>[WEI]\d{3})\))?$",
    )
});

static DEFAULT: Counted = Counted {
    tool: "jshint",
    format: "default",
    rule: "jshint/default",
    pattern: &DEFAULT_FINDING,
    literal: ": line ",
    level: Level::Warning,
    standing: Standing::Likely,
    // The `compact` of ESLint and others goes on with a level.
    complete: |found, captures| {
        let word = found.message.split(" - ").next().unwrap_or_default().to_ascii_lowercase();
        !matches!(word.as_str(), "error" | "warning" | "info") && is_script(found) && complete(found, captures)
    },
    tells: |_| true,
    other,
};

/// `a.js:1:10: Missing semicolon. (W033)`.
static UNIX_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>[^\s:].*?):(?<line>\d+):(?<column>\d+): (?<message>.*?)(?: \((?<code>[WEI]\d{3})\))?$")
});

/// The same where the command is not known: without a code it could be anyone's.
static VERBOSE_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>[^\s:].*?):(?<line>\d+):(?<column>\d+): (?<message>.*?) \((?<code>[WEI]\d{3})\)$")
});

static UNIX: Counted = unix(&UNIX_FINDING);

static UNIX_VERBOSE: Counted = unix(&VERBOSE_FINDING);

const fn unix(pattern: &'static LazyLock<Regex>) -> Counted {
    Counted {
        tool: "jshint",
        format: "unix",
        rule: "jshint/unix",
        pattern,
        literal: ": ",
        level: Level::Warning,
        standing: Standing::Likely,
        complete: |found, captures| is_script(found) && complete(found, captures),
        tells: |_| true,
        other,
    }
}

/// The code says how bad it is.
fn complete(found: &mut Diagnostic, _: &Captures<'_>) -> bool {
    found.level = match found.code.as_deref().and_then(|code| code.chars().next()) {
        Some('E') | None => Level::Error,
        Some('I') => Level::Info,
        Some(_) => Level::Warning,
    };
    true
}

fn is_script(found: &Diagnostic) -> bool {
    let extension = found.file.as_deref().unwrap_or_default().rsplit('.').next().unwrap_or_default();
    ["js", "mjs", "cjs", "jsx", "es6", "json", "html", "htm", "jshintrc"].contains(&extension)
        || found.file.as_deref() == Some("stdin")
}

/// `9 errors`, which counts warnings, too.
fn other(text: &str) -> Other {
    let number = text.strip_suffix(" errors").or_else(|| text.strip_suffix(" error"));
    number.and_then(text::count).map_or(Other::Nothing, |number| Other::Sum(Sum::all(number)))
}
