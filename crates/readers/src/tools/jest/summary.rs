//! Jest's own final summaries: four lines each, with labels in the first column, followed only by lines of Jest
//! or of the program that started it.

use crate::candidate::add_counts;
use crate::prelude::*;

const SUITES: &str = "Test Suites: ";
const TESTS: &str = "Tests:       ";
const SNAPSHOTS: &str = "Snapshots:   ";
const TIME: &str = "Time:        ";

/// Starts of lines that Jest, or the program that runs it, prints after the summary.
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

/// Starts of lines with which package managers and task runners announce the next command or close: lines after
/// them do not belong to a finished run.
const NEXT_COMMANDS: &[&str] = &["> ", "$ ", " NX  ", "\u{2014}\u{2014}\u{2014}", " Tasks: ", "lerna "];

/// Messages of several lines that Jest may print after its summary: their first lines' starts, and those of the
/// lines below.
const TRAILING_BLOCKS: &[(&str, &[&str])] = &[
    ("Jest has detected the following ", &["  "]),
    ("  ●  Cannot log after tests are done.", &["    "]),
    ("ReferenceError: You are trying to ", &["    "]),
];

/// Starts of Jest's messages that there are no tests.
const NONE_FOUND: &[&str] = &["No tests found, exiting with code ", "No tests found related to "];

/// Starts of the lines below such a message.
const BELOW_NONE_FOUND: &[&str] = &["  ", "Run with `--passWithNoTests`", "In ", "Pattern: "];

/// Heading printed when a test ends the run early; it is never part of a message after a summary.
pub(super) const EXIT: &str = "  ●  process.exit called with ";

/// Maximum number of runs counted separately; further runs are added to the last.
const RUNS_KEPT: usize = 100;

/// The summary of one run of Jest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) tests: TestCounts,
    /// `None` if Jest found no tests: it then counts no suites.
    pub(super) suites: Option<TestCounts>,
    /// Number of suite headings since the previous run.
    headings: u64,
}

impl Summary {
    pub(super) fn has_failures(&self) -> bool {
        0 < self.tests.failed + self.suites.map_or(0, |suites| suites.failed)
    }

    pub(super) fn ran_none(&self) -> bool {
        self.tests.passed + self.tests.failed == 0
    }

    fn suites_run(&self) -> u64 {
        self.suites.map_or(0, |suites| suites.passed + suites.failed)
    }

    /// Whether leaving the summary out could hide a failure or an empty run: only passes are dispensable.
    fn matters(&self) -> bool {
        self.has_failures() || self.ran_none()
    }

    fn add(&mut self, other: &Self) {
        add_counts(&mut self.tests, other.tests);
        if let Some(suites) = other.suites {
            add_counts(self.suites.get_or_insert_default(), suites);
        }
        self.headings += other.headings;
    }
}

/// Relation of a line to the summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Part of a summary, or of Jest's output after one.
    Of,
    /// Not part of a summary.
    Other,
}

/// Finds summaries. Each one that ends a run counts: a command may run Jest several times.
///
/// Tests can print summaries too, but then more of the run follows. A real one is recognized by the number of
/// suite headings before it, which must equal its number of suites run. This check applies only to passes: a
/// summary with failures, or without any test run, always counts, so that no output can hide it.
#[derive(Debug, Default)]
pub(super) struct Summaries {
    begun: Option<Begun>,
    /// Summaries of runs that another run followed.
    ended: Vec<Summary>,
    /// The last summary, if nothing of a run follows it.
    last: Option<Summary>,
    /// Offset of the end of the last summary in the stream, in bytes.
    end: u64,
    /// Number of suite headings since the last summary.
    headings: u64,
    /// Starts of lines that continue the message after the summary.
    trailing: &'static [&'static str],
    /// Whether lines follow the last summary that are neither Jest's nor those of the program that runs it.
    is_followed: bool,
    /// Whether another command was announced after the last summary.
    is_left: bool,
    /// Number of summaries read, including forged ones.
    pub(super) seen: u64,
}

/// A summary that is not complete yet.
#[derive(Debug)]
struct Begun {
    suites: TestCounts,
    tests: Option<TestCounts>,
    has_snapshots: bool,
}

impl Summaries {
    /// Returns the sum of all summarized runs.
    pub(super) fn sum(&self) -> Option<Summary> {
        let mut runs = self.runs();
        let mut sum = runs.next()?.clone();
        runs.for_each(|run| sum.add(run));
        Some(sum)
    }

