//! isort: which files it would write anew.
//!
//! ```text
//! ERROR: /project/app.py Imports are incorrectly sorted and/or formatted.
//! ```

use crate::prelude::*;

pub(crate) const TOOL: Tool = Tool::new("isort", &[], Role::Format)
    .lines(&[LineFormat::new(&["Imports are incorrectly sorted"], |is_hinted| CHECK.reader(is_hinted))])
    .merge(candidate::together);

static CHECK: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new("isort", "check").rows([finding(
        r"^(?<level>ERROR): (?<file>\S.*?) (?<message>Imports are (?<fix>incorrectly) sorted(?: and/or formatted)?\.)$",
    )])
});
