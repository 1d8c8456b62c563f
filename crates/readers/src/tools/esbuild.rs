//! esbuild, whose columns count from 0:
//!
//! ```text
//! ✘ [ERROR] Expected ")" but found ";"
//!
//!     src/index.js:4:25:
//!       4 │ console.log(missing, nope;
//!         │                          ^
//!         ╵                          )
//! ```
//!
//! The same findings again, in an exception that nobody caught (`src/index.js:4:25: ERROR: …`), are not counted twice.

use crate::prelude::*;

pub(crate) const TOOL: Tool = Tool::new("esbuild", &["tsup"], Role::Compile).lines(&[LineFormat::new(
    &["[ERROR] ", "[WARNING] ", ": ERROR: ", ": WARNING: ", ": error: ", ": warning: ", "Done in "],
    |is_hinted| Box::new(Esbuild::new(is_hinted)),
)]);

/// Places that are kept of those that belong to one finding.
const RELATED_KEPT: usize = 16;

/// Places that are remembered, to know a finding again.
const KNOWN: usize = 1000;

/// `✘ [ERROR] message [code]`.
static HEADING: Pattern = Pattern::new(
    r"^(?:✘|▲|X|\u{2718}) \[(?<level>ERROR|WARNING)\] (?<message>.*?)(?: \[(?:plugin [^\]]*|(?<code>[a-z][a-z0-9-]*))\])?$",
);

/// The place, on a line of its own.
static PLACE: Pattern = Pattern::new(r"^    (?<file>\S.*):(?<line>\d+):(?<column>\d+):$");

static CODE: Pattern = Pattern::new(r"^ {4,}(?<number>\d+)? +[│╵|](?: (?<source>.*))?$");

/// A finding of an exception's message, and until version 0.8 of every output, there with a sign before it.
static ONE_LINE: Pattern = Pattern::new(
    r"^(?<sign> > )?(?<file>[^\s:].*?):(?<line>\d+):(?<column>\d+): (?<level>ERROR|WARNING|error|warning): (?<message>.*)$",
);

/// `1 warning and 2 errors`, `6 of 10 errors shown (…)`.
static COUNT: Pattern = Pattern::new(
    r"^(?:\d+ of )?(?<number>\d+) (?<level>error|warning)s?(?: shown)?(?: and (?:\d+ of )?(?<number2>\d+) (?<level2>error|warning)s?(?: shown)?)?(?: \(disable the message limit with --log-limit=0\))?$",
);

pub(crate) struct Esbuild {
    is_hinted: bool,
    tally: Tally,
    open: Option<Open>,
    known: Vec<(Option<String>, Option<u32>, Option<u32>)>,
    /// Whether lines of an exception's message may follow.
    is_in_exception: bool,
    is_done: bool,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Neither place nor code has come.
    Heading,
    Code,
    /// What is said beside, and its code.
    Note,
}

impl Esbuild {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self {
            is_hinted,
            tally: Tally::new("esbuild"),
            open: None,
            known: Vec::new(),
            is_in_exception: false,
            is_done: false,
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.add(open.diagnostic);
        }
    }

    fn add(&mut self, found: Diagnostic) {
        if self.known.len() < KNOWN {
            self.known.push((found.file.clone(), found.line, found.column));
        }
        self.tally.add(found);
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        if !line.text.contains("[ERROR] ") && !line.text.contains("[WARNING] ") {
            return false;
        }
        let Some(captures) = HEADING.captures(line.text.trim_end()) else {
            return false;
        };
        self.close();
        let level = if &captures["level"] == "ERROR" { Level::Error } else { Level::Warning };
        let mut found = diagnostic("esbuild", "esbuild/text", line, level, &captures["message"]);
        found.code = captures.name("code").map(|code| name(code.as_str()));
        self.open = Some(Open { diagnostic: found, part: Part::Heading });
        true
    }

    /// Takes a finding that stands on one line.
    fn one_line(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let may_be_one = self.is_in_exception || (self.is_hinted && text.starts_with(" > "));
        if !may_be_one {
            return false;
        }
        let Some(captures) = ONE_LINE.captures(text) else {
            return false;
        };
        self.close();
        let level = if captures["level"].eq_ignore_ascii_case("error") { Level::Error } else { Level::Warning };
        let mut found = diagnostic("esbuild", "esbuild/exception", line, level, &captures["message"]);
        found.file = Some(name(&text::path(&captures["file"])));
        found.line = text::position(&captures["line"]);
        found.column = column(&captures["column"]);
        if !self.known.contains(&(found.file.clone(), found.line, found.column)) {
            self.add(found);
        }
        true
    }

    fn closing(&mut self, text: &str) -> bool {
        if text.starts_with("⚡ Done in ") {
            self.is_done = true;
            return true;
        }
        let fails = text.contains(" failed with ") && (text.ends_with(" error:") || text.ends_with(" errors:"));
        if fails {
            self.close();
            self.is_in_exception = true;
            return true;
        }
        if !text.starts_with(|first: char| first.is_ascii_digit()) {
            return false;
        }
        let Some(captures) = COUNT.captures(text).filter(|_| 0 < self.tally.listed() || self.open.is_some()) else {
            return false;
        };
        self.close();
        let mut sum = Sum::default();
        for (number, level) in [("number", "level"), ("number2", "level2")] {
            let number = captures.name(number).and_then(|digits| text::count(digits.as_str()));
            match captures.name(level).map(|level| level.as_str()) {
                Some("error") => sum.errors = number,
                Some(_) => sum.warnings = number,
                None => {}
            }
        }
        self.tally.sum_up(sum);
        true
    }
}

