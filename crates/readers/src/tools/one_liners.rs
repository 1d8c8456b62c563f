//! Small linters that print one finding per line, each recognized by the format of its rule names.

use crate::prelude::*;

pub(crate) static DOTENV: Tool =
    Tool::new("dotenv-linter", &[], Role::Lint).lines(&[LineFormat::rows(&[".env"], &DOTENV_TEXT)]);

pub(crate) static PROSELINT: Tool = Tool::new("proselint", &[], Role::Lint).lines(&[LineFormat::rows(
    &[
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
    &PROSELINT_TEXT,
)]);

pub(crate) static CSPELL: Tool = Tool::new("cspell", &[], Role::Lint)
    .lines(&[LineFormat::rows(&[" - Unknown word (", " - Forbidden word (", " - Misspelled word ("], &CSPELL_TEXT)]);

pub(crate) static LINTR: Tool =
    Tool::new("lintr", &[], Role::Lint).lines(&[LineFormat::rows(&["_linter] "], &LINTR_TEXT)]);

/// commitlint checks a commit message, so it names no file.
pub(crate) static COMMITLINT: Tool =
    Tool::new("commitlint", &[], Role::Lint).lines(&[LineFormat::rows(&["✖   ", "⚠   "], &COMMITLINT_TEXT)]);

pub(crate) static HTMLTEST: Tool =
    Tool::new("htmltest", &[], Role::Lint).lines(&[LineFormat::rows(&[" --- "], &HTMLTEST_TEXT)]);

static DOTENV_TEXT: Rows = Rows::new("dotenv-linter", "text").level(Level::Warning).rows(&[
    // `.env:2 LowercaseKey: The foo key should be in uppercase`.
    finding(r"^(?<file>\S*\.env\S*?):(?<line>\d+) (?<code>[A-Z][a-z]+(?:[A-Z][a-z]+)+): (?<message>\S.*)$"),
]);

static PROSELINT_TEXT: Rows = Rows::new("proselint", "text").level(Level::Warning).rows(&[
    // `/project/a.md:1:5: typography.symbols.curly_quotes Use curly quotes.`.
    finding(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<code>[a-z_]+(?:\.[a-z0-9_]+)+) (?<message>\S.*)$"),
]);

static CSPELL_TEXT: Rows = Rows::new("cspell", "text").level(Level::Warning).rows(&[
    // `src/a.ts:1:5 - Unknown word (foo)`, followed by a suggestion if enabled.
    finding(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+) - (?<message>(?:Unknown|Forbidden|Misspelled) word \([^)]*\))(?:.*?(?:Suggestions: \[|fix: \()(?<suggestion>.*?)[\])]*|.*)$"),
]);

static LINTR_TEXT: Rows = Rows::new("lintr", "text").level(Level::Warning).rows(&[
    // `R/a.R:3:5: style: [object_name_linter] Variable name should be snake_case.`.
    finding(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<level>style|warning|error): \[(?<code>\w+_linter)\] (?<message>.*)$"),
]);

static COMMITLINT_TEXT: Rows = Rows::new("commitlint", "text").rows(&[
    // `✖   subject may not be empty [subject-empty]`.
    finding(r"^(?<level>[✖⚠]) {3}(?<message>\S.*) \[(?<code>[a-z]+(?:-[a-z]+)+)\]$").levels(&[("⚠", Level::Warning)]),
]);

static HTMLTEST_TEXT: Rows = Rows::new("htmltest", "text").rows(&[
    // `  target does not exist --- docs/a.html --> b.html`.
    finding(r"^  (?<message>\S.*?) --- (?<file>\S+\.html?)(?<target> --> \S.*)?$")
        .then(|made, found| made.message.push_str(found.text("target"))),
]);
