//! protolint: `[api/order.proto:7:3] Found an incorrect indentation style`, and JSON:
//! `{"lints":[{"filename":"api/order.proto","line":7,"column":3,"message":"…","rule":"INDENT"}]}`.

use crate::prelude::*;

/// The linter of protocol buffers.
pub(crate) const TOOL: Tool = Tool::new("protolint", &[], Role::Lint)
    .lines(&[LineFormat::new(&[".proto:"], |is_hinted| TEXT.reader(is_hinted))])
    .documents(&[DocumentFormat::new(
        &["{\"lints\":", "{\"basedir\":"],
        &["\"lints\":", "\"basedir\":"],
        |stream, is_hinted| JSON.reader(stream, is_hinted),
    )]);

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new("protolint", "text")
        .level(Level::Warning)
        .rows([finding(r"^\[(?<file>\S.*?\.proto):(?<line>\d+):(?<column>\d+)\] (?<message>\S.*)$")])
});

static JSON: JsonFindings = JsonFindings {
    rule: "protolint/json",
    paths: &[&["lints", ANY]],
    record: |record| MEMBERS.told(record),
    is_own: |_| true,
    ..JsonFindings::LIST
};

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
