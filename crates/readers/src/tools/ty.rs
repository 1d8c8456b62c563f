//! ty: `full`, with a frame, and `concise`.
//!
//! ```text
//! app.py:36:15: error[unresolved-reference] Name `x` used when not defined
//! Found 15 diagnostics
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate;
use crate::rows::framed;
use crate::rows::{Rows, known, sum, within};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "ty",
    aliases: &[],
    role: Role::Typecheck,
    lines: &[LineFormat {
        prefilter: &["error[", "warning[", "info[", "fatal[", " diagnostics"],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    let closing = [
        sum(r"^Found (?<all>\d+) diagnostics?$"),
        known(r"^All checks passed!$").hinted(),
        within(r"^All checks passed!$"),
    ];
    Rows::new("ty", "text", framed::rows(HEAD, SHORT, closing)).complete(framed::complete).sums_across_streams()
});

/// Codes are words in small letters, which tells them from those of a compiler.
const HEAD: &str = r"^(?<level>error|warning|info|fatal)\[(?<code>[a-z][a-z0-9-]*)\](?: \[\*\])?: (?<message>\S.*)$";

const SHORT: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+): (?<level>error|warning|info|fatal)\[(?<code>[a-z][a-z0-9-]*)\] (?<message>\S.*)$";
