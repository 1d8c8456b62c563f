//! `busted -o gtest`, which prints much as GoogleTest does.
//!
//! ```text
//! [ RUN      ] spec/a_spec.lua @ 3: calc fails
//! spec/a_spec.lua:4: Expected objects to be equal.
//! [  FAILED  ] spec/a_spec.lua @ 3: calc fails (0.65 ms)
//! [==========] 5 tests from 1 test file ran. (2.86 ms total)
//! [  PASSED  ] 1 test.
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::reading::{CountAuthority, TestFailure, TestStatus};
use regex::Regex;

use crate::claim::{Claim, LineReader, Use, name, origin};
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::LineFormat;
use crate::tools::busted::place_in;

pub(crate) const FORMAT: LineFormat =
    LineFormat { wakes: &[" @ ", " from scanned files."], reader: |_| Box::new(Gtest::default()) };

static MARKED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^\[ *(?<mark>RUN|OK|FAILED|ERROR|SKIPPED) *\] (?<file>\S.*?) @ (?<line>\d+): (?<name>.*?)(?: \([\d.]+ ms\))?$",
    )
});

static END: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^\[==========\] (?<total>\d+) tests? from \d+ test files? ran\. \([\d.]+ ms total\)$")
});

/// A row of the summing-up.
static SUM: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^\[ *(?<mark>PASSED|SKIPPED|FAILED|ERROR) *\] (?<number>\d+) (?:tests?|errors?)(?:\.|, listed below:)$",
    )
});

#[derive(Default)]
struct Gtest {
    results: Results,
    open: Option<TestFailure>,
    has_place: bool,
    is_summing_up: bool,
    /// Passed, failed and skipped, as summed up.
    sums: (u64, u64, u64),
}

impl Gtest {
    fn marked(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = line.text.contains(" @ ").then(|| MARKED.captures(&line.text)).flatten() else {
            return false;
        };
        let status = match &captures["mark"] {
            "RUN" => {
                self.has_place = false;
                self.open = Some(TestFailure {
                    name: name(&captures["name"]),
                    file: Some(name(&text::path(&captures["file"]))),
                    line: text::position(&captures["line"]),
                    origin: Some(origin("busted/gtest", line)),
                    ..TestFailure::default()
                });
                return true;
            }
            "OK" => TestStatus::Passed,
            "SKIPPED" => TestStatus::Skipped,
            _ => TestStatus::Failed,
        };
        // What the list at the end says again is counted already.
        let title = &captures["name"];
        if let Some(failure) = self.open.take_if(|open| open.name == title) {
            self.results.case(results::case(&[], title, failure.file.as_deref(), status));
            if status == TestStatus::Failed {
                self.results.failure(failure);
            }
        }
        true
    }

    fn sum_up(&mut self, text: &str) -> bool {
        if END.is_match(text) {
            self.is_summing_up = true;
            return true;
        }
        let captures = if self.is_summing_up { SUM.captures(text) } else { None };
        let Some(captures) = captures else {
            return false;
        };
        let number = text::count(&captures["number"]).unwrap_or_default();
        let (passed, failed, skipped) = &mut self.sums;
        match &captures["mark"] {
            "PASSED" => *passed += number,
            "SKIPPED" => *skipped += number,
            _ => *failed += number,
        }
        true
    }
}

impl LineReader for Gtest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text.starts_with('[') && (self.marked(line) || self.sum_up(text)) {
            return Use::Line;
        }
        let Some(failure) = &mut self.open else {
            return Use::None;
        };
        if !line.is_blank() {
            if !self.has_place
                && let Some(line) = place_in(text, failure.file.as_deref())
            {
                self.has_place = true;
                failure.line = Some(line);
            }
            text::append_line(&mut failure.message, text.trim_end(), limit::MESSAGE_BYTES);
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        if self.is_summing_up {
            let (passed, failed, skipped) = self.sums;
            self.results.sum_up(results::counts(passed, failed.max(self.results.seen.failed), skipped));
        }
        if self.results.is_empty() {
            return None;
        }
        let tests = self.results.finish("busted", CountAuthority::Summary);
        Some(Claim { format: "gtest", tests: Some(tests), ..Claim::default() })
    }
}
