//! ty: `full`, with a frame, and `concise`.
//!
//! ```text
//! app.py:36:15: error[unresolved-reference] Name `x` used when not defined
//! Found 15 diagnostics
//! ```

use crate::prelude::*;
use crate::rows::framed;

pub(crate) static TOOL: Tool = Tool::new("ty", &[], Role::Typecheck)
    .lines(&[LineFormat::rows(&["error[", "warning[", "info[", "fatal[", " diagnostics"], &TEXT)]);

static TEXT: Rows = Rows::new("ty", "text")
    .complete(framed::complete)
    .sums_across_streams()
    .rows(&[
        sum(r"^Found (?<all>\d+) diagnostics?$"),
        known(r"^All checks passed!$").hinted(),
        within(r"^All checks passed!$"),
    ])
    .and(&framed::rows(HEAD, SHORT));

/// Codes are lowercase words, which distinguishes them from those of a compiler.
const HEAD: &str = r"^(?<level>error|warning|info|fatal)\[(?<code>[a-z][a-z0-9-]*)\](?: \[\*\])?: (?<message>\S.*)$";

const SHORT: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+): (?<level>error|warning|info|fatal)\[(?<code>[a-z][a-z0-9-]*)\] (?<message>\S.*)$";
