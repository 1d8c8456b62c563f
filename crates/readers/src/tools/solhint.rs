//! Solhint, which has the formats of ESLint for files of Solidity: `stylish`, `compact`, `unix`, `table` and JSON.

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
use crate::tools::eslint::alike::Alike;

/// Solhint.
pub(crate) const TOOL: Tool = Tool {
    name: "solhint",
    aliases: &[],
    role: Role::Lint,
    lines: &[
        LineFormat {
            wakes: &["[Error/", "[Warning/", "[Error]", "[Warning]"],
            reader: |is_hinted| UNIX.reader(is_hinted),
        },
        LineFormat { wakes: &[".sol: line "], reader: |is_hinted| COMPACT.reader(is_hinted) },
        LineFormat {
            wakes: &["  error  ", "  warning  ", "✖ "],
            reader: |is_hinted| {
                Box::new(Alike::new(is_hinted, "solhint", "solhint/stylish", |found| {
                    (is_solidity(found), is_solidity(found))
                }))
            },
        },
    ],
    documents: &[DocumentFormat { opening: json::OPENING, reader: |stream, _| json::FORMAT.reader(stream, false) }],
    settle: claim::gravest,
};

/// `contracts/A.sol:3:3: Variable name must be in mixedCase X [Warning/var-name-mixedcase]`.
static UNIX_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<level>Error|Warning)(?:/(?<code>[\w@/-]+))?\]$",
    )
});

static UNIX: Counted = Counted {
    tool: "solhint",
    format: "unix",
    rule: "solhint/unix",
    pattern: &UNIX_FINDING,
    literal: "]",
    level: Level::Error,
    standing: Standing::Certain,
    complete: |found, _: &Captures<'_>| is_solidity(found),
    tells: |_| true,
    other,
};

/// `contracts/A.sol: line 3, col 3, Warning - Variable name must be in mixedCase X (var-name-mixedcase)`.
static COMPACT_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<level>Error|Warning) - (?<message>.*?)(?: \((?<code>[\w@/-]+)\))?$",
    )
});

static COMPACT: Counted = Counted {
    tool: "solhint",
    format: "compact",
    rule: "solhint/compact",
    pattern: &COMPACT_FINDING,
    literal: ".sol: line ",
    level: Level::Error,
    standing: Standing::Certain,
    complete: |found, _: &Captures<'_>| is_solidity(found),
    tells: |_| true,
    other,
};

/// `16 problem/s (2 error/s, 14 warning/s)`.
static PROBLEMS: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^\d+ problem/s \((?<errors>\d+) error/s, (?<warnings>\d+) warning/s\)$"));

fn other(text: &str) -> Other {
    if !text.contains(" problem/s ") {
        return Other::Nothing;
    }
    let Some(captures) = PROBLEMS.captures(text) else {
        return Other::Nothing;
    };
    let number = |group: &str| text::count(&captures[group]);
    Other::Sum(Sum { errors: number("errors"), warnings: number("warnings"), ..Sum::default() })
}

fn is_solidity(found: &Diagnostic) -> bool {
    found.file.as_deref().is_some_and(is_solidity_name)
}

fn is_solidity_name(file: &str) -> bool {
    file.rsplit('.').next() == Some("sol")
}
