//! buf: `shop/v1/order.proto:31:10:Field name "fullName" should be lower_snake_case, such as "full_name".`, without a space behind
//! the column; JSON, one object a line; `msvs` (`order.proto(31,10) : error FIELD_LOWER_SNAKE_CASE : …`).

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate;
use crate::rows::{Rows, finding};
use crate::shapes::json_findings::JsonLines;
use crate::shapes::members::Members;
use crate::tool::{LineFormat, Tool};

/// The linter of protocol buffers.
pub(crate) const TOOL: Tool = Tool {
    name: "buf",
    aliases: &["buf-lint", "buf-breaking"],
    role: Role::Lint,
    lines: &[
        LineFormat { prefilter: &[".proto:"], reader: |is_hinted| TEXT.reader(is_hinted) },
        LineFormat { prefilter: &[".proto("], reader: |is_hinted| MSVS.reader(is_hinted) },
        LineFormat { prefilter: &["\"start_line\":"], reader: |_| JSON.reader() },
    ],
    documents: &[],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    let line = finding(r"^(?<file>\S.*?\.proto):(?<line>\d+):(?<column>\d+):(?<message>[^\s:].*)$");
    Rows::new("buf", "text", [line])
});

static MSVS: LazyLock<Rows> = LazyLock::new(|| {
    let line = finding(
        r"^(?<file>\S.*?\.proto)\((?<line>\d+),(?<column>\d+)\) : error (?<code>[A-Z][A-Z0-9_]+) : (?<message>.+)$",
    );
    Rows::new("buf", "msvs", [line])
});

static JSON: JsonLines =
    JsonLines { format: "json", rule: "buf/json", keys: &["\"start_line\":"], record: |record| MEMBERS.told(record) };

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
