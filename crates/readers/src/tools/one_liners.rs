//! Small linters with one finding a line, each told by how it writes its rules.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const DOTENV: Tool = Tool {
    name: "dotenv-linter",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: &[".env"], reader: |is_hinted| DOTENV_TEXT.reader(is_hinted) }],
    documents: &[],
    merge: candidate::gravest,
};

pub(crate) const PROSELINT: Tool = Tool {
    name: "proselint",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &[
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
        reader: |is_hinted| PROSELINT_TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: candidate::gravest,
};

pub(crate) const CSPELL: Tool = Tool {
    name: "cspell",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &[" - Unknown word (", " - Forbidden word (", " - Misspelled word ("],
        reader: |is_hinted| CSPELL_TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: candidate::gravest,
};

pub(crate) const LINTR: Tool = Tool {
    name: "lintr",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: &["_linter] "], reader: |is_hinted| LINTR_TEXT.reader(is_hinted) }],
    documents: &[],
    merge: candidate::gravest,
};

/// commitlint, which speaks of a message and so names no file.
pub(crate) const COMMITLINT: Tool = Tool {
    name: "commitlint",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: &["✖   ", "⚠   "], reader: |is_hinted| COMMITLINT_TEXT.reader(is_hinted) }],
    documents: &[],
    merge: candidate::gravest,
};

pub(crate) const HTMLTEST: Tool = Tool {
    name: "htmltest",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: &[" --- "], reader: |is_hinted| HTMLTEST_TEXT.reader(is_hinted) }],
    documents: &[],
    merge: candidate::gravest,
};

static DOTENV_TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "dotenv-linter",
        "text",
        [
            // `.env:2 LowercaseKey: The foo key should be in uppercase`.
            finding(r"^(?<file>\S*\.env\S*?):(?<line>\d+) (?<code>[A-Z][a-z]+(?:[A-Z][a-z]+)+): (?<message>\S.*)$"),
        ],
    )
    .level(Level::Warning)
});

static PROSELINT_TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "proselint",
        "text",
        [
            // `/project/a.md:1:5: typography.symbols.curly_quotes Use curly quotes.`.
            finding(
                r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<code>[a-z_]+(?:\.[a-z0-9_]+)+) (?<message>\S.*)$",
            ),
        ],
    )
    .level(Level::Warning)
});

static CSPELL_TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "cspell",
        "text",
        [
            // `src/a.ts:1:5 - Unknown word (foo)`, with what to write instead where it was asked for.
            finding(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+) - (?<message>(?:Unknown|Forbidden|Misspelled) word \([^)]*\))(?:.*?(?:Suggestions: \[|fix: \()(?<suggestion>.*?)[\])]*|.*)$"),
        ],
    )
    .level(Level::Warning)
});

static LINTR_TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "lintr",
        "text",
        [
            // `R/a.R:3:5: style: [object_name_linter] Variable name should be snake_case.`.
            finding(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<level>style|warning|error): \[(?<code>\w+_linter)\] (?<message>.*)$"),
        ],
    )
    .level(Level::Warning)
});

static COMMITLINT_TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "commitlint",
        "text",
        [
            // `✖   subject may not be empty [subject-empty]`.
            finding(r"^(?<level>[✖⚠]) {3}(?<message>\S.*) \[(?<code>[a-z]+(?:-[a-z]+)+)\]$")
                .levels(&[("⚠", Level::Warning)]),
        ],
    )
});

static HTMLTEST_TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "htmltest",
        "text",
        [
            // `  target does not exist --- docs/a.html --> b.html`.
            finding(r"^  (?<message>\S.*?) --- (?<file>\S+\.html?)(?<target> --> \S.*)?$").check(|made, found| {
                made.message.push_str(found.text("target"));
                true
            }),
        ],
    )
});
