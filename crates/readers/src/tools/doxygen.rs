//! Doxygen: `a.h:357: warning: Member f() (function) of class A is not documented.`, in old versions without the blank
//! before the severity.

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{Claim, Findings, LineReader, Standing, Use, gravest};
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Doxygen.
pub(crate) const TOOL: Tool = Tool {
    name: "doxygen",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[": warning: ", ":warning: ", ": error: ", ":error: "],
        reader: |is_hinted| {
            Box::new(Doxygen { is_hinted, is_certain: false, findings: Findings::default(), open: None })
        },
    }],
    documents: &[],
    settle: gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+): ?)?(?<level>warning|error|[Ww]arning|[Ee]rror): (?<message>\S.*)$",
    )
});

/// What no compiler says.
const WORDS: &[&str] = &[
    "is not documented",
    "are not documented",
    "was not declared or defined",
    "documented symbol",
    "\\file statement",
    "explicit link request",
    "unable to resolve reference",
    "unable to resolve link",
    "Found unknown command",
    "Unsupported xml/html tag",
    "of command @param is not found",
    "of command \\param is not found",
    "The following parameter",
    "no uniquely matching class member found",
    "no matching class member found",
    "no matching file member found",
    "multiple use of section label",
    "end of comment block while",
    "end of file while inside a group",
    "doxygen",
    "Doxygen",
    "has become obsolete",
    "return type of member",
    "found documented return type",
];

struct Doxygen {
    is_hinted: bool,
    is_certain: bool,
    findings: Findings,
    open: Option<Diagnostic>,
}

impl Doxygen {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }
}

impl LineReader for Doxygen {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        let may_be = text.contains("arning: ") || text.contains("rror: ");
        let captures = may_be.then(|| FINDING.captures(text)).flatten();
        if let Some(captures) = captures {
            self.close();
            let has_place = captures.name("file").is_some();
            if !has_place && !self.is_hinted {
                return Use::None;
            }
            let message = &captures["message"];
            self.is_certain |= WORDS.iter().any(|words| message.contains(words));
            self.open = Some(matched("doxygen", "doxygen/text", line, &captures, Level::Warning));
            return Use::Line;
        }
        // What a message goes on with is indented.
        if let Some(found) = &mut self.open
            && text.starts_with("  ")
            && !line.is_blank()
        {
            text::add_line(&mut found.message, text.trim_end(), limit::MESSAGE_BYTES);
            found.origin.end = line.end;
            return Use::Line;
        }
        self.close();
        Use::None
    }

    fn sleeps(&self) -> bool {
        self.open.is_none()
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = 0 < self.findings.counts.total() && (self.is_hinted || self.is_certain);
        let standing = Standing::Certain;
        found.then(|| Claim { format: "text", standing, findings: self.findings, ..Claim::default() })
    }
}
