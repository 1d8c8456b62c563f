//! The summary of Node's runner: one number on each line, of which older versions leave some out.

use crate::prelude::*;
use crate::test_rows::Numbers;

static LINE: Pattern = Pattern::new(
    r"^(?:tests (?<total>\d+)|suites \d+|pass (?<passed>\d+)|fail (?<failed>\d+)|cancelled (?<errors>\d+)|skipped (?<skipped>\d+)|todo (?<pending>\d+)|(?<end>duration_ms) \d+)(?:\.\d+)?$",
);

#[derive(Debug, Default)]
pub(crate) struct Footer {
    numbers: Numbers,
    /// The counts, once the last line of a whole summary was read.
    pub(crate) counts: Option<TestCounts>,
}

impl Footer {
    /// Reads a line without its mark; returns whether it is one of the summary.
    pub(crate) fn takes(&mut self, line: &str) -> bool {
        let Some(found) = LINE.find(line) else { return false };
        if found.has("end") {
            let numbers = std::mem::take(&mut self.numbers);
            let Numbers { total, passed, failed, .. } = numbers;
            self.counts = total.and(passed).and(failed).and_then(|_| numbers.tests());
            return true;
        }
        let begun = if found.has("total") { Numbers::default() } else { self.numbers };
        let numbers = begun.with(&found);
        self.numbers = numbers.unwrap_or(begun);
        numbers.is_some()
    }
}
