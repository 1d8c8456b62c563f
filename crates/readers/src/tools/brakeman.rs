//! Brakeman: warnings in blocks, in lines with tabs, and in JSON.
//!
//! ```text
//! Confidence: High
//! Category: SQL Injection
//! Check: SQL
//! Message: Possible SQL injection
//! Code: User.where("name = #{params[:name]}")
//! File: app/controllers/users_controller.rb
//! Line: 12
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, diagnostic, name};
use crate::document::Opening;
use crate::json::{ANY, Record};
use crate::scan::Line;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, named, position, said};
use crate::shapes::pattern::OneLine;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// Brakeman.
pub(crate) const TOOL: Tool = Tool {
    name: "brakeman",
    aliases: &["brakeman-json"],
    role: Role::Lint,
    lines: &[
        LineFormat { wakes: &["Confidence: ", "Brakeman Report"], reader: |_| Box::new(Blocks::default()) },
        LineFormat { wakes: &["High", "Medium", "Weak"], reader: |_| TABS.reader() },
    ],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["{\"scan_info\":{"], keys: &["\"scan_info\":"], empty: None },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    settle: claim::gravest,
};

/// `/app/package.rb⇥13⇥Command Injection⇥General⇥Possible command injection near line 13: …⇥High`, with tabs for `⇥`.
static TABS_LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>/\S.*?\.\w+)(?:\t| +)(?<line>\d+)(?:\t| +)(?<code>[A-Z][^\t]*?)(?:\t[^\t]+\t| +General +| {2,}[A-Z]\w* +)(?<message>.*?)(?:\t| +)(?:High|Medium|Weak)$",
    )
});

static TABS: OneLine = OneLine {
    tool: "brakeman",
    format: "tabs",
    rule: "brakeman/tabs",
    pattern: &TABS_LINE,
    level: Level::Warning,
    standing: Standing::Certain,
    complete: |_, _| true,
};

/// `{"scan_info":{…},"warnings":[{"warning_type":"SQL Injection","check_name":"SQL","message":…,"file":…,"line":12}],…}`.
static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "brakeman/json",
    paths: &[&["warnings", ANY], &["errors", ANY]],
    record: |record| warning(record).into(),
    is_own: |members| members.get("scan_info").is_some_and(|info| info.get("brakeman_version").is_some()),
    is_strict: false,
    standing: Standing::Certain,
};

fn warning(record: &Record<'_>) -> Option<Diagnostic> {
    let value = &record.value;
    if record.path == 1 {
        return Some(finding("brakeman", Level::Error, said(value, "error")?));
    }
    let mut found = finding("brakeman", Level::Warning, said(value, "message")?);
    found.code = Some(named(value, "check_name").or_else(|| named(value, "warning_type"))?);
    found.file = file(value, "file");
    found.line = position(value, "line");
    found.source = named(value, "code");
    Some(found)
}

/// Reads the blocks of one stream.
#[derive(Default)]
struct Blocks {
    has_sign: bool,
    is_clean: bool,
    open: Option<Diagnostic>,
    findings: Findings,
}

impl Blocks {
    fn close(&mut self) {
        if let Some(found) = self.open.take().filter(|found| found.code.is_some() && !found.message.is_empty()) {
            self.findings.add(found);
        }
    }
}

impl LineReader for Blocks {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text == "== Brakeman Report ==" {
            self.has_sign = true;
            return Use::Line;
        }
        if self.has_sign && (text == "No warnings found" || text == "Security Warnings: 0") {
            self.is_clean = true;
            return Use::Line;
        }
        let Some((key, value)) = text.split_once(": ") else {
            self.close();
            return Use::None;
        };
        if key == "Confidence" && ["High", "Medium", "Weak"].contains(&value) {
            self.close();
            self.open = Some(diagnostic("brakeman", "brakeman/text", line, Level::Warning, ""));
            return Use::Line;
        }
        let Some(open) = &mut self.open else {
            return Use::None;
        };
        match key {
            "Check" => open.code = Some(name(value)),
            "Category" => open.code = open.code.take().or_else(|| Some(name(value))),
            "Message" => open.message = name(value),
            "Code" => open.source = Some(name(value)),
            "File" => open.file = Some(name(&text::path(value))),
            "Line" => open.line = text::position(value),
            _ => return Use::None,
        }
        open.origin.end = line.end;
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let is_recognized = 0 < self.findings.counts.total() || self.is_clean;
        is_recognized.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
