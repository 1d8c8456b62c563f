//! pyflakes: one finding a line, without a code. What it says is what tells it.
//!
//! ```text
//! ./app.py:1:1: 'os' imported but unused
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use};
use crate::scan::Line;
use crate::shapes::pattern;
use crate::shapes::python::is_source;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// pyflakes.
pub(crate) const TOOL: Tool = Tool {
    name: "pyflakes",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: MESSAGES,
        reader: |is_hinted| Box::new(Pyflakes { is_hinted, findings: Findings::default() }),
    }],
    documents: &[],
    settle: claim::together,
};

/// Parts of its messages, one of which is in each.
const MESSAGES: &[&str] = &[
    "imported but unused",
    ": undefined name ",
    "is assigned to but never used",
    "may be undefined, or defined from star imports",
    "unable to detect undefined names",
    ": redefinition of unused ",
    "missing placeholders",
    "assertion is always true, perhaps remove parentheses?",
    "use ==/!= to compare constant literals",
    "'...'.format(...) ",
    "'...' % ... ",
    " repeated with different values",
    ": invalid syntax",
    ": unexpected indent",
    ": unindent does not match ",
    "referenced before assignment",
    "raise NotImplemented' should be",
    "from __future__ imports must occur",
    "an 'except:' block as not the last",
    "is unused: name is never assigned in scope",
    "is annotated but never used",
    "duplicate argument ",
    "outside function",
    "' outside loop",
];

static LOCATED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):?)? (?<message>\S.*)$")
});

/// A code before the message: then another tool printed it.
static CODE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?:[A-Z]{1,6}\d{1,5}|\[|[a-z-]+:|[A-Z]\w*:) ?"));

struct Pyflakes {
    is_hinted: bool,
    findings: Findings,
}

impl LineReader for Pyflakes {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        let is_known = MESSAGES.iter().any(|message| text.contains(message));
        let may_be_other = self.is_hinted && text.contains(".py:");
        if !is_known && !may_be_other {
            return Use::None;
        }
        let Some(captures) = LOCATED.captures(text) else {
            return Use::None;
        };
        let is_python = is_source(&captures["file"]) || self.is_hinted;
        if !is_python || CODE.is_match(&captures["message"]) {
            return Use::None;
        }
        self.findings.add(pattern::matched("pyflakes", "pyflakes/text", line, &captures, Level::Error));
        Use::Line
    }

    fn sleeps(&self) -> bool {
        true
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let has_findings = 0 < self.findings.counts.total();
        has_findings.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
