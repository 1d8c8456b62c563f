//! Checkstyle's plain report: `[ERROR] /src/App.java:4:10: Line is longer than 80 characters. [LineLength]`, between
//! `Starting audit...` and `Audit done.`. Before version 6.14 there is no level but `warning: `, and often no rule.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::{Captures, Regex};

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use};
use crate::scan::Line;
use crate::shapes::ant;
use crate::shapes::pattern;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Checkstyle.
pub(crate) const TOOL: Tool = Tool {
    name: "checkstyle",
    aliases: &["checkstyle-xml"],
    role: Role::Lint,
    lines: &[LineFormat { wakes: WAKES, reader: |is_hinted| Box::new(Checkstyle::new(is_hinted)) }],
    documents: crate::formats::checkstyle::DOCUMENTS,
    settle: claim::gravest,
};

/// What frames the report; Ant's task leaves it out.
pub(crate) const WAKES: &[&str] = &["Starting audit...", "[ant:checkstyle]", "[checkstyle]", "[ERROR] ", "[WARN] "];

/// A finding since version 6.14.
static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^\[(?<level>ERROR|WARN|INFO)\] (?<file>\S.*?\.\w+):(?<line>\d+)(?::(?<column>\d+))?: (?<message>.*?)(?: \[(?<code>[A-Z]\w*)\])?$",
    )
});

/// A finding before it.
static OLD: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?\.\w+):(?<line>\d+)(?::(?<column>\d+))?: (?:(?<level>error|warning|info): )?(?<message>.*?)(?: \[(?<code>[A-Z]\w*)\])?$",
    )
});

/// Reads the report.
pub(crate) struct Checkstyle {
    is_hinted: bool,
    findings: Findings,
    is_in_audit: bool,
    has_audit: bool,
    has_rules: bool,
}

impl Checkstyle {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, findings: Findings::default(), is_in_audit: false, has_audit: false, has_rules: false }
    }

    fn finding<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        if text.starts_with('[') {
            let captures = FINDING.captures(text)?;
            let is_sure = self.is_hinted || self.is_in_audit || captures.name("code").is_some();
            return is_sure.then_some(captures);
        }
        self.is_in_audit.then(|| OLD.captures(text)).flatten()
    }
}

impl LineReader for Checkstyle {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = ant::without_task(&line.text).trim_end();
        let text = text.strip_prefix("[INFO] ").filter(|rest| rest.ends_with("audit...")).unwrap_or(text);
        match text {
            "Starting audit..." => {
                self.is_in_audit = true;
                self.has_audit = true;
                return Use::Line;
            }
            "Audit done." => {
                self.is_in_audit = false;
                self.has_audit = true;
                return Use::Line;
            }
            _ => {}
        }
        if text.starts_with("Checkstyle ends with ") && text.ends_with(" errors.") {
            return Use::Line;
        }
        let Some(captures) = self.finding(text) else {
            return Use::None;
        };
        self.has_rules |= captures.name("code").is_some();
        self.findings.add(pattern::matched("checkstyle", "checkstyle/plain", line, &captures, Level::Error));
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = self.has_audit || 0 < self.findings.counts.total();
        // Maven's other plugins print a place and brackets, too.
        let standing = if self.has_audit || self.is_hinted { Standing::Certain } else { Standing::Likely };
        found.then(|| Claim { format: "plain", standing, findings: self.findings, ..Claim::default() })
    }
}
