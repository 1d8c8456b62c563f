//! Findings that stand on one line each: a pattern with named groups makes a finding of a line.
//!
//! | group                    | gives                                             |
//! |--------------------------|---------------------------------------------------|
//! | `file`                   | the file                                          |
//! | `line`, `column`         | the place, 1-based                                |
//! | `end_line`, `end_column` | where it ends                                     |
//! | `level`                  | how bad it is, in the words of [`level`]          |
//! | `code`                   | the code or rule                                  |
//! | `message`                | what is said                                      |

use std::sync::LazyLock;

use referee_model::reading::{Diagnostic, Level};
use regex::{Captures, Regex};

use crate::claim::{Claim, Findings, LineReader, Standing, Use, diagnostic, name};
pub(crate) use crate::level::level;
use crate::scan::Line;
use crate::text;

/// Makes a finding of what a pattern matched; `otherwise` is its level where the pattern does not say it.
pub(crate) fn matched(
    tool: &str,
    rule: &str,
    line: &Line<'_>,
    captures: &Captures<'_>,
    otherwise: Level,
) -> Diagnostic {
    let group = |group: &str| captures.name(group).map(|found| found.as_str());
    let number = |name: &str| group(name).and_then(text::position);
    let said = group("level").and_then(level).unwrap_or(otherwise);
    let mut found = diagnostic(tool, rule, line, said, group("message").unwrap_or_default().trim_end());
    found.file = group("file").map(|file| name(&text::path(file)));
    found.line = number("line");
    found.column = number("column").filter(|_| found.line.is_some());
    found.end_line = number("end_line");
    found.end_column = number("end_column");
    found.code = group("code").filter(|code| !code.is_empty()).map(name);
    found
}

/// A format with one finding a line.
pub(crate) struct OneLine {
    pub(crate) tool: &'static str,
    pub(crate) format: &'static str,
    /// The rule that findings are said to come from, such as `flake8/text`.
    pub(crate) rule: &'static str,
    pub(crate) pattern: &'static LazyLock<Regex>,
    /// How bad a finding is of which the pattern does not say it.
    pub(crate) level: Level,
    /// How sure a claim of these findings is.
    pub(crate) standing: Standing,
    /// Completes a finding; false: it is none.
    pub(crate) complete: fn(&mut Diagnostic, &Captures<'_>) -> bool,
}

impl OneLine {
    /// Makes the reader.
    pub(crate) fn reader(&'static self) -> Box<dyn LineReader> {
        Box::new(OneLineReader { format: self, findings: Findings::default() })
    }
}

struct OneLineReader {
    format: &'static OneLine,
    findings: Findings,
}

impl LineReader for OneLineReader {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let OneLine { tool, rule, pattern, level, complete, .. } = self.format;
        let Some(captures) = pattern.captures(&line.text) else {
            return Use::None;
        };
        let mut found = matched(tool, rule, line, &captures, *level);
        if !complete(&mut found, &captures) {
            return Use::None;
        }
        self.findings.add(found);
        Use::Line
    }

    fn sleeps(&self) -> bool {
        true
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let OneLine { format, standing, .. } = *self.format;
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format, standing, findings: self.findings, ..Claim::default() })
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        text::pattern(
            r"^(?<file>\S+):(?<line>\d+):(?<column>\d+): (?:(?<level>\w+): )?(?<message>.*) \((?<code>\S+)\)$",
        )
    });

    static FORMAT: OneLine = OneLine {
        tool: "tool",
        format: "text",
        rule: "tool/text",
        pattern: &PATTERN,
        level: Level::Warning,
        standing: Standing::Certain,
        complete: |found, _| found.code.as_deref() != Some("none"),
    };

    #[test]
    fn groups_fill_the_finding() {
        let mut reader = FORMAT.reader();
        let mut used = |text: &str| {
            let (start, end) = (3, 3 + text.len() as u64);
            let text = text.into();
            reader.line(&Line { text, text_start: None, stream: Stream::Stdout, start, end, is_cut: false })
        };
        assert_eq!(used("src\\a.x:3:0: ERROR: bad  (X1)"), Use::Line);
        assert_eq!(used("a.x:4:5: worse (X2)"), Use::Line);
        assert_eq!(used("a.x:4:5: worse (none)"), Use::None);
        assert_eq!(used("a.x:4: worse (X2)"), Use::None);
        let claim = reader.finish().unwrap();
        let found = claim.findings.kept.into_items();
        let facts: Vec<_> = found
            .iter()
            .map(|it| (it.file.as_deref(), it.line, it.column, it.level, it.code.as_deref(), it.message.as_str()))
            .collect();
        assert_eq!(
            facts,
            [
                (Some("src/a.x"), Some(3), None, Level::Error, Some("X1"), "bad"),
                (Some("a.x"), Some(4), Some(5), Level::Warning, Some("X2"), "worse"),
            ]
        );
        assert!(FORMAT.reader().finish().is_none());
    }
}
