//! TSTyche, a type testing tool.
//!
//! ```text
//! fail ./typetests/b.tst.ts
//!
//! Error: Type 'number' is not the same as type 'string'.
//!
//!   2 | test("is a string", () => { expect<number>().type.toBe<string>(); });
//!     |                                                       ~~~~~~
//!
//!      at ./typetests/b.tst.ts:2:56 ❭ is a string
//!
//! Test files: 1 failed, 1 passed, 2 total
//! Tests:      1 failed, 1 passed, 1 skipped, 1 todo, 4 total
//! Assertions: 1 failed, 1 passed, 1 skipped, 3 total
//! Duration:   11s
//! ```

use crate::prelude::*;

/// Failures are on standard error, which does not name the tool. They are recognized by their end and by the
/// mark below the source, as the end alone is too far below the beginning.
const PREFILTER: &[&str] = &["TSTyche ", "Targets:    ", "Assertions: ", " ❭ ", ".tst.ts:", " ~~~"];

pub(crate) static TOOL: Tool = Tool::new("tstyche", &[], Role::Test)
    .lines(&[LineFormat::new(PREFILTER, |_| Box::new(Report::default()))])
    .merge(runs::one_run);

/// `Tests:      1 failed, 1 passed, 2 total`.
static SUMMARY: Pattern =
    Pattern::new(r"^(?<word>Test files|Tests|Assertions): +(?<counts>\d+ [a-z]+(?:, \d+ [a-z]+)*)$");

/// `Error: Type 'number' is not the same as type 'string'.`
static ERROR: Pattern = Pattern::new(r"^Error: (?<message>.*)$");

/// `  12 | expect<number>().type.toBe<string>();`, and the marks on the line below.
static SOURCE: Pattern = Pattern::new(r"^ *\d* \| ");

/// `     at ./typetests/b.tst.ts:2:56 ❭ add ❭ is a string`.
static AT: Pattern =
    Pattern::new(r"^ +at (?:\.[/\\])?(?<file>\S.*?):(?<line>\d+):(?<column>\d+)(?: ❭ (?<names>\S.*))?$");

#[derive(Default)]
struct Report {
    runs: Runs,
    /// A failure whose location was not read yet.
    open: Option<Failing>,
    /// Counts of the summary lines read so far: tests, else assertions.
    begun: Option<TestCounts>,
    /// Whether the previous line counts the files.
    is_below_files: bool,
}

impl Report {
    fn summary(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let is_below_files = std::mem::take(&mut self.is_below_files);
        if text.starts_with("Duration: ") {
            let counts = self.begun.take();
            if let Some(counts) = counts {
                self.runs.sum_up(counts);
            }
            // No tests are counted for files that could not be checked.
            let is_summed_up = counts.is_some() || is_below_files;
            if is_summed_up {
                self.runs.end = Some(line.end);
            }
            return is_summed_up;
        }
        let Some(found) = SUMMARY.find(text) else { return false };
        let Some(counts) = counts(found.text("counts")) else { return false };
        match found.text("word") {
            "Test files" => {
                if self.runs.is_summed_up() {
                    self.runs.begin();
                }
                self.runs.sum_up_suites(counts);
                self.is_below_files = true;
            }
            "Tests" => self.begun = Some(counts),
            _ => self.begun = self.begun.or(Some(counts)),
        }
        true
    }

    fn failure(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if let Some(found) = ERROR.find(text) {
            self.open = Some(found.failing("tstyche/text", line));
            return true;
        }
        if let Some(found) = AT.find(text)
            && let Some(Failing { mut failure, .. }) = self.open.take()
        {
            failure.file = found.file("file");
            failure.line = found.position("line");
            failure.column = found.position("column");
            failure.suite = !found.has("names");
            failure.name = name(&found.get("names").unwrap_or(found.text("file")).replace(" ❭ ", " > "));
            self.runs.failure(failure);
            return true;
        }
        self.open.take_if(|_| !line.is_blank() && !text.starts_with("  ") && !SOURCE.is_match(text));
        self.open.is_some()
    }
}

/// Parses `1 failed, 2 passed, 3 total`. Returns `None` if the text is no such list, or does not add up.
fn counts(text: &str) -> Option<TestCounts> {
    let mut counts = TestCounts::default();
    let mut total = None;
    for part in text.split(", ") {
        let (number, word) = part.split_once(' ')?;
        let number = text::count(number)?;
        match word {
            "total" => total = Some(number),
            // Skipped, todo, fixme.
            _ => results::add(&mut counts, results::status(word), number),
        }
    }
    (total == Some(counts.total)).then_some(counts)
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        (self.summary(line) || self.failure(line)).into()
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let is_none = self.runs.end.is_none() && (self.runs.is_summed_up() || self.runs.failures() == 0);
        (!is_none).then(|| self.runs.candidate("tstyche", "text"))
    }
}

#[cfg(test)]
mod tests {
    use crate::trial::counts;

    #[test]
    fn a_summary_counts_only_whole() {
        let summary = "Targets:    1 passed, 1 total\nTest files: 1 passed, 1 total\n";
        for (rest, expected) in [
            (
                "Tests:      1 passed, 1 skipped, 1 todo, 3 total\nAssertions: 1 passed, 1 total\nDuration:   11s\n",
                Some((1, 0, 2)),
            ),
            ("Assertions: 2 passed, 2 total\nDuration:   1s\n", Some((2, 0, 0))),
            ("Tests:      1 passed, 9 total\nDuration:   1s\n", None),
            ("Tests:      1 passed, 1 total\n", None),
            ("Duration:   1s\n", Some((0, 0, 0))),
        ] {
            assert_eq!(counts(&format!("{summary}{rest}")), expected, "{rest}");
        }
    }
}
