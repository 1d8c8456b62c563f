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

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("phpcs", &["php_codesniffer", "phpcs-json"], Role::Lint)
    .lines(&[
        LineFormat::rows(&["FILE: ", " WERE FOUND IN ", " AFFECTING "], &full::FULL).named(&[
            "PHP CODE SNIFFER ",
            "PHPCBF CAN FIX ",
            "A TOTAL OF ",
            "; Memory: ",
            "----------",
        ]),
        LineFormat::rows(&[": error - ", ": warning - "], &EMACS),
        LineFormat::rows(&[",error,\"", ",warning,\""], &CSV),
    ])
    .documents(&[DocumentFormat::json(&["{\"totals\":{\"errors\":"], &["\"totals\":"], &JSON)]);

static EMACS: Rows = Rows::new("phpcs", "emacs").rows(&[
    // `/project/style.php:2:1: error - Class name is not in PascalCase format (Squiz.Classes.ValidClassName)`.
    finding(
        r"^(?<file>\S.*?\.\w+):(?<line>\d+):(?<column>\d+): (?<level>error|warning) - (?<message>.*?)(?: \((?<code>\w+(?:\.\w+){2,})\))?$",
    ),
]);

static CSV: Rows = Rows::new("phpcs", "csv").rows(&[
    // `"/project/style.php",1,1,error,"Header blocks …",PSR12.Files.FileHeader.SpacingAfterBlock,5,1`.
    finding(r#"^"(?<file>[^"]+)",(?<line>\d+),(?<column>\d+),(?<level>error|warning),"(?<message>.*)",(?<code>\w+(?:\.\w+)+),\d+,(?:0|(?<fix>1))$"#)
        .then(|made, _| made.message = made.message.replace("\\\"", "\"")),
]);

/// `{"totals":{"errors":1,…},"files":{"/project/a.php":{"errors":1,"messages":[{"message":…,"source":…,"type":"ERROR"}]}}}`.
static JSON: JsonFindings = JsonFindings {
    paths: &[&["files", ANY, "messages", ANY]],
    is_own: |members| members.get("totals").is_some_and(|totals| totals.get("fixable").is_some()),
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "phpcs",
    file: "@",
    line: "line",
    column: "column",
    code: "source",
    fix: "fixable",
    level: "type",
    needs: &["type"],
    ..Members::MESSAGE
};

/// Splits the code in parentheses from the end of a message, where sniff names are shown.
fn split_code(message: &str) -> (&str, Option<&str>) {
    // `PSR12.Files.FileHeader.SpacingAfterBlock`.
    static SNIFF: Pattern = Pattern::new(r"^(?<message>.*?)\s*\((?<code>[0-9A-Za-z_]+(?:\.[0-9A-Za-z_]+)+)\)$");
    let is_number = |code: &str| code.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let found = SNIFF.find(message).filter(|found| !is_number(found.text("code")));
    found.map_or((message, None), |found| (found.text("message"), found.get("code")))
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
