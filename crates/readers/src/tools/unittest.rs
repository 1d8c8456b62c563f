//! Python's unittest, and programs that run its tests, such as Django's `manage.py test`. The report is on
//! standard error.
//!
//! ```text
//! ======================================================================
//! FAIL: test_total (test_unit.OrderTests.test_total)
//! ----------------------------------------------------------------------
//! Traceback (most recent call last):
//!   File "/project/test_unit.py", line 6, in test_total
//! AssertionError: 7 != 8
//!
//! ----------------------------------------------------------------------
//! Ran 8 tests in 0.001s
//!
//! FAILED (failures=3, errors=3, skipped=1, expected failures=1)
//! ```

mod block;
mod footer;
mod lines;

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("unittest", &["django", "trial", "nose2"], Role::Test)
    .lines(&[LineFormat::new(
        &[
            "======================================================================",
            "Ran 0 tests in ",
            "Ran 1 test in ",
            " tests in ",
            ") ... ",
        ],
        |is_hinted| Box::new(lines::Report::new(is_hinted)),
    )])
    .merge(merge);

/// Merges the candidates of both streams. A script may print the same report to both.
fn merge(mut candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let names = |candidate: &Candidate| {
        let tests = candidate.tests.as_ref()?;
        let failed = tests.failures.iter().map(|failure| (failure.name.clone(), failure.message.clone()));
        Some((tests.authority, tests.counts, failed.collect::<Vec<_>>()))
    };
    if let [(_, one), (_, other)] = &candidates[..]
        && names(one) == names(other)
    {
        candidates.truncate(1);
    }
    candidate::together(candidates)
}

const FRAMEWORK: &str = "unittest";

/// The rule named as the origin of results.
const RULE: &str = "unittest/text";
