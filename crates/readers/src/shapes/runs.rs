//! Results of the test runs in one log. Each run has a summary by its runner; a log may contain several runs.

use referee_model::limit;
use referee_model::reading::{CountAuthority, TestCase, TestCounts, TestFailure, TestResults, TestStatus};
use referee_model::record::Stream;

use crate::candidate::{Candidate, Confidence, Kept, add_counts, add_tests};
use crate::scan::Line;
use crate::shapes::failing::Failing;
use crate::shapes::results::{self, add};
use crate::text::append_line;

/// End of the note on a truncated run. The note is kept only if the other stream has no summary either.
const UNFINISHED: &str = " has no summary";

/// Collects the results of one runner. If a run has several summaries, the last one counts: tests can print
/// text that looks like a summary, but the runner prints last.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// Sum of the finished runs.
    over: Option<Sum>,
    /// Number of runs that ended without a summary.
    unfinished: u64,
    /// Whether a summary reported failures, which later runs cannot revoke.
    convicts: bool,
    /// Whether the start of the current run was announced.
    has_begun: bool,
    /// Tests of the current run that were read one by one.
    pub(crate) seen: TestCounts,
    /// Suites of the current run that were read one by one.
    pub(crate) suites: Option<TestCounts>,
    /// Summary of the current run.
    summary: Option<Sum>,
    /// Failures of earlier runs.
    earlier: Kept<TestFailure>,
    /// Failures of the current run.
    failures: Kept<TestFailure>,
    cases: Kept<TestCase>,
    /// The failure whose lines are being read.
    pub(crate) open: Option<Failing>,
    /// End offset of the last summary.
    pub(crate) end: Option<u64>,
    /// Confidence that this is the runner's own output.
    pub(crate) confidence: Confidence,
}

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Sum {
    pub(crate) tests: TestCounts,
    /// Suites (files), if the runner counts them.
    pub(crate) suites: Option<TestCounts>,
}

impl Runs {
    /// Begins a run, and ends the previous one.
    pub(crate) fn begin(&mut self) {
        self.close();
        let seen = std::mem::take(&mut self.seen);
        let suites = self.suites.take();
        let has_begun = std::mem::take(&mut self.has_begun);
        let ended = match self.summary.take() {
            Some(summary) => {
                let suites = summary.suites.or(suites);
                self.convicts |= 0 < summary.tests.failed + suites.map_or(0, |suites| suites.failed);
                Sum { suites, ..summary }
            }
            None if has_begun || 0 < seen.total || suites.is_some() || 0 < self.failures.len() => {
                self.unfinished += 1;
                Sum { tests: seen, suites }
            }
            None => return,
        };
        self.earlier.append(std::mem::take(&mut self.failures));
        let over = self.over.get_or_insert_default();
        add_counts(&mut over.tests, ended.tests);
        if let Some(suites) = ended.suites {
            add_counts(over.suites.get_or_insert_default(), suites);
        }
    }

    /// Begins another run for what follows a summary, unless tests are listed, and fewer than the summary counts: then
    /// a test printed it.
    pub(crate) fn go_on(&mut self) {
        let seen = self.seen;
        if self.summary.is_some_and(|summary| seen.passed == 0 || summary.tests.total <= seen.total) {
            self.begin();
        }
    }

    /// Begins a run whose start was announced: without a summary, it counts as truncated.
    pub(crate) fn start(&mut self) {
        self.begin();
        self.has_begun = true;
    }

    /// Begins a failure, and ends the previous one.
    pub(crate) fn open(&mut self, failing: Failing) {
        self.close();
        self.open = Some(failing);
    }

    /// Ends a test that was running and never reported a result, because its process died.
    pub(crate) fn die(&mut self) {
        if let Some(mut open) = self.open.take().filter(|open| !open.failure.name.is_empty()) {
            append_line(&mut open.failure.message, "the test did not end", limit::MESSAGE_BYTES);
            let failure = open.finish();
            self.case(results::case(&[], &failure.name, None, TestStatus::Failed));
            self.failure(failure);
        }
    }

