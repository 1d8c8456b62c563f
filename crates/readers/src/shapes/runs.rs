//! Results of the runs in one log. Each run is summed up by its runner; a log may hold several.

use referee_model::limit;
use referee_model::reading::{CountAuthority, TestCase, TestCounts, TestFailure, TestResults, TestStatus};
use referee_model::record::Stream;

use crate::candidate::{Candidate, Confidence, Kept, add_counts, add_tests};
use crate::scan::Line;
use crate::shapes::failing::Failing;
use crate::shapes::results::{self, add};
use crate::text::append_line;

/// How the note on a run ends that was cut short. It holds only where the other stream has no summary either.
const UNFINISHED: &str = " has no summary";

/// Collects the results of one runner. Of a run that is summed up several times the last summary holds: tests can print
/// what looks like one, and the runner has the last word.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// What the runs that are over come to.
    over: Option<Sum>,
    /// How many runs ended without a summary.
    unfinished: u64,
    /// Whether a run with failures was summed up: what follows takes nothing back.
    convicts: bool,
    /// Whether the current run said that it begins.
    has_begun: bool,
    /// Failures that were told before the current run.
    told: usize,
    /// Tests of the current run that were seen one by one.
    pub(crate) seen: TestCounts,
    /// The summary of the current run.
    summary: Option<Sum>,
    failures: Kept<TestFailure>,
    cases: Kept<TestCase>,
    /// The failure whose lines are being read.
    pub(crate) open: Option<Failing>,
    /// Where the last summary ends.
    pub(crate) end: Option<u64>,
    /// How surely this is the runner's own output.
    pub(crate) confidence: Confidence,
}

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Sum {
    pub(crate) tests: TestCounts,
    /// Suites (files), where the runner counts them.
    pub(crate) suites: Option<TestCounts>,
}

impl Runs {
    /// A run begins: what was read so far is of another.
    pub(crate) fn begin(&mut self) {
        self.close();
        let seen = std::mem::take(&mut self.seen);
        let has_begun = std::mem::take(&mut self.has_begun);
        let told = std::mem::replace(&mut self.told, self.failures.len());
        let ended = match self.summary.take() {
            Some(summary) => {
                self.convicts |= 0 < summary.tests.failed + summary.suites.map_or(0, |suites| suites.failed);
                summary
            }
            None if has_begun || 0 < seen.total || told < self.failures.len() => {
                self.unfinished += 1;
                Sum { tests: seen, suites: None }
            }
            None => return,
        };
        let over = self.over.get_or_insert_default();
        add_counts(&mut over.tests, ended.tests);
        if let Some(suites) = ended.suites {
            add_counts(over.suites.get_or_insert_default(), suites);
        }
    }

    /// A run says that it begins: it is cut short where nothing sums it up.
    pub(crate) fn start(&mut self) {
        self.begin();
        self.has_begun = true;
    }

    /// Begins a failure, and ends the one before it.
    pub(crate) fn open(&mut self, failing: Failing) {
        self.close();
        self.open = Some(failing);
    }

    /// Ends a test that was running and never said how it went: its process died.
    pub(crate) fn die(&mut self) {
        if let Some(mut open) = self.open.take() {
            append_line(&mut open.failure.message, "the test did not end", limit::MESSAGE_BYTES);
            let failure = open.finish();
            self.case(results::case(&[], &failure.name, None, TestStatus::Failed));
            self.failure(failure);
        }
    }

    /// Gives a line to the failure that is being read. False: there is none, or the line is too much for one.
    pub(crate) fn add(&mut self, line: &Line<'_>, text: &str) -> bool {
        let is_one = self.open.as_mut().is_some_and(|open| open.add(line, text));
        if !is_one {
            self.close();
        }
        is_one
    }

    /// Whether the stack of the failure that is being read has begun.
    pub(crate) fn has_stack(&self) -> bool {
        self.open.as_ref().is_some_and(Failing::has_stack)
    }

    /// Ends the failure whose lines are being read.
    pub(crate) fn close(&mut self) {
        if let Some(failing) = self.open.take() {
            self.failure(failing.finish());
        }
    }

    /// Takes the summary of a run, which ends with this line; one that follows another is of another run.
    pub(crate) fn sum_up_at(&mut self, line: &Line<'_>, tests: TestCounts) {
        self.add_up(tests);
        self.end = Some(line.end);
    }

