//! node-tap's terminal reporters, `base` and `terse`:
//!
//! ```text
//!  FAIL  test/calc.js 1 failed 1 todo 1 skip of 5 324ms
//!  ✖ is wrong > sum
//!     test/calc.js
//!      8   t.equal(1 + 2, 4, 'sum')
//!     --- expected
//!     Test.<anonymous> (test/calc.js:8:5)
//!
//! Asserts:  4 pass  1 fail  1 skip  1 todo  5 of 7 complete
//! Suites:   1 pass  1 fail  0 skip          2 of 2 complete
//! ```
//!
//! Up to version 16 `Suites:   1 failed, 1 passed, 2 of 2 completed` and `Asserts:  1 failed, 4 passed, of 5`.
//! On a terminal both lines are redrawn while the tests run: they are the summary once all suites are complete.

use crate::prelude::*;
use crate::shapes::locate::{self, Frame};

pub(crate) const PREFILTER: &[&str] = &["Asserts:  ", "Suites:   ", " FAIL ", "✖ "];

/// A zero-width space, which version 16 prints around words.
const NO_SPACE: char = '\u{200b}';

/// `4 pass`, `1 failed,`, and `5 of 7 complete` or `of 7`.
static NUMBER: Pattern =
    Pattern::new(r"(?:(?<number>\d+) (?<word>pass|fail|skip|todo)|(?:(?<done>\d+) )?of (?<all>\d+))");

/// ` FAIL  test/calc.js 1 failed of 5 324ms`.
static FILE: Pattern = Pattern::new(r"^ ?(?<word>FAIL|PASS|SKIP|TODO|RUNS) +(?<file>\S+\.\w+)(?: .*)?$");

/// `✖ is wrong > sum test/calc.js:8:5`.
static FAILED: Pattern = Pattern::new(r"^ ?✖ (?<name>\S.*?)(?: (?<file>\S+\.\w+):(?<line>\d+):(?<column>\d+))?$");

/// A line of the code below a failure.
static CODE: Pattern = Pattern::new(r"^ *(?:>? *\d+ |\| |━)");

/// Reads the output of these reporters.
#[derive(Default)]
pub(super) struct Report {
    runs: Runs,
    file: Option<String>,
    /// The first of the two final lines: whether it counts suites, and its counts if complete.
    first: Option<(bool, Option<TestCounts>)>,
}

impl Report {
    /// Ends a failure. Most are listed twice, once with all details.
    fn close(&mut self) {
        let Some(failure) = self.runs.open.take().map(Failing::finish) else { return };
        let is_same = |known: &&mut TestFailure| {
            known.file == failure.file
                && known.name.ends_with(&failure.name)
                && (failure.message.is_empty() || known.message.is_empty() || known.line == failure.line)
        };
        let known = self.runs.failures_mut().find(is_same);
        match known {
            Some(known) if known.message.is_empty() => *known = failure,
            Some(_) => {}
            None => self.runs.failure(failure),
        }
    }

    /// Reads one of the two final lines.
    fn summary(&mut self, text: &str, line: &Line<'_>) -> bool {
        let (is_suites, rest) = match (text.strip_prefix("Asserts: "), text.strip_prefix("Suites: ")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return false,
        };
        self.close();
        let (mut counts, mut is_complete) = (TestCounts::default(), false);
        for captures in NUMBER.find_iter(rest) {
            let of_word = captures.number("number");
            match captures.get("word") {
                Some("pass") => counts.passed = of_word,
                Some("fail") => counts.failed = of_word,
                Some(_) => counts.skipped += of_word,
                None if is_suites => {
                    is_complete = captures.count("done") == captures.count("all") && captures.count("all") != Some(0);
                }
                None => is_complete = captures.count("all") == Some(counts.passed + counts.failed + counts.skipped),
            }
        }
        let counts = results::counts(counts.passed, counts.failed, counts.skipped);
        let this = (is_suites, is_complete.then_some(counts));
        let Some((_, other)) = self.first.take_if(|(are_suites, _)| *are_suites != is_suites) else {
            self.first = Some(this);
            return true;
        };
        if let (Some(this), Some(other)) = (this.1, other) {
            let (asserts, suites) = if is_suites { (other, this) } else { (this, other) };
            self.runs.sum_up(asserts);
            self.runs.sum_up_suites(suites);
            self.runs.end = Some(line.end);
        }
        true
    }

