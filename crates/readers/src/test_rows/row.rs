//! One row: a pattern, the role of a matching line, and its options.

use referee_model::reading::{TestCounts, TestStatus};

use super::numbers::Numbers;
use super::progress::Progress;
use crate::pattern::{Groups, Pattern};

/// The role of a matching line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Run,
    Heading,
    Started,
    Test,
    Failed,
    Part,
    Place,
    Frame,
    Count,
    Suites,
    Sum,
    More,
    Within,
}

pub(crate) struct TestRow {
    pub(super) kind: Kind,
    pub(super) pattern: Pattern,
    /// The result of a test if the line does not give it.
    pub(super) status: Option<TestStatus>,
    pub(super) names_tool: bool,
    /// Whether the row applies only if the tool is known.
    pub(super) is_known: bool,
    /// Whether the line may be another tool's.
    pub(super) is_tentative: bool,
    /// Whether another line tells of the failure, or counts its test.
    pub(super) is_listed: bool,
    /// Whether further failures of a test are part of the first.
    pub(super) is_once: bool,
    /// Whether the line stands above a sum.
    pub(super) announces: bool,
    /// Whether the sum counts only below a line that announces it.
    pub(super) is_announced: bool,
    /// Whether the line is the first with numbers of a sum.
    pub(super) is_first: bool,
    /// Whether the failures of a sum include suites that did not run.
    pub(super) has_broken: bool,
    /// Whether the line ends the run.
    pub(super) is_last: bool,
    pub(super) check: Option<fn(&Progress, &Groups<'_, '_>) -> bool>,
    pub(super) then: Option<fn(&mut Progress, &Groups<'_, '_>)>,
    pub(super) counts: Option<fn(&Progress, &Numbers) -> Option<TestCounts>>,
    /// The section that begins with the line.
    pub(super) enters: Option<&'static str>,
    /// The section in which the row applies.
    pub(super) inside: Option<&'static str>,
    /// Whether the row applies only to the first line of the section.
    pub(super) is_top: bool,
}

impl TestRow {
    fn new(kind: Kind, pattern: &'static str) -> Self {
        Self {
            kind,
            pattern: Pattern::new(pattern),
            status: None,
            names_tool: false,
            is_known: false,
            is_tentative: false,
            is_listed: false,
            is_once: false,
            announces: false,
            is_announced: false,
            is_first: false,
            has_broken: false,
            is_last: false,
            check: None,
            then: None,
            counts: None,
            enters: None,
            inside: None,
            is_top: false,
        }
    }

    /// Sets the result of the row's tests.
    pub(crate) fn status(mut self, status: TestStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// Marks a line that no other tool prints: without a sum or a hint, it identifies the tool's output.
    pub(crate) fn names_tool(mut self) -> Self {
        self.names_tool = true;
        self
    }

    /// Applies the row only if an earlier line or the command identifies the tool.
    pub(crate) fn known(mut self) -> Self {
        self.is_known = true;
        self
    }

    /// Leaves the line to other tools.
    pub(crate) fn tentative(mut self) -> Self {
        self.is_tentative = true;
        self
    }

    /// Marks tests whose failures other lines tell of, or failures of tests that other lines count.
    pub(crate) fn listed(mut self) -> Self {
        self.is_listed = true;
        self
    }

    /// Counts a test once, however often it failed; messages below the first failure belong to it.
    pub(crate) fn once(mut self) -> Self {
        self.is_once = true;
        self
    }

    /// Marks a line that stands above a sum.
    pub(crate) fn announces(mut self) -> Self {
        self.announces = true;
        self
    }

    /// Applies the row only below a line that announces a sum, or if the command identifies the tool: a test may
    /// print such a line too.
    pub(crate) fn announced(mut self) -> Self {
        self.is_announced = true;
        self
    }

    /// Forgets numbers that were read before: they belonged to no sum.
    pub(crate) fn first(mut self) -> Self {
        self.is_first = true;
        self
    }

    /// Counts suites that did not run, which a sum includes in its failures, as suites.
    pub(crate) fn with_broken(mut self) -> Self {
        self.has_broken = true;
        self
    }

    /// Ends the run with this line.
    pub(crate) fn last(mut self) -> Self {
        self.is_last = true;
        self
    }

    /// Sets a condition for the row to apply.
    pub(crate) fn check(mut self, check: fn(&Progress, &Groups<'_, '_>) -> bool) -> Self {
        self.check = Some(check);
        self
    }

    /// Sets a function that completes what was read once the line is processed.
    pub(crate) fn then(mut self, then: fn(&mut Progress, &Groups<'_, '_>)) -> Self {
        self.then = Some(then);
        self
    }

    /// Sets a function that derives the counts from the numbers of a sum; without counts, the row does not match.
    pub(crate) fn counts(mut self, counts: fn(&Progress, &Numbers) -> Option<TestCounts>) -> Self {
        self.counts = Some(counts);
        self
    }

    /// Begins a section of the output, which ends where another one begins.
    pub(crate) fn enters(mut self, section: &'static str) -> Self {
        self.enters = Some(section);
        self
    }

    pub(crate) fn inside(mut self, section: &'static str) -> Self {
        self.inside = Some(section);
        self
    }

    /// Applies the row only to the first line of a section that is not blank.
    pub(crate) fn below(mut self, section: &'static str) -> Self {
        self.is_top = true;
        self.inside(section)
    }
}

/// Matches the announcement of a run: without a sum, it counts as truncated.
pub(crate) fn run(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Run, pattern)
}

/// Matches a line that names what is below it, such as a suite, a file or a section, and ends the open failure.
pub(crate) fn heading(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Heading, pattern)
}

/// Matches the start of a test, whose output follows and then its result.
pub(crate) fn started(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Started, pattern)
}

/// Matches a test and its result; details of a failure may follow.
pub(crate) fn test(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Test, pattern)
}

/// Matches a test that was skipped.
pub(crate) fn skipped(pattern: &'static str) -> TestRow {
    test(pattern).status(TestStatus::Skipped)
}

/// Matches the first line of a failure.
pub(crate) fn failed(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Failed, pattern)
}

/// Matches a further line of the open failure.
pub(crate) fn part(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Part, pattern)
}

/// Matches where the test of the open failure begins, if this is not known: a line of its stack in the same file is
/// preferred.
pub(crate) fn place(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Place, pattern)
}

/// Matches a line of the stack of the open failure, after which its message is over.
pub(crate) fn frame(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Frame, pattern)
}

/// Matches numbers of tests above the line that completes their sum.
pub(crate) fn count(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Count, pattern)
}

/// Matches numbers of suites, in the groups for tests.
pub(crate) fn suites(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Suites, pattern)
}

/// Matches the counts of a run, or the line that completes them.
pub(crate) fn sum(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Sum, pattern)
}

/// Matches numbers of tests below a sum, which they are added to.
pub(crate) fn more(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::More, pattern)
}

/// Matches a line of the tool that does not identify it.
pub(crate) fn within(pattern: &'static str) -> TestRow {
    TestRow::new(Kind::Within, pattern)
}
