//! uvu: dots for tests, the failures, and a summary of four lines.
//!
//! ```text
//! calc.js
//! • ✘   (1 / 2)
//!
//!    FAIL  math  "throws"
//!     boom
//!     at Object.handler (/project/calc.js:8:30)
//!
//!   Total:     2
//!   Passed:    1
//!   Skipped:   1
//!   Duration:  1.87ms
//! ```

use crate::prelude::*;
use crate::shapes::locate::Frame;

pub(crate) static TOOL: Tool = Tool::new("uvu", &[], Role::Test)
    .lines(&[LineFormat::new(&["   FAIL  ", "  Total:     ", "• "], |is_hinted| {
        Box::new(Report { is_hinted, ..Report::default() })
    })])
    .merge(runs::one_run);

/// ` math  • ✘   (1 / 2)`.
static SUITE: Pattern = Pattern::new(r"^(?: \S.*?  )?(?:[•✘] ?)* {2,}\((?<passed>\d+) / (?<total>\d+)\)$");

/// `   FAIL  math  "throws"`.
static FAILED: Pattern = Pattern::new(r#"^ +FAIL  (?:(?<suite>[^"].*?)  )?"(?<name>.*)"$"#);

/// `  Total:     3`.
static SUMMARY: Pattern = Pattern::new(r"^  (?:(?<word>Total|Passed|Skipped):  +(?<number>\d+)|Duration:  \S+)$");

/// The name of a file, alone on its line.
static FILE: Pattern = Pattern::new(r"^(?<file>[^\s:()]+\.[cm]?[jt]sx?)$");

#[derive(Default)]
struct Report {
    is_hinted: bool,
    file: Option<String>,
    runs: Runs,
    /// The summary lines read so far: total, passed, skipped.
    summary: [Option<u64>; 3],
}

impl Report {
    fn summary(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = SUMMARY.find(line.text.trim_end()) else { return false };
        self.runs.close();
        match found.text("word") {
            "Total" => self.summary = [found.count("number"), None, None],
            "Passed" => self.summary[1] = found.count("number"),
            "Skipped" => self.summary[2] = found.count("number"),
            _ => {
                if let [Some(all), Some(passed), Some(skipped)] = std::mem::take(&mut self.summary)
                    && let Some(failed) = all.checked_sub(passed)
                {
                    // If files are listed, a summary that does not include them was not printed by the runner.
                    if self.runs.summary_mut().is_some_and(|known| known.tests.failed + known.tests.passed != 0) {
                        self.runs.begin();
                    }
                    self.runs.sum_up(results::counts(passed, failed, skipped));
                    self.runs.end = Some(line.end);
                }
            }
        }
        true
    }

    fn suite(&mut self, line: &Line<'_>) -> bool {
        if let Some(found) = FILE.find(&line.text) {
            self.runs.close();
            self.file = found.file("file");
            return true;
        }
        let Some(found) = SUITE.find(&line.text) else { return false };
        self.runs.close();
        if self.runs.is_summed_up() {
            self.runs.begin();
        }
        if let (Some(passed), Some(total)) = (found.count("passed"), found.count("total")) {
            self.runs.count(TestStatus::Passed, passed);
            self.runs.count(TestStatus::Failed, total.saturating_sub(passed));
        }
        true
    }

    fn failure(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = FAILED.find(line.text.trim_end()) else { return false };
        let title = found.text("name");
        let full = found.get("suite").map_or(title.to_owned(), |suite| format!("{suite} > {title}"));
        let mut failing = Failing::new(&full, "uvu/text", line);
        if let Some(file) = self.file.clone() {
            failing.begins_at(Frame { file, line: None, column: None });
        }
        self.runs.open(failing);
        true
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if !text.is_empty() && text::indent(text) < 4 {
            self.runs.close();
        }
        let Some(open) = &mut self.runs.open else { return false };
        open.line(line, text.strip_prefix("    ").unwrap_or(text));
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        (self.failure(line) || self.summary(line) || self.suite(line) || self.body(line)).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.runs.close();
        let is_told = self.runs.end.is_some() || (self.is_hinted && 0 < self.runs.seen.total);
        is_told.then(|| self.runs.candidate("uvu", "text"))
    }
}

#[cfg(test)]
mod tests {
    use crate::trial::counts;

    #[test]
    fn skipped_tests_are_beside_the_total() {
        for (text, expected) in [
            (
                "a.js\n• • ✘   (2 / 3)\n\n  Total:     3\n  Passed:    2\n  Skipped:   1\n  Duration:  1.87ms\n",
                Some((2, 1, 1)),
            ),
            ("  Total:     3\n  Passed:    9\n  Skipped:   1\n  Duration:  1.87ms\n", None),
            ("  Total:     3\n  Passed:    1\n", None),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }
}
