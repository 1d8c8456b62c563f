//! Jest's own final summary: four lines, each with its label in the first column, and behind them only what Jest or the
//! program that started it prints when all is over.

use referee_model::reading::TestCounts;

use crate::scan::Line;
use crate::text;

const SUITES: &str = "Test Suites: ";
const TESTS: &str = "Tests:       ";
const SNAPSHOTS: &str = "Snapshots:   ";
const TIME: &str = "Time:        ";

/// How lines begin that Jest prints after its summary, and lines of what runs Jest.
const TRAILERS: &[&str] = &[
    "Ran all test suites",
    "Force exiting Jest",
    "Jest did not exit ",
    "Jest has detected the following ",
    "'This usually means that there are asynchronous operations",
    "This usually means that there are asynchronous operations",
    "A worker process has failed to exit gracefully",
    "Active timers can also cause this",
    "Test results written to: ",
    "Watch Usage",
    " › Press ",
    "npm ERR!",
    "npm error",
    "npm WARN",
    "npm warn",
    "npm notice",
    "error Command failed",
    "error: script ",
    "info Visit ",
    "Done in ",
    "ELIFECYCLE",
    " ELIFECYCLE",
    " ERR_PNPM_",
    "make: ***",
    "make[",
];

/// The heading of a trailer that goes on in indented lines.
const OPEN_HANDLES: &str = "Jest has detected the following ";

/// A summary that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) tests: TestCounts,
    pub(super) suites: TestCounts,
    /// Offset after its last line in the stream.
    pub(super) end: u64,
    /// Whether lines follow that are neither Jest's nor of what runs it.
    pub(super) is_followed: bool,
}

/// What a line is to the summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Part of one, or of what Jest prints behind it.
    Of,
    /// Not part of one.
    Other,
}

/// Looks for summaries, and knows the last one.
#[derive(Debug, Default)]
pub(super) struct Summaries {
    begun: Option<Begun>,
    last: Option<Summary>,
    is_in_open_handles: bool,
    /// Summaries that were read, forged ones included.
    pub(super) seen: u64,
    /// Whether two of them said different things.
    pub(super) disagree: bool,
}

/// A summary of which some lines were read.
#[derive(Debug)]
struct Begun {
    suites: TestCounts,
    tests: Option<TestCounts>,
    has_snapshots: bool,
}

impl Summaries {
    /// Returns the summary that nothing of a run follows.
    pub(super) fn last(&self) -> Option<&Summary> {
        self.last.as_ref()
    }

    /// Takes note that a run goes on: what looked like its summary was none.
    pub(super) fn run_goes_on(&mut self) {
        self.last = None;
        self.begun = None;
    }

    /// Takes the next line of the stream, blank ones too.
    pub(super) fn line(&mut self, line: &Line<'_>) -> Part {
        let text = &*line.text;
        if self.continues(line) {
            return Part::Of;
        }
        self.begun = None;
        if let Some(counts) = text.strip_prefix(SUITES).and_then(suite_counts) {
            self.begun = Some(Begun { suites: counts, tests: None, has_snapshots: false });
            return Part::Of;
        }
        let Some(last) = &mut self.last else {
            return Part::Other;
        };
        if line.is_blank() || (self.is_in_open_handles && text::indent(text) >= 2) {
            return Part::Of;
        }
        self.is_in_open_handles = text.starts_with(OPEN_HANDLES);
        if TRAILERS.iter().any(|trailer| text.starts_with(trailer)) {
            return Part::Of;
        }
        last.is_followed = true;
        Part::Other
    }

    fn continues(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let Some(begun) = &mut self.begun else {
            return false;
        };
        match (begun.tests, begun.has_snapshots) {
            (None, _) => {
                begun.tests = text.strip_prefix(TESTS).and_then(test_counts);
                begun.tests.is_some()
            }
            (Some(_), false) => {
                begun.has_snapshots = text.starts_with(SNAPSHOTS) && text.ends_with(" total");
                begun.has_snapshots
            }
            (Some(tests), true) if text.starts_with(TIME) => {
                let summary = Summary { tests, suites: begun.suites, end: line.end, is_followed: false };
                self.seen += 1;
                self.disagree |= self.last.as_ref().is_some_and(|last| last.tests != tests);
                self.last = Some(summary);
                self.begun = None;
                self.is_in_open_handles = false;
                true
            }
            (Some(_), true) => false,
        }
    }
}

