//! PHPStan: its table, the raw format with one finding per line, and JSON.
//!
//! ```text
//!  ------ ------------------------------------------------
//!   Line   src/Account.php
//!  ------ ------------------------------------------------
//!   12     Call to an undefined method Account::missing().
//!          🪪  method.notFound
//!          💡  Did you mean found()?
//!  ------ ------------------------------------------------
//!
//!  [ERROR] Found 1 error
//! ```

mod table;

use crate::prelude::*;
use crate::shapes::record_kind;

pub(crate) static TOOL: Tool = Tool::new("phpstan", &["larastan", "phpstan-json"], Role::Typecheck)
    .lines(&[
        LineFormat::rows(&["  Line   ", "[ERROR] Found ", "[OK] No errors", "     Error  "], &table::TABLE),
        LineFormat::rows(&[".php:"], &RAW),
    ])
    .documents(&[DocumentFormat::json(&["{\"totals\":{\"errors\":"], &["\"totals\":"], &JSON)]);

static RAW: Rows = Rows::new("phpstan", "raw").confidence(Confidence::Likely).rows(&[
    // `/project/src/Account.php:63:Access to an undefined property Account::$id. [identifier=property.notFound]`.
    finding(r"^(?<file>(?:[A-Za-z]:)?[^:\s][^:]*\.(?:php|phtml|inc|module))(?: \(in context of [^)]*\))?:(?<line>\d+):(?<message>[^\s\d].*?)(?: \[identifier=(?<code>[\w.]+)\])?$"),
]);

/// `{"totals":{"errors":0,"file_errors":1},"files":{"a.php":{"errors":1,"messages":[{"message":…,"line":3}]}},"errors":[]}`.
static JSON: JsonFindings = JsonFindings {
    paths: &[&["files", ANY, "messages", ANY], &["errors", ANY]],
    is_own: |members| members.get("totals").is_some_and(|totals| totals.get("file_errors").is_some()),
    record: Some(|record| match record.value.as_str().filter(|_| record.path == 1) {
        Some(message) => Some(record_kind::finding("phpstan", Level::Error, message)).into(),
        None => MEMBERS.told(record),
    }),
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "phpstan",
    file: "@",
    line: "line",
    code: "identifier",
    suggestion: "tip",
    needs: &["ignorable"],
    complete: |made, _| {
        if let Some(file) = &mut made.file
            && let Some(context) = file.find(" (in context of")
        {
            file.truncate(context);
        }
    },
    ..Members::MESSAGE
};
