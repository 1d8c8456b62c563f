//! ESLint findings as printed by `next lint` and `next build`: a file on a line, and below it
//! `5:7  Warning: Do not use <img>.  @next/next/no-img-element`.

use crate::candidate::NAME_BYTES;
use crate::prelude::*;
use crate::tools::eslint::is_rule;

static ROW: Pattern =
    Pattern::new(r"^(?<line>\d+):(?<column>\d+)  (?<level>Warning|Error): (?<message>\S.*?)(?:  (?<code>\S+))?$");

/// Message if nothing was found.
pub(crate) const ALL_CLEAR: &str = "No ESLint warnings or errors";

/// Reads ESLint's findings as printed by Next.js.
#[derive(Default)]
pub(crate) struct Next {
    findings: Findings,
    /// The previous line, which may name the file; empty if it cannot.
    header: String,
    file: Option<String>,
    is_clean: bool,
}

impl Next {
    fn row(&mut self, line: &Line<'_>, text: &str) -> Option<Use> {
        let captures = ROW.find(text)?;
        let used = if self.header.is_empty() { Use::Line } else { Use::WithPrevious };
        if used == Use::WithPrevious {
            self.file = Some(text::path(&self.header));
            self.header.clear();
        }
        let file = self.file.clone()?;
        let mut found = captures.diagnostic("eslint", "eslint/next", line, Level::Error);
        found.file = Some(file);
        found.code = found.code.filter(|code| is_rule(code));
        self.findings.add(found);
        Some(used)
    }
}

impl LineReader for Next {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.is_empty() {
            self.header.clear();
            self.file = None;
            return Use::None;
        }
        if text.starts_with(|first: char| first.is_ascii_digit())
            && let Some(used) = self.row(line, text)
        {
            return used;
        }
        self.header.clear();
        if text.starts_with("./") {
            self.header.push_str(cut::head(text, NAME_BYTES));
        }
        let is_clean = text.strip_prefix("✔ ").unwrap_or(text) == ALL_CLEAR;
        self.is_clean |= is_clean;
        if is_clean { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        (0 < self.findings.counts.total() || self.is_clean)
            .then(|| Candidate::of("next", self.findings).confidence(Confidence::Certain))
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn rows_stand_below_their_file() {
        let mut reader = Box::new(Next::default());
        let text = "./app/page.tsx\n5:7  Warning: Do not use `<img>`.  @next/next/no-img-element\n6:3  Error: Parsing error: x\n\n7:1  Error: of nobody\n";
        for text in text.lines() {
            let stream = Stream::Stdout;
            reader.line(&Line::new(text, stream, 0..0));
        }
        let found = reader.finish().unwrap().findings.kept.into_items();
        let facts: Vec<_> =
            found.iter().map(|it| (it.line, it.level, it.code.as_deref(), it.message.as_str())).collect();
        assert_eq!(
            facts,
            [
                (Some(5), Level::Warning, Some("@next/next/no-img-element"), "Do not use `<img>`."),
                (Some(6), Level::Error, None, "Parsing error: x"),
            ]
        );
        assert_eq!(found[0].file.as_deref(), Some("./app/page.tsx"));
    }
}
