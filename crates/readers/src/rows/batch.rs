//! Findings of consecutive lines, whose tool only the batch as a whole shows.

use crate::candidate::Findings;

#[derive(Default)]
pub(super) struct Batch {
    pub(super) findings: Findings,
    /// Whether a finding identified the format.
    pub(super) tells: bool,
    /// Whether a finding showed that another tool printed it.
    pub(super) is_of_other: bool,
}

impl Batch {
    /// Returns whether the findings are the tool's. A sum, which may be one of another tool, tells if it is that of these
    /// findings and of those `listed` before.
    pub(super) fn counts(&self, sum: Option<(u64, bool)>, listed: u64) -> bool {
        let number = self.findings.counts.total();
        let of_other = sum.filter(|(sum, _)| *sum == number + listed && 0 < number).map(|(_, of_other)| of_other);
        (self.tells || of_other == Some(false)) && !self.is_of_other && of_other != Some(true)
    }
}
