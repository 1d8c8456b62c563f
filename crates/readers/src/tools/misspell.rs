//! misspell: `docs/a.md:3:10: "recieve" is a misspelling of "receive"`, which golint prints too.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "misspell",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { prefilter: &["\" is a misspelling of \""], reader: |is_hinted| TEXT.reader(is_hinted) }],
    documents: &[],
    merge: candidate::gravest,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "misspell",
        "text",
        [finding(r#"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>"[^"]+" is a misspelling of "(?<fix>(?<suggestion>[^"]+))")$"#)],
    )
    .level(Level::Warning)
});
