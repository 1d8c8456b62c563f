//! Zig: `zig build`, `zig build-exe`, `zig test`, `zig ast-check`. A finding is `a.zig:5:5: error: message`
//! with the source line and a mark below; a test is `1/3 main.test.adds...OK`, and
//! `2 passed; 0 skipped; 1 failed.` ends a run.

use crate::prelude::*;
use crate::test_rows::{Progress, TestRows, failed, heading, sum, test, within};

/// The compiler, and its test runner.
pub(crate) static TOOL: Tool = Tool::new("zig", &["zig-test", "zig-build"], Role::Compile)
    .lines(&[
        LineFormat::rows(&[".zig:", ".zon:"], &COMPILER),
        LineFormat::tests(
            &[
                "...OK",
                "... OK",
                "...SKIP",
                "...FAIL",
                " passed; ",
                " tests passed.",
                "1 test passed.",
                " tests passed;",
            ],
            &TESTS,
        )
        .both(&[".test."], &["..."]),
    ])
    .merge(candidate::together);

static COMPILER: Rows = Rows::new("zig", "text").rows(&[
    related(r"^(?<file>\S[^:]*(?::[\\/][^:]*)?\.(?:zig|zon)):(?<line>\d+):(?<column>\d+): note: (?<message>\S.*)$")
        .enters("source"),
    head(r"^(?<file>\S[^:]*(?::[\\/][^:]*)?\.(?:zig|zon)):(?<line>\d+):(?<column>\d+): (?<level>error|note|warning): (?<message>\S.*)$")
        .enters("source"),
    part(r"^[ \t^~]+$").enters("mark"),
    // The source line below a note belongs to the note's location.
    part(r"^(?<source>[ \t].*|(?:[^:]|:[^ ])+)$").inside("source").enters("mark").check(|made, _| made.related.is_empty()),
    part(r"^(?:[ \t].*|(?:[^:]|:[^ ])+)$").inside("source").enters("mark"),
    part("^    "),
]);

static TESTS: TestRows = TestRows::new("zig", "text").details(Language::PLAIN, 0).skips_blank_lines().rows(&[
    // `2 passed; 0 skipped; 1 failed.`, `All 3 tests passed.`
    sum(r"^(?:(?<passed>\d+) passed; (?<skipped>\d+) skipped; (?<failed>\d+) failed\.|All (?<passed2>\d+) tests? passed\.)$"),
    // `Build Summary: 1/3 steps succeeded; 1 failed; 3/5 tests passed; 1 skipped; 1 failed`.
    sum(r"^Build Summary: .*?; (?<passed>\d+)/(?<total>\d+) tests passed(?:; (?<skipped>\d+) skipped)?(?:; (?<failed>\d+) failed)?")
        .counts(|_, numbers| {
            let (passed, skipped) = (numbers.passed?, numbers.skipped());
            Some(results::counts(passed, numbers.total?.saturating_sub(passed + skipped), skipped))
        })
        .then(|at, _| {
            // It counts the tests of all runs.
            if let Some(sum) = at.runs.summary_mut().map(|sum| sum.tests) {
                at.runs.replace(sum);
            }
        }),
    // `1/3 main.test.adds...OK`, `2/3 main.test.fails... FAIL (TestUnexpectedResult)`.
    test(r"^(?:\d+/\d+ |Test \[\d+/\d+\] )?(?<suite>\S.*?)\.\.\. ?(?<status>OK|SKIP|FAIL)(?: \((?<why>\w+)\))?$")
        .then(explain)
        .enters(""),
    // `2/3 main.test.fails...expected 4, found 3`: output of the test follows its name, and its status comes later.
    test(r"^(?<status>OK|SKIP|FAIL)(?: \((?<why>\w+)\))?$").inside("started").then(explain).enters(""),
    heading(r"^\d+/\d+ (?<suite>\S.*?)\.\.\.(?<printed>.+)$")
        .then(|at, found| {
            at.intro.clear();
            print(at, found);
        })
        .enters("started"),
    // `error: 'main.test.fails' failed: expected 4, found 3`.
    failed(r"^error: '(?<suite>[^']+)' (?:failed|leaked|logged errors)(?:: ?(?<message>.*))?$").then(|at, found| {
        if let Some(open) = &mut at.runs.open {
            let message = found.text("message").trim_end();
            cut::head(message, limit::MESSAGE_BYTES).clone_into(&mut open.failure.message);
        }
    }),
    // `/project/src/main.zig:10:5: 0x103c in test.fails (test)`.
    within(r"^(?<file>\S.*\.zig):(?<line>\d+):(?<column>\d+): 0x[0-9a-f]+ in (?<function>\S+)")
        .check(|at, _| at.runs.open.is_some())
        .then(locate),
    within(r"^(?<printed>.*)$").tentative().then(print),
]);

/// Maximum number of lines before the status of a test that are kept.
const PRINTED: usize = 8;

/// Keeps a line that a test may have printed: the next one that fails has it in its message.
fn print(at: &mut Progress, found: &Groups<'_, '_>) {
    if at.runs.open.is_none() && at.intro.lines().count() < PRINTED {
        text::append_line(&mut at.intro, cut::head(found.text("printed"), 1024), limit::MESSAGE_BYTES);
    }
}

/// Completes a test that failed with the name of its error.
fn explain(at: &mut Progress, found: &Groups<'_, '_>) {
    if let (Some(open), Some(why)) = (&mut at.runs.open, found.get("why")) {
        open.append(why);
    }
    at.intro.clear();
}

/// The innermost frame in a test is the location of the failed expectation.
fn locate(at: &mut Progress, found: &Groups<'_, '_>) {
    let is_test = found.text("function").contains("test") && !found.text("file").contains("/lib/std/");
    if let Some(open) = at.runs.open.as_mut().filter(|open| is_test && open.failure.file.is_none()) {
        (open.failure.file, open.failure.line) = (found.file("file"), found.position("line"));
        open.failure.column = found.position("column");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    #[test]
    fn failed_tests_have_their_places() {
        let text = "1/2 main.test.adds...OK\n2/2 main.test.fails...expected 4, found 3\nFAIL (TestExpectedEqual)\n/zig/lib/std/testing.zig:1:2: 0x10 in expect (test)\n/p/src/main.zig:10:5: 0x20 in test.fails (test)\n1 passed; 0 skipped; 1 failed.\n";
        let tests = trial::claimed(TESTS.reader(false), text).and_then(|candidate| candidate.tests).unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed), (1, 1));
        assert_eq!((tests.failures[0].name.as_str(), tests.failures[0].line), ("main.test.fails", Some(10)));
    }
}
