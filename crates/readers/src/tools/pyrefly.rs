//! pyrefly: `full-text`, with a frame, `min-text` and `json`.
//!
//! ```text
//! ERROR Cannot find module `x` [missing-import]
//!  --> app.py:4:8
//! ERROR app.py:4:8-28: Cannot find module `x` [missing-import]
//!  INFO 2 errors
//! ```

use crate::prelude::*;
use crate::rows::framed;

pub(crate) static TOOL: Tool = Tool::new("pyrefly", &["pyrefly-json"], Role::Typecheck)
    .lines(&[LineFormat::rows(&["ERROR ", " WARN ", "WARN ", " INFO "], &TEXT)])
    .documents(&[DocumentFormat::json(&["{\"errors\":[{\"line\":"], &["\"errors\":"], &JSON)]);

static TEXT: Rows = Rows::new("pyrefly", "text")
    .complete(framed::complete)
    .sums_across_streams()
    .rows(&[
        sum(r"^ ?INFO (?:errors shown: )?(?<errors>\d+)(?: errors?(?:[ ,(].*)?|[ ,(].*error.*)$"),
        within(r"^(?:No `pyrefly\.toml` found|Run `pyrefly init`)").vouches(),
    ])
    .and(&framed::rows(HEAD, SHORT));

const HEAD: &str = r"^ ?(?<level>ERROR|WARN|INFO) (?<message>\S.*?) \[(?<code>[a-z][a-z0-9-]*)\]$";

/// The end follows the start: a column, or a line and a column.
const SHORT: &str = r"^ ?(?<level>ERROR|WARN|INFO) (?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+)(?:-(?:(?<end_line>\d+):)?(?<end_column>\d+))?: (?<message>\S.*?) \[(?<code>[a-z][a-z0-9-]*)\]$";

static JSON: JsonFindings = JsonFindings { paths: &[&["errors", ANY]], ..JsonFindings::of(&MEMBERS) };

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
