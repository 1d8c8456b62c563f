//! What formatters make of the TAP of tape before anybody else sees it: tap-spec, tap-dot and faucet. Each sums it up.
//!
//! ```text
//!     ✖ equals                  x equals               not ok 3 equals
//!   total:     3                2 tests                # tests 3
//!   passing:   2                2 passed               tests 3# pass  2
//!   failing:   1                1 failed               pass  2# fail  1
//!   duration:  54ms
//! ```

use std::sync::LazyLock;

use referee_model::reading::TestCounts;
use regex::Regex;

use crate::claim::{Claim, LineReader, Use};
use crate::scan::Line;
use crate::shapes::failing::Failing;
use crate::shapes::results;
use crate::shapes::runs::Runs;
use crate::text;

pub(crate) const WAKES: &[&str] = &["  passing:  ", "  total:  ", " passed", "# pass ", "    ✖ ", "  not ok "];

/// `  passing:   2`.
static SPEC: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^  (?<word>total|passing|failing|skipped|todo|duration): +(?<number>\d+)"));

/// `  2 passed`. What tap-dot calls tests are groups; passed and failed are what counts everywhere else.
static DOT: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^  (?<number>\d+) (?<word>tests|passed|failed) *$"));

/// `pass  2# fail  1`: faucet writes over the line before. Alone they are what TAP itself says.
static FAUCET: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<before>[a-z]+ +\d+)?# (?<word>tests|pass|fail|ok) *(?<number>\d*)"));

/// A failed assertion, as each of them lists it.
static FAILED: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?:    ✖ |  not ok \d+ |    x )(?<name>\S.*)$"));

/// `  at: Test.<anonymous> (/p/tape.cjs:1:126)`.
static AT: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^ *at: .*?\(?(?<file>[^\s()]+):(?<line>\d+):(?<column>\d+)\)?$"));

/// Which formatter's lines sum up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Spec,
    Dot,
    Faucet,
}

#[derive(Default)]
pub(crate) struct Report {
    runs: Runs,
    open: Option<Failing>,
    /// What the closing lines said so far, by whom.
    begun: Option<(Style, Option<u64>, TestCounts)>,
    end: Option<u64>,
}

impl Report {
    fn close(&mut self) {
        if let Some(failing) = self.open.take() {
            self.runs.failure(failing.finish());
        }
    }

    /// Takes a closing line.
    fn summary(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let of = |style, pattern: &Regex| {
            let captures = pattern.captures(text)?;
            let is_alone = style == Style::Faucet && captures.name("before").is_none();
            if is_alone && &captures["word"] != "tests" {
                return None;
            }
            Some((style, captures["word"].to_owned(), text::count(&captures["number"])))
        };
        let found = of(Style::Spec, &SPEC)
            .or_else(|| of(Style::Dot, &DOT))
            .or_else(|| text.contains("# ").then(|| of(Style::Faucet, &FAUCET)).flatten());
        let Some((style, word, number)) = found else { return false };
        match (word.as_str(), number) {
            ("total" | "tests", _) => {
                self.close();
                self.begun = Some((style, number, TestCounts::default()));
                return true;
            }
            (_, number) => {
                let Some((begun, total, counts)) = &mut self.begun else { return false };
                if *begun != style {
                    return false;
                }
                match word.as_str() {
                    "passing" | "passed" | "pass" => counts.passed = number.unwrap_or_default(),
                    "failing" | "failed" | "fail" => counts.failed = number.unwrap_or_default(),
                    "skipped" | "todo" => counts.skipped += number.unwrap_or_default(),
                    _ => {}
                }
                let sum = results::counts(counts.passed, counts.failed, counts.skipped);
                // A summary whose numbers are not those of its total is none.
                if style == Style::Dot || *total == Some(sum.total) {
                    self.runs.sum_up(sum);
                    self.end = Some(line.end);
                }
            }
        }
        true
    }

    fn failure(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let Some(captures) = FAILED.captures(text).filter(|_| self.begun.is_none()) else { return false };
        self.close();
        if self.runs.is_summed_up() {
            self.runs.begin();
        }
        self.open = Some(Failing::new(&captures["name"], "tap/pretty", line));
        true
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.open else { return false };
        let text = line.text.trim_end();
        if text.is_empty() {
            self.close();
            return false;
        }
        if let Some(captures) = AT.captures(text) {
            open.begins_at(crate::shapes::locate::Frame {
                file: text::path(&captures["file"]),
                line: text::position(&captures["line"]),
                column: text::position(&captures["column"]),
            });
        }
        open.line(line, text.trim_start());
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let is_read = self.summary(line) || self.failure(line) || self.body(line);
        if !is_read && !line.is_blank() {
            self.begun = None;
        }
        if is_read { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        self.end?;
        let (tests, notes) = self.runs.finish("tap");
        Some(Claim { format: "pretty", tests: Some(tests), notes, summary_end: self.end, ..Claim::default() })
    }
}

#[cfg(test)]
mod tests {
    use crate::trial::counts;

    #[test]
    fn each_formatter_sums_up_in_its_way() {
        for (text, expected) in [
            ("  total:     3\n  passing:   2\n  failing:   1\n  duration:  54ms\n", Some((2, 1, 0))),
            ("  total:     3\n  passing:   3\n  duration:  54ms\n", Some((3, 0, 0))),
            ("  2 tests\n  3 passed\n\n  Pass!\n", Some((3, 0, 0))),
            ("  2 tests\n  2 passed\n  1 failed\n", Some((2, 1, 0))),
            ("# tests 3\ntests 3# pass  3\npass  3# ok\n", Some((3, 0, 0))),
            ("# tests 3\ntests 3# pass  2\npass  2# fail  1\n", Some((2, 1, 0))),
            ("  total:     3\n  passing:   2\n", None),
            ("  3 passed\n", None),
            ("  total:     3 files\n", None),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }
}
