//! The test points of one stream, and their counts.

use crate::prelude::*;
use crate::shapes::results::add;

/// Maximum nesting depth at which subtests are distinguished.
pub(super) const LEVELS: usize = 32;

/// The current stream of test points.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// Number of test points at the outermost level.
    pub(super) points: u64,
    /// Counts of the test points at the outermost level.
    outer: TestCounts,
    /// Counts of test points without subtests.
    leaves: TestCounts,
    pub(super) plan: Option<u64>,
    /// For each level, the test points since the last one of a lower level: how many, and how many failed.
    inside: Vec<(u64, u64)>,
    /// The summary of Node or node-tap.
    pub(super) footer: Option<TestCounts>,
    /// Whether the runner printed its summary after the plan, or without any test points: the run is then
    /// complete.
    pub(super) is_closed: bool,
    pub(super) has_bailed: bool,
}

impl Run {
    /// Counts a test point, and returns whether it sums up those inside it. One that fails although none inside
    /// did is a failure of its own.
    pub(super) fn point(&mut self, level: usize, status: TestStatus) -> bool {
        self.inside.resize(LEVELS + 2, (0, 0));
        let (inner, inner_failed) = self.inside[level + 1];
        self.leave(level);
        let has_failed = status == TestStatus::Failed;
        self.inside[level].0 += 1;
        self.inside[level].1 += u64::from(has_failed || 0 < inner_failed);
        if level == 0 {
            self.points += 1;
            add(&mut self.outer, status, 1);
        }
        0 < inner && (0 < inner_failed || !has_failed)
    }

    /// Forgets the test points inside a level, whose subtests are over.
    pub(super) fn leave(&mut self, level: usize) {
        for inside in self.inside.iter_mut().skip(level + 1) {
            *inside = (0, 0);
        }
    }

    /// Counts a test point without subtests.
    pub(super) fn leaf(&mut self, status: TestStatus) {
        add(&mut self.leaves, status, 1);
    }

    /// Takes back a failure of a test point that turned out to sum up others.
    pub(super) fn forget_failure(&mut self) {
        let leaves = &mut self.leaves;
        leaves.failed = leaves.failed.saturating_sub(1);
        leaves.total = leaves.passed + leaves.failed + leaves.skipped;
    }

    /// Reads node-tap's final line, `{ total: 7, pass: 4, fail: 1, todo: 1, skip: 1 }`, and returns whether the
    /// line is one.
    pub(super) fn total(&mut self, comment: &str) -> bool {
        let members = comment.strip_prefix("{ ").and_then(|rest| rest.strip_suffix(" }"));
        let sum = members.filter(|members| members.starts_with("total: ")).and_then(results::listed);
        self.footer = sum.or(self.footer);
        sum.is_some()
    }

    /// Whether all planned tests ran.
    pub(super) fn is_whole(&self) -> bool {
        self.plan == Some(self.points) && !self.has_bailed
    }

    /// Returns the counts of the test points.
    pub(super) fn counts(&self, are_outer: bool) -> TestCounts {
        self.footer.unwrap_or(if are_outer { self.outer } else { self.leaves })
    }
}
