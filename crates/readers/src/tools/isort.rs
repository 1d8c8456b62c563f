//! isort: files that it would reformat.
//!
//! ```text
//! ERROR: /project/app.py Imports are incorrectly sorted and/or formatted.
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("isort", &[], Role::Format)
    .lines(&[LineFormat::rows(&["Imports are incorrectly sorted"], &CHECK)])
    .merge(candidate::together);

static CHECK: Rows = Rows::new("isort", "check").rows(&[finding(
    r"^(?<level>ERROR): (?<file>\S.*?) (?<message>Imports are (?<fix>incorrectly) sorted(?: and/or formatted)?\.)$",
)]);
