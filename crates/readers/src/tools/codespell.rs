//! codespell: one finding a line.
//!
//! ```text
//! README.md:12: teh ==> the
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "codespell",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: &[" ==> "], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[],
    merge: candidate::together,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "codespell",
        "text",
        [finding(
            r"^(?:WARNING: )?(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): (?<message>\S+(?: \S+){0,3} ==> (?<suggestion>\S.*))$",
        )
        // Several words, or one with a reason, are for a person to choose.
        .check(|made, found| {
            made.fixable = !found.text("suggestion").contains([',', '|']);
            true
        })],
    )
});
