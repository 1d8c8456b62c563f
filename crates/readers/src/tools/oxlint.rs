//! Oxlint: the default format, `unix`, `agent`, ESLint's table (`stylish`) and JSON.
//!
//! The default has a mark, the code and the message, below it place and code in a frame, and in the end counts:
//! `Found 1 warning and 0 errors.`

pub(crate) mod frame;
pub(crate) mod json;

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Standing};
use crate::shapes::counted::{Counted, Other};
use crate::shapes::tally::Sum;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};
use crate::tools::eslint::alike::Alike;

/// Oxlint.
pub(crate) const TOOL: Tool = Tool {
    name: "oxlint",
    aliases: &["oxlint-json", "oxc"],
    role: Role::Lint,
    lines: &[
        LineFormat {
            wakes: &["[Warning/", "[Error/", "[Advice/", "[Error]", "[Warning]"],
            reader: |is_hinted| UNIX.reader(is_hinted),
        },
        LineFormat { wakes: &[": warning ", ": error "], reader: |is_hinted| AGENT.reader(is_hinted) },
        LineFormat {
            wakes: &["  error  ", "  warning  ", "✖ "],
            reader: |is_hinted| Box::new(Alike::new(is_hinted, "oxlint", "oxlint/stylish", is_oxlints)),
        },
        LineFormat {
            wakes: &["): ", "  × ", "  x ", "  ⚠ ", "Finished in "],
            reader: |is_hinted| Box::new(frame::Frames::new(is_hinted)),
        },
    ],
    documents: &[DocumentFormat { opening: json::OPENING, reader: |stream, _| json::FORMAT.reader(stream, false) }],
    settle: claim::gravest,
};

/// Whether a finding of ESLint's table is Oxlint's: what could not be parsed has no code, and so may be either's.
fn is_oxlints(found: &Diagnostic) -> (bool, bool) {
    let has_its_code = found.code.as_deref().map(|code| code.ends_with(')'));
    (has_its_code.unwrap_or(true), has_its_code.unwrap_or(false))
}

/// `src/a.js:1:7: Message. [Warning/eslint(no-unused-vars)]`.
static UNIX_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<level>Error|Warning|Advice)(?:/(?<code>[\w@/-]+\([\w@/.-]+\)))?\]$",
    )
});

static UNIX: Counted = Counted {
    tool: "oxlint",
    format: "unix",
    rule: "oxlint/unix",
    pattern: &UNIX_FINDING,
    literal: "]",
    level: Level::Info,
    standing: Standing::Certain,
    complete: |_, _| true,
    // What could not be parsed has no code, as ESLint's has none.
    tells: |found| found.code.is_some(),
    other: |text| match text.strip_suffix(" problems").or_else(|| text.strip_suffix(" problem")).and_then(text::count) {
        Some(number) => Other::Sum(Sum::all(number)),
        None => Other::Nothing,
    },
};

/// `src/a.js:1:7: warning eslint(no-unused-vars): Message. help: Do this.`
static AGENT_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<level>error|warning|advice)(?: (?<code>[\w@/-]+\([\w@/.-]+\)))?: (?<message>.*?)(?: help: (?<help>.*))?$",
    )
});

static AGENT: Counted = Counted {
    tool: "oxlint",
    format: "agent",
    rule: "oxlint/agent",
    pattern: &AGENT_FINDING,
    literal: ": ",
    level: Level::Info,
    standing: Standing::Certain,
    complete: |found, captures| {
        found.suggestion = captures.name("help").map(|help| claim::name(help.as_str()));
        true
    },
    // What could not be parsed has no code.
    tells: |found| found.code.is_some(),
    other: |text| {
        if let Some(sum) = found(text) {
            Other::Sum(sum)
        } else if is_finished(text) {
            Other::Line
        } else {
            Other::Nothing
        }
    },
};

/// `Found 12 warnings and 1 error.`
static FOUND: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^Found (?<warnings>\d+) warnings? and (?<errors>\d+) errors?\.$"));

/// `Finished in 13ms on 4 files with 96 rules using 2 threads.`
static FINISHED: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^Finished in \S+ on \d+ files?(?: with \d+ rules?)? using \d+ threads?\.$"));

fn found(text: &str) -> Option<Sum> {
    if !text.starts_with("Found ") {
        return None;
    }
    let captures = FOUND.captures(text)?;
    let number = |group: &str| text::count(&captures[group]);
    Some(Sum::errors_and_warnings(number("errors")?, number("warnings")?))
}

fn is_finished(text: &str) -> bool {
    text.starts_with("Finished in ") && FINISHED.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_read() {
        let sum = Sum::errors_and_warnings(1, 12);
        assert_eq!(found("Found 12 warnings and 1 error."), Some(sum));
        assert_eq!(found("Found 1 error."), None);
        assert!(is_finished("Finished in 13ms on 4 files with 96 rules using 2 threads."));
        assert!(is_finished("Finished in 1.2s on 1 file using 8 threads."));
        assert!(!is_finished("Finished in 3.2 seconds"));
    }
}
