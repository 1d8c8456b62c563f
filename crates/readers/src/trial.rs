//! Test helpers: show a text to one reader, or read it as a log without a hint.

use referee_model::reading::{Reading, TestResults};
use referee_model::record::Stream;

use crate::candidate::{Candidate, LineReader};
use crate::scan::Line;
use crate::source::MemorySource;
use crate::{Hint, read};

/// Shows each line of a text to a reader, and returns its candidate.
pub(crate) fn claimed(mut reader: Box<dyn LineReader>, text: &str) -> Option<Candidate> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len() as u64;
        let shown = line.trim_end_matches('\n');
        let text_start = Some(start);
        reader.line(&Line { text_start, ..Line::new(shown, Stream::Stdout, start..end) });
        start = end;
    }
    reader.finish()
}

/// Reads a text as a log without a hint.
pub(crate) fn reading(text: &str) -> Reading {
    read(&MemorySource::stdout(text.as_bytes().to_vec()), &Hint::default()).unwrap()
}

/// Returns the test results in such a log.
pub(crate) fn results(text: &str) -> Option<TestResults> {
    reading(text).tests
}

/// Returns the number of passed, failed and skipped tests in such a log.
pub(crate) fn counts(text: &str) -> Option<(u64, u64, u64)> {
    results(text).map(|tests| (tests.counts.passed, tests.counts.failed, tests.counts.skipped))
}
