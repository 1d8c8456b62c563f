//! Formatters of tape's TAP, used in a pipe: tap-spec, tap-dot and faucet. Each prints its own summary.
//!
//! ```text
//!     ✖ equals                  x equals               not ok 3 equals
//!   total:     3                2 tests                # tests 3
//!   passing:   2                2 passed               tests 3# pass  2
//!   failing:   1                1 failed               pass  2# fail  1
//!   duration:  54ms
//! ```

use crate::prelude::*;
use crate::shapes::locate::Frame;

pub(crate) const PREFILTER: &[&str] = &["  passing:  ", "  total:  ", " passed", "# pass ", "    ✖ ", "  not ok "];

/// `  passing:   2`.
static SPEC: Pattern = Pattern::new(r"^  (?<word>total|passing|failing|skipped|todo|duration): +(?<number>\d+)");

/// `  2 passed`. The tests of tap-dot are groups; passed and failed are assertions, as for the other
/// formatters.
static DOT: Pattern = Pattern::new(r"^  (?<number>\d+) (?<word>tests|passed|failed) *$");

/// `pass  2# fail  1`: faucet overwrites the line before. Alone, such lines are from TAP itself, or from faucet
/// if carriage returns were resolved; [`CONFIRMED`] tells which.
static FAUCET: Pattern = Pattern::new(r"^(?<before>[a-z]+ +\d+)?# (?<word>tests|pass|fail|ok) *(?<number>\d*)");

/// Faucet's mark at its last line.
static CONFIRMED: Pattern = Pattern::new(r"^(?:✓ (?:ok|pass +\d)|⨯ fail +\d)");

/// `⨯ sums    ---`: the test of the failed assertion, and the text that faucet prints after it.
static GROUP: Pattern = Pattern::new(r"^⨯ (?<name>\S.*?)(?: {4}---)?$");

/// A failed assertion, as each of the formatters lists it.
static FAILED: Pattern = Pattern::new(r"^(?:    ✖ |  not ok \d+ |    x )(?<name>\S.*)$");

/// `  at: Test.<anonymous> (/p/tape.cjs:1:126)`.
static AT: Pattern = Pattern::new(r"^ *at: .*?\(?(?<file>[^\s()]+):(?<line>\d+):(?<column>\d+)\)?$");

/// The formatter that printed a summary line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Spec,
    Dot,
    Faucet,
}

struct Closing {
    style: Style,
    word: String,
    number: Option<u64>,
    /// Whether TAP itself prints the same line.
    is_alone: bool,
}

impl Closing {
    fn of(text: &str) -> Option<Self> {
        let of = |style, pattern: &Pattern| {
            let captures = pattern.find(text)?;
            let word = captures.text("word").to_owned();
            let is_alone = style == Style::Faucet && !captures.has("before");
            Some(Self { style, word, number: captures.count("number"), is_alone })
        };
        of(Style::Spec, &SPEC)
            .or_else(|| of(Style::Dot, &DOT))
            .or_else(|| text.contains("# ").then(|| of(Style::Faucet, &FAUCET)).flatten())
    }
}

#[derive(Default)]
pub(crate) struct Report {
    runs: Runs,
    /// The summary lines read so far: formatter, total and counts.
    begun: Option<(Style, Option<u64>, TestCounts)>,
    /// The counts, if faucet printed them.
    unconfirmed: Option<TestCounts>,
}

impl Report {
    fn summary(&mut self, line: &Line<'_>) -> bool {
        let Some(closing) = Closing::of(line.text.trim_end()) else { return false };
        if matches!(closing.word.as_str(), "total" | "tests") {
            self.runs.close();
            self.begun = Some((closing.style, closing.number, TestCounts::default()));
            return true;
        }
        let Some((style, total, counts)) = &mut self.begun else { return false };
        if *style != closing.style {
            return false;
        }
        let number = closing.number.unwrap_or_default();
        match closing.word.as_str() {
            "passing" | "passed" | "pass" => counts.passed = number,
            "failing" | "failed" | "fail" => counts.failed = number,
            "skipped" | "todo" => counts.skipped += number,
            _ => {}
        }
        let sum = results::counts(counts.passed, counts.failed, counts.skipped);
        // A summary counts only if its numbers add up to its total.
        if *style == Style::Dot || *total == Some(sum.total) {
            if closing.is_alone {
                self.unconfirmed = Some(sum);
            } else {
                self.runs.sum_up(sum);
                self.runs.end = Some(line.end);
            }
        }
        true
    }

    /// Reads the line that identifies faucet.
    fn confirmation(&mut self, line: &Line<'_>) -> bool {
        let Some(sum) = self.unconfirmed.take_if(|_| CONFIRMED.is_match(&line.text)) else { return false };
        self.begun = None;
        self.runs.sum_up_at(line, sum);
        true
    }

    fn failure(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let Some(captures) = FAILED.find(text).filter(|_| self.begun.is_none()) else { return false };
        if self.runs.is_summed_up() {
            self.runs.begin();
        }
        self.runs.open(Failing::new(captures.text("name"), "tap/pretty", line));
        true
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.runs.open else { return false };
        let text = line.text.trim_end();
        if text.is_empty() {
            self.runs.close();
            return false;
        }
        if let Some(captures) = GROUP.find(text).filter(|_| open.failure.message.is_empty()) {
            open.failure.name = candidate::name(&format!("{} > {}", captures.text("name"), open.failure.name));
            open.extend(line);
            return true;
        }
        if let Some(captures) = AT.find(text) {
            open.begins_at(Frame::of(&captures));
        }
        open.line(line, text.trim_start());
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let is_read = self.confirmation(line) || self.summary(line) || self.failure(line) || self.body(line);
        if !is_read && !line.is_blank {
            (self.begun, self.unconfirmed) = (None, None);
        }
        if is_read { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        self.runs.end?;
        Some(self.runs.candidate("tap", "pretty"))
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
            ("# tests 3\n# pass  3\n# ok\n✓ ok", Some((3, 0, 0))),
            ("# tests 3\n# pass  2\n# fail  1\n⨯ fail  1> next", Some((2, 1, 0))),
            ("# tests 2\n# pass  2\n✓ pass  2", Some((2, 0, 0))),
            ("# tests 3\n# pass  3\n\n# ok\n", None),
            ("# tests 3\n# pass  2\n# fail  1\n1..3\n✓ ok\n", None),
            ("# tests 3\n# pass  2\n✓ ok", None),
            ("  total:     3\n  passing:   2\n", None),
            ("  3 passed\n", None),
            ("  total:     3 files\n", None),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }
}
