//! pytest: its text report in all verbosity levels and traceback styles, with or without xdist.
//!
//! Counts come from the line that ends a run, between bars of `=` or (with `-q`) without them:
//!
//! ```text
//! ========= 1 failed, 1 passed, 1 skipped, 2 xfailed, 1 xpassed in 0.04s =========
//! ```
//!
//! Failures are listed in the short summary (`FAILED test_a.py::test_b - AssertionError: …`), and shown in full
//! in the sections `FAILURES` and `ERRORS`, where each test has a heading between underscores.

mod block;
mod counts;
mod lines;
mod run;
mod sugar;

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("pytest", &["py.test"], Role::Test)
    .lines(&[LineFormat::new(
        &[
            "= test session starts =",
            sugar::BEGINNING,
            "= FAILURES =",
            "= ERRORS =",
            "= short test summary info =",
            " passed in ",
            " failed in ",
            " skipped in ",
            " error in ",
            " errors in ",
            " warning in ",
            " warnings in ",
            " deselected in ",
            " xfailed in ",
            " xpassed in ",
            " rerun in ",
            "no tests ran in ",
        ],
        |is_hinted| Box::new(lines::Report::new(is_hinted)),
    )])
    .merge(candidate::together);

const FRAMEWORK: &str = "pytest";

/// The rule named as the origin of results.
const RULE: &str = "pytest/text";