    /// Takes the summary of a run; one that follows another is of another run.
    pub(crate) fn add_up(&mut self, tests: TestCounts) {
        self.close();
        if self.is_summed_up() {
            self.begin();
        }
        self.sum_up(tests);
    }

    /// Takes the summary with which a run is over.
    pub(crate) fn end_at(&mut self, line: &Line<'_>, tests: TestCounts) {
        self.sum_up_at(line, tests);
        self.begin();
    }

    /// Takes what the runner says of the tests of the current run.
    pub(crate) fn sum_up(&mut self, tests: TestCounts) {
        self.summary.get_or_insert_default().tests = tests;
    }

    /// Takes what the runner says of all runs together.
    pub(crate) fn replace(&mut self, tests: TestCounts) {
        self.over = None;
        (self.unfinished, self.convicts, self.has_begun) = (0, false, false);
        self.seen = TestCounts::default();
        self.summary = Some(Sum { tests, suites: None });
    }

    /// Takes what the runner says of the suites of the current run.
    pub(crate) fn sum_up_suites(&mut self, suites: TestCounts) {
        self.summary.get_or_insert_default().suites = Some(suites);
    }

    /// Whether the current run is summed up.
    pub(crate) fn is_summed_up(&self) -> bool {
        self.summary.is_some()
    }

    /// Returns the summary of the current run, to complete it.
    pub(crate) fn summary_mut(&mut self) -> Option<&mut Sum> {
        self.summary.as_mut()
    }

    /// Counts tests of the current run that were seen one by one.
    pub(crate) fn count(&mut self, status: TestStatus, number: u64) {
        add(&mut self.seen, status, number);
    }

    /// Counts a test of the current run, and keeps its name.
    pub(crate) fn case(&mut self, case: TestCase) {
        self.count(case.status, 1);
        self.cases.push(case);
    }

    /// Keeps the name of a test that is counted elsewhere.
    pub(crate) fn name(&mut self, case: TestCase) {
        self.cases.push(case);
    }

    /// Keeps a failure. It is not counted by this.
    pub(crate) fn failure(&mut self, failure: TestFailure) {
        self.failures.push(failure);
    }

    /// Returns the failures so far, to complete them.
    pub(crate) fn failures_mut(&mut self) -> &mut [TestFailure] {
        self.failures.items_mut()
    }

    /// Returns how many failures are kept.
    pub(crate) fn failures(&self) -> usize {
        self.failures.len()
    }

    /// Whether nothing was read at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.over.is_none() && self.summary.is_none() && self.seen.total == 0 && self.failures.len() == 0
    }

    pub(crate) fn candidate(self, framework: &str, format: &'static str) -> Candidate {
        let (summary_end, confidence) = (self.end, self.confidence);
        let (tests, notes) = self.finish(framework);
        Candidate { format, confidence, tests: Some(tests), notes, summary_end, ..Candidate::default() }
    }

    /// Returns the results, and what is to be said of them.
    pub(crate) fn finish(mut self, framework: &str) -> (TestResults, Vec<String>) {
        self.begin();
        let notes = if 0 < self.unfinished { vec![format!("a run of {framework}{UNFINISHED}")] } else { Vec::new() };
        let sum = self.over.unwrap_or_default();
        let is_told = self.convicts || (self.over.is_some() && self.unfinished == 0);
        let tests = TestResults {
            framework: framework.to_owned(),
            authority: if is_told { CountAuthority::Summary } else { CountAuthority::Lines },
            counts: sum.tests,
            suites: sum.suites,
            failures: self.failures.into_items(),
            cases: self.cases.into_items(),
        };
        (tests, notes)
    }
}

/// Makes one claim of what one runner wrote to both streams, where one may hold the summary and the other the failures.
/// Of several formats a machine report is believed, else the graver: what a test prints may look like another format.
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

/// How far the counts of a claim are believed.
fn authority(candidate: &Candidate) -> u8 {
    match candidate.tests.as_ref().map(|tests| tests.authority) {
        Some(CountAuthority::MachineReport) => 3,
        Some(CountAuthority::Summary) => 2,
        Some(CountAuthority::Lines | CountAuthority::Unnumbered) => 1,
        None => 0,
    }
}

/// Adds what the same reporter wrote to another stream. Counts of lines say nothing beside a summary.
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

/// Adds names where only numbers are known.
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
