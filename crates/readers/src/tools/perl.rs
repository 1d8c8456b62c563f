//! Perl: `syntax error at bad.pl line 4, near "my "`, and what a running program warns of or dies of.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{Claim, Findings, LineReader, Standing, Use, gravest};
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Perl.
pub(crate) const TOOL: Tool = Tool {
    name: "perl",
    aliases: &[],
    role: Role::Compile,
    lines: &[LineFormat {
        wakes: &[".pl line ", ".pm line ", ".PL line ", "had compilation errors.", " syntax OK"],
        reader: |is_hinted| Box::new(Perl { is_hinted, ..Perl::default() }),
    }],
    documents: &[],
    settle: gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r#"^(?<message>\S.*?) at (?<file>(?:[A-Za-z]:)?\S[^:"]*?) line (?<line>\d+)(?:\.|, (?:near|at|<\S*>) .*|, near ".*)?$"#,
    )
});

/// Beginnings of warnings; all else is an error.
const WARNINGS: &[&str] = &[
    "Use of ",
    "Useless use",
    "Possible ",
    "Subroutine ",
    "Name \"",
    "Argument \"",
    "Odd number",
    "Scalar value",
    "\"my",
    "Deep recursion",
    "Reference found",
    "Found = in conditional",
    "Statement unlikely",
    "Unquoted string",
    "Applying pattern",
    "Prototype mismatch",
    "Constant subroutine",
    "print (...)",
    "Applying",
    "Unrecognized escape",
    "Smartmatch is",
    "given is",
    "when is",
    "Variable \"",
    "Redundant argument",
    "Missing argument",
    "isn't numeric",
    "Too late to run",
    "substr outside",
    "splice() offset",
    "Filehandle ",
    "readline()",
    "print() on",
    "printf() on",
];

#[derive(Default)]
struct Perl {
    is_hinted: bool,
    findings: Findings,
    is_certain: bool,
    was_clean: bool,
}

/// Whether a line sums up what was said.
fn is_sum(text: &str) -> bool {
    text.starts_with("BEGIN failed--compilation aborted")
        || text.ends_with(" had compilation errors.")
        || text.ends_with(" aborted due to compilation errors.")
        || text.ends_with(" has too many errors.")
        || text.starts_with("Compilation failed in require")
}

impl LineReader for Perl {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        // What a test dies of is told by what runs the tests.
        let is_of_test = text.contains(".t line ");
        if is_sum(text) && (!is_of_test || self.is_hinted) {
            self.is_certain = true;
            return Use::Line;
        }
        if text.ends_with(" syntax OK") {
            self.was_clean = true;
            return Use::Line;
        }
        // `#` stands before what a test says of a failure, a blank before what is part of something else.
        if !text.contains(" line ") || text.starts_with('#') {
            return Use::None;
        }
        let Some(captures) = FINDING.captures(text) else {
            return Use::None;
        };
        let file = &captures["file"];
        let is_perl = [".pl", ".pm", ".PL", ".cgi", ".psgi"].iter().any(|extension| file.ends_with(extension));
        if !is_perl && (!self.is_hinted || file.contains(' ')) {
            return Use::None;
        }
        let message = &captures["message"];
        let is_called = message.ends_with(" called");
        if is_called {
            return Use::None;
        }
        let is_warning = WARNINGS.iter().any(|words| message.starts_with(words));
        self.is_certain |= message == "syntax error" || message.starts_with("Global symbol ");
        let level = if is_warning { Level::Warning } else { Level::Error };
        self.findings.add(matched("perl", "perl/text", line, &captures, level));
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total() || self.is_hinted && self.was_clean;
        let is_certain = self.is_certain || self.is_hinted;
        let standing = if is_certain { Standing::Certain } else { Standing::Likely };
        found.then(|| Claim { format: "text", standing, findings: self.findings, ..Claim::default() })
    }
}
