//! The Test Anything Protocol, versions 12 to 14, as written by tape, node-tap, Node, Vitest, Mocha, AVA,
//! QUnit, Deno, Perl and many others: `not ok 2 - sum`.
//!
//! Test points inside a subtest count, and the point that sums them up does not. For Deno, whose steps are not
//! tests, the outer tests count, and for Node its own summary.

mod base;
mod details;
pub(crate) mod footer;
mod lines;
mod point;
mod pretty;
mod run;

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("tap", &["tape", "node-tap"], Role::Test)
    .lines(&[
        LineFormat::new(base::PREFILTER, |_| Box::new(base::Report::default())),
        LineFormat::new(PREFILTER, |is_hinted| Box::new(lines::Report::new("tap", is_hinted))),
        LineFormat::tests(pretty::PREFILTER, &pretty::TEXT),
    ])
    .merge(runs::one_run);

pub(crate) const PREFILTER: &[&str] = &["TAP version 1", "not ok ", "ok 1", "1.."];

/// Reads the TAP of a known runner. The format does not name its runner: without a hint, [`TOOL`] reads it.
pub(crate) fn of_runner(framework: &'static str) -> Box<dyn LineReader> {
    Box::new(lines::Report::new(framework, true).of_runner())
}
