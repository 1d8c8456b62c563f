//! flake8 and pycodestyle: one finding per line, with a code; with `--show-source` the source line and a caret
//! below it.
//!
//! ```text
//! ./src/app.py:1:8: F401 'os' imported but unused
//! ```
//!
//! ruff prints the same lines; batches of findings that are recognizably ruff's are left to its own reader.

use crate::prelude::*;
use crate::shapes::coded::{LOCATED, RUFF_CLOSING, is_coded, is_of_ruff};
use crate::shapes::python::{is_source, names_test};

pub(crate) static TOOL: Tool = Tool::new("flake8", &["pycodestyle", "pep8", "autopep8"], Role::Lint)
    .lines(&[LineFormat::rows(&[".py:", ".pyi:", ".ipynb:", "stdin:"], &TEXT).unless(names_test)])
    .merge(candidate::together);

static TEXT: Rows =
    Rows::new("flake8", "default").in_batches().sleeps().at_blank_lines(&[("finding", "blank")]).rows(&[
        head(LOCATED)
            .level_of(level)
            .check(|made, found| is_of_python(made) && is_of_ruff(made, found))
            .of_other()
            .enters("finding"),
        head(LOCATED).level_of(level).check(|made, _| is_of_python(made)).enters("finding"),
        sum(RUFF_CLOSING).of_other(),
        part(r"^\s*\^$").inside("source").caret().last(),
        part(r"^\s*\^(?<source>)$").inside("blank").last(),
        part(r"^(?<source>.*)$").inside("finding").enters("source").held().tentative(),
    ]);

/// Only pycodestyle's own warnings count as warnings.
fn level(found: &Groups<'_, '_>) -> Level {
    if found.text("code").starts_with('W') { Level::Warning } else { Level::Error }
}

/// Returns whether a finding is in a Python file and has a code that pylint does not use.
fn is_of_python(found: &Diagnostic) -> bool {
    let file = found.file.as_deref().unwrap_or_default();
    let code = found.code.as_deref().unwrap_or_default();
    let is_of_pylint = code.len() == 5
        && code.starts_with(['C', 'R', 'W', 'E', 'F', 'I'])
        && code.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    let is_python = is_source(file) || file == "stdin";
    is_coded(found) && is_python && !is_of_pylint
}