    /// Adds a line to the open failure. Returns false if there is none, or if it has too many lines.
    pub(crate) fn add(&mut self, line: &Line<'_>, text: &str) -> bool {
        let is_one = self.open.as_mut().is_some_and(|open| open.add(line, text));
        if !is_one {
            self.close();
        }
        is_one
    }

    /// Adds a line to the message of a test that failed.
    pub(crate) fn add_to(&mut self, test: &str, text: &str) {
        if let Some(open) = self.open.as_mut().filter(|open| open.failure.name == test) {
            open.append(text);
        } else if let Some(failure) = self.failures_mut().rev().find(|failure| failure.name == test) {
            append_line(&mut failure.message, text, limit::MESSAGE_BYTES);
        }
    }

    /// Returns whether the stack of the open failure has begun.
    pub(crate) fn has_stack(&self) -> bool {
        self.open.as_ref().is_some_and(Failing::has_stack)
    }

    /// Ends the open failure. One that got no name was none.
    pub(crate) fn close(&mut self) {
        if let Some(failing) = self.open.take().filter(|open| !open.failure.name.is_empty()) {
            self.failure(failing.finish());
        }
    }

    /// Sets the summary of a run, which ends with this line. A second summary belongs to another run.
    pub(crate) fn sum_up_at(&mut self, line: &Line<'_>, tests: TestCounts) {
        self.add_up(tests);
        self.end = Some(line.end);
    }

    /// Sets the summary of a run. A second summary belongs to another run.
    pub(crate) fn add_up(&mut self, tests: TestCounts) {
        self.close();
        if self.is_summed_up() {
            self.begin();
        }
        self.sum_up(tests);
    }

    /// Sets the test counts of the current run's summary.
    pub(crate) fn sum_up(&mut self, tests: TestCounts) {
        self.summary.get_or_insert_default().tests = tests;
    }

    /// Sets a summary of all runs together.
    pub(crate) fn replace(&mut self, tests: TestCounts) {
        self.over = None;
        (self.unfinished, self.convicts, self.has_begun) = (0, false, false);
        self.seen = TestCounts::default();
        self.summary = Some(Sum { tests, suites: None });
    }

    /// Sets the suite counts of the current run's summary.
    pub(crate) fn sum_up_suites(&mut self, suites: TestCounts) {
        self.summary.get_or_insert_default().suites = Some(suites);
    }

    /// Returns whether the current run has a summary.
    pub(crate) fn is_summed_up(&self) -> bool {
        self.summary.is_some()
    }

    /// Returns the summary of the current run, to complete it.
    pub(crate) fn summary_mut(&mut self) -> Option<&mut Sum> {
        self.summary.as_mut()
    }

    /// Counts tests of the current run that were read one by one.
    pub(crate) fn count(&mut self, status: TestStatus, number: u64) {
        add(&mut self.seen, status, number);
    }

    /// Counts a test of the current run, and keeps its name.
    pub(crate) fn case(&mut self, case: TestCase) {
        self.case_of(case.status, || case);
    }

    /// Returns whether no further test is kept by its name.
    pub(crate) fn is_full(&self) -> bool {
        self.cases.is_full()
    }

    /// Counts a test of the current run, and makes its name if there is room for it.
    pub(crate) fn case_of(&mut self, status: TestStatus, case: impl FnOnce() -> TestCase) {
        self.count(status, 1);
        if !self.is_full() {
            self.cases.push(case());
        }
    }

    /// Keeps the name of a test that is counted elsewhere.
    pub(crate) fn name(&mut self, case: TestCase) {
        self.cases.push(case);
    }

    /// Keeps a failure without counting it.
    pub(crate) fn failure(&mut self, failure: TestFailure) {
        self.failures.push(failure);
    }

    /// Takes the failures of the current run out, to choose among them.
    pub(crate) fn take_failures(&mut self) -> Vec<TestFailure> {
        std::mem::take(&mut self.failures).into_items()
    }

