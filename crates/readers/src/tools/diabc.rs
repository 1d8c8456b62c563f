//! Wind River's Diab compiler: `"lint.c", line 7: warning (dcc:1521): missing return expression`.

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate::gravest;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "diabc",
    aliases: &["dcc", "diab"],
    role: Role::Compile,
    lines: &[LineFormat { prefilter: &["(dcc:", "(etoa:", "(dplus:"], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[],
    merge: gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "diabc",
        "text",
        [finding(
            r#"^"(?<file>[^"]+)", line (?<line>\d+)(?:, pos \d+)?: (?<level>info|warning|error|fatal error) \((?:dcc|etoa|dplus|das|dld):(?<code>\d+)\): (?<message>\S.*)$"#,
        )],
    )
});
