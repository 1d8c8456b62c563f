//! Shells, where they cannot read or run a script: `deploy.sh: line 14: syntax error near unexpected token 'fi'`, and dash's
//! `deploy.sh: 3: Syntax error: "fi" unexpected`.

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::claim::{Claim, Findings, LineReader, Standing, Use, gravest};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::tool::{LineFormat, Tool};

/// Shells.
pub(crate) const TOOL: Tool = Tool {
    name: "bash",
    aliases: &["sh", "dash", "ksh", "zsh"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[": line ", ": Syntax error: ", ": syntax error", ".sh: "],
        reader: |is_hinted| Box::new(Bash { is_hinted, findings: Findings::default(), is_error_open: false }),
    }],
    documents: &[],
    settle: gravest,
};

static FINDING: Pattern =
    Pattern::new(r"^(?<file>[^\s:][^:]*): (?:-c: )?(?:line )?(?<line>\d+): (?:(?<level>warning): )?(?<message>\S.*)$");

/// What shells say of themselves, whatever the script.
const WORDS: &[&str] = &[
    "syntax error",
    "Syntax error",
    "unexpected EOF",
    "command not found",
    "unbound variable",
    ": not found",
    "No such file or directory",
    "Permission denied",
    "here-document",
    "bad substitution",
    "Bad substitution",
    "integer expression expected",
    "readonly variable",
    "unary operator expected",
    "ambiguous redirect",
    "parse error",
    "not a valid identifier",
    "cannot execute",
    "too many arguments",
    "parameter not set",
    "division by 0",
];

struct Bash {
    is_hinted: bool,
    findings: Findings,
    /// Whether the line before was a syntax error, below which bash shows the source.
    is_error_open: bool,
}

impl LineReader for Bash {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let is_error_open = std::mem::replace(&mut self.is_error_open, false);
        if !line.text.contains(": ") {
            return Use::None;
        }
        let Some(captures) = FINDING.captures(&line.text) else {
            return Use::None;
        };
        let message = &captures["message"];
        if is_error_open && message.starts_with('`') && message.ends_with('\'') {
            return Use::Line;
        }
        let is_known = WORDS.iter().any(|words| message.contains(words));
        let is_said = if line.text.contains(": line ") {
            is_known || self.is_hinted
        } else {
            line.text.contains(": Syntax error: ") || is_known && self.is_hinted
        };
        if !is_said {
            return Use::None;
        }
        self.is_error_open = message.contains("yntax error");
        let mut found = matched("bash", "bash/text", line, &captures, Level::Error);
        // Of what is run by `-c` the shell itself stands where the file would.
        let shell = found.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file).trim_start_matches('-'));
        if matches!(shell, Some("bash" | "sh" | "dash" | "zsh" | "ksh")) {
            found.file = None;
        }
        self.findings.add(found);
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        let standing = if self.is_hinted { Standing::Certain } else { Standing::Likely };
        found.then(|| Claim { format: "text", standing, findings: self.findings, ..Claim::default() })
    }
}
