//! mypy: text, plain or pretty, and `--output json`.
//!
//! ```text
//! app.py:33: error: Argument 1 to "add" has incompatible type "str"; expected "int"  [arg-type]
//! app.py:5: note: See https://mypy.readthedocs.io/…
//! Found 2 errors in 1 file (checked 2 source files)
//! ```
//!
//! With `--show-column-numbers` and `--show-error-end` a column and an end follow the line. Pretty output wraps
//! messages and shows the source line below, with carets.

use crate::prelude::*;
use crate::shapes::python::is_source;

pub(crate) static TOOL: Tool = Tool::new("mypy", &["mypy-json", "dmypy"], Role::Typecheck)
    .lines(&[
        LineFormat::rows(
            &["Success: no issues found in ", " source file)", " source files)", "errors prevented further checking"],
            &TEXT,
        )
        .both(&[": error: ", ": note: ", ": warning: ", ": info: "], FILES),
        LineFormat::new(&["\"hint\":"], |_| JSON.reader()),
    ])
    .merge(candidate::together);

/// Texts one of which is in the name of every file that mypy reads.
const FILES: &[&str] = &[".py", ".ipynb", ".toml", "setup.cfg", "mypy.ini"];

static TEXT: Rows = Rows::new("mypy", "text")
    .confidence(Confidence::Likely)
    .sleeps()
    .files(FILES)
    .rows(&[
    sum(r"^Found (?<errors>\d+) errors? in \d+ files? \((?:checked \d+ source files?|errors prevented further checking)\)$")
        .names_tool(),
    // The success message, which may count notes.
    known(r"^Success: no issues found in \d+ source files?$"),
    // `--show-error-context` prints the context above findings.
    within(r"^[^\s:][^:]*: note: (?:In .*:|At top level:)$"),
    head(LOCATED).check(|made, _| is_read(made) && made.code.is_some()).vouches(),
    // Notes without an error could be from any tool.
    head(LOCATED).check(|made, _| is_read(made) && made.level == Level::Error),
    head(LOCATED).check(|made, _| is_read(made)).common(),
    head(LOCATED).hinted(),
    // Pretty output: carets, the source line, and messages wrapped to the width of the terminal, which the code
    // ends.
    part(r"^ {4,}\^[\^~.]*$").check(|made, _| made.source.is_some()).last(),
    part(r"^ {4,}(?<source>\S.*)$").caret().joined().check(|made, _| made.source.is_none()),
    part(r"^ {0,3}(?:(?<message>\S.*?)  ?)?\[(?<code>[a-z][a-z0-9-]*)\]$").caret().joined().check(goes_on),
    part(r"^ {0,3}(?<source>\S.*)$").held().check(goes_on),
    ]);

/// A finding, with as much of its location as is printed; it may be only a file.
const LOCATED: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*?)(?::(?<line>\d+)(?::(?<column>\d+)(?::(?<end_line>\d+):(?<last_column>\d+))?)?)?: (?<level>error|warning|note|info): (?<message>.*?)(?:  \[(?<code>[a-z][a-z0-9-]*)\])?$";

/// Whether mypy reads the file of a finding: a module, or its configuration.
fn is_read(made: &Diagnostic) -> bool {
    let file = made.file.as_deref().unwrap_or_default();
    is_source(file) || [".toml", "setup.cfg", "mypy.ini"].iter().any(|end| file.ends_with(end))
}

/// Whether the message of a finding may be wrapped.
fn goes_on(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    made.source.is_none() && made.code.is_none()
}

/// Columns are 0-based:
/// `{"file": …, "line": 165, "column": 4, "message": …, "hint": null, "code": …, "severity": "error"}`.
static JSON: JsonLines = JsonLines::of("json", &["\"file\":", "\"severity\":", "\"hint\":"], &MEMBERS);

const MEMBERS: Members = Members {
    tool: "mypy",
    file: "file",
    line: "line",
    column: "column+1",
    end_line: "end_line",
    end_column: "end_column+1",
    code: "code",
    suggestion: "hint",
    level: "severity",
    needs: &["severity"],
    ..Members::MESSAGE
};
