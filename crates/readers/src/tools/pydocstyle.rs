//! pydocstyle: a place, and below it the code and what is wrong.
//!
//! ```text
//! app.py:3 in public function `add`:
//!         D103: Missing docstring in public function
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;

use crate::candidate;
use crate::rows::{Rows, lead, rest};
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "pydocstyle",
    aliases: &["pep257"],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &["        D1", "        D2", "        D3", "        D4"],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[],
    merge: candidate::together,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "pydocstyle",
        "text",
        [
            rest(r"^ {8}(?<code>D\d{3}): (?<message>\S.*)$").last(),
            lead(r"^(?<file>\S.*?):(?<line>\d+) (?:at module level|in [a-z][a-z ]* `[^`]*`):$").tentative(),
        ],
    )
});
