//! Jest: its text report, which it writes to standard error, and its JSON report, which it writes to standard output.
//!
//! Counts come from Jest's own final summary or from its JSON report, never from lines that tests could have
//! printed.

mod failure;
mod summary;

pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod merge;

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("jest", &[], Role::Test)
    .lines(&[LineFormat::new(
        &["PASS ", "FAIL ", "RUNS ", "Test Suites:", "Tests: ", "No tests found", "● ", "  console."],
        |is_hinted| Box::new(lines::Report::new(is_hinted)),
    )])
    .documents(&[DocumentFormat::of(json::OPENING, |stream, _| Box::new(json::Report::new(stream)))])
    .merge(merge::one_candidate);

const FRAMEWORK: &str = "jest";

/// Separates the names of groups and of a test.
const SEPARATOR: &str = " › ";

/// The heading of a suite that never ran.
const SUITE_FAILED: &str = "Test suite failed to run";

/// The note for a run without tests beside other runs, as the total counts do not show it.
const EMPTY_RUN: &str = "jest ran no test in one of its runs";
