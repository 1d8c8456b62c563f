//! Semgrep's text: below each file the matching rules, their messages, and the matching lines.
//!
//! ```text
//!     src/a.py
//!    ❯❯❱ python.lang.security.audit.eval-detected
//!           Detected the use of eval().
//!           Details: https://sg.run/x
//!
//!            12┆ eval(x)
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool =
    Tool::new("semgrep", &["opengrep"], Role::Lint).lines(&[LineFormat::rows(&["❯", "❱ "], &TEXT)]);

static TEXT: Rows = Rows::new("semgrep", "text").rows(&[
    heading(r"^ {2,6}(?<level>❯{0,2}❱) (?<code>\S+)$").levels(&[
        ("❯❯❱", Level::Error),
        ("❯❱", Level::Warning),
        ("❱", Level::Info),
    ]),
    // Of consecutive lines, the first makes the finding.
    part(r"^ +\d+┆"),
    head(r"^ +(?<line>\d+)┆ ?(?<source>.*)$").check(|made, _| made.code.is_some()),
    heading(r"^ {2,4}(?<file>\S+)$").tentative(),
    subheading(r"^ {6,}(?:❰❰|Details: |⋮┆)"),
    subheading(r"^ {6,}(?<message>\S.*)$"),
]);
