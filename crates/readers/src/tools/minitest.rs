//! Minitest, with the summary of Rails and of minitest-reporters.
//!
//! ```text
//!   1) Failure:
//! CalcTest#test_wrong [test/calc_test.rb:10]:
//! Expected: 4
//!   Actual: 3
//!
//! 6 runs, 4 assertions, 3 failures, 1 errors, 1 skips
//! ```

use crate::prelude::*;
use crate::test_rows::{TestRow, TestRows, failed, heading, sum, within};

pub(crate) static TOOL: Tool = Tool::new("minitest", &[], Role::Test).lines(&[LineFormat::tests(PREFILTER, &TEXT)]);

/// Texts one of which is in every output.
pub(crate) const PREFILTER: &[&str] = &["# Running", " assertions, ", "Failure:", "Error:", " assertions/s"];

static TEXT: TestRows = format("minitest");

/// The heading of a failure, and its location: `CalcTest#test_wrong [test/calc_test.rb:10]:`; for an error only the
/// name.
const NAME: &str = r"^(?<name>\S.*?#.+?|[\w:]+\(.+?\))(?: \[(?<file>[^\]]+?):(?<line>\d+)\])?:$";

/// `    test/calc_test.rb:18:in `test_error'`.
static FRAME: Pattern = Pattern::new(r"^ {2,}(?<place>\S.*?\.rb:\d+)(?::in .*)?$");

/// Failures of Ruby's test runners: lines of a stack may stand within a message.
pub(crate) const RUBY: Language = Language {
    takes_frame: |failing, text| {
        match FRAME.find(text) {
            Some(found) => failing.trace(found.text("place")),
            None => failing.append(text),
        }
        true
    },
    complete,
    ..*Language::PLAIN
};

/// Creates the format of Minitest for a runner that prints it.
pub(crate) const fn format(tool: &'static str) -> TestRows {
    TestRows::new(tool, "minitest").rule("minitest/text").details(&RUBY, 0).spans_blank_lines().rows(ROWS)
}

const ROWS: &[TestRow] = &[
    heading(r"^# Running").names_tool().enters(""),
    // `Finished in 0.017562s, 341.6422 runs/s, 227.7614 assertions/s.`
    heading(r"^Finished(?: tests)? in [\d.]+(?:s|ms| seconds)?, [\d.]+ (?:runs|tests)/s, .* assertions/s.*$")
        .names_tool()
        .announces()
        .enters(""),
    heading(r"^Finished(?: tests)? in [\d.]+(?:s|ms| seconds)?(?:, [\d.]+ (?:runs|tests)/s, .*)?\.?$")
        .announces()
        .enters(""),
    // `6 runs, 4 assertions, 3 failures, 1 errors, 1 skips`.
    sum(
        r"^ {0,2}(?<total>\d+) (?:runs|tests|examples), \d+ assertions, (?<failed>\d+) failures, (?<errors>\d+) errors(?:, (?<skipped>\d+) skips)?\.?$",
    )
    .announced()
    .known()
    .enters(""),
    // Without a number if reported immediately.
    heading(r"^(?: {1,4}\d+\) )?(?:Failure|Error):$").known().enters("failure"),
    heading(r"^(?: {1,4}\d+\) )?Skipped:$").known().enters("skipped"),
    failed(NAME).below("failure"),
    heading(r"^(?:bin/rails test |rails test |bundle exec ruby )").inside("failure").enters(""),
    within(r"^").inside("skipped"),
    within(r"^(?:Run options: --seed |You have skipped tests\. Run with )"),
];

/// Sets the expected value and the location of a failure whose heading does not give it: the stack frame in a
/// test file, else the innermost frame in the project.
fn complete(failing: &mut Failing) {
    let failure = &mut failing.failure;
    failure.message = text::trimmed(&failure.message);
    let after = |key: &str| failure.message.lines().find_map(|line| line.trim_start().strip_prefix(key)).map(name);
    (failure.expected, failure.received) = (after("Expected: "), after("Actual: "));
    if failure.file.is_some() {
        return;
    }
    let stack = failure.stack.as_deref().unwrap_or_default();
    let frames = || stack.lines().filter(|frame| !frame.contains("/gems/") && !frame.contains("<internal"));
    let is_test = |frame: &&str| {
        let file = frame.rsplit_once(':').map_or(*frame, |(file, _)| file);
        let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".rb");
        stem.starts_with("test_") || stem.ends_with("_test") || stem.ends_with("_spec") || file.contains("test/")
    };
    let chosen = frames().find(is_test).or_else(|| frames().next());
    if let Some((file, line)) = chosen.and_then(|frame| frame.rsplit_once(':')) {
        (failure.file, failure.line) = (Some(name(&text::path(file))), text::position(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_with_their_places() {
        static NAME_OF: Pattern = Pattern::new(NAME);
        let read = |text| {
            let found = NAME_OF.find(text)?;
            Some((found.text("name").to_owned(), found.get("line").map(str::to_owned)))
        };
        assert_eq!(
            read("a spec#test_0001_works with [brackets] [test/a_test.rb:28]:"),
            Some(("a spec#test_0001_works with [brackets]".to_owned(), Some("28".to_owned())))
        );
        assert_eq!(read("CalcTest#test_error:"), Some(("CalcTest#test_error".to_owned(), None)));
        assert_eq!(read("Expected: 2"), None);
    }
}
