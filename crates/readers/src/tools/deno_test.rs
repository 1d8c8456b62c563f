//! Deno's test runner: its `pretty` and `dot` reporters, and the preceding type check. Its TAP output is read
//! as TAP.
//!
//! ```text
//! running 2 tests from ./calc_test.ts
//! bad ... FAILED (0ms)
//!
//!  ERRORS
//!
//! bad => ./calc_test.ts:3:6
//! error: Error: not the same: 2, 3
//!     at file:///project/calc_test.ts:4:3
//!
//! FAILED | 1 passed | 1 failed (9ms)
//! ```

use crate::prelude::*;
use crate::test_rows::{self, TestRows, failed, test};
use crate::tools::tap;

pub(crate) static TOOL: Tool = Tool::new(FRAMEWORK, &[], Role::Test)
    .lines(&[
        LineFormat::tests(&[" tests from ", " test from ", "ok | ", "FAILED | ", " => ./"], &TEXT),
        LineFormat::rows(&[" [ERROR]: ", " tests from ", " test from "], &TYPES),
        LineFormat::hinted(tap::PREFILTER, |_| tap::of_runner(FRAMEWORK)),
    ])
    .merge(runs::one_run);

const FRAMEWORK: &str = "deno-test";

static TEXT: TestRows = TestRows::new(FRAMEWORK, "text").details(Language::JAVASCRIPT, 0).rows(&[
    test_rows::within(r"^\s*-------.*output -------\s*$").inside("tests").enters("output"),
    test_rows::within(r"^\s*-----.*output end -----\s*$").inside("output").enters("tests"),
    test_rows::within(r"^").inside("output"),
    test_rows::heading(r"^running \d+ tests? from (?<file>\S.*)$").enters("tests"),
    test_rows::heading(r"^ ERRORS$").enters("errors"),
    test_rows::heading(r"^ FAILURES$").enters("names"),
    // `FAILED | 2 passed (1 step) | 2 failed (1 step) | 1 ignored (9ms)`.
    test_rows::sum(
        r"^(?:ok|FAILED) \| (?<passed>\d+) passed(?: \(\d+ steps?\))? \| (?<failed>\d+) failed(?: \(\d+ steps?\))?(?: \| (?<skipped>\d+) ignored(?: \(\d+ steps?\))?)?(?: \| \d+ measured)?(?: \| \d+ filtered out)? \([^()]+\)$",
    )
    .last()
    .enters(""),
    // `bad ... FAILED (0ms)`. Steps, which are indented, do not count as tests.
    test(
        r"^(?<name>\S.*?) \.\.\. (?<status>ok|FAILED|ignored|cancelled)(?: \([^()]*step[^()]*\))?(?: \((?:\d+ms|\d+m?\d*s|\d+[µu]s)\))?$",
    )
    .inside("tests")
    .names_tool()
    .listed(),
    test_rows::within(r"^ +\S.*? \.\.\. (?:ok|FAILED|ignored|cancelled)").inside("tests"),
    test_rows::within(r" \.\.\.$").inside("tests"),
    failed(r"^(?<name>\S.*?) => (?<file>\S+):(?<line>\d+):(?<column>\d+)$").inside("errors").listed(),
    failed(r"^(?<broken>(?<file>.*)) \(uncaught error\)$").inside("errors").listed(),
    test_rows::within(r"^(?:\S.*? => \S+:\d+:\d+|.* \(uncaught error\))$").inside("names"),
    test_rows::part(r"^error: (?<message>.*)$")
        .check(|at, _| at.runs.open.as_ref().is_some_and(|open| open.failure.message.is_empty())),
    // The source follows the message.
    test_rows::part(r"^error: ").then(|at, _| at.runs.open.iter_mut().for_each(|open| open.is_past_message = true)),
    test_rows::within(r"^error: Test failed$").known(),
]);

/// Errors of the type check before a run. Without a run or a hint, they belong to `deno check`.
static TYPES: Rows = Rows::new(FRAMEWORK, "types").rows(&[
    lead(r"^(?:error: )?(?<code>TS\d+) \[(?:ERROR|WARN)\]: (?<message>.*)$"),
    rest(r"^ +at (?:file://)?(?<file>\S.*?):(?<line>\d+):(?<column>\d+)$").common(),
    known(r"^running \d+ tests? from \S"),
]);

#[cfg(test)]
mod tests {
    use referee_model::reading::Reading;

    use crate::source::MemorySource;
    use crate::{Hint, read};

    fn reading(text: &str) -> Reading {
        let hint = Hint { tool: Some("deno-test".to_owned()), role: None };
        read(&MemorySource::stdout(text.as_bytes().to_vec()), &hint).unwrap()
    }

    #[test]
    fn summaries_are_added_up_and_what_tests_print_is_none() {
        let run = "running 1 test from ./a_test.ts\na ...\n------- output -------\nok | 9 passed | 9 failed (1ms)\n----- output end -----\na ... ok (1ms)\n\nok | 1 passed (2 steps) | 0 failed | 2 ignored | 3 filtered out (1s)\n";
        let counts = reading(&run.repeat(2)).tests.unwrap().counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped), (2, 0, 4));
    }

    #[test]
    fn the_type_check_says_where() {
        let reading = reading(
            "Check a_test.ts\nTS2322 [ERROR]: Type 'string' is not assignable to type 'number'.\nconst x: number = \"text\";\n      ^\n    at file:///p/a_test.ts:1:7\n\nTS1 [ERROR]: without a place\n\nerror: Type checking failed.\n",
        );
        let [error] = &reading.diagnostics[..] else { panic!("one error") };
        assert_eq!((error.file.as_deref(), error.line, error.column), (Some("/p/a_test.ts"), Some(1), Some(7)));
        assert_eq!(error.code.as_deref(), Some("TS2322"));
    }
}
