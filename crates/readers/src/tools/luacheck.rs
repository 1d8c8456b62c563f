//! Luacheck: the default layout, with or without codes, and `--formatter plain`.
//!
//! ```text
//! Checking a.lua                                    1 warning
//!
//!     a.lua:2:16: (W211) unused function 'unused'
//!
//! Total: 1 warning / 0 errors in 1 file
//! ```

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::claim::{Claim, Findings, LineReader, Standing, Use, gravest};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Luacheck.
pub(crate) const TOOL: Tool = Tool {
    name: "luacheck",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[".lua", "Total: "],
        reader: |is_hinted| Box::new(Luacheck { is_hinted, ..Luacheck::default() }),
    }],
    documents: &[],
    settle: gravest,
};

static FINDING: Pattern = Pattern::new(
    r"^ *(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?<column>\d+)(?:-(?<last>\d+))?: (?:\((?<code>[EWF]\d{3})\) )?(?<message>\S.*)$",
);

/// What is said of a file: its count, or that it is well.
static HEADING: Pattern = Pattern::new(
    r"^Checking (?<file>\S.*?)(?: {2,}|(?: ?))(?:OK|(?<warnings>\d+) warnings?(?: / (?<both>\d+) errors?)?|(?<errors>\d+) errors?|(?<broken>Syntax error|I/O error|Failure))$",
);

static TOTAL: Pattern = Pattern::new(
    r"^Total: (?<warnings>\d+) warnings? / (?<errors>\d+) errors? in \d+ files?(?:, couldn't check \d+ files?)?$",
);

/// A name in a message: with colours it is bold, and has no quotes around it.
static NAMED: Pattern = Pattern::new(
    r"^(?<before>[^']*?\b(?:function|variable|argument|field|label|upvalue)) (?<name>[A-Za-z_][\w.]*)(?<rest>| (?:is|was|on|of|has) [^']*)$",
);

/// How messages begin, without their variable parts.
const WORDS: &[&str] = &[
    "unused ",
    "setting ",
    "mutating ",
    "accessing ",
    "line is too long",
    "line contains",
    "trailing whitespace",
    "inconsistent indentation",
    "empty if branch",
    "empty do",
    "empty statement",
    "variable ",
    "value assigned",
    "shadowing ",
    "expected ",
    "unreachable code",
    "label ",
    "loop is executed at most once",
    "left-hand side",
    "right-hand side",
    "cyclomatic complexity",
    "invalid inline option",
    "unpaired inline option",
    "numeric for loop",
    "const variable",
    "assigned but never",
    "duplicated ",
    "error prone negation",
    "operator",
    "unused label",
];

#[derive(Default)]
struct Luacheck {
    is_hinted: bool,
    findings: Findings,
    /// Whether what is listed now are errors.
    are_errors: bool,
    is_certain: bool,
    sums: (u64, u64),
}

impl LineReader for Luacheck {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if let Some(captures) = text.starts_with("Checking ").then(|| HEADING.captures(text)).flatten() {
            self.is_certain = true;
            self.are_errors = captures.name("errors").is_some() || captures.name("broken").is_some();
            return Use::Line;
        }
        if let Some(captures) = text.starts_with("Total: ").then(|| TOTAL.captures(text)).flatten() {
            self.is_certain = true;
            self.sums.0 += text::count(&captures["warnings"]).unwrap_or(0);
            self.sums.1 += text::count(&captures["errors"]).unwrap_or(0);
            return Use::Line;
        }
        let Some(captures) = text.contains(": ").then(|| FINDING.captures(text)).flatten() else {
            return Use::None;
        };
        let code = captures.name("code").map(|code| code.as_str());
        let message = &captures["message"];
        let extension = captures["file"].rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_lua = matches!(extension, "lua" | "rockspec" | "luacheckrc");
        let is_known = code.is_some() || WORDS.iter().any(|words| message.starts_with(words));
        let is_listed = self.is_certain && text.starts_with("    ");
        if !(is_listed || is_lua && (is_known || self.is_hinted)) {
            return Use::None;
        }
        let is_error = match code {
            Some(code) => !code.starts_with('W'),
            None => self.are_errors || message.starts_with("expected "),
        };
        let mut found =
            matched("luacheck", "luacheck/text", line, &captures, if is_error { Level::Error } else { Level::Warning });
        if let Some(captures) = NAMED.captures(&found.message) {
            found.message = format!("{} '{}'{}", &captures["before"], &captures["name"], &captures["rest"]);
        }
        found.end_column = captures.name("last").and_then(|last| text::position(last.as_str())).map(|last| last + 1);
        found.end_line = found.line.filter(|_| found.end_column.is_some());
        self.findings.add(found);
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        let counts = &self.findings.counts;
        let warnings = self.sums.0.saturating_sub(counts.warnings);
        let errors = self.sums.1.saturating_sub(counts.errors);
        if 0 < warnings + errors && self.sums.0 + self.sums.1 != counts.total() {
            self.findings.add_unlisted(Level::Warning, warnings);
            self.findings.add_unlisted(Level::Error, errors);
        }
        let standing = if self.is_certain || self.is_hinted { Standing::Certain } else { Standing::Likely };
        (found || self.is_certain).then(|| Claim {
            format: "text",
            standing,
            findings: self.findings,
            ..Claim::default()
        })
    }
}
