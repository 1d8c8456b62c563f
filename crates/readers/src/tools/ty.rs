//! ty: `full`, with a frame, and `concise`.
//!
//! ```text
//! app.py:36:15: error[unresolved-reference] Name `x` used when not defined
//! Found 15 diagnostics
//! ```

use referee_model::plan::Role;

use crate::claim;
use crate::pattern::Pattern;
use crate::shapes::framed::{Closing, Framed};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// ty.
pub(crate) const TOOL: Tool = Tool {
    name: "ty",
    aliases: &[],
    role: Role::Typecheck,
    lines: &[LineFormat {
        wakes: &["error[", "warning[", "info[", "fatal[", " diagnostics"],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    settle: claim::gravest,
};

static TEXT: Framed = Framed { tool: "ty", rule: "ty/text", head: &HEAD, short: &SHORT, closing };

/// Codes are words in small letters, which tells them from those of a compiler.
static HEAD: Pattern =
    Pattern::new(r"^(?<level>error|warning|info|fatal)\[(?<code>[a-z][a-z0-9-]*)\](?: \[\*\])?: (?<message>\S.*)$");

static SHORT: Pattern = Pattern::new(
    r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+): (?<level>error|warning|info|fatal)\[(?<code>[a-z][a-z0-9-]*)\] (?<message>\S.*)$",
);

fn closing(line: &str) -> Option<Closing> {
    if line == "All checks passed!" {
        return Some(Closing::Findings(0));
    }
    let number = line
        .strip_prefix("Found ")?
        .strip_suffix(" diagnostics")
        .or_else(|| line.strip_prefix("Found ")?.strip_suffix(" diagnostic"))?;
    text::count(number).map(Closing::Findings)
}
