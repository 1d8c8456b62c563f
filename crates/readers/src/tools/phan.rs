//! Phan: its text, `src/a.php:12 PhanUndeclaredVariable Variable $x is undeclared`, and its JSON.

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("phan", &["phan-json"], Role::Typecheck).lines(&[LineFormat::rows(&[" Phan"], &TEXT)]).documents(&[
        DocumentFormat::json(&["[{\"type\":\"issue\","], &["\"type\":"], &JSON).or_empty("[]"),
        DocumentFormat::json(&["{\"status\":\"ok\",\"issue_count\":"], &["\"status\":", "\"issues\":"], &WRAPPED),
    ]);

static TEXT: Rows = Rows::new("phan", "text").level(Level::Warning).rows(&[
    // The text format gives no level for syntax errors.
    finding(r"^(?<file>\S.*?):(?<line>\d+)(?::(?<column>\d+))? (?<code>PhanSyntaxError) (?<message>.*)$")
        .level(Level::Error),
    finding(r"^(?<file>\S.*?):(?<line>\d+)(?::(?<column>\d+))? (?<code>Phan\w+) (?<message>.*)$"),
]);

/// `[{"type":"issue","check_name":"PhanSyntaxError","description":"Syntax PhanSyntaxError …","severity":10,"location":{…}}]`.
static JSON: JsonFindings =
    JsonFindings { is_own: |members| members.contains_key("issue_count"), ..JsonFindings::of(&MEMBERS) };

/// The same list, in the member `issues`.
static WRAPPED: JsonFindings = JsonFindings { paths: &[&["issues", ANY]], ..JSON };

const MEMBERS: Members = Members {
    tool: "phan",
    message: "description",
    file: "location/path",
    line: "location/lines/begin",
    column: "location/lines/begin_column",
    end_line: "location/lines/end",
    code: "check_name",
    suggestion: "suggestion",
    level: "severity",
    levels: &[("0", Level::Info), ("5", Level::Warning)],
    needs: &["check_name", "severity"],
    check: |made, record| {
        let code = made.code.as_deref().unwrap_or_default();
        // The category and the name precede the message.
        if let Some((_, message)) = made.message.split_once(&format!("{code} ")) {
            made.message = message.to_owned();
        }
        code.starts_with("Phan") || record.value.get("type_id").is_some()
    },
    ..Members::MESSAGE
};
