//! Karma: its `progress` and `dots` reporters.
//!
//! ```text
//! Chrome Headless 119.0.0.0 (Linux x86_64) calc is wrong FAILED
//!     Expected 2 to be 3.
//!         at UserContext.<anonymous> (test/calc.spec.js:4:19)
//! Chrome Headless 119.0.0.0 (Linux x86_64): Executed 5 of 5 (1 FAILED) (skipped 1) (0.02 secs / 0.01 secs)
//! ```

use crate::candidate::add_counts;
use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("karma", &[], Role::Test)
    .lines(&[LineFormat::new(&[": Executed ", ") FAILED", " FAILED"], |_| Box::new(Report::default()))])
    .merge(runs::one_run);

/// `Chrome Headless 119.0.0.0 (Linux x86_64): Executed 5 of 5 (1 FAILED) (skipped 1) (0.02 secs / 0.01 secs)`.
/// Skipped tests are not included in the number executed.
static EXECUTED: Pattern = Pattern::new(
    r"^(?<browser>\S.* \([^()]+\)): Executed (?<ran>\d{1,9}) of \d+(?: \((?<failed>\d{1,9}) FAILED\))?(?: \(skipped (?<skipped>\d{1,9})\))?(?: (?:SUCCESS|DISCONNECTED|ERROR))?(?: \(.*secs.*\))?$",
);

/// `Chrome Headless 119.0.0.0 (Linux x86_64) calc is wrong FAILED`.
static FAILED: Pattern = Pattern::new(r"^(?:\S.*? [\d.]+ \([^()]+\)) (?<name>\S.*) FAILED$");

/// Maximum number of browsers counted separately.
const BROWSERS: usize = 64;

#[derive(Default)]
struct Report {
    browsers: Vec<(String, TestCounts)>,
    /// Counts of earlier runs of browsers that were started again.
    over: TestCounts,
    runs: Runs,
}

impl Report {
    /// Reads the progress of a browser; the last line of each counts.
    fn executed(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = EXECUTED.find(line.text.trim_end()) else { return false };
        self.runs.close();
        let browser = name(found.text("browser"));
        let Some(counts) = found.tests() else { return false };
        if let Some((_, known)) = self.browsers.iter_mut().find(|(known, _)| *known == browser) {
            // A browser whose count went down was started again.
            if counts.total < known.total {
                add_counts(&mut self.over, *known);
            }
            *known = counts;
        } else if self.browsers.len() < BROWSERS {
            self.browsers.push((browser, counts));
        } else {
            return false;
        }
        self.runs.end = Some(line.end);
        true
    }

    fn failure(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = FAILED.find(&line.text) else { return false };
        self.runs.open(found.failing("karma/text", line).told_in(Language::JAVASCRIPT));
        true
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end().replace('\t', "    ");
        text.starts_with(' ') && self.runs.add(line, text.strip_prefix("    ").unwrap_or(&text))
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        (self.executed(line) || self.failure(line) || self.body(line)).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.runs.end?;
        let mut sum = self.over;
        for (_, counts) in &self.browsers {
            add_counts(&mut sum, *counts);
        }
        self.runs.sum_up(sum);
        Some(self.runs.candidate("karma", "text"))
    }
}

#[cfg(test)]
mod tests {
    use crate::trial::counts;

    #[test]
    fn the_last_of_each_browser_counts() {
        for (text, expected) in [
            (
                "Firefox 118.0 (Linux x86_64): Executed 1 of 3 (0 secs / 0 secs)\nFirefox 118.0 (Linux x86_64): Executed 3 of 3 SUCCESS (0.01 secs / 0.002 secs)\n",
                Some((3, 0, 0)),
            ),
            (
                "Firefox 1 (Linux): Executed 3 of 3 SUCCESS (0.01 secs / 0.002 secs)\nChrome 2 (Linux): Executed 2 of 3 (1 FAILED) (skipped 1) (0.01 secs / 0.002 secs)\n",
                Some((4, 1, 1)),
            ),
            ("job (nightly): Executed 3 of 3 things\n", None),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }
}
