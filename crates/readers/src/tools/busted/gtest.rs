//! `busted -o gtest`, which prints much like GoogleTest.
//!
//! ```text
//! [ RUN      ] spec/a_spec.lua @ 3: calc fails
//! spec/a_spec.lua:4: Expected objects to be equal.
//! [  FAILED  ] spec/a_spec.lua @ 3: calc fails (0.65 ms)
//! [==========] 5 tests from 1 test file ran. (2.86 ms total)
//! [  PASSED  ] 1 test.
//! ```

use crate::prelude::*;
use crate::tools::busted::body;

pub(crate) const FORMAT: LineFormat = LineFormat::new(&[" @ ", " from scanned files."], |_| Box::new(Gtest::default()));

static MARKED: Pattern = Pattern::new(
    r"^\[ *(?:(?<run>RUN)|(?<status>OK|FAILED|ERROR|SKIPPED)) *\] (?<file>\S.*?) @ (?<line>\d+): (?<name>.*?)(?: \([\d.]+ ms\))?$",
);

static END: Pattern = Pattern::new(r"^\[==========\] \d+ tests? from \d+ test files? ran\. \([\d.]+ ms total\)$");

static SUM: Pattern = Pattern::new(
    r"^\[ *(?<status>PASSED|SKIPPED|FAILED|ERROR) *\] (?<number>\d+) (?:tests?|errors?)(?:\.|, listed below:)$",
);

#[derive(Default)]
struct Gtest {
    runs: Runs,
    has_place: bool,
    sum: Option<TestCounts>,
}

impl Gtest {
    fn marked(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = MARKED.find(&line.text) else { return false };
        if found.has("run") {
            self.has_place = false;
            self.runs.open = Some(found.failing("busted/gtest", line));
            return true;
        }
        // The list at the end repeats tests that were counted already.
        if let Some(failing) = self.runs.open.take_if(|open| open.failure.name == found.text("name")) {
            let case = found.case(failing.failure.file.as_deref());
            if case.status == TestStatus::Failed {
                self.runs.failure(failing.finish());
            }
            self.runs.case(case);
        }
        true
    }

    fn sum_up(&mut self, text: &str) -> bool {
        if END.is_match(text) {
            self.sum.get_or_insert_default();
            return true;
        }
        let (Some(sum), Some(found)) = (&mut self.sum, SUM.find(text)) else { return false };
        results::add(sum, found.status(), found.number("number"));
        true
    }
}

impl LineReader for Gtest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.marked(line) || self.sum_up(&line.text) {
            return Use::Line;
        }
        let Some(open) = &mut self.runs.open else { return Use::None };
        if !line.is_blank() {
            body(open, &mut self.has_place, &line.text);
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        if let Some(TestCounts { passed, failed, skipped, .. }) = self.sum {
            self.runs.sum_up(results::counts(passed, failed.max(self.runs.seen.failed), skipped));
        }
        self.runs.open = None;
        (!self.runs.is_empty()).then(|| self.runs.candidate("busted", "gtest"))
    }
}
