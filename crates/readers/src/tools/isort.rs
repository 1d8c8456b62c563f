//! isort: which files it would write anew.
//!
//! ```text
//! ERROR: /project/app.py Imports are incorrectly sorted and/or formatted.
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate;
use crate::rows::{Rows, finding};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "isort",
    aliases: &[],
    role: Role::Format,
    lines: &[LineFormat {
        prefilter: &["Imports are incorrectly sorted"],
        reader: |is_hinted| CHECK.reader(is_hinted),
    }],
    documents: &[],
    merge: candidate::together,
};

static CHECK: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "isort",
        "check",
        [finding(
            r"^(?<level>ERROR): (?<file>\S.*?) (?<message>Imports are (?<fix>incorrectly) sorted(?: and/or formatted)?\.)$",
        )],
    )
});
