//! pydocstyle: a place, and below it the code and what is wrong.
//!
//! ```text
//! app.py:3 in public function `add`:
//!         D103: Missing docstring in public function
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use, diagnostic, name};
use crate::scan::Line;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// pydocstyle.
pub(crate) const TOOL: Tool = Tool {
    name: "pydocstyle",
    aliases: &["pep257"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &["        D1", "        D2", "        D3", "        D4"],
        reader: |_| Box::new(Pydocstyle::default()),
    }],
    documents: &[],
    settle: claim::together,
};

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<file>\S.*?):(?<line>\d+) (?:at module level|in [a-z][a-z ]* `[^`]*`):$"));

static FINDING: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ {8}(?<code>D\d{3}): (?<message>\S.*)$"));

#[derive(Default)]
struct Pydocstyle {
    findings: Findings,
    place: Option<Diagnostic>,
}

impl LineReader for Pydocstyle {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(mut found) = self.place.take()
            && let Some(captures) = FINDING.captures(text)
        {
            captures["message"].clone_into(&mut found.message);
            found.code = Some(captures["code"].to_owned());
            found.origin.end = line.end;
            self.findings.add(found);
            return Use::WithPrevious;
        }
        if text.ends_with(':')
            && let Some(captures) = PLACE.captures(text)
        {
            let mut found = diagnostic("pydocstyle", "pydocstyle/text", line, Level::Error, "");
            found.file = Some(name(&text::path(&captures["file"])));
            found.line = text::position(&captures["line"]);
            self.place = Some(found);
        }
        Use::None
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let has_findings = 0 < self.findings.counts.total();
        has_findings.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
