//! doctest, the testing framework for C++.
//!
//! ```text
//! TEST CASE:  bad
//!
//! dt.cpp:5: ERROR: CHECK( 1 == 2 ) is NOT correct!
//! [doctest] test cases: 3 | 1 passed | 2 failed | 1 skipped
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure, TestResults};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, LineReader, Standing, Use, gravest, name, origin};
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};
use crate::tools::ctest;

/// doctest.
pub(crate) const TOOL: Tool = Tool {
    name: "doctest",
    aliases: &[],
    role: Role::Test,
    lines: &[LineFormat { wakes: &["[doctest] "], reader: |_| Box::new(Doctest::default()) }],
    documents: &[],
    settle: gravest,
};

static SUM: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^\[doctest\] test cases: +(?<total>\d+) \| +(?<passed>\d+) passed \| +(?<failed>\d+) failed(?: \| +(?<skipped>\d+) skipped)?",
    )
});

static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^:(]+)(?::(?<line>\d+): |\((?<line2>\d+)\): )(?:FATAL )?ERROR: (?<message>.*)$",
    )
});

#[derive(Default)]
struct Doctest {
    results: Results,
    test: String,
    open: Option<TestFailure>,
    is_in_test: bool,
    done: Option<TestResults>,
    is_in_ctest: bool,
    is_recognized: bool,
}

impl Doctest {
    fn close(&mut self) {
        if let Some(failure) = self.open.take() {
            self.results.failure(failure);
        }
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let Some(captures) = SUM.captures(text) else {
            return false;
        };
        let number = |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str())).unwrap_or(0);
        self.close();
        let mut results = std::mem::take(&mut self.results);
        results.sum_up(results::counts(number("passed"), number("failed"), number("skipped")));
        results::join(&mut self.done, results.finish("doctest", CountAuthority::Summary));
        self.is_in_test = false;
        true
    }

    fn failed(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = line.text.contains("ERROR: ").then(|| FAILED.captures(&line.text)).flatten() else {
            return false;
        };
        let message = &captures["message"];
        if let Some(open) = &mut self.open {
            text::append_line(&mut open.message, message, limit::MESSAGE_BYTES);
            return true;
        }
        let number = captures.name("line").or_else(|| captures.name("line2"));
        self.open = Some(TestFailure {
            name: self.test.clone(),
            file: Some(name(&text::path(&captures["file"]))),
            line: number.and_then(|line| text::position(line.as_str())),
            message: cut::head(message, limit::MESSAGE_BYTES).to_owned(),
            origin: Some(origin("doctest/text", line)),
            ..TestFailure::default()
        });
        true
    }
}

impl LineReader for Doctest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if line.is_blank() {
            return Use::None;
        }
        self.is_in_ctest |= !self.is_in_test && ctest::is_test_line(text);
        if text.starts_with("[doctest] ") {
            self.is_recognized = true;
            self.sum_up(text);
            return Use::Line;
        }
        if text.starts_with("=======") {
            self.is_in_test = false;
            return Use::Line;
        }
        if let Some(title) = text.strip_prefix("TEST CASE:  ") {
            // One case is shown again for every way through its subcases.
            if self.test != title {
                self.close();
            }
            self.test = name(title.trim_end());
            self.is_in_test = true;
            return Use::Line;
        }
        if !self.is_in_test {
            return Use::None;
        }
        if !self.failed(line)
            && let Some(open) = &mut self.open
        {
            text::append_line(&mut open.message, text.trim_end(), limit::MESSAGE_BYTES);
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let tests = self.done.filter(|_| self.is_recognized)?;
        let standing = if self.is_in_ctest { Standing::Likely } else { Standing::Certain };
        Some(Claim { format: "text", standing, tests: Some(tests), ..Claim::default() })
    }
}
