//! The default format: a file on a line of its own, below it a table of its findings, and a closing count.

use crate::candidate::NAME_BYTES;
use crate::prelude::*;
use crate::tools::eslint::{MESSAGE_LINES, fixable, is_rule, problems};

/// A row of the table: position, severity, message and, after two spaces, the rule.
static ROW: Pattern = Pattern::new(r"^ +(?<line>\d+):(?<column>\d+) +(?<level>error|warning)  +(?<rest>\S.*)$");

/// The note on a finding whose rule is unknown.
const DOUBT: &str = "where a finding of eslint ends is not certain; its rule was left out";

/// Returns how certain it is that a finding is a tool's, or `None` if it is another tool's.
type Owner = fn(&Diagnostic) -> Option<Confidence>;

pub(crate) struct Stylish {
    is_hinted: bool,
    tool: &'static str,
    rule: &'static str,
    /// Tells the findings of a tool other than ESLint.
    owner: Option<Owner>,
    tally: Tally,
    /// The previous line, which may name the file; empty if it cannot.
    header: String,
    file: Option<String>,
    open: Option<Open>,
}

/// The finding whose lines are being read. The end of its first line may be its rule or, if the message
/// continues, words of the linted code; only the next lines decide.
struct Open {
    found: Diagnostic,
    /// Number of further lines of its message.
    lines: u32,
    end: End,
    /// Whether a message may have been extended too far: a line ended in a rule, and the current last line does
    /// not.
    is_doubtful: bool,
}

/// The lines after a finding read so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Line,
    /// A line that may name the next file or belong to the message.
    Header,
    /// A blank line and possibly more, all of which may belong to the message.
    Blank,
}

impl Stylish {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self {
            is_hinted,
            tool: "eslint",
            rule: "eslint/stylish",
            owner: None,
            tally: Tally::new("eslint"),
            header: String::new(),
            file: None,
            open: None,
        }
    }

    /// Reads the table of another linter, which its findings identify.
    pub(crate) fn of(self, tool: &'static str, rule: &'static str, owner: Owner) -> Box<Self> {
        Box::new(Self { tool, rule, owner: Some(owner), tally: Tally::new(tool), ..self })
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            if open.is_doubtful {
                self.tally.note(DOUBT.to_owned());
            }
            self.tally.add(open.found);
        }
    }

    /// Ends a finding whose end is uncertain, and leaves out its rule.
    fn close_without_rule(&mut self) {
        if let Some(open) = &mut self.open
            && open.found.code.take().is_some()
        {
            open.is_doubtful = true;
        }
        self.close();
    }

    fn row(&mut self, line: &Line<'_>) -> Option<Use> {
        if !line.text.trim_start_matches(' ').starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let captures = ROW.find(&line.text)?;
        self.close();
        let used = if is_file(&self.header) {
            self.file = Some(text::path(&self.header));
            Use::WithPrevious
        } else {
            Use::Line
        };
        self.header.clear();
        let (message, rule) = split_rule(captures.text("rest"));
        let mut found = captures.diagnostic(self.tool, self.rule, line, Level::Error);
        cut::head(message, limit::MESSAGE_BYTES).clone_into(&mut found.message);
        found.file.clone_from(&self.file);
        found.code = rule.map(name);
        self.open = Some(Open { found, lines: 0, end: End::Line, is_doubtful: false });
        Some(used)
    }

    /// Handles a line after a finding, which may continue it; the rule then follows its last line.
    fn continuation(&mut self, line: &Line<'_>) -> Use {
        let Some(Open { found, lines, end, is_doubtful }) = &mut self.open else { return Use::None };
        let (message, rule) = split_rule(&line.text);
        let may_be_header = !line.text.starts_with(' ') && is_file(&line.text) && rule.is_none();
        if *end == End::Blank {
            *lines += 1;
            // The finding continues after the blank line, or this is unrelated text.
            if rule.is_some() || MESSAGE_LINES <= *lines {
                self.close_without_rule();
            }
            return Use::None;
        }
        if may_be_header && found.code.is_some() && *end == End::Line {
            *end = End::Header;
            return Use::None;
        }
        if let Some(words) = found.code.take() {
            // The words belong to the message.
            *is_doubtful = true;
            let line = format!("{}  {words}", found.message);
            cut::head(&line, limit::MESSAGE_BYTES).clone_into(&mut found.message);
        }
        if *end == End::Header {
            text::add_line(&mut found.message, &self.header, limit::MESSAGE_BYTES);
        }
        *end = End::Line;
        text::append_line(&mut found.message, message, limit::MESSAGE_BYTES);
        found.origin.end = line.end;
        found.code = rule.map(name);
        *lines += 1;
        *is_doubtful &= rule.is_none();
        if MESSAGE_LINES <= *lines {
            self.close_without_rule();
        }
        Use::Line
    }

    /// Handles a blank line, which follows the findings of a file.
    fn blank(&mut self) {
        match &mut self.open {
            Some(Open { end: End::Header, .. }) => self.close_without_rule(),
            Some(open) if open.found.code.is_some() => open.end = End::Blank,
            _ => self.close(),
        }
        self.header.clear();
    }
}

