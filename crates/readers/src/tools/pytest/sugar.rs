//! Output of pytest-sugar in place of the final line:
//!
//! ```text
//! Results (0.19s):
//!        4 passed
//!       11 failed
//!          - test_a.py:4 test_print
//!        1 skipped
//! ```

use crate::prelude::*;
use crate::tools::pytest::counts::{Closing, REMARKS, status};

pub(super) const BEGINNING: &str = "Test session starts (platform: ";

static HEADING: Pattern = Pattern::new(r"^Results \(\d+(?:\.\d+)?s(?: \([\d:]+\))?\):$");

static ROW: Pattern = Pattern::new(r"^ +(?<number>\d+) (?<word>[a-z]+)$");

/// The heading of a failure, which sugar prints as soon as it happens.
static FAILURE: Pattern = Pattern::new(r"^―+ (?<title>\S.*?) ―+$");

/// Returns the title in the heading of a failure.
pub(super) fn heading(line: &str) -> Option<&str> {
    FAILURE.find(line)?.get("title")
}

/// Starts reading the results.
pub(super) fn results(line: &str) -> Option<Closing> {
    let is_heading = line.starts_with("Results (") && HEADING.is_match(line);
    is_heading.then(|| Closing { counts: results::counts(0, 0, 0), is_in_bars: true })
}

/// Reads a line below the heading, and returns whether it belongs to the results.
pub(super) fn row(sum: &mut Closing, line: &str) -> bool {
    let Some(captures) = ROW.find(line) else {
        return line.trim_start().starts_with("- ") && line.starts_with("   ");
    };
    let Some(number) = captures.count("number") else { return false };
    let word = captures.text("word");
    let Some(status) = status(word) else { return REMARKS.contains(&word) };
    results::add(&mut sum.counts, status, number);
    true
}
