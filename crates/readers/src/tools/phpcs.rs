//! PHP_CodeSniffer: the full report, the one-line reports (emacs, CSV), the summary, and JSON.
//!
//! ```text
//! FILE: /project/style.php
//! ----------------------------------------------------------------------
//! FOUND 1 ERROR AND 1 WARNING AFFECTING 2 LINES
//! ----------------------------------------------------------------------
//!  1 | ERROR   | [x] Header blocks must be separated by a single blank
//!    |         |     line (PSR12.Files.FileHeader.SpacingAfterBlock)
//!  6 | WARNING | [ ] Line exceeds 120 characters
//! ```

mod full;

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::{Captures, Regex};

use crate::claim::{self, Standing};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{is_true, named, position, said};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// PHP_CodeSniffer.
pub(crate) const TOOL: Tool = Tool {
    name: "phpcs",
    aliases: &["php_codesniffer", "phpcs-json"],
    role: Role::Lint,
    lines: &[
        LineFormat {
            wakes: &["FILE: ", " WERE FOUND IN ", " AFFECTING "],
            reader: |is_hinted| Box::new(full::Full::new(is_hinted)),
        },
        LineFormat { wakes: &[": error - ", ": warning - "], reader: |_| EMACS.reader() },
        LineFormat { wakes: &[",error,\"", ",warning,\""], reader: |_| CSV.reader() },
    ],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["{\"totals\":{\"errors\":"], keys: &["\"totals\":"], empty: None },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// `/project/style.php:2:1: error - Class name is not in PascalCase format (Squiz.Classes.ValidClassName)`.
static EMACS_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?\.\w+):(?<line>\d+):(?<column>\d+): (?<level>error|warning) - (?<message>.*?)(?: \((?<code>\w+(?:\.\w+){2,})\))?$",
    )
});

static EMACS: OneLine = OneLine {
    tool: "phpcs",
    format: "emacs",
    rule: "phpcs/emacs",
    pattern: &EMACS_LINE,
    level: Level::Error,
    standing: Standing::Certain,
    complete: |_, _| true,
};

/// `"/project/style.php",1,1,error,"Header blocks …",PSR12.Files.FileHeader.SpacingAfterBlock,5,1`.
static CSV_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r#"^"(?<file>[^"]+)",(?<line>\d+),(?<column>\d+),(?<level>error|warning),"(?<message>.*)",(?<code>\w+(?:\.\w+)+),\d+,(?<fixable>[01])$"#,
    )
});

static CSV: OneLine = OneLine {
    tool: "phpcs",
    format: "csv",
    rule: "phpcs/csv",
    pattern: &CSV_LINE,
    level: Level::Error,
    standing: Standing::Certain,
    complete: complete_csv,
};

fn complete_csv(found: &mut Diagnostic, captures: &Captures<'_>) -> bool {
    found.message = found.message.replace("\\\"", "\"");
    found.fixable = &captures["fixable"] == "1";
    true
}

/// `{"totals":{"errors":1,…},"files":{"/project/a.php":{"errors":1,"messages":[{"message":…,"source":…,"type":"ERROR"}]}}}`.
static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "phpcs/json",
    paths: &[&["files", ANY, "messages", ANY]],
    record: |record| violation(record).into(),
    is_own: |members| members.get("totals").is_some_and(|totals| totals.get("fixable").is_some()),
    is_strict: false,
    standing: Standing::Certain,
};

fn violation(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    let level = match said(value, "type")? {
        "ERROR" => Level::Error,
        "WARNING" => Level::Warning,
        _ => return None,
    };
    let mut found = finding("phpcs", level, said(value, "message")?);
    found.code = named(value, "source");
    found.file = record.key.map(|file| claim::name(&text::path(file)));
    found.line = position(value, "line");
    found.column = position(value, "column").filter(|_| found.line.is_some());
    found.fixable = is_true(value, "fixable");
    Some(found)
}

/// Takes the code in parentheses off the end of a message, where the sniff's name is shown.
fn split_code(message: &str) -> (&str, Option<&str>) {
    let split = message.strip_suffix(')').and_then(|message| message.rsplit_once('('));
    match split {
        Some((rest, code)) if is_sniff(code) => (rest.trim_end(), Some(code)),
        _ => (message, None),
    }
}

/// Whether a word is the name of a sniff: `PSR12.Files.FileHeader.SpacingAfterBlock`.
fn is_sniff(word: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    2 <= word.split('.').count()
        && word.split('.').all(is_part)
        && !word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sniff_s_name_is_told_from_other_parentheses() {
        assert_eq!(
            split_code("Too long (Generic.Files.LineLength.TooLong)"),
            ("Too long", Some("Generic.Files.LineLength.TooLong"))
        );
        for message in ["one level (a top-level vendor name)", "see (1.2.3)", "Found"] {
            assert_eq!(split_code(message), (message, None));
        }
    }
}
