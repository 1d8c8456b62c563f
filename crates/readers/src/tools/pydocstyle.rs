//! pydocstyle: a location, and below it the code and the message.
//!
//! ```text
//! app.py:3 in public function `add`:
//!         D103: Missing docstring in public function
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("pydocstyle", &["pep257"], Role::Lint)
    .lines(&[LineFormat::rows(&["        D1", "        D2", "        D3", "        D4"], &TEXT)])
    .merge(candidate::together);

static TEXT: Rows = Rows::new("pydocstyle", "text").rows(&[
    rest(r"^ {8}(?<code>D\d{3}): (?<message>\S.*)$").last(),
    lead(r"^(?<file>\S.*?):(?<line>\d+) (?:at module level|in [a-z][a-z ]* `[^`]*`):$").tentative(),
]);
