//! test-unit, the runner that comes with Ruby, and the output of `rails test`, which is Minitest.
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

use crate::prelude::*;
use crate::tools::minitest::{self, Minitest, RUBY};

pub(crate) static TOOL: Tool = Tool::new("test-unit", &["testunit"], Role::Test).lines(&[
    LineFormat::new(&["Loaded suite ", " pendings, ", "Failure: ", "Error: "], |is_hinted| {
        Box::new(TestUnit { is_hinted, ..TestUnit::default() })
    }),
    // This format is attributed to Minitest unless the command says otherwise.
    LineFormat::new(minitest::PREFILTER, |is_hinted| Box::new(Minitest::new("test-unit", is_hinted, is_hinted))),
]);

static SUMMARY: Pattern = Pattern::new(
    r"^(?<total>\d+) tests, \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors, (?<pending>\d+) pendings, (?<skipped>\d+) omissions, \d+ notifications$",
);

/// `Failure: test_add_wrong(CalcTest)`, `Error: test_error(CalcTest): ZeroDivisionError: divided by 0`. With
/// `--no-show-detail-immediately` the failures are numbered, and have no rule above them.
static HEAD: Pattern = Pattern::new(
    r"^(?<number> *\d+\) )?(?:Failure|Error): (?<test>\S.*?)\((?<class>[\w:]+)\)(?:: ?(?<message>.*)|:?)$",
);

/// `test/tu_calc.rb:10:in `test_add_wrong'`.
static FRAME: Pattern = Pattern::new(r"^(?<place>\S.*?\.rb:\d+):in .*$");

/// `  => 10:     assert_equal 4, 3`, or a neighboring source line.
static CODE: Pattern = Pattern::new(r"^ +(?:=> )?\d+: ?");

/// The heading of a test that did not fail.
static OTHERS: Pattern = Pattern::new(r"^(?: *\d+\) )?(?:Omission|Pending|Notification)s?:");

#[derive(Default)]
struct TestUnit {
    is_hinted: bool,
    has_sign: bool,
    has_finished: bool,
    /// Whether the previous line was a rule, below which a failure begins.
    is_below_rule: bool,
    runs: Runs,
}

impl TestUnit {
    fn sum_up(&mut self, line: &Line<'_>) -> bool {
        let Some(counts) = SUMMARY.find(line.text.trim_end()).and_then(|found| found.tests()) else { return false };
        let is_own = self.has_finished || self.is_hinted;
        if is_own {
            self.has_finished = false;
            self.has_sign = true;
            self.runs.sum_up_at(line, counts);
        }
        is_own
    }

    fn begin(&mut self, line: &Line<'_>, is_below_rule: bool) -> bool {
        let Some(found) = HEAD.find(line.text.trim_end()) else { return false };
        let is_numbered = found.has("number") && self.has_sign;
        if !is_below_rule && !is_numbered {
            return false;
        }
        let name = name(&format!("{}#{}", found.text("class"), found.text("test")));
        let failure = TestFailure { name, ..found.failure("test-unit/text", line) };
        self.runs.open(Failing::of(failure).told_in(&RUBY));
        self.runs.count(TestStatus::Failed, 1);
        true
    }

    fn detail(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.runs.open else { return false };
        let text = line.text.trim_end();
        if let Some(found) = FRAME.find(text) {
            open.trace(found.text("place"));
        } else if !CODE.is_match(text) {
            open.append(text);
        }
        open.reach(line);
        true
    }
}

impl LineReader for TestUnit {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        let is_rule = 20 < text.len() && text.bytes().all(|byte| byte == b'=');
        let is_below_rule = std::mem::replace(&mut self.is_below_rule, is_rule);
        if is_rule {
            let was_open = self.runs.open.is_some();
            self.runs.close();
            self.is_below_rule = !was_open || self.is_hinted;
            return (self.has_sign || self.is_hinted).into();
        }
        if text.starts_with("Loaded suite ") || (text.starts_with("Finished in ") && text.ends_with(" seconds.")) {
            self.runs.close();
            self.has_sign |= text.starts_with("Loaded suite ");
            self.has_finished = text.starts_with("Finished in ");
            return Use::Line;
        }
        if self.sum_up(line) {
            return Use::Line;
        }
        let is_own = (text.len() == 79 && text.bytes().all(|byte| byte == b'-'))
            || text.ends_with("% passed")
            || text.ends_with(" assertions/s");
        if is_own && self.has_sign && self.runs.open.is_none() {
            return Use::Line;
        }
        if OTHERS.is_match(text) {
            self.runs.close();
            return Use::None;
        }
        (self.begin(line, is_below_rule) || self.detail(line)).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.runs.close();
        (self.has_sign && !self.runs.is_empty()).then(|| self.runs.candidate("test-unit", "text"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_failures_and_errors_are_told_apart() {
        let read = |text| {
            let found = HEAD.find(text)?;
            Some((
                found.text("class").to_owned(),
                found.text("test").to_owned(),
                found.get("message").map(str::to_owned),
            ))
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
