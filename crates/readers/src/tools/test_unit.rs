//! test-unit, the runner that comes with Ruby, and what `rails test` prints, which is Minitest.
//!
//! ```text
//! ===============================================================================
//! Failure: test_add_wrong(CalcTest)
//! test/tu_calc.rb:10:in `test_add_wrong'
//!   => 10:     assert_equal 4, Calc.new.add(1, 2), "sum"
//! <4> expected but was
//! <3>
//! ===============================================================================
//! 5 tests, 3 assertions, 2 failures, 1 errors, 0 pendings, 1 omissions, 0 notifications
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestCounts, TestFailure, TestStatus};
use regex::Regex;

use crate::claim::{self, Claim, LineReader, Use, name, origin};
use crate::scan::Line;
use crate::shapes::results::Results;
use crate::text;
use crate::tool::{LineFormat, Tool};
use crate::tools::minitest::{self, Minitest, locate};

/// test-unit.
pub(crate) const TOOL: Tool = Tool {
    name: "test-unit",
    aliases: &["testunit"],
    role: Role::Test,
    lines: &[
        LineFormat {
            wakes: &["Loaded suite ", " pendings, ", "Failure: ", "Error: "],
            reader: |is_hinted| Box::new(TestUnit::new(is_hinted)),
        },
        // What prints so is Minitest unless the command says otherwise.
        LineFormat {
            wakes: minitest::WAKES,
            reader: |is_hinted| Box::new(Minitest::new("test-unit", is_hinted, is_hinted)),
        },
    ],
    documents: &[],
    settle: claim::gravest,
};

const RULE: &str = "test-unit/text";

static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(\d+) tests, (\d+) assertions, (\d+) failures, (\d+) errors, (\d+) pendings, (\d+) omissions, \d+ notifications$",
    )
});

/// With `--no-show-detail-immediately` they are numbered, and no rule stands above them.
/// `Failure: test_add_wrong(CalcTest)`, `Error: test_error(CalcTest): ZeroDivisionError: divided by 0`.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<number> *\d+\) )?(?:Failure|Error): (?<test>\S.*?)\((?<class>[\w:]+)\)(?:: ?(?<message>.*)|:?)$",
    )
});

/// `test/tu_calc.rb:10:in `test_add_wrong'`.
static FRAME: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(\S.*?\.rb):(\d+):in .*$"));

/// `  => 10:     assert_equal 4, 3`, or a line of code beside it.
static CODE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ +(?:=> )?\d+: ?"));

/// The head of what did not fail.
static OTHERS: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?: *\d+\) )?(?:Omission|Pending|Notification)s?:"));

/// Reads one stream.
struct TestUnit {
    is_hinted: bool,
    has_sign: bool,
    has_finished: bool,
    /// Whether the line before was a rule, below which a failure begins.
    is_below_rule: bool,
    results: Results,
    open: Option<TestFailure>,
}

impl TestUnit {
    fn new(is_hinted: bool) -> Self {
        let results = Results::default();
        Self { is_hinted, has_sign: false, has_finished: false, is_below_rule: false, results, open: None }
    }

    fn close(&mut self) {
        if let Some(mut failure) = self.open.take() {
            failure.message = text::trimmed(&failure.message);
            locate(&mut failure);
            self.results.count(TestStatus::Failed, 1);
            self.results.failure(failure);
        }
    }

    fn sum_up(&mut self, text: &str) -> bool {
        if !text.ends_with(" notifications") {
            return false;
        }
        let Some(captures) = SUMMARY.captures(text) else {
            return false;
        };
        let mut numbers = captures.iter().skip(1).flatten().filter_map(|digits| text::count(digits.as_str()));
        let mut next = || numbers.next().unwrap_or(0);
        let (total, _, failures, errors, pendings, omissions) = (next(), next(), next(), next(), next(), next());
        if !self.has_finished && !self.is_hinted {
            return false;
        }
        self.has_finished = false;
        let (failed, skipped) = (failures + errors, pendings + omissions);
        // A test may tell several failures.
        let passed = total.saturating_sub(failed + skipped);
        self.results.sum_up(TestCounts { passed, failed, skipped, total: passed + failed + skipped });
        true
    }

