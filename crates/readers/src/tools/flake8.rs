//! flake8 and pycodestyle: one finding per line, with a code; with `--show-source` the source line and a caret
//! below it.
//!
//! ```text
//! ./src/app.py:1:8: F401 'os' imported but unused
//! ```
//!
//! ruff prints the same lines; findings that are recognizably ruff's are left to its own reader.

use crate::prelude::*;
use crate::shapes::coded::{self, Sequence};
use crate::shapes::python::is_source;

pub(crate) static TOOL: Tool = Tool::new("flake8", &["pycodestyle", "pep8", "autopep8"], Role::Lint)
    .lines(&[LineFormat::new(&[".py:", ".pyi:", ".ipynb:", "stdin:"], |is_hinted| {
        Box::new(Flake8 { is_hinted, ..Flake8::default() })
    })])
    .merge(candidate::together);

const RULE: &str = "flake8/default";

#[derive(Default)]
struct Flake8 {
    is_hinted: bool,
    findings: Findings,
    sequence: Sequence,
    /// Whether the previous line was a finding.
    follows_finding: bool,
    /// The line below a finding, which is its source if a caret follows.
    source: Option<String>,
}

impl Flake8 {
    /// Ends a sequence of findings; those of ruff are dropped.
    fn end(&mut self, closing: Option<u64>) {
        let sequence = std::mem::take(&mut self.sequence);
        let is_of_ruff = sequence.is_of_ruff || closing.is_some_and(|number| number == sequence.len());
        if self.is_hinted || !is_of_ruff {
            self.findings.append(sequence.findings);
        }
    }

    /// Handles the caret below a source line.
    fn caret(&mut self, line: &Line<'_>) -> bool {
        if line.text.trim() != "^" {
            return false;
        }
        let Some((source, last)) = self.source.take().zip(self.sequence.findings.kept.items_mut().last_mut()) else {
            return false;
        };
        last.source = Some(source);
        last.origin.end = line.end;
        true
    }
}

impl LineReader for Flake8 {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(mut found) = coded::finding("flake8", RULE, line).filter(|found| is_of_python(&found.diagnostic)) {
            // Only pycodestyle's own warnings count as warnings.
            if found.diagnostic.code.as_deref().is_some_and(|code| code.starts_with('W')) {
                found.diagnostic.level = Level::Warning;
            }
            self.sequence.add(found);
            self.follows_finding = true;
            return Use::Line;
        }
        let closing = coded::ruff_closing(text);
        if closing.is_none() && self.caret(line) {
            return Use::WithPrevious;
        }
        if std::mem::take(&mut self.follows_finding) && closing.is_none() {
            self.source = Some(cut::head(text, limit::MESSAGE_BYTES).to_owned());
        } else if closing.is_some() || !text.is_empty() {
            self.source = None;
            self.end(closing);
        }
        Use::None
    }

    fn sleeps(&self) -> bool {
        !self.follows_finding && self.source.is_none() && self.sequence.len() == 0
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.end(None);
        self.findings.candidate("default")
    }
}

/// Returns whether a finding is in a Python file and has a code that pylint does not use.
fn is_of_python(found: &Diagnostic) -> bool {
    let file = found.file.as_deref().unwrap_or_default();
    let code = found.code.as_deref().unwrap_or_default();
    let is_of_pylint = code.len() == 5
        && code.starts_with(['C', 'R', 'W', 'E', 'F', 'I'])
        && code.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    let is_python = is_source(file) || file == "stdin";
    is_python && !is_of_pylint
}
