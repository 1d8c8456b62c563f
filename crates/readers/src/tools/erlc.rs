//! The Erlang compiler, alone and within rebar3: `src/a.erl:125:7: Warning: variable 'Name' is unused`, with the source
//! line below since OTP 24 (`%  125| …`). An error has no word for its level.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use};
use crate::scan::Line;
use crate::shapes::pattern;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The compiler.
pub(crate) const TOOL: Tool = Tool {
    name: "erlc",
    aliases: &["erlang", "rebar3"],
    role: Role::Compile,
    lines: &[LineFormat {
        wakes: &[".erl:", ".hrl:", ".yrl:", ".xrl:"],
        reader: |_| Box::new(Erlc { findings: Findings::default(), open: None }),
    }],
    documents: &[],
    settle: claim::gravest,
};

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?\.[ehyx]rl):(?:(?<line>\d+):(?:(?<column>\d+):)?)? (?:(?<warning>Warning): |Error: )?(?<message>\S.*)$",
    )
});

/// Reads the output.
struct Erlc {
    findings: Findings,
    open: Option<Diagnostic>,
}

impl LineReader for Erlc {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text.starts_with('%')
            && let Some(found) = &mut self.open
        {
            if let Some((_, source)) = text.split_once("| ").filter(|_| !text.contains('^') && found.source.is_none()) {
                found.source = Some(source.to_owned());
            }
            found.origin.end = line.end;
            return Use::Line;
        }
        self.findings_add();
        let is_finding = text.contains("rl:") && !text.starts_with(char::is_whitespace);
        let Some(captures) = is_finding.then(|| LINE.captures(text)).flatten() else {
            return Use::None;
        };
        let level = if captures.name("warning").is_some() { Level::Warning } else { Level::Error };
        self.open = Some(pattern::matched("erlc", "erlc/text", line, &captures, level));
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.findings_add();
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}

impl Erlc {
    fn findings_add(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }
}
