//! yamllint: `standard` and `colored`, and `parsable`.
//!
//! ```text
//! a.yaml
//!   1:1       warning  missing document start "---"  (document-start)
//! a.yaml:1:1: [warning] missing document start "---" (document-start)
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use, name};
use crate::scan::Line;
use crate::shapes::pattern;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// yamllint.
pub(crate) const TOOL: Tool = Tool {
    name: "yamllint",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &["  error    ", "  warning  ", ": [error] ", ": [warning] "],
        reader: |is_hinted| Box::new(Yamllint { is_hinted, ..Yamllint::default() }),
    }],
    documents: &[],
    settle: claim::together,
};

/// A finding below its file. A syntax error of version 1.28 and before has one space before its rule.
static BELOW: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^  (?<line>\d+):(?<column>\d+) +(?<level>error|warning)  +(?<message>\S.*?) +\((?<code>[a-z][a-z-]*)\)$",
    )
});

static PARSABLE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+): \[(?<level>error|warning)\] (?<message>\S.*?)(?: \((?<code>[a-z][a-z-]*)\))?$",
    )
});

#[derive(Default)]
struct Yamllint {
    is_hinted: bool,
    findings: Findings,
    /// The last line in the first column: a file, where findings are below it.
    file: Option<String>,
    /// Whether that line was followed by a finding, and so is known to be a file.
    is_file: bool,
}

impl LineReader for Yamllint {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.is_empty() {
            return Use::None;
        }
        if text.starts_with("  ") {
            let Some((file, captures)) = self.file.as_ref().zip(BELOW.captures(text)) else {
                return Use::None;
            };
            let mut found = pattern::matched("yamllint", "yamllint/standard", line, &captures, Level::Error);
            found.file = Some(file.clone());
            self.findings.add(found);
            return if std::mem::replace(&mut self.is_file, true) { Use::Line } else { Use::WithPrevious };
        }
        if text.contains(": [")
            && let Some(captures) = PARSABLE.captures(text)
            && (self.is_hinted || is_yaml(&captures["file"]))
        {
            self.findings.add(pattern::matched("yamllint", "yamllint/parsable", line, &captures, Level::Error));
            return Use::Line;
        }
        self.file = Some(name(&text::path(text)));
        self.is_file = false;
        Use::None
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let has_findings = 0 < self.findings.counts.total();
        has_findings.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}

/// Whether a file is YAML by its name.
fn is_yaml(file: &str) -> bool {
    [".yaml", ".yml", ".yamllint", "stdin"].iter().any(|end| file.ends_with(end))
}
