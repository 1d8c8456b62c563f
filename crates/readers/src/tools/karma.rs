//! Karma: its `progress` and `dots` reporters.
//!
//! ```text
//! Chrome Headless 119.0.0.0 (Linux x86_64) calc is wrong FAILED
//!     Expected 2 to be 3.
//!         at UserContext.<anonymous> (test/calc.spec.js:4:19)
//! Chrome Headless 119.0.0.0 (Linux x86_64): Executed 5 of 5 (1 FAILED) (skipped 1) (0.02 secs / 0.01 secs)
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::TestCounts;
use regex::Regex;

use crate::claim::{Claim, LineReader, Use, add_counts, name};
use crate::scan::Line;
use crate::shapes::failing::Failing;
use crate::shapes::results;
use crate::shapes::runs::{self, Runs};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Karma.
pub(crate) const TOOL: Tool = Tool {
    name: "karma",
    aliases: &[],
    role: Role::Test,
    lines: &[LineFormat { wakes: &[": Executed ", ") FAILED", " FAILED"], reader: |_| Box::new(Report::default()) }],
    documents: &[],
    settle: runs::one_run,
};

const FRAMEWORK: &str = "karma";
const RULE: &str = "karma/text";

/// `Chrome Headless 119.0.0.0 (Linux x86_64): Executed 5 of 5 (1 FAILED) (skipped 1) (0.02 secs / 0.01 secs)`.
static EXECUTED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<browser>\S.* \([^()]+\)): Executed (?<executed>\d+) of (?<total>\d+)(?: \((?<failed>\d+) FAILED\))?(?: \(skipped (?<skipped>\d+)\))?(?: (?<word>SUCCESS|DISCONNECTED|ERROR))?(?: \(.*secs.*\))?$",
    )
});

/// `Chrome Headless 119.0.0.0 (Linux x86_64) calc is wrong FAILED`.
static FAILED: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?:\S.*? [\d.]+ \([^()]+\)) (?<name>\S.*) FAILED$"));

/// Browsers that are told apart.
const BROWSERS: usize = 64;

#[derive(Default)]
struct Report {
    browsers: Vec<(String, TestCounts)>,
    /// What browsers came to that have begun again.
    over: TestCounts,
    open: Option<Failing>,
    runs: Runs,
    end: Option<u64>,
}

impl Report {
    fn close(&mut self) {
        if let Some(failing) = self.open.take() {
            self.runs.failure(failing.finish());
        }
    }

    /// Takes what a browser has come to; the last of it holds.
    fn executed(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) =
            line.text.contains(": Executed ").then(|| EXECUTED.captures(line.text.trim_end())).flatten()
        else {
            return false;
        };
        let number = |group: &str| captures.name(group).map_or(Some(0), |number| text::count(number.as_str()));
        let (Some(executed), Some(failed), Some(skipped)) = (number("executed"), number("failed"), number("skipped"))
        else {
            return false;
        };
        self.close();
        let browser = name(&captures["browser"]);
        // Skipped tests are not among those that are executed.
        let passed = executed.saturating_sub(failed);
        let counts = results::counts(passed, failed, skipped);
        if let Some((_, known)) = self.browsers.iter_mut().find(|(known, _)| *known == browser) {
            // A browser that has come to less than before has begun again.
            if counts.total < known.total {
                add_counts(&mut self.over, *known);
            }
            *known = counts;
        } else if self.browsers.len() < BROWSERS {
            self.browsers.push((browser, counts));
        } else {
            return false;
        }
        self.end = Some(line.end);
        true
    }

    fn failure(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = line.text.ends_with(" FAILED").then(|| FAILED.captures(&line.text)).flatten() else {
            return false;
        };
        self.close();
        self.open = Some(Failing::new(&captures["name"], RULE, line));
        true
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let is_indented = text.starts_with(['\t', ' ']);
        let Some(open) = self.open.as_mut().filter(|_| is_indented) else {
            return false;
        };
        let plain = text.replace('\t', "    ");
        open.line(line, plain.strip_prefix("    ").unwrap_or(&plain));
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.executed(line) || self.failure(line) || self.body(line) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        self.end?;
        let mut sum = self.over;
        for (_, counts) in &self.browsers {
            add_counts(&mut sum, *counts);
        }
        self.runs.sum_up(sum);
        let (tests, notes) = self.runs.finish(FRAMEWORK);
        Some(Claim { format: "text", tests: Some(tests), notes, summary_end: self.end, ..Claim::default() })
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
