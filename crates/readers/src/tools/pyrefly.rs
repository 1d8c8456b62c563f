//! pyrefly: `full-text`, with a frame, `min-text` and `json`.
//!
//! ```text
//! ERROR Cannot find module `x` [missing-import]
//!  --> app.py:4:8
//! ERROR app.py:4:8-28: Cannot find module `x` [missing-import]
//!  INFO 2 errors
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate;
use crate::document::Opening;
use crate::json::ANY;
use crate::rows::framed;
use crate::rows::{Rows, sum, within};
use crate::shapes::json_findings::JsonFindings;
use crate::shapes::members::Members;
use crate::tool::{DocumentFormat, LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "pyrefly",
    aliases: &["pyrefly-json"],
    role: Role::Typecheck,
    lines: &[LineFormat {
        prefilter: &["ERROR ", " WARN ", "WARN ", " INFO "],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["{\"errors\":[{\"line\":"], keys: &["\"errors\":"], empty: None },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    let closing = [
        sum(r"^ ?INFO (?:errors shown: )?(?<errors>\d+)(?: errors?(?:[ ,(].*)?|[ ,(].*error.*)$"),
        within(r"^(?:No `pyrefly\.toml` found|Run `pyrefly init`)").vouches(),
    ];
    Rows::new("pyrefly", "text", framed::rows(HEAD, SHORT, closing)).complete(framed::complete).sums_across_streams()
});

const HEAD: &str = r"^ ?(?<level>ERROR|WARN|INFO) (?<message>\S.*?) \[(?<code>[a-z][a-z0-9-]*)\]$";

/// The end is printed behind the beginning: a column, or a line and a column.
const SHORT: &str = r"^ ?(?<level>ERROR|WARN|INFO) (?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+)(?:-(?:(?<end_line>\d+):)?(?<end_column>\d+))?: (?<message>\S.*?) \[(?<code>[a-z][a-z0-9-]*)\]$";

static JSON: JsonFindings = JsonFindings {
    rule: "pyrefly/json",
    paths: &[&["errors", ANY]],
    record: |record| MEMBERS.told(record),
    ..JsonFindings::LIST
};

const MEMBERS: Members = Members {
    tool: "pyrefly",
    message: "description|concise_description",
    file: "path",
    line: "line",
    column: "column",
    end_line: "stop_line",
    end_column: "stop_column",
    code: "name",
    level: "severity",
    needs: &["stop_line"],
    ..Members::MESSAGE
};
