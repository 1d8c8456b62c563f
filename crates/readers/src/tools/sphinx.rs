//! Sphinx: warnings and errors of the documents that it builds.
//!
//! ```text
//! /project/docs/index.rst:6: WARNING: undefined label: 'nope' [ref.ref]
//! build succeeded, 4 warnings.
//! ```

use crate::prelude::*;

pub(crate) const TOOL: Tool = Tool::new("sphinx", &["sphinx-build"], Role::Compile)
    .lines(&[LineFormat::new(
        &[
            TREATED,
            ": WARNING: ",
            ": ERROR: ",
            ": CRITICAL: ",
            ": SEVERE: ",
            "build succeeded",
            "build finished with problems",
        ],
        |is_hinted| Box::new(Sphinx { is_hinted, ..Sphinx::default() }),
    )])
    .merge(candidate::together);

/// A finding. Progress may stand before it on the line, and the name of what a docstring is of behind the file.
static LOCATED: Pattern = Pattern::new(
    r"^(?:[a-z][a-z -]*\.\.\. ?(?:\[ *\d+%\] ?)?)?(?<file>(?:[A-Za-z]:)?[^\s:][^:]*?)(?::docstring of [^:]+)?(?::(?<line>\d+))?: (?<level>WARNING|ERROR|CRITICAL|SEVERE): (?<message>\S.*?)(?: \[(?<code>[a-z_]+(?:\.[\w*]+)?)\])?$",
);

/// A finding that is of no file: only where it is known that Sphinx printed it.
static GLOBAL: Pattern =
    Pattern::new(r"^(?<level>WARNING|ERROR|CRITICAL): (?<message>\S.*?)(?: \[(?<code>[a-z_]+(?:\.[\w*]+)?)\])?$");

/// What stands above the warning that ends a build with `-W`; that has no level of its own.
const TREATED: &str = "Warning, treated as error:";

static TREATED_LINE: Pattern = Pattern::new(
    r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.\w+):(?:(?<line>\d+):)? ?(?<message>\S.*?)(?: \[(?<code>[a-z_]+(?:\.[\w*]+)?)\])?$",
);

static CLOSING: Pattern =
    Pattern::new(r"^build (?:succeeded|finished with problems)(?:, (?<warnings>\d+) warnings?)?(?: \(.*\))?\.$");

#[derive(Default)]
struct Sphinx {
    is_hinted: bool,
    findings: Findings,
    is_closed: bool,
    /// Whether a warning follows that ends the build.
    is_treated: bool,
    notes: Vec<String>,
}

impl Sphinx {
    fn finding(&mut self, line: &Line<'_>, text: &str) -> bool {
        let global = || GLOBAL.find(text).filter(|_| self.is_hinted);
        let Some(captures) = LOCATED.find(text).or_else(global) else {
            return false;
        };
        let file = captures.text("file");
        let is_document =
            [".rst", ".md", ".py", ".txt", ".ipynb", ".inc", ".pyx"].iter().any(|end| file.ends_with(end));
        if !is_document && !self.is_hinted {
            return false;
        }
        self.findings.add(captures.diagnostic("sphinx", "sphinx/text", line, Level::Error));
        true
    }
}

impl LineReader for Sphinx {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(captures) = CLOSING.find(text) {
            self.is_closed = true;
            let counts = &self.findings.counts;
            let summed_up = captures.number("warnings");
            let listed = counts.errors + counts.warnings;
            // Findings go to standard error, and their count to standard output.
            let unlisted = if listed == 0 { 0 } else { summed_up.saturating_sub(listed) };
            if 0 < unlisted && self.notes.len() < 20 {
                self.notes.push(format!("sphinx sums up {unlisted} warnings more than were read one by one"));
            }
            self.findings.add_unlisted(Level::Warning, unlisted);
            return Use::Line;
        }
        if text == TREATED {
            (self.is_closed, self.is_treated) = (true, true);
            return Use::Line;
        }
        if std::mem::take(&mut self.is_treated)
            && let Some(captures) = TREATED_LINE.find(text)
        {
            self.findings.add(captures.diagnostic("sphinx", "sphinx/text", line, Level::Error));
            return Use::Line;
        }
        if self.finding(line, text) { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let has_findings = 0 < self.findings.counts.total();
        // Without the closing line any log may print so.
        let is_certain = self.is_closed || self.is_hinted;
        let confidence = if is_certain { Confidence::Certain } else { Confidence::Likely };
        (has_findings || self.is_closed).then(|| Candidate {
            format: "text",
            confidence,
            findings: self.findings,
            notes: self.notes,
            ..Candidate::default()
        })
    }
}
