//! Runs of pytest and of unittest: tests in lines or letters, failures in full, and one line that closes each run.

use referee_model::reading::{CountAuthority, TestCounts, TestResults, TestStatus};

use crate::candidate::{Candidate, Confidence, add_tests};
use crate::shapes::runs::Runs;

const NOTES: usize = 20;

/// The tests of one run, as its progress shows them.
#[derive(Default)]
pub(crate) struct Listed {
    pub(crate) runs: Runs,
    /// Whether the progress names the tests.
    pub(crate) are_named: bool,
    /// Tests for which the progress shows a letter each.
    pub(crate) letters: TestCounts,
}

impl Listed {
    /// Returns the results of the run; without a line that closes it, the tests that were shown count.
    pub(crate) fn finish(mut self, framework: &str, closing: Option<TestCounts>) -> TestResults {
        if let Some(counts) = closing {
            self.runs.sum_up(counts);
        } else {
            if !self.are_named {
                self.runs.seen = self.letters;
            }
            let unseen = (self.runs.failures() as u64).saturating_sub(self.runs.seen.failed);
            self.runs.count(TestStatus::Failed, unseen);
        }
        self.runs.finish(framework, CountAuthority::Summary)
    }
}

/// The runs of one stream.
#[derive(Default)]
pub(crate) struct Log {
    /// The sum of the runs that ended.
    pub(crate) tests: Option<TestResults>,
    pub(crate) notes: Vec<String>,
    pub(crate) summary_end: Option<u64>,
}

impl Log {
    pub(crate) fn add(&mut self, tests: TestResults) {
        match &mut self.tests {
            Some(sum) => add_tests(sum, tests),
            None => self.tests = Some(tests),
        }
    }

    pub(crate) fn note(&mut self, note: &str) {
        if self.notes.len() < NOTES {
            self.notes.push(note.to_owned());
        }
    }

    pub(crate) fn candidate(self, is_certain: bool) -> Option<Candidate> {
        let Self { tests, notes, summary_end } = self;
        let confidence = if is_certain { Confidence::Certain } else { Confidence::Likely };
        tests.is_some().then(|| Candidate {
            format: "text",
            confidence,
            tests,
            notes,
            summary_end,
            ..Candidate::default()
        })
    }
}

/// Returns the result that a letter of the progress stands for.
pub(crate) fn letter_status(letter: u8) -> Option<TestStatus> {
    match letter {
        b'F' | b'E' => Some(TestStatus::Failed),
        b's' | b'x' => Some(TestStatus::Skipped),
        b'.' | b'X' => Some(TestStatus::Passed),
        _ => None,
    }
}
