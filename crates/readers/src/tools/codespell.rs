//! codespell: one finding per line.
//!
//! ```text
//! README.md:12: teh ==> the
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("codespell", &[], Role::Lint).lines(&[LineFormat::rows(&[" ==> "], &TEXT)]).merge(candidate::together);

static TEXT: Rows = Rows::new("codespell", "text").rows(&[finding(
        r"^(?:WARNING: )?(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): (?<message>\S+(?: \S+){0,3} ==> (?<suggestion>\S.*))$",
    )
    // Several words, or one with a reason, need a manual choice.
    .then(|made, found| made.fixable = !found.text("suggestion").contains([',', '|']))]);