    /// Reads the name of a file, or the result of one of its tests.
    fn heading(&mut self, text: &str, line: &Line<'_>) -> bool {
        if let Some(captures) = FILE.find(text) {
            self.close();
            self.file = Some(text::path(captures.text("file"))).filter(|_| captures.text("word") != "RUNS");
            return true;
        }
        let is_other = [" ~ ", "~ ", " ☐ ", "☐ "].iter().any(|sign| text.starts_with(sign));
        if is_other && self.file.is_some() {
            self.close();
            return true;
        }
        let Some((captures, file)) = FAILED.find(text).zip(self.file.as_deref()) else { return false };
        let mut failing = Failing::new(captures.text("name"), "tap/base", line).in_file(file);
        if captures.has("file") {
            failing.begins_at(Frame::of(&captures));
        }
        self.close();
        self.runs.open = Some(failing);
        true
    }

    /// Reads a detail of a failure.
    fn body(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(open) = self.runs.open.as_mut().filter(|_| text.starts_with("  ") || text.starts_with("> ")) else {
            return false;
        };
        let (said, frame) = (text.trim(), format!("at {}", text.trim()));
        let file = open.failure.file.as_deref().unwrap_or_default();
        if locate::frame(&frame).is_some() {
            open.takes_frame(&frame);
        } else if let Some(groups) = said.strip_prefix("test: ").and_then(|test| test.strip_prefix(file)) {
            // Up to version 16 only this line names the groups of the test.
            open.failure.name = name(&format!("{} > {}", groups.trim(), open.failure.name));
        } else if said != file && said != "stack: |" && !CODE.is_match(text) {
            open.say(said);
        }
        open.extend(line);
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let plain = line.text.replace(NO_SPACE, "");
        let text = plain.trim_end();
        if text.is_empty() {
            return Use::None;
        }
        let is_read = self.summary(text, line) || self.heading(text, line) || self.body(text, line);
        let is_closing = self.runs.end.is_some() && (text.starts_with("# { total: ") || text.starts_with("# time="));
        if is_read || is_closing { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        self.runs.end?;
        Some(self.runs.candidate("tap", "base"))
    }
}

#[cfg(test)]
mod tests {
    use crate::trial::counts;

    #[test]
    fn closing_lines_sum_up_where_all_suites_are_complete() {
        let suites = "Suites:   1 pass  1 fail  0 skip          2 of 2 complete\n";
        let running = "Suites:   1 pass  0 fail  0 skip          1 of 2 complete\n";
        let asserts = "Asserts:  4 pass  1 fail  1 skip  1 todo  5 of 7 complete\n";
        let old = "Suites:   \u{200b}1 failed\u{200b}, \u{200b}1 passed\u{200b}, \u{200b}2 of 2 completed\u{200b}\nAsserts:  \u{200b}1 failed\u{200b}, \u{200b}4 passed\u{200b}, \u{200b}of 5\u{200b}\n";
        for (text, expected) in [
            (format!("{asserts}{suites}"), Some((4, 1, 2))),
            (format!("{asserts}{running}\n{asserts}{suites}"), Some((4, 1, 2))),
            (format!("{asserts}{running}"), None),
            ("Asserts:  0 pass  0 fail  0 of 0 complete\nSuites:   0 pass  0 fail  0 of 0 complete\n".to_owned(), None),
            ("Asserts:  1 pass  0 fail  2 of 2 complete\nSuites:   1 pass  0 fail  1 of 1 complete\n".to_owned(), None),
            (old.to_owned(), Some((4, 1, 0))),
            (asserts.to_owned(), None),
        ] {
            assert_eq!(counts(&text), expected, "{text}");
        }
    }
}
