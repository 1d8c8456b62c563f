//! TSLint: `prose` (in its two forms), `verbose`, `msbuild`, `stylish` and JSON.

pub(crate) mod json;
pub(crate) mod stylish;

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::{Captures, Regex};

use crate::claim::{self, Standing};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// TSLint.
pub(crate) const TOOL: Tool = Tool {
    name: "tslint",
    aliases: &["tslint-json"],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &["ERROR: ", "WARNING: "], reader: |_| PROSE.reader() },
        LineFormat { wakes: &["]: "], reader: |_| OLD_PROSE.reader() },
        LineFormat { wakes: &["): warning ", "): error "], reader: |_| MSBUILD.reader() },
        LineFormat { wakes: &["ERROR: ", "WARNING: "], reader: |_| Box::new(stylish::Stylish::default()) },
    ],
    documents: &[DocumentFormat { opening: json::OPENING, reader: |stream, _| json::FORMAT.reader(stream, false) }],
    settle: claim::gravest,
};

/// `ERROR: src/a.ts:1:7 - Missing semicolon`.
static PROSE_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<level>ERROR|WARNING): (?:\((?<code>[\w/-]+)\) )?(?<file>\S.*?):(?<line>\d+):(?<column>\d+) - (?<message>.*)$",
    )
});

static PROSE: OneLine = OneLine {
    tool: "tslint",
    format: "prose",
    rule: "tslint/prose",
    pattern: &PROSE_FINDING,
    level: Level::Error,
    standing: Standing::Certain,
    complete: is_script,
};

/// `src/a.ts[1, 7]: Missing semicolon`, with a level or, in `verbose`, the rule before it.
static OLD_PROSE_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:(?<level>ERROR|WARNING): )?(?:\((?<code>[\w/-]+)\) )?(?<file>\S.*?)\[(?<line>\d+), (?<column>\d+)\]: (?<message>.*)$",
    )
});

static OLD_PROSE: OneLine = OneLine {
    tool: "tslint",
    format: "prose",
    rule: "tslint/prose",
    pattern: &OLD_PROSE_FINDING,
    level: Level::Error,
    standing: Standing::Certain,
    complete: is_script,
};

/// `src/a.ts(1,7): warning semicolon: Missing semicolon`.
static MSBUILD_FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?)\((?<line>\d+),(?<column>\d+)\): (?<level>warning|error) (?<code>[a-z][A-Za-z0-9/-]*): (?<message>.*)$",
    )
});

static MSBUILD: OneLine = OneLine {
    tool: "tslint",
    format: "msbuild",
    rule: "tslint/msbuild",
    pattern: &MSBUILD_FINDING,
    level: Level::Warning,
    standing: Standing::Likely,
    complete: is_script,
};

fn is_script(found: &mut Diagnostic, _: &Captures<'_>) -> bool {
    found.file.as_deref().is_some_and(is_script_name)
}

fn is_script_name(file: &str) -> bool {
    let extension = file.rsplit('.').next().unwrap_or_default();
    ["ts", "tsx", "js", "jsx", "json", "mts", "cts"].contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_told_from_other_lines() {
        assert!(PROSE_FINDING.is_match("ERROR: src/a.ts:1:7 - Missing semicolon"));
        assert!(OLD_PROSE_FINDING.is_match("(semicolon) src/a.ts[15, 11]: missing semicolon"));
        assert!(OLD_PROSE_FINDING.is_match("ERROR: src/a.ts[15, 11]: missing semicolon"));
        assert!(MSBUILD_FINDING.is_match("src/a.ts(1,7): warning semicolon: Missing semicolon"));
        assert!(!MSBUILD_FINDING.is_match("src/a.ts(1,7): error TS2322: no"));
        assert!(is_script_name("src/a.ts") && !is_script_name("list"));
    }
}
