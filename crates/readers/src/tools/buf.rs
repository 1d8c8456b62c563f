//! buf: `shop/v1/order.proto:31:10:Field name "fullName" should be lower_snake_case, such as "full_name".`,
//! without a space after the column; JSON, one object per line; `msvs`
//! (`order.proto(31,10) : error FIELD_LOWER_SNAKE_CASE : …`).

use crate::prelude::*;

/// The linter for protocol buffers.
pub(crate) static TOOL: Tool = Tool::new("buf", &["buf-lint", "buf-breaking"], Role::Lint).lines(&[
    LineFormat::rows(&[".proto:"], &TEXT),
    LineFormat::rows(&[".proto("], &MSVS),
    LineFormat::new(&["\"start_line\":"], |_| JSON.reader()),
]);

static TEXT: Rows = Rows::new("buf", "text")
    .rows(&[finding(r"^(?<file>\S.*?\.proto):(?<line>\d+):(?<column>\d+):(?<message>[^\s:].*)$")]);

static MSVS: Rows = Rows::new("buf", "msvs").rows(&[finding(
    r"^(?<file>\S.*?\.proto)\((?<line>\d+),(?<column>\d+)\) : error (?<code>[A-Z][A-Z0-9_]+) : (?<message>.+)$",
)]);

static JSON: JsonLines = JsonLines::of("json", &["\"start_line\":"], &MEMBERS);

const MEMBERS: Members = Members {
    tool: "buf",
    file: "path",
    line: "start_line",
    column: "start_column",
    end_line: "end_line",
    end_column: "end_column",
    code: "type",
    needs: &["type", "path"],
    ..Members::MESSAGE
};
