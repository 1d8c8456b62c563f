//! XO, and others that print with eslint-formatter-pretty: `  ✖  1:5  x is never used.  no-unused-vars` below the place of
//! the first finding of a file, and counts at the end.

use crate::candidate::NAME_BYTES;
use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("xo", &[], Role::Lint)
    .lines(&[LineFormat::new(&["  ✖  ", "  ⚠  ", "  ×  ", "  ‼  "], |is_hinted| {
        Box::new(Pretty::new("xo", "xo/pretty", is_hinted))
    })]);

/// tsd, which tests types: it prints what does not hold in the same form, and nothing where all does.
pub(crate) static TSD: Tool = Tool::new("tsd", &[], Role::Typecheck)
    .lines(&[LineFormat::new(&["  ✖  ", "  ⚠  ", "  ×  ", "  ‼  "], |is_hinted| {
        Box::new(Pretty::new("tsd", "tsd/pretty", is_hinted))
    })]);

/// The file, with the place of its first finding.
static FILE: Pattern = Pattern::new(r"^  (?<file>\S.*?\.\w+)(?::\d+:\d+)?$");

static ROW: Pattern = Pattern::new(
    r"^  (?<mark>[✖×⚠‼])  +(?<line>\d+):(?<column>\d+)  +(?<message>\S.*?)(?:  +(?<code>[@A-Za-z][\w@/-]*))?$",
);

static COUNT: Pattern = Pattern::new(r"^  (?<number>\d+) (?<level>error|warning)s?$");

struct Pretty {
    tool: &'static str,
    rule: &'static str,
    is_hinted: bool,
    tally: Tally,
    file: Option<String>,
}

impl Pretty {
    fn new(tool: &'static str, rule: &'static str, is_hinted: bool) -> Self {
        Self { tool, rule, is_hinted, tally: Tally::new(tool), file: None }
    }

    fn row(&mut self, line: &Line<'_>, text: &str) -> bool {
        let Some(captures) = ROW.find(text).filter(|_| self.file.is_some()) else { return false };
        let level = if matches!(captures.text("mark"), "✖" | "×") { Level::Error } else { Level::Warning };
        let found = captures.diagnostic(self.tool, self.rule, line, level);
        self.tally.add(Diagnostic { file: self.file.clone(), ..found });
        true
    }

    fn closing(&mut self, text: &str) -> bool {
        let Some(captures) = COUNT.find(text).filter(|_| 0 < self.tally.listed()) else { return false };
        let Some(number) = captures.count("number") else { return false };
        self.tally.sum_up(if captures.text("level") == "error" { Sum::errors(number) } else { Sum::warnings(number) });
        true
    }
}

impl LineReader for Pretty {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if !text.starts_with("  ") {
            return Use::None;
        }
        if self.row(line, text) || self.closing(text) {
            return Use::Line;
        }
        if let Some(captures) = FILE.find(text) {
            self.file = Some(text::path(cut::head(captures.text("file"), NAME_BYTES)));
            return if self.is_hinted { Use::Line } else { Use::None };
        }
        Use::None
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let confidence = if self.is_hinted || 0 < self.tally.sums { Confidence::Certain } else { Confidence::Likely };
        (0 < self.tally.read).then(|| self.tally.candidate("pretty", confidence))
    }
}
