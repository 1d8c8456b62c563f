//! What was read so far of the output of a test runner.

use std::collections::BTreeSet;

use referee_model::reading::TestCounts;

use super::numbers::Numbers;
use crate::shapes::runs::Runs;

/// What was read so far.
#[derive(Default)]
pub(crate) struct Progress {
    pub(crate) runs: Runs,
    /// The suite and the file of the tests below.
    pub(crate) suite: String,
    pub(crate) file: Option<String>,
    /// The section of the output, and the beginning of messages in it.
    pub(crate) section: &'static str,
    pub(crate) intro: String,
    pub(crate) is_hinted: bool,
    /// Whether a line identified the tool.
    pub(crate) is_known: bool,
    /// Numbers of a sum that is not complete.
    pub(crate) numbers: Numbers,
    /// Counts of suites in that sum.
    pub(super) suites: Option<TestCounts>,
    /// Whether a line announced a sum.
    pub(crate) is_announced: bool,
    /// The major version of the tool, if a line named it.
    pub(crate) version: Option<u64>,
    /// Number of suites that did not run.
    pub(super) broken: u64,
    /// Names of the tests that failed in this run.
    pub(super) names: BTreeSet<String>,
    /// Number of the last failure in the section.
    pub(crate) number: u64,
}
