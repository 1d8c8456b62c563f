//! The concise format, one finding a line: `× src/a.ts:1:21: lint/style/useTemplate: Template literals are preferred.`

use crate::prelude::*;
use crate::tools::biome::{checked, found, marked};

static FINDING: Pattern = Pattern::new(
    r"^(?<mark>[×✖x!⚠iℹ])\u{fe0f}? (?<file>\S.*?)(?::(?<line>\d+):(?<column>\d+))?: (?<code>(?:lint|assist|suppressions|syntax|source|nursery|project|plugin|format|parse|organizeImports|deserialize|configuration)(?:/[\w/-]+)?): (?<message>.*)$",
);

pub(crate) struct Concise {
    is_hinted: bool,
    tally: Tally,
}

impl Concise {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, tally: Tally::new("biome") }
    }

    fn finding(&mut self, line: &Line<'_>) -> bool {
        let Some(level) = line.text.chars().next().and_then(marked) else { return false };
        let Some(captures) = FINDING.find(&line.text) else { return false };
        self.tally.add(captures.diagnostic("biome", "biome/concise", line, level));
        true
    }

    /// Takes a closing count, which means something only behind findings: the default format has it too.
    fn closing(&mut self, line: &Line<'_>) -> bool {
        if self.tally.read == 0 {
            return false;
        }
        let text = line.text.trim_end();
        if let Some(sum) = found(text) {
            self.tally.sum_up(sum);
            return true;
        }
        checked(text).is_some() || text == "  × Some errors were emitted while running checks."
    }
}

impl LineReader for Concise {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.finding(line) || self.closing(line) { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let confidence = if self.is_hinted || 0 < self.tally.read { Confidence::Certain } else { Confidence::Likely };
        (0 < self.tally.read).then(|| self.tally.candidate("concise", confidence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_told_by_their_category() {
        for (text, is_one) in [
            ("× src/a.ts:1:21: lint/style/useTemplate: Template literals are preferred.", true),
            ("! src/a.ts: format: File content differs from formatting output", true),
            ("x src/a.ts:1:21: error: no", false),
            ("i am: lint/style: no", true),
            ("i src/a.ts:1:2: lint: no", true),
            ("× see: no", false),
        ] {
            assert_eq!(FINDING.is_match(text), is_one, "{text}");
        }
    }
}
