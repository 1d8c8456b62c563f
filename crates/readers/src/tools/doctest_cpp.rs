//! doctest, the testing framework for C++.
//!
//! ```text
//! TEST CASE:  bad
//!
//! dt.cpp:5: ERROR: CHECK( 1 == 2 ) is NOT correct!
//! [doctest] test cases: 3 | 1 passed | 2 failed | 1 skipped
//! ```

use crate::prelude::*;
use crate::tools::ctest;

pub(crate) static TOOL: Tool =
    Tool::new("doctest", &[], Role::Test).lines(&[LineFormat::new(&["[doctest] "], |_| Box::new(Doctest::default()))]);

static SUM: Pattern = Pattern::new(
    r"^\[doctest\] test cases: +\d+ \| +(?<passed>\d+) passed \| +(?<failed>\d+) failed(?: \| +(?<skipped>\d+) skipped)?",
);

static FAILED: Pattern = Pattern::new(
    r"^(?<file>(?:[A-Za-z]:)?[^:(]+)(?::(?<line>\d+): |\((?<line2>\d+)\): )(?:FATAL )?ERROR: (?<message>.*)$",
);

#[derive(Default)]
struct Doctest {
    runs: Runs,
    test: String,
    is_in_test: bool,
}

impl Doctest {
    fn failed(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = FAILED.find(&line.text) else { return false };
        if let Some(open) = &mut self.runs.open {
            open.append(found.text("message"));
            return true;
        }
        let mut failing = found.failing("doctest/text", line);
        failing.failure.name.clone_from(&self.test);
        self.runs.open(failing);
        self.runs.count(TestStatus::Failed, 1);
        true
    }
}

impl LineReader for Doctest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if line.is_blank() {
            return Use::None;
        }
        if !self.is_in_test {
            ctest::give_way(text, &mut self.runs);
        }
        if text.starts_with("[doctest] ") {
            if let Some(counts) = SUM.find(text).and_then(|found| found.tests()) {
                self.runs.end_at(line, counts);
                self.is_in_test = false;
            }
            return Use::Line;
        }
        if text.starts_with("=======") {
            self.is_in_test = false;
            return Use::Line;
        }
        if let Some(title) = text.strip_prefix("TEST CASE:  ") {
            // A test case is printed again for each path through its subcases.
            if self.test != title {
                self.runs.close();
            }
            self.test = name(title.trim_end());
            self.is_in_test = true;
            return Use::Line;
        }
        if self.is_in_test
            && !self.failed(line)
            && let Some(open) = &mut self.runs.open
        {
            open.append(text);
        }
        self.is_in_test.into()
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        self.runs.end?;
        Some(self.runs.candidate("doctest", "text"))
    }
}
