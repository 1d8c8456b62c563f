//! Jasmine on Node: dots, failures, pending specs, and the summary `5 specs, 2 failures, 2 pending specs`.
//!
//! ```text
//! Failures:
//! 1) calc throws
//!   Message:
//!     Error: boom
//!   Stack:
//!         at UserContext.<anonymous> (/project/spec/calc.spec.js:4:30)
//! ```

use crate::prelude::*;
use crate::test_rows::{TestRows, failed, heading, part, sum, within};

pub(crate) static TOOL: Tool = Tool::new("jasmine", &[], Role::Test)
    .lines(&[LineFormat::tests(&["Failures:", " specs, ", " spec, ", "Suite error: ", "Randomized with seed "], &TEXT)])
    .merge(runs::one_run);

static TEXT: TestRows = TestRows::new("jasmine", "text").details(Language::JAVASCRIPT, 4).rows(&[
    // `5 specs, 2 failures, 2 pending specs`.
    sum(
        r"^(?:Ran \d+ of )?(?<total>\d{1,9}) specs?, (?<failed>\d{1,9}) failures?(?:, (?<pending>\d{1,9}) pending specs?)?(?:, \d+ .*)?$",
    )
    .with_broken()
    .counts(|_, sum| {
        let passed = sum.total?.checked_sub(sum.failed() + sum.skipped())?;
        Some(results::counts(passed, sum.failed(), sum.skipped()))
    })
    .enters(""),
    heading(r"^Failures:$").enters("failures"),
    heading(r"^Pending:$").enters("pending"),
    failed(r"^Suite error: (?<broken>\S.*)$").enters("failures"),
    failed(r"^(?<number>\d+)\) (?<name>\S.*)$").inside("failures"),
    part(r"^  Message:$"),
    part(r"^  Stack:$").then(|at, _| {
        at.runs.open.iter_mut().for_each(|open| open.is_past_message = true);
    }),
    within(r"^(?:\d+\) \S|  )").inside("pending"),
    within(r"^(?:Randomized with seed |Finished in )").known(),
]);

#[cfg(test)]
mod tests {
    use crate::trial::counts;

    #[test]
    fn failures_outside_of_specs_are_none_of_specs() {
        for (text, expected) in [
            ("Started\n.\n\n1 spec, 0 failures\nFinished in 0.005 seconds\n", Some((1, 0, 0))),
            ("5 specs, 2 failures, 2 pending specs\n", Some((1, 2, 2))),
            ("Suite error: broken\n  Message:\n    boom\n\n1 spec, 1 failure\n", Some((1, 0, 0))),
            ("1 spec, 9 failures\n", None),
            ("the spec, 0 failures\n", None),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }
}
