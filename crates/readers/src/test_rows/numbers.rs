//! The numbers of a sum, which may be on several lines.

use referee_model::reading::TestCounts;

use crate::pattern::Groups;
use crate::shapes::results::{self, listed};

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) passed: Option<u64>,
    pub(crate) failed: Option<u64>,
    pub(crate) errors: Option<u64>,
    pub(crate) skipped: Option<u64>,
    pub(crate) pending: Option<u64>,
    pub(crate) warnings: Option<u64>,
    pub(crate) total: Option<u64>,
    pub(crate) ran: Option<u64>,
}

impl Numbers {
    /// Adds the numbers of a line. Returns `None` if one of them is invalid.
    pub(crate) fn with(mut self, found: &Groups<'_, '_>) -> Option<Self> {
        for (group, number) in [
            ("passed", &mut self.passed),
            ("failed", &mut self.failed),
            ("errors", &mut self.errors),
            ("skipped", &mut self.skipped),
            ("pending", &mut self.pending),
            ("warnings", &mut self.warnings),
            ("total", &mut self.total),
            ("ran", &mut self.ran),
        ] {
            if found.has(group) {
                *number = Some(found.count(group)?);
            }
        }
        if let Some(list) = found.get("list") {
            let TestCounts { passed, failed, skipped, .. } = listed(list)?;
            (self.passed, self.failed, self.skipped) = (Some(passed), Some(failed), Some(skipped));
        }
        Some(self)
    }

    pub(crate) fn failed(&self) -> u64 {
        self.failed.unwrap_or_default() + self.errors.unwrap_or_default()
    }

    pub(crate) fn skipped(&self) -> u64 {
        self.skipped.unwrap_or_default() + self.pending.unwrap_or_default()
    }

    /// Returns the counts, or `None` if there are no numbers, or if they contradict each other.
    pub(crate) fn tests(&self) -> Option<TestCounts> {
        let (failed, skipped) = (self.failed(), self.skipped());
        let has_failed = self.failed.or(self.errors).is_some();
        Some(match (self.passed, self.ran, self.total) {
            (Some(passed), Some(ran), _) if !has_failed => results::counts(passed, ran.checked_sub(passed)?, skipped),
            (Some(passed), ..) => results::counts(passed, failed, skipped),
            (None, Some(ran), _) => results::out_of(ran + skipped, failed, skipped),
            (None, None, Some(total)) => results::out_of(total, failed, skipped),
            (None, None, None) => {
                (has_failed || self.skipped.or(self.pending).is_some()).then(|| results::counts(0, failed, skipped))?
            }
        })
    }
}

impl Groups<'_, '_> {
    /// Returns the counts that the groups of a line give.
    pub(crate) fn tests(&self) -> Option<TestCounts> {
        Numbers::default().with(self)?.tests()
    }
}
