//! Sphinx: warnings and errors in the documents that it builds.
//!
//! ```text
//! /project/docs/index.rst:6: WARNING: undefined label: 'nope' [ref.ref]
//! build succeeded, 4 warnings.
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("sphinx", &["sphinx-build"], Role::Compile)
    .lines(&[LineFormat::rows(
        &[
            "Warning, treated as error:",
            ": WARNING: ",
            ": ERROR: ",
            ": CRITICAL: ",
            ": SEVERE: ",
            "build succeeded",
            "build finished with problems",
        ],
        &TEXT,
    )])
    .merge(candidate::together);

const LOCATED: &str = r"^(?:[a-z][a-z -]*\.\.\. ?(?:\[ *\d+%\] ?)?)?(?<file>(?:[A-Za-z]:)?[^\s:][^:]*?)(?::docstring of [^:]+)?(?::(?<line>\d+))?: (?<level>WARNING|ERROR|CRITICAL|SEVERE): (?<message>\S.*?)(?: \[(?<code>[a-z_]+(?:\.[\w*]+)?)\])?$";

const DOCUMENTS: &[&str] = &["rst", "md", "py", "txt", "ipynb", "inc", "pyx"];

/// Findings are on standard error, and their count is on standard output. Without the final line any log may
/// look like this.
static TEXT: Rows = Rows::new("sphinx", "text").confidence(Confidence::Likely).lists().rows(&[
    sum(r"^build (?:succeeded|finished with problems), (?<all>\d+) warnings?(?: \(.*\))?\.$").unlisted(Level::Warning),
    known(r"^build (?:succeeded|finished with problems)(?:, \d+ warnings?)?(?: \(.*\))?\.$"),
    known("^Warning, treated as error:$").enters("treated"),
    finding(r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.\w+):(?:(?<line>\d+):)? ?(?<message>\S.*?)(?: \[(?<code>[a-z_]+(?:\.[\w*]+)?)\])?$")
        .inside("treated")
        .enters(""),
    finding(LOCATED).check(|_, found| text::has_extension(found.text("file"), DOCUMENTS)),
    finding(LOCATED).hinted(),
    finding(r"^(?<level>WARNING|ERROR|CRITICAL): (?<message>\S.*?)(?: \[(?<code>[a-z_]+(?:\.[\w*]+)?)\])?$").hinted(),
]);