    /// Returns the failures of all runs so far, to complete them.
    pub(crate) fn failures_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut TestFailure> {
        self.earlier.items_mut().iter_mut().chain(self.failures.items_mut())
    }

    /// Returns the number of failures that are kept.
    pub(crate) fn failures(&self) -> usize {
        self.earlier.len() + self.failures.len()
    }

    /// Returns whether nothing was read at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.over.is_none() && self.summary.is_none() && self.seen.total == 0 && self.failures() == 0
    }

    pub(crate) fn candidate(mut self, framework: &str, format: &'static str) -> Candidate {
        self.begin();
        let notes = if 0 < self.unfinished { vec![format!("a run of {framework}{UNFINISHED}")] } else { Vec::new() };
        let (summary_end, confidence) = (self.end, self.confidence);
        let tests = Some(self.finish(framework, CountAuthority::Summary));
        Candidate { format, confidence, tests, notes, summary_end, ..Candidate::default() }
    }

    /// Returns the results; `summed_up` is the authority of the counts if all runs, or one that failed, have a summary.
    pub(crate) fn finish(mut self, framework: &str, summed_up: CountAuthority) -> TestResults {
        self.begin();
        let sum = self.over.unwrap_or_default();
        let is_told = self.convicts || (self.over.is_some() && self.unfinished == 0);
        TestResults {
            framework: framework.to_owned(),
            authority: if is_told { summed_up } else { CountAuthority::Lines },
            counts: sum.tests,
            suites: sum.suites,
            failures: self.earlier.into_items(),
            cases: self.cases.into_items(),
        }
    }
}

/// Merges the output of one runner on both streams, one of which may hold the summary and the other the
/// failures. Of several formats a machine report is preferred, otherwise the more severe one: the output of a
/// test may look like another format.
pub(crate) fn one_run(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let mut formats: Vec<Candidate> = Vec::new();
    for (_, candidate) in candidates {
        match formats.iter_mut().find(|known| known.format == candidate.format) {
            Some(known) => add_stream(known, candidate),
            None => formats.push(candidate),
        }
    }
    formats.sort_by_key(|candidate| std::cmp::Reverse((authority(candidate), candidate.gravity())));
    let mut formats = formats.into_iter();
    let mut taken = formats.next()?;
    for mut other in formats {
        let tests = other.tests.take();
        taken.add(other);
        if let (Some(known), Some(tests)) = (&mut taken.tests, tests) {
            complete(known, tests);
        }
    }
    Some(taken)
}

/// Returns a rank for how reliable the counts of a candidate are.
fn authority(candidate: &Candidate) -> u8 {
    match candidate.tests.as_ref().map(|tests| tests.authority) {
        Some(CountAuthority::MachineReport) => 3,
        Some(CountAuthority::Summary) => 2,
        Some(CountAuthority::Lines | CountAuthority::Unnumbered) => 1,
        None => 0,
    }
}

/// Adds the output of the same reporter on another stream. Counts read from lines are ignored next to a
/// summary.
fn add_stream(known: &mut Candidate, mut other: Candidate) {
    if authority(known) < authority(&other) {
        std::mem::swap(known, &mut other);
    }
    let is_as_good = authority(known) == authority(&other);
    if !is_as_good {
        other.notes.retain(|note| !note.ends_with(UNFINISHED));
    }
    let tests = other.tests.take();
    known.add(other);
    if let (Some(known), Some(tests)) = (&mut known.tests, tests) {
        if is_as_good {
            add_tests(known, tests);
        } else {
            complete(known, tests);
        }
    }
}

/// Adds names where only counts are known.
fn complete(known: &mut TestResults, other: TestResults) {
    let has_failed = 0 < known.counts.failed + known.suites.map_or(0, |suites| suites.failed);
    if known.failures.is_empty() && has_failed {
        known.failures = other.failures;
        known.failures.truncate(limit::FINDINGS_KEPT);
    }
    if known.cases.is_empty() {
        known.cases = other.cases;
    }
}
