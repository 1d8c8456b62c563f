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
use crate::test_rows::{TestRows, failed, heading, sum, within};
use crate::tools::minitest::{self, RUBY};

pub(crate) static TOOL: Tool = Tool::new("test-unit", &["testunit"], Role::Test).lines(&[
    LineFormat::tests(&["Loaded suite ", " pendings, ", "Failure: ", "Error: "], &TEXT),
    // This format is attributed to Minitest unless the command says otherwise.
    LineFormat::hinted(minitest::PREFILTER, |_| MINITEST.reader(true)),
]);

static MINITEST: TestRows = minitest::format("test-unit");

/// `Failure: test_add_wrong(CalcTest)`, `Error: test_error(CalcTest): ZeroDivisionError: divided by 0`.
const HEAD: &str = r"^(?:Failure|Error): (?<name>\S.*?)\((?<suite>[\w:]+)\)(?:: ?(?<message>.*)|:?)$";

/// With `--no-show-detail-immediately` the failures are numbered, and have no rule above them.
const NUMBERED: &str = r"^ *\d+\) (?:Failure|Error): (?<name>\S.*?)\((?<suite>[\w:]+)\)(?:: ?(?<message>.*)|:?)$";

/// `test/tu_calc.rb:10:in `test_add_wrong'`.
static FRAME: Pattern = Pattern::new(r"^(?<place>\S.*?\.rb:\d+):in .*$");

/// `  => 10:     assert_equal 4, 3`, or a neighboring source line.
static CODE: Pattern = Pattern::new(r"^ +(?:=> )?\d+: ?");

const LANGUAGE: Language = Language {
    takes_frame: |failing, text| {
        if let Some(found) = FRAME.find(text) {
            failing.trace(found.text("place"));
        } else if !CODE.is_match(text) {
            failing.append(text);
        }
        true
    },
    ..RUBY
};

static TEXT: TestRows = TestRows::new("test-unit", "text").joint("#").details(&LANGUAGE, 0).spans_blank_lines().rows(&[
    heading(r"^={21,}$").enters("rule"),
    heading(r"^Loaded suite ").names_tool(),
    heading(r"^Finished in .* seconds\.$").announces(),
    sum(
        r"^(?<total>\d+) tests, \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors, (?<pending>\d+) pendings, (?<skipped>\d+) omissions, \d+ notifications$",
    )
    .announced()
    .names_tool(),
    within(r"^(?:-{79}|.*% passed|.* assertions/s)$").known().check(|at, _| at.runs.open.is_none()),
    heading(r"^(?: *\d+\) )?(?:Omission|Pending|Notification)s?:"),
    failed(HEAD).below("rule"),
    failed(NUMBERED).known(),
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_failures_and_errors_are_told_apart() {
        static HEADING: Pattern = Pattern::new(HEAD);
        let read = |text| {
            let found = HEADING.find(text)?;
            Some((
                found.text("suite").to_owned(),
                found.text("name").to_owned(),
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