    fn begin(&mut self, line: &Line<'_>, is_below_rule: bool) -> bool {
        let Some(captures) = HEAD.captures(line.text.trim_end()) else {
            return false;
        };
        let is_numbered = captures.name("number").is_some() && self.has_sign;
        if !is_below_rule && !is_numbered {
            return false;
        }
        self.close();
        self.open = Some(TestFailure {
            name: name(&format!("{}#{}", &captures["class"], &captures["test"])),
            message: captures.name("message").map_or(String::new(), |message| name(message.as_str())),
            origin: Some(origin(RULE, line)),
            ..TestFailure::default()
        });
        true
    }

    fn detail(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        let text = line.text.trim_end();
        if let Some(captures) = FRAME.captures(text) {
            let frame = format!("{}:{}", &captures[1], &captures[2]);
            text::add_line(open.stack.get_or_insert_default(), &frame, limit::MESSAGE_BYTES);
        } else if !CODE.is_match(text) && (!text.is_empty() || !open.message.is_empty()) {
            text::add_line(&mut open.message, text, limit::MESSAGE_BYTES);
        }
        if let Some(origin) = &mut open.origin {
            origin.end = line.end;
        }
        true
    }
}

impl LineReader for TestUnit {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        let is_rule = 20 < text.len() && text.bytes().all(|byte| byte == b'=');
        let is_below_rule = std::mem::replace(&mut self.is_below_rule, is_rule);
        if is_rule {
            let was_open = self.open.is_some();
            self.close();
            self.is_below_rule = !was_open || self.is_hinted;
            return if self.has_sign || self.is_hinted { Use::Line } else { Use::None };
        }
        if text.starts_with("Loaded suite ") || (text.starts_with("Finished in ") && text.ends_with(" seconds.")) {
            self.close();
            self.has_sign |= text.starts_with("Loaded suite ");
            self.has_finished = text.starts_with("Finished in ");
            return Use::Line;
        }
        if self.sum_up(text) {
            self.has_sign = true;
            return Use::Line;
        }
        let is_own = (text.len() == 79 && text.bytes().all(|byte| byte == b'-'))
            || text.ends_with("% passed")
            || text.ends_with(" assertions/s");
        if is_own && self.has_sign && self.open.is_none() {
            return Use::Line;
        }
        if OTHERS.is_match(text) {
            self.close();
            return Use::None;
        }
        let is_used = self.begin(line, is_below_rule) || self.detail(line);
        if is_used { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        if !self.has_sign || self.results.is_empty() {
            return None;
        }
        let mut notes = Vec::new();
        if self.results.summary.is_none() {
            notes.push("the output of test-unit is cut short: it sums up nothing".to_owned());
        }
        let tests = self.results.finish("test-unit", CountAuthority::Summary);
        Some(Claim { format: "text", tests: Some(tests), notes, ..Claim::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_failures_and_errors_are_told_apart() {
        let read = |text| {
            let captures = HEAD.captures(text)?;
            let message = captures.name("message").map(|message| message.as_str().to_owned());
            Some((captures["class"].to_owned(), captures["test"].to_owned(), message))
        };
        let (class, test) = ("CalcTest".to_owned(), "test_a".to_owned());
        assert_eq!(read("Failure: test_a(CalcTest)"), Some((class.clone(), test.clone(), None)));
        assert_eq!(read("Failure: test_a(CalcTest): sum"), Some((class.clone(), test.clone(), Some("sum".to_owned()))));
        assert_eq!(
            read("Error: test_a(CalcTest): ZeroDivisionError: divided by 0"),
            Some((class, test, Some("ZeroDivisionError: divided by 0".to_owned())))
        );
        assert_eq!(read("Omission: later [test_skip(CalcTest)]"), None);
    }
}
