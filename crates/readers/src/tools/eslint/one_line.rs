//! The formats with one finding per line: `compact` and `unix`. A message may still span several lines; the
//! rule in brackets then ends the last line instead of the first.

use crate::prelude::*;
use crate::tools::eslint::{Unfinished, candidate, is_rule, sum_up};

/// `src/a.js: line 1, col 2, Error - Message. (rule)`.
static COMPACT: Pattern =
    Pattern::new(r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<level>Error|Warning) - (?<rest>.*)$");

/// `src/a.js:1:2: Message. [Error/rule]`.
static UNIX: Pattern = Pattern::new(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<rest>.*)$");

/// The closing count of both formats.
static COUNT: Pattern = Pattern::new(r"^(?<all>\d+) problems?$");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Compact,
    Unix,
}

/// Reads `compact` or `unix`.
pub(crate) struct OneLine {
    layout: Layout,
    is_hinted: bool,
    tally: Tally,
    open: Option<Unfinished>,
}

impl OneLine {
    pub(crate) fn compact(is_hinted: bool) -> Self {
        Self { layout: Layout::Compact, is_hinted, tally: Tally::new("eslint"), open: None }
    }

    pub(crate) fn unix(is_hinted: bool) -> Self {
        Self { layout: Layout::Unix, is_hinted, tally: Tally::new("eslint"), open: None }
    }

    /// Ends an incomplete finding. In `compact` only the rule may be missing; in `unix` the severity would be
    /// missing too, so it was not a finding.
    fn close(&mut self) {
        if let Some(open) = self.open.take()
            && self.layout == Layout::Compact
        {
            self.tally.add(open.diagnostic);
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let (captures, rule) = match self.layout {
            Layout::Compact if text.contains(": line ") => (COMPACT.find(text), "eslint/compact"),
            Layout::Unix if has_position(text) => (UNIX.find(text), "eslint/unix"),
            Layout::Compact | Layout::Unix => return false,
        };
        let Some(captures) = captures else { return false };
        self.close();
        self.open = Some(Unfinished::new(captures.diagnostic("eslint", rule, line, Level::Error)));
        self.go_on(captures.text("rest"), line);
        true
    }

    /// Handles the closing count, which is used only after findings.
    fn sum_up(&mut self, line: &Line<'_>) -> bool {
        let has_findings = self.open.is_some() || self.tally.listed() != 0;
        if !has_findings || !line.text.contains(" problem") {
            return false;
        }
        let Some(all) = COUNT.find(&line.text).and_then(|captures| captures.count("all")) else { return false };
        self.close();
        sum_up(&mut self.tally, Sum::all(all));
        true
    }

    /// Handles text of the open finding's message, and closes the finding at its end.
    fn go_on(&mut self, rest: &str, line: &Line<'_>) {
        let Some(open) = &mut self.open else { return };
        let end = match self.layout {
            Layout::Compact => rule_in_parentheses(rest),
            Layout::Unix => severity_in_brackets(rest),
        };
        let goes_on = open.add(end.as_ref().map_or(rest, |end| end.message), line);
        if let Some(end) = &end {
            open.diagnostic.code = end.rule.map(name);
            open.diagnostic.level = end.level.unwrap_or(open.diagnostic.level);
        }
        if end.is_some() {
            if let Some(open) = self.open.take() {
                self.tally.add(open.diagnostic);
            }
        } else if !goes_on {
            self.close();
        }
    }
}

/// The parsed last line of a message.
struct End<'a> {
    message: &'a str,
    level: Option<Level>,
    rule: Option<&'a str>,
}

fn rule_in_parentheses(text: &str) -> Option<End<'_>> {
    let (message, rule) = text.strip_suffix(')')?.rsplit_once(" (")?;
    is_rule(rule).then_some(End { message, level: None, rule: Some(rule) })
}

fn severity_in_brackets(text: &str) -> Option<End<'_>> {
    let (message, severity) = text.strip_suffix(']')?.rsplit_once('[')?;
    let (level, rule) = match severity.split_once('/') {
        Some((level, rule)) => (level, Some(rule)),
        None => (severity, None),
    };
    let level = match level {
        "Error" => Level::Error,
        "Warning" => Level::Warning,
        _ => return None,
    };
    rule.is_none_or(is_rule).then_some(End { message: message.trim_end(), level: Some(level), rule })
}

/// Returns whether the text contains a position such as `:1:2: `; most lines are rejected by this check,
/// without their pattern.
fn has_position(text: &str) -> bool {
    let mut numbers = 0;
    for part in text.split(':').skip(1) {
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            numbers += 1;
        } else if 2 <= numbers && part.starts_with(' ') {
            return true;
        } else {
            numbers = 0;
        }
    }
    false
}

impl LineReader for OneLine {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            self.close();
            return Use::None;
        }
        if self.begin(line) {
            return Use::Line;
        }
        if self.sum_up(line) {
            return Use::Line;
        }
        if self.open.is_some() {
            self.go_on(&line.text, line);
            return Use::Line;
        }
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let format = match self.layout {
            Layout::Compact => "compact",
            Layout::Unix => "unix",
        };
        candidate(self.tally, format, self.is_hinted)
    }
}
