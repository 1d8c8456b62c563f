//! ShellCheck's default format: a source line with one or more findings below it.

use crate::prelude::*;

/// `In deploy.sh line 3:`.
static HEAD: Pattern = Pattern::new(r"^In (?<file>\S.*) line (?<line>\d+):$");

/// `     ^--^ SC2086 (info): Double quote …`; before version 0.7 without a level.
static FINDING: Pattern =
    Pattern::new(r"^(?<indent>\s*)(?<mark>\^-*\^?) (?<code>SC\d{4})(?: \((?<level>\w+)\))?: (?<message>.*)$");

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Outside,
    /// Below the heading: the source line.
    Source,
    Findings,
    /// Below `Did you mean:`.
    Suggestion,
    /// Below `For more information:`.
    Links,
}

#[derive(Default)]
pub(super) struct Tty {
    part: Part,
    file: String,
    number: Option<u32>,
    source: String,
    /// The findings of one source line.
    block: Vec<Diagnostic>,
    suggestion: String,
    findings: Findings,
}

impl Tty {
    fn close(&mut self) {
        let suggestion = std::mem::take(&mut self.suggestion);
        let is_only = self.block.len() == 1;
        for mut found in self.block.drain(..) {
            if is_only && !suggestion.trim().is_empty() {
                found.fixable = true;
                found.suggestion = Some(suggestion.trim_matches('\n').to_owned());
            }
            self.findings.add(found);
        }
        self.part = Part::Outside;
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = HEAD.find(line.text.trim_end()) else { return false };
        self.close();
        self.file = name(&text::path(captures.text("file")));
        self.number = captures.position("line");
        self.part = Part::Source;
        true
    }

    fn finding(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = FINDING.find(line.text.trim_end()) else { return false };
        let mut found = captures.diagnostic("shellcheck", "shellcheck/tty", line, Level::Warning);
        found.file = Some(self.file.clone());
        found.line = self.number;
        let (indent, mark) = (captures.text("indent").chars().count(), captures.text("mark"));
        found.column = u32::try_from(characters(&self.source, indent) + 1).ok();
        // `^--` also stands for a range of one or two characters.
        if 1 < mark.len() && mark.ends_with('^') {
            found.end_line = found.line;
            found.end_column = u32::try_from(characters(&self.source, indent + mark.len()) + 1).ok();
        }
        found.source = (!self.source.is_empty()).then(|| self.source.clone());
        self.part = Part::Findings;
        self.block.push(found);
        if limit::FINDINGS_KEPT < self.block.len() {
            self.close();
            self.part = Part::Findings;
        }
        true
    }
}

/// Returns the number of characters in the first `width` columns of a source line. A tab extends to the next
/// column that is a multiple of eight.
fn characters(source: &str, width: usize) -> usize {
    let (mut reached, mut number) = (0, 0);
    for character in source.chars().take_while(|character| *character == '\t' || *character == ' ') {
        let next = if character == '\t' { (reached / 8 + 1) * 8 } else { reached + 1 };
        if width < next {
            break;
        }
        (reached, number) = (next, number + 1);
    }
    number + (width - reached)
}

impl LineReader for Tty {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.starts_with("In ") && self.begin(line) {
            return Use::Line;
        }
        let is_own = match self.part {
            Part::Outside => text == "For more information:" && 0 < self.findings.counts.total(),
            Part::Source => {
                if self.finding(line) {
                    return Use::Line;
                }
                cut::head(&line.text, limit::MESSAGE_BYTES).clone_into(&mut self.source);
                self.part = Part::Findings;
                return Use::Line;
            }
            Part::Findings if text == "Did you mean:" => {
                self.part = Part::Suggestion;
                return Use::Line;
            }
            Part::Findings => {
                if self.finding(line) || text == "For more information:" {
                    true
                } else if text.is_empty() {
                    return Use::None;
                } else {
                    self.close();
                    false
                }
            }
            Part::Suggestion => {
                if text.is_empty() {
                    let has_findings = !self.block.is_empty();
                    self.close();
                    return if has_findings { Use::Line } else { Use::None };
                }
                text::add_line(&mut self.suggestion, &line.text, limit::MESSAGE_BYTES);
                true
            }
            Part::Links => text.starts_with("  http"),
        };
        if text == "For more information:" && is_own {
            self.close();
            self.part = Part::Links;
        }
        if is_own { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        self.findings.candidate("tty")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_are_one_character_of_several_columns() {
        assert_eq!(characters("echo $x", 5), 5);
        assert_eq!(characters("\tif [ $x ]", 13), 6);
        assert_eq!(characters("\t\techo $y", 21), 7);
        assert_eq!(characters("", 0), 0);
    }
}
