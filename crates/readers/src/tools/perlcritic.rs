//! Perl::Critic, in the formats that it knows by number.
//!
//! ```text
//! Expression form of "eval" at line 1, column 41.  See page 161 of PBP.  (Severity: 5)        4, the default
//! lib/A.pm: Expression form of "eval" at line 1, column 41.  See page 161 of PBP.  (Severity: 5)  5
//! [BuiltinFunctions::ProhibitStringyEval] Expression form of "eval" at line 1, column 41.  (Severity: 5)  8
//! lib/A.pm:1:41:Expression form of "eval"                                                     1
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Claim, Findings, LineReader, Standing, Use, gravest};
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Perl::Critic.
pub(crate) const TOOL: Tool = Tool {
    name: "perlcritic",
    aliases: &["perl-critic"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &["(Severity: ", " source OK", ".pl:", ".pm:", ".t:"],
        reader: |is_hinted| Box::new(Critic { is_hinted, ..Critic::default() }),
    }],
    documents: &[],
    settle: gravest,
};

/// The formats that say how grave it is. One without code and explanation is none: it is the end of one with a code.
static GRADED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:\[(?<code>\w+(?:::\w+)+)\] |(?<file>(?:[A-Za-z]:)?[^\s:\[][^:]*): )?(?<message>\S.*?) at line (?<line>\d+)(?:, column (?<column>\d+)|,? near '.*')\.(?:  (?<why>\S.*?)\.?)?  \(Severity: (?<grade>[1-5])\)$",
    )
});

/// Formats 1, 2 and 3, which say so little that the command must be known, or the words.
static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?:(?<line>\d+):(?<column>\d+):(?:(?<code>[\w:]+::\w+): ?)?| \((?<line2>\d+):(?<column2>\d+)\) )(?<message>\S.*)$",
    )
});

/// Words of policies that are shipped, by which format 1 is known.
const WORDS: &[&str] = &[
    "Code before strictures are enabled",
    "Code before warnings are enabled",
    "Code not contained in explicit package",
    "Module does not end with \"1;\"",
    "Code is not tidy",
    "Expression form of \"eval\"",
    "Bareword file handle opened",
    "\"return\" statement with explicit \"undef\"",
    "Two-argument \"open\" used",
    "Subroutine prototypes used",
    "Builtin function called with parentheses",
    "Useless interpolation of literal string",
    "Stricture disabled",
    "No package-scoped \"$VERSION\" variable found",
];

#[derive(Default)]
struct Critic {
    is_hinted: bool,
    findings: Findings,
    is_certain: bool,
    was_clean: bool,
}

impl Critic {
    fn graded(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = line.text.contains("(Severity: ").then(|| GRADED.captures(&line.text)).flatten() else {
            return false;
        };
        let is_near = captures.name("column").is_none();
        if captures.name("code").is_none() && captures.name("why").is_none() && !is_near {
            return false;
        }
        let level = match &captures["grade"] {
            "5" => Level::Error,
            "3" | "4" => Level::Warning,
            _ => Level::Info,
        };
        self.is_certain = true;
        self.findings.add(matched("perlcritic", "perlcritic/text", line, &captures, level));
        true
    }

    fn plain(&mut self, line: &Line<'_>) -> bool {
        let may_be = line.text.contains(".p") || line.text.contains(".t:") || self.is_hinted;
        let Some(captures) = may_be.then(|| PLAIN.captures(&line.text)).flatten() else {
            return false;
        };
        let message = &captures["message"];
        let file = &captures["file"];
        let is_perl = [".pl", ".pm", ".t", ".PL", ".cgi", ".psgi"].iter().any(|extension| file.ends_with(extension));
        let is_known = WORDS.iter().any(|words| message.starts_with(words));
        self.is_certain |= is_known && is_perl;
        if !is_perl && !self.is_hinted {
            return false;
        }
        let mut found = matched("perlcritic", "perlcritic/plain", line, &captures, Level::Warning);
        if let (Some(line), Some(column)) = (captures.name("line2"), captures.name("column2")) {
            found.line = text::position(line.as_str());
            found.column = text::position(column.as_str());
        }
        self.findings.add(found);
        true
    }
}

impl LineReader for Critic {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.text.ends_with(" source OK") {
            self.was_clean = true;
            return Use::Line;
        }
        if self.graded(line) || self.plain(line) { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        let is_sure = self.is_hinted || self.is_certain;
        let is_clean = self.was_clean && !found;
        let standing = if is_sure { Standing::Certain } else { Standing::Likely };
        (found && is_sure || is_clean).then(|| Claim {
            format: "text",
            standing,
            findings: self.findings,
            ..Claim::default()
        })
    }
}
