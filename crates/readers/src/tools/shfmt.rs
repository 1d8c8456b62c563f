//! shfmt: with `-d` a diff of each file that it would write otherwise; with `-l` their names, which alone say nothing.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// shfmt.
pub(crate) const TOOL: Tool = Tool {
    name: "shfmt",
    aliases: &[],
    role: Role::Format,
    lines: &[LineFormat { wakes: &[".orig"], reader: |is_hinted| Box::new(Shfmt::new(is_hinted)) }],
    documents: &[],
    settle: claim::gravest,
};

const UNFORMATTED: &str = "not formatted with shfmt";

/// Extensions of shell scripts.
const SCRIPTS: &[&str] = &["sh", "bash", "zsh", "ksh", "bats", "mksh"];

/// `--- deploy.sh.orig`, at the head of a diff.
static HEAD: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?:diff (?:-u )?|--- )(\S.*?)\.orig(?:\s.*)?$"));

/// `deploy.sh:3:1: "if" must end with "fi"`: the script could not be parsed.
static SYNTAX: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>\S.*)$"));

/// Reads one stream.
struct Shfmt {
    is_hinted: bool,
    findings: Findings,
    last: Option<String>,
    /// Whether the line before was the first of a diff's head.
    is_below_diff: bool,
}

impl Shfmt {
    fn new(is_hinted: bool) -> Self {
        Self { is_hinted, findings: Findings::default(), last: None, is_below_diff: false }
    }

    fn unformatted(&mut self, file: &str, line: &Line<'_>) {
        let file = name(&text::path(file));
        let mut found = diagnostic("shfmt", "shfmt/diff", line, Level::Warning, UNFORMATTED);
        found.file = Some(file.clone());
        found.fixable = true;
        self.findings.add(found);
        self.last = Some(file);
    }
}

impl LineReader for Shfmt {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(captures) = HEAD.captures(text)
            && (self.is_hinted || text::has_extension(&captures[1], SCRIPTS))
        {
            // `diff a.sh.orig a.sh` stands before `--- a.sh.orig` in newer versions.
            if !std::mem::replace(&mut self.is_below_diff, text.starts_with("diff ")) || text.starts_with("diff ") {
                self.unformatted(&captures[1], line);
            }
            return Use::Line;
        }
        self.is_below_diff = false;
        let is_diff = self.last.is_some() && text.starts_with(['+', '-', ' ', '@']);
        if is_diff {
            return Use::Line;
        }
        if self.is_hinted {
            if let Some(captures) = SYNTAX.captures(text) {
                self.findings.add(matched("shfmt", "shfmt/syntax", line, &captures, Level::Error));
                return Use::Line;
            }
            if text::has_extension(text, SCRIPTS) && !text.contains(' ') {
                self.unformatted(text, line);
                return Use::Line;
            }
        }
        Use::None
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let is_recognized = 0 < self.findings.counts.total();
        is_recognized.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
