//! Formats with one finding a line and, below them, how many there are: those of small linters. The two together are one
//! tool's, where a finding alone could be many a tool's.

use std::sync::LazyLock;

use referee_model::reading::{Diagnostic, Level};
use regex::{Captures, Regex};

use crate::claim::{Claim, LineReader, Standing, Use};
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::shapes::tally::{Sum, Tally};

/// What a line of such a format is, beside a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Other {
    /// Nothing of the format.
    Nothing,
    /// A closing count.
    Sum(Sum),
    /// The tool names itself, or says that all is well: without a finding this is its output.
    Known,
    /// A line of the tool that says nothing of whose it is.
    Line,
}

/// A format.
pub(crate) struct Counted {
    pub(crate) tool: &'static str,
    pub(crate) format: &'static str,
    /// The rule that findings are said to come from, such as `jshint/unix`.
    pub(crate) rule: &'static str,
    pub(crate) pattern: &'static LazyLock<Regex>,
    /// A text that is in every finding, to tell most lines without the pattern.
    pub(crate) literal: &'static str,
    /// How bad a finding is of which the pattern does not say it.
    pub(crate) level: Level,
    /// How sure a claim of findings is where no closing count or name stood beside them.
    pub(crate) standing: Standing,
    /// Completes a finding; false: it is none.
    pub(crate) complete: fn(&mut Diagnostic, &Captures<'_>) -> bool,
    /// Whether a finding can be no other tool's. Without a hint one of them must be.
    pub(crate) tells: fn(&Diagnostic) -> bool,
    /// Tells what another line is.
    pub(crate) other: fn(&str) -> Other,
}

impl Counted {
    /// Makes the reader.
    pub(crate) fn reader(&'static self, is_hinted: bool) -> Box<dyn LineReader> {
        Box::new(CountedReader {
            format: self,
            is_hinted,
            tally: Tally::new(self.tool),
            has_told: false,
            is_known: false,
        })
    }
}

struct CountedReader {
    format: &'static Counted,
    is_hinted: bool,
    tally: Tally,
    has_told: bool,
    is_known: bool,
}

impl CountedReader {
    fn finding(&self, line: &Line<'_>) -> Option<Diagnostic> {
        let Counted { tool, rule, pattern, literal, level, complete, .. } = self.format;
        if !line.text.contains(literal) {
            return None;
        }
        let captures = pattern.captures(&line.text)?;
        let mut found = matched(tool, rule, line, &captures, *level);
        complete(&mut found, &captures).then_some(found)
    }
}

impl LineReader for CountedReader {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            return Use::None;
        }
        if let Some(found) = self.finding(line) {
            self.has_told |= (self.format.tells)(&found);
            self.tally.add(found);
            return Use::Line;
        }
        match (self.format.other)(line.text.trim_end()) {
            Other::Nothing => Use::None,
            // A count means something only below what it counts: other formats of the tool may have it, too.
            Other::Sum(_) if self.tally.listed() == 0 && !self.is_known => Use::None,
            Other::Sum(sum) => {
                self.tally.sum_up(sum);
                Use::Line
            }
            Other::Known => {
                self.is_known = true;
                Use::Line
            }
            Other::Line => Use::Line,
        }
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let Self { format, is_hinted, tally, has_told, is_known } = *self;
        let is_sure = is_known || is_hinted || 0 < tally.sums;
        let says_something = is_known || (0 < tally.read && (has_told || is_hinted));
        let standing = if is_sure { Standing::Certain } else { format.standing };
        says_something.then(|| tally.claim(format.format, standing))
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::text;

    static PATTERN: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?<file>\S+):(?<line>\d+): (?<message>.*)$"));

    static FORMAT: Counted = Counted {
        tool: "tool",
        format: "text",
        rule: "tool/text",
        pattern: &PATTERN,
        literal: ": ",
        level: Level::Error,
        standing: Standing::Likely,
        complete: |_, _| true,
        tells: |_| true,
        other: |text| match text {
            "2 errors" => Other::Sum(Sum::errors(2)),
            "tool 1.0" => Other::Known,
            _ => Other::Nothing,
        },
    };

    fn claim(text: &str, is_hinted: bool) -> Option<(Standing, u64)> {
        let mut reader = FORMAT.reader(is_hinted);
        for text in text.lines() {
            let stream = Stream::Stdout;
            reader.line(&Line { text: text.into(), text_start: None, stream, start: 0, end: 1, is_cut: false });
        }
        reader.finish().map(|claim| (claim.standing, claim.findings.counts.errors))
    }

    #[test]
    fn a_count_or_a_name_beside_findings_makes_sure() {
        assert_eq!(claim("a.js:1: no", false), Some((Standing::Likely, 1)));
        assert_eq!(claim("a.js:1: no\n2 errors", false), Some((Standing::Certain, 2)));
        assert_eq!(claim("tool 1.0\n", false), Some((Standing::Certain, 0)));
        assert_eq!(claim("a.js:1: no", true), Some((Standing::Certain, 1)));
    }

    #[test]
    fn a_count_alone_says_nothing() {
        assert_eq!(claim("2 errors\n", false), None);
        assert_eq!(claim("2 errors\n", true), None);
    }
}