/// Reads `1 failed, 2 skipped, 3 passed, 6 total`, and `6 of 9 total` at its end.
fn counts(text: &str) -> Option<(TestCounts, Option<u64>)> {
    let mut counts = TestCounts::default();
    let mut ran = None;
    let mut items = text.trim_end().split(", ").peekable();
    while let Some(item) = items.next() {
        let (number, what) = item.split_once(' ')?;
        let number = text::count(number)?;
        match what {
            "failed" => counts.failed += number,
            "passed" => counts.passed += number,
            "skipped" | "todo" | "pending" => counts.skipped += number,
            _ if items.peek().is_some() => return None,
            "total" => counts.total = number,
            _ => {
                counts.total = text::count(what.strip_prefix("of ")?.strip_suffix(" total")?)?;
                ran = Some(number);
            }
        }
    }
    Some((counts, ran))
}

fn test_counts(text: &str) -> Option<TestCounts> {
    let (counts, ran) = counts(text)?;
    let is_sum = counts.passed + counts.failed + counts.skipped == counts.total;
    (ran.is_none() && is_sum).then_some(counts)
}

/// Reads the count of suites. Those that never began, after a bail, count as skipped.
fn suite_counts(text: &str) -> Option<TestCounts> {
    let (counts, _) = counts(text)?;
    let begun = counts.passed + counts.failed;
    let skipped = counts.total.checked_sub(begun).filter(|left| counts.skipped <= *left)?;
    Some(TestCounts { skipped, ..counts })
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn counts(passed: u64, failed: u64, skipped: u64) -> TestCounts {
        TestCounts { passed, failed, skipped, total: passed + failed + skipped }
    }

    fn read(text: &str) -> Summaries {
        let mut summaries = Summaries::default();
        for (number, line) in text.lines().enumerate() {
            let start = number as u64;
            let (text_start, stream) = (Some(start), Stream::Stderr);
            let line = Line { text: line.into(), text_start, stream, start, end: start + 1, is_cut: false };
            summaries.line(&line);
        }
        summaries
    }

    const WHOLE: &str = "Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 1 skipped, 1 todo, 2 passed, 5 total\nSnapshots:   0 total\nTime:        1.2 s\n";

    #[test]
    fn counts_are_read_in_their_forms() {
        assert_eq!(test_counts("1 failed, 1 skipped, 1 todo, 2 passed, 5 total"), Some(counts(2, 1, 2)));
        assert_eq!(test_counts("0 total"), Some(counts(0, 0, 0)));
        assert_eq!(suite_counts("1 failed, 1 of 3 total"), Some(counts(0, 1, 2)));
        assert_eq!(suite_counts("1 skipped, 0 of 1 total"), Some(counts(0, 0, 1)));
        for wrong in
            ["", "5 passed", "5 passed, 6 total", "5 passed, total", "1 of 2 total", "5 total, 5 passed", "-1 total"]
        {
            assert_eq!(test_counts(wrong), None, "{wrong}");
        }
        assert_eq!(suite_counts("3 failed, 2 total"), None);
    }

    #[test]
    fn the_summary_is_the_last_four_lines_in_the_first_column() {
        let summaries = read(WHOLE);
        let last = summaries.last().unwrap();
        assert_eq!((last.tests, last.suites, last.end), (counts(2, 1, 2), counts(1, 1, 0), 4));
        for broken in [
            WHOLE.replace("Snapshots:   0 total\n", ""),
            WHOLE.replace("Tests:", " Tests:"),
            WHOLE.replace("Snapshots", "\nSnapshots"),
            WHOLE.replace("5 total", "6 total"),
            WHOLE.replace('T', "    T").replace('S', "    S"),
            "Tests:       5 passed, 5 total\n".to_owned(),
        ] {
            assert_eq!(read(&broken).last(), None, "{broken}");
        }
    }

    #[test]
    fn what_follows_a_summary_is_told_from_what_belongs_to_it() {
        for trailer in [
            "",
            "Ran all test suites matching /x/i.\n",
            "Ran all test suites.\nJest did not exit one second after the test run has completed.\n\n'This usually means that there are asynchronous operations that weren't stopped in your tests.\n",
            "\nJest has detected the following 1 open handle potentially keeping Jest from exiting:\n\n  ●  Timeout\n\n    > 1 | x\n",
            "npm error Lifecycle script `test` failed with error:\nnpm error code 1\n",
        ] {
            assert!(!read(&format!("{WHOLE}{trailer}")).last().unwrap().is_followed, "{trailer}");
        }
        assert!(read(&format!("{WHOLE}done\n")).last().unwrap().is_followed);
    }

    #[test]
    fn a_later_summary_replaces_an_earlier_one() {
        let other = WHOLE.replace("1 failed, 1 skipped, 1 todo, 2 passed, 5", "9 passed, 9");
        let summaries = read(&format!("{other}{WHOLE}"));
        assert_eq!(summaries.last().unwrap().tests.failed, 1);
        assert!(summaries.disagree && summaries.seen == 2);
        assert!(!read(&format!("{WHOLE}{WHOLE}")).disagree);
    }
}