    /// Whether the output ends with the end of a run.
    pub(super) fn is_over(&self) -> bool {
        self.last.is_some()
    }

    /// Whether the output ends with the end of a run and foreign lines follow.
    pub(super) fn is_followed(&self) -> bool {
        self.is_over() && self.is_followed
    }

    /// Returns the end of the last summary, in bytes, if nothing of a run follows.
    pub(super) fn end(&self) -> Option<u64> {
        self.is_over().then_some(self.end)
    }

    /// Whether some, but not all, of several runs ran no test.
    pub(super) fn hide_an_empty_run(&self) -> bool {
        1 < self.runs().count() && self.runs().any(Summary::ran_none) && !self.runs().all(Summary::ran_none)
    }

    fn runs(&self) -> impl Iterator<Item = &Summary> {
        self.ended.iter().chain(&self.last)
    }

    /// Records that a run continues or another begins: the last summary, if genuine, belongs to an earlier run.
    pub(super) fn run_goes_on(&mut self) {
        self.begun = None;
        let Some(last) = self.last.take() else { return };
        if !last.matters() && last.headings != last.suites_run() {
            self.headings += last.headings;
        } else if let (RUNS_KEPT, Some(rest)) = (self.ended.len(), self.ended.last_mut()) {
            rest.add(&last);
        } else {
            self.ended.push(last);
        }
    }

    /// Records the heading of a suite that has run.
    pub(super) fn heading(&mut self) {
        self.headings += 1;
    }

    /// Reads the next line of the stream, including blank ones.
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
        if self.headings == 0 && NONE_FOUND.iter().any(|start| text.starts_with(start)) {
            self.sum_up(TestCounts::default(), None, line.end);
            self.trailing = BELOW_NONE_FOUND;
            return Part::Of;
        }
        let Some(last) = &self.last else { return Part::Other };
        let is_whole = last.headings == last.suites_run();
        if self.is_left {
            return Part::Other;
        }
        let begins = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
        if line.is_blank || (begins(self.trailing) && !text.starts_with(EXIT)) {
            return Part::Of;
        }
        let block = TRAILING_BLOCKS.iter().find(|(start, _)| text.starts_with(start));
        self.trailing = block.map_or(&[], |(_, below)| below);
        if block.is_some() || begins(TRAILERS) {
            return Part::Of;
        }
        self.is_left = is_whole && !self.is_followed && begins(NEXT_COMMANDS);
        self.is_followed |= !self.is_left;
        Part::Other
    }

    fn continues(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let Some(begun) = &mut self.begun else { return false };
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
                let suites = begun.suites;
                self.sum_up(tests, Some(suites), line.end);
                true
            }
            (Some(_), true) => false,
        }
    }

    fn sum_up(&mut self, tests: TestCounts, suites: Option<TestCounts>, end: u64) {
        self.run_goes_on();
        let mut last = Summary { tests, suites, headings: std::mem::take(&mut self.headings) };
        self.take_in(&mut last);
        self.last = Some(last);
        self.end = end;
        self.seen += 1;
        (self.is_followed, self.is_left) = (false, false);
        self.trailing = &[];
    }

    /// Drops summaries of passes that were printed within a run, if the suite headings show that all belong to
    /// one run.
    fn take_in(&mut self, run: &mut Summary) {
        let mut headings = run.headings;
        if headings == run.suites_run() {
            return;
        }
        let is_first = |earlier: &Summary| {
            headings += earlier.headings;
            headings == run.suites_run()
        };
        if let Some(first) = self.ended.iter().rposition(is_first) {
            let within = self.ended.split_off(first);
            let (counted, forged): (Vec<_>, Vec<_>) = within.into_iter().partition(Summary::matters);
            run.headings += forged.iter().map(|summary| summary.headings).sum::<u64>();
            self.ended.extend(counted);
        }
    }
}

/// Parses `1 failed, 2 skipped, 3 passed, 6 total`, also with `6 of 9 total` at its end.
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

/// Parses the count of suites. Suites that never started, after a bail, count as skipped.
fn suite_counts(text: &str) -> Option<TestCounts> {
    let (counts, _) = counts(text)?;
    let begun = counts.passed + counts.failed;
    let skipped = counts.total.checked_sub(begun).filter(|left| counts.skipped <= *left)?;
    Some(TestCounts { skipped, ..counts })
}

#[cfg(test)]
mod tests;
