//! Small linters with one finding a line, each told by how it writes its rules.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::{Captures, Regex};

use crate::claim::{self, Standing};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// dotenv-linter.
pub(crate) const DOTENV: Tool = Tool {
    name: "dotenv-linter",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &[".env"], reader: |_| DOTENV_TEXT.reader() }],
    documents: &[],
    settle: claim::gravest,
};

/// `.env:2 LowercaseKey: The foo key should be in uppercase`.
static DOTENV_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>\S*\.env\S*?):(?<line>\d+) (?<code>[A-Z][a-z]+(?:[A-Z][a-z]+)+): (?<message>\S.*)$")
});

static DOTENV_TEXT: OneLine = OneLine {
    tool: "dotenv-linter",
    format: "text",
    rule: "dotenv-linter/text",
    pattern: &DOTENV_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: any,
};

/// proselint.
pub(crate) const PROSELINT: Tool = Tool {
    name: "proselint",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[
            ": typography.",
            ": weasel_words.",
            ": cliches.",
            ": redundancy.",
            ": lexical_illusions.",
            ": corporate_speak.",
            ": consistency.",
            ": hedging.",
            ": hyperbole.",
            ": spelling.",
            ": needless_variants.",
            ".misc ",
        ],
        reader: |_| PROSELINT_TEXT.reader(),
    }],
    documents: &[],
    settle: claim::gravest,
};

/// `/project/a.md:1:5: typography.symbols.curly_quotes Use curly quotes.`.
static PROSELINT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<code>[a-z_]+(?:\.[a-z0-9_]+)+) (?<message>\S.*)$")
});

static PROSELINT_TEXT: OneLine = OneLine {
    tool: "proselint",
    format: "text",
    rule: "proselint/text",
    pattern: &PROSELINT_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: any,
};

/// cspell.
pub(crate) const CSPELL: Tool = Tool {
    name: "cspell",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[" - Unknown word (", " - Forbidden word (", " - Misspelled word ("],
        reader: |_| CSPELL_TEXT.reader(),
    }],
    documents: &[],
    settle: claim::gravest,
};

/// `src/a.ts:1:5 - Unknown word (foo)`, with what to write instead where it was asked for.
static CSPELL_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+) - (?<message>(?:Unknown|Forbidden|Misspelled) word \([^)]*\))(?<rest>.*)$",
    )
});

static CSPELL_TEXT: OneLine = OneLine {
    tool: "cspell",
    format: "text",
    rule: "cspell/text",
    pattern: &CSPELL_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |found, captures| {
        let rest = captures.name("rest").map_or("", |rest| rest.as_str());
        let suggestion = rest.split_once("Suggestions: [").or_else(|| rest.split_once("fix: ("));
        found.suggestion = suggestion.map(|(_, words)| claim::name(words.trim_end_matches([']', ')'])));
        true
    },
};

/// lintr, of R.
pub(crate) const LINTR: Tool = Tool {
    name: "lintr",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &["_linter] "], reader: |_| LINTR_TEXT.reader() }],
    documents: &[],
    settle: claim::gravest,
};

/// `R/a.R:3:5: style: [object_name_linter] Variable name should be snake_case.`.
static LINTR_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<level>style|warning|error): \[(?<code>\w+_linter)\] (?<message>.*)$",
    )
});

static LINTR_TEXT: OneLine = OneLine {
    tool: "lintr",
    format: "text",
    rule: "lintr/text",
    pattern: &LINTR_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: any,
};

/// commitlint, which speaks of a message and so names no file.
pub(crate) const COMMITLINT: Tool = Tool {
    name: "commitlint",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &["✖   ", "⚠   "], reader: |_| COMMITLINT_TEXT.reader() }],
    documents: &[],
    settle: claim::gravest,
};

/// `✖   subject may not be empty [subject-empty]`.
static COMMITLINT_LINE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<mark>[✖⚠]) {3}(?<message>\S.*) \[(?<code>[a-z]+(?:-[a-z]+)+)\]$"));

static COMMITLINT_TEXT: OneLine = OneLine {
    tool: "commitlint",
    format: "text",
    rule: "commitlint/text",
    pattern: &COMMITLINT_LINE,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |found, captures| {
        if &captures["mark"] == "⚠" {
            found.level = Level::Warning;
        }
        true
    },
};

/// htmltest.
pub(crate) const HTMLTEST: Tool = Tool {
    name: "htmltest",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &[" --- "], reader: |_| HTMLTEST_TEXT.reader() }],
    documents: &[],
    settle: claim::gravest,
};

/// `  target does not exist --- docs/a.html --> b.html`.
static HTMLTEST_LINE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^  (?<message>\S.*?) --- (?<file>\S+\.html?)(?: --> (?<target>\S.*))?$"));

static HTMLTEST_TEXT: OneLine = OneLine {
    tool: "htmltest",
    format: "text",
    rule: "htmltest/text",
    pattern: &HTMLTEST_LINE,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |found, captures| {
        if let Some(target) = captures.name("target") {
            found.message = format!("{} --> {}", found.message, target.as_str());
        }
        true
    },
};

/// Takes what the pattern matched as it is.
fn any(_: &mut Diagnostic, _: &Captures<'_>) -> bool {
    true
}