impl LineReader for Stylish {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank {
            self.blank();
            return Use::None;
        }
        let text = &*line.text;
        if text.starts_with(' ') {
            if let Some(used) = self.row(line) {
                return used;
            }
            if let Some(fixable) = fixable(text)
                && 0 < self.tally.sums
            {
                self.tally.findings.counts.fixable += fixable;
                return Use::Line;
            }
        } else if let Some(sum) = problems(text) {
            self.close();
            self.tally.sum_up_exactly(sum);
            self.file = None;
            return Use::Line;
        }
        let used = self.continuation(line);
        self.header.clear();
        if used == Use::None && !text.starts_with(' ') {
            self.header.push_str(cut::head(text, NAME_BYTES).trim_end());
        }
        used
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        if self.open.as_ref().is_some_and(|open| open.end == End::Header) {
            self.close_without_rule();
        }
        self.close();
        // Without a hint, only findings together with a closing count are ESLint's: other tools print one or the other.
        let Tally { read, sums, .. } = self.tally;
        let is_recognized = 0 < if self.is_hinted { read.max(sums) } else { read.min(sums) };
        // A count alone identifies no other tool, and a table with foreign findings is not its own.
        let found = self.tally.findings.kept.items_mut();
        let is_its = self.owner.is_none_or(|owner| {
            let told: Option<Vec<Confidence>> = found.iter().map(owner).collect();
            told.is_some_and(|told| told.contains(&Confidence::Certain))
        });
        (is_recognized && is_its).then(|| self.tally.candidate("stylish", Confidence::Certain))
    }
}

/// Splits a message from the rule that follows it after two or more spaces.
fn split_rule(text: &str) -> (&str, Option<&str>) {
    let trimmed = text.trim_end();
    match trimmed.rsplit_once("  ") {
        Some((message, rule)) if is_rule(rule) => (message.trim_end(), Some(rule)),
        _ => (trimmed, None),
    }
}

/// Returns whether a line could name a file.
fn is_file(text: &str) -> bool {
    text.contains(['/', '\\', '.', '<'])
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    /// Reads a report; returns the rules of its findings, by message, and the number of notes.
    fn rules(text: &str) -> (Vec<(String, Option<String>)>, usize) {
        let mut stylish = Box::new(Stylish::new(true));
        for text in text.lines() {
            let line = Line::new(text, Stream::Stdout, 0..0);
            stylish.line(&line);
        }
        let candidate = stylish.finish().unwrap();
        let found = candidate.findings.kept.into_items().into_iter().map(|found| (found.message, found.code)).collect();
        (found, candidate.notes.len())
    }

    const SUM: &str = "\n✖ 1 problem (1 error, 0 warnings)\n";

    #[test]
    fn a_rule_is_the_end_of_the_last_line() {
        for (lines, message, rule) in [
            ("Missing semicolon  semi", "Missing semicolon", Some("semi")),
            ("Duplicate key 'q  semi\n'  no-dupe-keys", "Duplicate key 'q  semi\n'", Some("no-dupe-keys")),
            ("Key 'q  semi\nr  quotes\n'  no-dupe-keys", "Key 'q  semi\nr  quotes\n'", Some("no-dupe-keys")),
            ("Key 'q  semi\na.js\n'  no-dupe-keys", "Key 'q  semi\na.js\n'", Some("no-dupe-keys")),
            ("Parsing error: x", "Parsing error: x", None),
        ] {
            let text = format!("/project/a.js\n  1:1  error  {lines}\n{SUM}");
            assert_eq!(rules(&text), (vec![(message.to_owned(), rule.map(str::to_owned))], 0), "{text}");
        }
    }

    #[test]
    fn a_doubtful_rule_is_none() {
        for lines in [
            "Duplicate key 'q  semi\n\n'  no-dupe-keys",
            "Duplicate key 'q  semi\n\nwords\n'  no-dupe-keys",
            "Parsing error: 'q  semi\nwords'",
            "Parsing error: 'q  semi\na.js",
        ] {
            let (found, notes) = rules(&format!("/project/a.js\n  1:1  error  {lines}\n{SUM}"));
            assert_eq!((found.len(), found[0].1.as_deref(), notes), (1, None, 1), "{lines}");
        }
    }

    #[test]
    fn a_row_within_a_message_is_noted() {
        let forged = "Duplicate key 'q  semi\n  1:1  warning  x  semi\n'  no-dupe-keys";
        let (found, notes) = rules(&format!("/project/a.js\n  1:1  error  {forged}\n{SUM}"));
        assert_eq!((found.len(), notes), (2, 1));
    }

    #[test]
    fn the_next_file_is_no_part_of_a_message() {
        let row = "  1:1  error  Missing semicolon  semi\n";
        for between in ["\n", ""] {
            let text =
                format!("/project/a.js\n{row}{between}/project/b.js\n{row}\n✖ 2 problems (2 errors, 0 warnings)\n");
            let found = ("Missing semicolon".to_owned(), Some("semi".to_owned()));
            assert_eq!(rules(&text), (vec![found.clone(), found], 0), "{text}");
        }
    }
}
