//! protolint: `[api/order.proto:7:3] Found an incorrect indentation style`, and JSON:
//! `{"lints":[{"filename":"api/order.proto","line":7,"column":3,"message":"…","rule":"INDENT"}]}`.

use crate::prelude::*;

/// The linter of Protocol Buffers.
pub(crate) static TOOL: Tool = Tool::new("protolint", &[], Role::Lint)
    .lines(&[LineFormat::rows(&[".proto:"], &TEXT)])
    .documents(&[DocumentFormat::json(&["{\"lints\":", "{\"basedir\":"], &["\"lints\":", "\"basedir\":"], &JSON)]);

static TEXT: Rows = Rows::new("protolint", "text")
    .level(Level::Warning)
    .rows(&[finding(r"^\[(?<file>\S.*?\.proto):(?<line>\d+):(?<column>\d+)\] (?<message>\S.*)$")]);

static JSON: JsonFindings = JsonFindings { paths: &[&["lints", ANY]], is_own: |_| true, ..JsonFindings::of(&MEMBERS) };

const MEMBERS: Members = Members {
    tool: "protolint",
    file: "filename",
    line: "line",
    column: "column",
    code: "rule",
    level: "severity",
    otherwise: Level::Warning,
    ..Members::MESSAGE
};
