//! protolint: `[api/order.proto:7:3] Found an incorrect indentation style`, and JSON:
//! `{"lints":[{"filename":"api/order.proto","line":7,"column":3,"message":"…","rule":"INDENT"}]}`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::document::Opening;
use crate::json::ANY;
use crate::rows::{Rows, finding};
use crate::shapes::json_findings::JsonFindings;
use crate::shapes::members::Members;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// The linter of protocol buffers.
pub(crate) const TOOL: Tool = Tool {
    name: "protolint",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: &[".proto:"], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[DocumentFormat {
        opening: Opening {
            compact: &["{\"lints\":", "{\"basedir\":"],
            keys: &["\"lints\":", "\"basedir\":"],
            empty: None,
        },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "protolint",
        "text",
        [finding(r"^\[(?<file>\S.*?\.proto):(?<line>\d+):(?<column>\d+)\] (?<message>\S.*)$")],
    )
    .level(Level::Warning)
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
