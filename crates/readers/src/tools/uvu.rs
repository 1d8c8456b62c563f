//! uvu: dots for tests, what failed, and four lines that sum up.
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

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::TestStatus;
use regex::Regex;

use crate::claim::{Claim, LineReader, Use, name};
use crate::scan::Line;
use crate::shapes::failing::Failing;
use crate::shapes::results;
use crate::shapes::runs::{self, Runs};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// uvu.
pub(crate) const TOOL: Tool = Tool {
    name: "uvu",
    aliases: &[],
    role: Role::Test,
    lines: &[LineFormat {
        wakes: &["   FAIL  ", "  Total:     ", "• "],
        reader: |is_hinted| Box::new(Report { is_hinted, ..Report::default() }),
    }],
    documents: &[],
    settle: runs::one_run,
};

const FRAMEWORK: &str = "uvu";
const RULE: &str = "uvu/text";

/// ` math  • ✘   (1 / 2)`.
static SUITE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?: \S.*?  )?(?:[•✘] ?)* {2,}\((?<passed>\d+) / (?<total>\d+)\)$"));

/// `   FAIL  math  "throws"`.
static FAILED: LazyLock<Regex> = LazyLock::new(|| text::pattern(r#"^ +FAIL  (?:(?<suite>[^"].*?)  )?"(?<name>.*)"$"#));

/// `  Total:     3`.
static SUMMARY: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^  (?<word>Total|Passed|Skipped):  +(?<number>\d+)$|^  Duration:  \S+$"));

/// The name of a file, alone on its line.
static FILE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^[^\s:()]+\.[cm]?[jt]sx?$"));

#[derive(Default)]
struct Report {
    is_hinted: bool,
    file: Option<String>,
    open: Option<Failing>,
    runs: Runs,
    /// What the closing lines said so far: all, passed, skipped.
    summary: [Option<u64>; 3],
    end: Option<u64>,
}

impl Report {
    fn close(&mut self) {
        if let Some(failing) = self.open.take() {
            let mut found = failing.finish();
            if found.file.is_none() {
                found.file.clone_from(&self.file);
            }
            self.runs.failure(found);
        }
    }

    fn summary(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = line.text.starts_with("  ").then(|| SUMMARY.captures(line.text.trim_end())).flatten()
        else {
            return false;
        };
        self.close();
        let number = captures.name("number").and_then(|number| text::count(number.as_str()));
        match captures.name("word").map(|word| word.as_str()) {
            Some("Total") => self.summary = [number, None, None],
            Some("Passed") => self.summary[1] = number,
            Some(_) => self.summary[2] = number,
            None => {
                if let [Some(all), Some(passed), Some(skipped)] = std::mem::take(&mut self.summary)
                    && let Some(failed) = all.checked_sub(passed)
                {
                    // Where files are listed, a summary that does not hold them is none of the runner's.
                    if self.runs.summary_mut().is_some_and(|known| known.tests.failed + known.tests.passed != 0) {
                        self.runs.begin();
                    }
                    self.runs.sum_up(results::counts(passed, failed, skipped));
                    self.end = Some(line.end);
                }
            }
        }
        true
    }

    fn suite(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if text.ends_with(['s', 'x']) && FILE.is_match(text) {
            self.close();
            self.file = Some(name(&text::path(text)));
            return true;
        }
        let Some(captures) = text.ends_with(')').then(|| SUITE.captures(text)).flatten() else {
            return false;
        };
        self.close();
        if self.runs.is_summed_up() {
            self.runs.begin();
        }
        if let (Some(passed), Some(total)) = (text::count(&captures["passed"]), text::count(&captures["total"])) {
            self.runs.count(TestStatus::Passed, passed);
            self.runs.count(TestStatus::Failed, total.saturating_sub(passed));
        }
        true
    }

    fn failure(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = line.text.contains("FAIL  ").then(|| FAILED.captures(line.text.trim_end())).flatten()
        else {
            return false;
        };
        self.close();
        let title = &captures["name"];
        let full = captures.name("suite").map_or(title.to_owned(), |suite| format!("{} > {title}", suite.as_str()));
        self.open = Some(Failing::new(&full, RULE, line));
        true
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        let text = line.text.trim_end();
        if !text.is_empty() && text::indent(text) < 4 {
            self.close();
            return false;
        }
        open.line(line, text.strip_prefix("    ").unwrap_or(text));
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let is_read = self.failure(line) || self.summary(line) || self.suite(line) || self.body(line);
        if is_read { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        if self.end.is_none() && !(self.is_hinted && 0 < self.runs.seen.total) {
            return None;
        }
        let (tests, notes) = self.runs.finish(FRAMEWORK);
        Some(Claim { format: "text", tests: Some(tests), notes, summary_end: self.end, ..Claim::default() })
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
