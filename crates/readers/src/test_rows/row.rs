//! One row: a pattern, the role of a matching line, and its options.

use referee_model::reading::{TestCounts, TestStatus};

use super::numbers::Numbers;
use super::progress::Progress;
use crate::pattern::Groups;
use crate::row_declaration::declare_row;

declare_row! {
    TestRow
    kinds {
        /// Matches the announcement of a run: without a sum, it counts as truncated.
        run: Run,
        /// Matches a line that names what is below it, such as a suite, a file or a section, and ends the open failure.
        heading: Heading,
        /// Matches the start of a test, whose output follows and then its result.
        started: Started,
        /// Matches a test and its result; details of a failure may follow.
        test: Test,
        /// Matches the first line of a failure.
        failed: Failed,
        /// Matches a further line of the open failure.
        part: Part,
        /// Matches where the test of the open failure begins, if this is not known: a line of its stack in the same file is
        /// preferred.
        place: Place,
        /// Matches a line of the stack of the open failure, after which its message is over.
        frame: Frame,
        /// Matches numbers of tests above the line that completes their sum.
        count: Count,
        /// Matches numbers of suites, in the groups for tests.
        suites: Suites,
        /// Matches the counts of a run, or the line that completes them.
        sum: Sum,
        /// Matches numbers of tests below a sum, which they are added to.
        more: More,
        /// Matches a line of the tool that does not identify it.
        within: Within,
    }
    flags {
        /// Marks a line that no other tool prints: without a sum or a hint, it identifies the tool's output.
        names_tool,
        /// Applies the row only if an earlier line or the command identifies the tool.
        known,
        /// Leaves the line to other tools.
        tentative,
        /// Marks tests whose failures other lines tell of, or failures of tests that other lines count.
        listed,
        /// Counts a test once, however often it failed; messages below the first failure belong to it.
        once,
        /// Marks a line that stands above a sum.
        announces,
        /// Applies the row only below a line that announces a sum, or if the command identifies the tool: a test may
        /// print such a line too.
        announced,
        /// Forgets numbers that were read before: they belonged to no sum.
        first,
        /// Counts suites that did not run, which a sum includes in its failures, as suites.
        with_broken,
        /// Ends the run with this line.
        last,
        /// Applies the row only to the first line of its section that is not blank.
        top,
    }
    values {
        /// Sets the result of the row's tests, if the line does not give it.
        status: TestStatus,
        /// Sets a condition for the row to apply.
        check: fn(&Progress, &Groups<'_, '_>) -> bool,
        /// Sets a function that completes what was read once the line is processed.
        then: fn(&mut Progress, &Groups<'_, '_>),
        /// Sets a function that derives the counts from the numbers of a sum; without counts, the row does not match.
        counts: fn(&Progress, &Numbers) -> Option<TestCounts>,
        /// Begins a section of the output, which ends where another one begins.
        enters: &'static str,
        /// Applies the row only in this section.
        inside: &'static str,
    }
}

impl TestRow {
    /// Returns whether the row applies only while a failure is open.
    pub(super) fn needs_failure(&self) -> bool {
        matches!(self.kind, Kind::Part | Kind::Place | Kind::Frame)
    }

    /// Applies the row only to the first line of a section that is not blank.
    pub(crate) const fn below(self, section: &'static str) -> Self {
        self.top().inside(section)
    }
}

/// Matches a test that was skipped.
pub(crate) const fn skipped(pattern: &'static str) -> TestRow {
    test(pattern).status(TestStatus::Skipped)
}