/// Returns a column that counts from 0 as one from 1.
fn column(digits: &str) -> Option<u32> {
    digits.parse::<u32>().ok()?.checked_add(1)
}

impl LineReader for Esbuild {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            return Use::None;
        }
        if self.heading(line) || self.one_line(line) {
            return Use::Line;
        }
        let text = line.text.trim_end();
        if let Some(open) = &mut self.open
            && text.starts_with("  ")
        {
            open.line(text);
            open.diagnostic.origin.end = line.end;
            return Use::Line;
        }
        self.close();
        if self.closing(text) {
            return Use::Line;
        }
        self.is_in_exception = false;
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let says_something = 0 < self.tally.read || (self.is_hinted && self.is_done);
        says_something.then(|| self.tally.candidate("text", Confidence::Certain))
    }
}

impl Open {
    fn line(&mut self, text: &str) {
        if let Some(captures) = PLACE.captures(text) {
            self.place(&captures);
            return;
        }
        if let Some(captures) = CODE.captures(text) {
            self.code(&captures);
            return;
        }
        // Two spaces: a note, whose place may follow.
        if text::indent(text) == 2 {
            self.part = Part::Note;
            if self.diagnostic.related.len() < RELATED_KEPT {
                let message = cut::head(text.trim(), limit::MESSAGE_BYTES / RELATED_KEPT).to_owned();
                self.diagnostic.related.push(RelatedPlace { file: None, line: None, column: None, message });
            }
        }
    }

    fn place(&mut self, captures: &regex::Captures<'_>) {
        let file = Some(name(&text::path(&captures["file"])));
        let (line, column) = (text::position(&captures["line"]), column(&captures["column"]));
        if self.part == Part::Note {
            if let Some(note) = self.diagnostic.related.last_mut() {
                (note.file, note.line, note.column) = (file, line, column);
            }
            return;
        }
        self.part = Part::Code;
        let found = &mut self.diagnostic;
        (found.file, found.line, found.column) = (file, line, column);
    }

    fn code(&mut self, captures: &regex::Captures<'_>) {
        if self.part != Part::Code {
            return;
        }
        let found = &mut self.diagnostic;
        let source = captures.name("source").map_or("", |source| source.as_str());
        if captures.name("number").is_some() {
            found.source = Some(cut::head(source, limit::MESSAGE_BYTES).to_owned());
            return;
        }
        let marks = source.trim();
        let is_squiggle = !marks.is_empty() && marks.bytes().all(|byte| byte == b'~');
        if is_squiggle && found.end_column.is_none() {
            found.end_line = found.line;
            found.end_column = found.column.and_then(|column| column.checked_add(u32::try_from(marks.len()).ok()?));
        } else if !marks.is_empty() && marks != "^" && !is_squiggle {
            // What it would put there.
            found.suggestion = Some(cut::head(marks, limit::MESSAGE_BYTES).to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn candidate(text: &str) -> Option<Candidate> {
        let mut reader = Box::new(Esbuild::new(false));
        for text in text.lines() {
            let stream = Stream::Stderr;
            reader.line(&Line { text: text.into(), text_start: None, stream, start: 0, end: 0, is_cut: false });
        }
        reader.finish()
    }

    #[test]
    fn an_exception_repeats_what_was_said() {
        let text = "✘ [ERROR] No\n\n    a.js:1:2:\n      1 │ x\n        ╵ ~\n\nError: Build failed with 1 error:\na.js:1:2: ERROR: No\n";
        let candidate = candidate(text).unwrap();
        let found = candidate.findings.kept.into_items();
        assert_eq!((found.len(), found[0].column, found[0].end_column), (1, Some(3), Some(4)));
    }

    #[test]
    fn an_exception_alone_says_it_all() {
        let text = "[vite:esbuild] Transform failed with 2 errors:\na.js:1:2: ERROR: No\na.js:3:0: ERROR: Nor\n";
        assert_eq!(candidate(text).unwrap().findings.counts.errors, 2);
        assert!(candidate("a.js:1:2: ERROR: No\n").is_none());
    }

    #[test]
    fn counts_are_read_in_their_forms() {
        for (text, errors, warnings) in [
            ("3 errors", 3, 0),
            ("2 warnings and 1 error", 1, 2),
            ("6 of 10 errors shown (disable the message limit with --log-limit=0)", 10, 0),
        ] {
            let candidate = candidate(&format!("✘ [ERROR] No\n\n{text}\n")).unwrap();
            let counts = &candidate.findings.counts;
            assert_eq!((counts.errors, counts.warnings), (errors, warnings), "{text}");
        }
    }
}
