//! gofmt, goimports and gofumpt: with `-l` the names of files, with `-d` a difference under
//! `diff a.go.orig a.go`, and what cannot be parsed as `a.go:3:1: expected declaration, found x`.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::pattern;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The formatter.
pub(crate) const TOOL: Tool = Tool {
    name: "gofmt",
    aliases: &["goimports", "gofumpt", "go-fmt"],
    role: Role::Format,
    lines: &[LineFormat {
        wakes: &[".go.orig "],
        reader: |is_hinted| Box::new(Gofmt { is_hinted, findings: Findings::default(), is_in_difference: false }),
    }],
    documents: &[],
    settle: claim::gravest,
};

/// `diff -u a.go.orig a.go`; before Go 1.10 `diff a.go gofmt/a.go`.
static DIFF: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^diff (?:-u )?(?:\S+\.go\.orig (?<file>\S+\.go)|(?<old>\S+\.go) gofmt/\S+\.go)$"));

/// `a.go:3:1: expected declaration, found x`.
static SYNTAX: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<file>\S+\.go):(?<line>\d+):(?<column>\d+): (?<message>\S.*)$"));

/// Reads the output.
struct Gofmt {
    is_hinted: bool,
    findings: Findings,
    is_in_difference: bool,
}

impl Gofmt {
    fn unformatted(&mut self, line: &Line<'_>, file: &str) {
        let mut found = diagnostic("gofmt", "gofmt/list", line, Level::Warning, "not formatted");
        (found.file, found.fixable) = (Some(name(&text::path(file))), true);
        self.findings.add(found);
    }
}

impl LineReader for Gofmt {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if let Some(captures) = text.starts_with("diff ").then(|| DIFF.captures(text)).flatten() {
            let file = captures.name("file").or(captures.name("old")).map_or("", |file| file.as_str());
            self.unformatted(line, file);
            self.is_in_difference = true;
            return Use::Line;
        }
        if self.is_in_difference && (text.starts_with(['+', '-', ' ', '@', '\\']) || line.is_blank()) {
            return Use::Line;
        }
        self.is_in_difference = false;
        if !self.is_hinted {
            return Use::None;
        }
        if text::has_extension(text, &["go"]) && !text.contains([' ', ':']) {
            self.unformatted(line, text);
            return Use::Line;
        }
        if let Some(captures) = SYNTAX.captures(text) {
            self.findings.add(pattern::matched("gofmt", "gofmt/syntax", line, &captures, Level::Error));
            return Use::Line;
        }
        Use::None
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
