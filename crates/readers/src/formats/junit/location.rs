//! Location of a test failure, from attributes or from the text of the failure.
//!
//! | tool                 | notation                                                    |
//! |----------------------|-------------------------------------------------------------|
//! | Catch2, CUnit        | `<failure file="a.cpp" line="19">`                          |
//! | GoogleTest           | the message begins with `a.cpp:19`                          |
//! | pytest               | a line of the text, `tests/test_a.py:25: AssertionError`    |
//! | Jest, Mocha, Vitest  | a stack, `at f (a.test.js:10:21)` or `❯ a.test.ts:7:27`     |
//! | RSpec, Rust          | `./spec/a_spec.rb:5:in …`, `thread 'x' panicked at a.rs:5`  |
//! | Java                 | a stack, `at demo.CalcTest.adds(CalcTest.java:7)`           |

use super::{looks_like_file, names_file};
use crate::formats::test_report::Failed;
use crate::prelude::*;
use crate::shapes::locate::{self, is_in_project, is_same_file};
use crate::xml::Element;

/// Maximum number of lines of a failure text that are searched.
const LINES: usize = 400;

/// Maximum length of a line that is searched, in bytes.
const LINE_BYTES: usize = 2 * 1024;

/// `a.cpp:19`, alone on a line or before a message; `a.py:25: AssertionError`; `❯ a.test.ts:7:27`.
static PLACE: Pattern = Pattern::new(
    r"^\s*(?:❯ (?:.* )?|at |# |thread '.*' (?:\(\d+\) )?panicked at )?(?<file>(?:[A-Za-z]:)?[^\s:()]+\.\w+):(?<line>\d+)(?::\d+)?(?:\)?:?$|: |:in )",
);

/// A Python stack frame, the last of which is the innermost: `File "tests/test_a.py", line 25, in test_a`.
static PYTHON: Pattern = Pattern::new(r#"^\s*File "(?<file>[^"]+\.py)", line (?<line>\d+)"#);

/// `at demo.CalcTest.adds(CalcTest.java:7)`.
static JAVA: Pattern =
    Pattern::new(r"^\s*at (?:[\w.@-]*//?)?(?<method>[\w.$<>]+)\((?<file>[\w$]+\.\w+):(?<line>\d+)\)$");

/// Fills in the location of a failure: from the failure itself, then from its text, then from the test.
pub(super) fn complete(failed: &mut Failed, test: &Element, file: Option<&str>, class: &str, suite: &str) {
    if failed.file.is_some() {
        return;
    }
    let known = file.or_else(|| [class, suite].into_iter().find(|name| names_file(name)));
    let told = in_text(failed, known, class);
    if let Some((file, line)) = told {
        failed.line = failed.line.or(Some(line));
        failed.file = Some(known.unwrap_or(&file).to_owned());
        return;
    }
    failed.file = known.map(str::to_owned);
    // pytest counts the lines of tests from 0.
    let first = u32::from(suite.starts_with("pytest"));
    let line = test.get("line").and_then(|line| line.parse::<u32>().ok()).and_then(|line| line.checked_add(first));
    failed.line = failed.line.or(line.filter(|line| file.is_some() && 0 < *line));
}

/// Finds a location in the text of a failure: one in the known file, or else the first in the project.
fn in_text(failed: &mut Failed, known: Option<&str>, class: &str) -> Option<(String, u32)> {
    let is_meant = |file: &str| known.is_none_or(|known| is_same_file(file, known));
    // GoogleTest puts the location in the first line of its message, which is not part of the message.
    if let Some((first, rest)) = failed.message.split_once('\n')
        && let Some((file, line)) = first.trim().rsplit_once(':')
        && let Some(line) = text::position(line)
        && !file.contains(char::is_whitespace)
    {
        let place = (text::path(file), line);
        failed.message = rest.trim_start().to_owned();
        return is_meant(&place.0).then_some(place);
    }
    let lines = || failed.stack.lines().take(LINES).filter(|line| line.len() <= LINE_BYTES);
    let found = lines().find_map(|line| {
        let (file, at) = place(line)?;
        (is_own(&file) && is_meant(&file)).then_some((file, at))
    });
    let found = found.or_else(|| {
        let frames = lines().filter(|line| line.contains("File \"")).filter_map(|line| PYTHON.find(line));
        let places = frames.filter_map(|frame| Some((text::path(frame.text("file")), frame.position("line")?)));
        places.filter(|(file, _)| is_own(file) && is_meant(file)).last()
    });
    if found.is_some() || class.is_empty() {
        return found;
    }
    lines().find_map(|line| {
        let found = if line.trim_start().starts_with("at ") { JAVA.find(line)? } else { return None };
        let outer = found.text("method").rsplit_once('.').map_or("", |(class, _)| class).to_owned();
        let is_of_class = outer == class || outer.strip_prefix(class).is_some_and(|rest| rest.starts_with('$'));
        is_of_class.then(|| Some((found.text("file").to_owned(), found.position("line")?))).flatten()
    })
}

/// Returns whether a file belongs to the project rather than to a library or the language.
fn is_own(file: &str) -> bool {
    const FOREIGN: &[&str] =
        &["/site-packages/", "/dist-packages/", "/lib/python", "/pkg/mod/", "/usr/local/go/", "/vendor/"];
    is_in_project(file) && !FOREIGN.iter().any(|part| file.contains(part))
}

/// Parses a line that contains a location.
fn place(line: &str) -> Option<(String, u32)> {
    if let Some(frame) = locate::frame(line) {
        return Some((frame.file, frame.line?));
    }
    if !line.contains(':') {
        return None;
    }
    let found = PLACE.find(line)?;
    let file = found.text("file");
    looks_like_file(file).then(|| Some((text::path(file), found.position("line")?))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_texts() {
        for (stack, class, found) in [
            (
                "def test_x():\n>  assert False\nE  assert False\n\ntests/test_lib.py:25: AssertionError\n",
                "",
                Some(("tests/test_lib.py", 25)),
            ),
            (
                "Error: no\n    at f (node_modules/x/a.js:1:2)\n    at g (src/a.test.js:10:21)",
                "",
                Some(("src/a.test.js", 10)),
            ),
            ("AssertionError: no\n\n ❯ calc.test.ts:7:27\n", "", Some(("calc.test.ts", 7))),
            (
                "java.lang.AssertionError\n\tat org.junit.Assert.fail(Assert.java:99)\n\tat app//demo.CalcTest.slow(CalcTest.java:14)\n",
                "demo.CalcTest",
                Some(("CalcTest.java", 14)),
            ),
            ("Failure/Error: x\n./spec/calc_spec.rb:5:in `block (2 levels)'", "", Some(("./spec/calc_spec.rb", 5))),
            ("thread 'tests::adds' (1234) panicked at src/lib.rs:12:9:\nno", "", Some(("src/lib.rs", 12))),
            (
                "Traceback:\n  File \"/p/a.py\", line 3, in test\n    f()\n  File \"/usr/lib/python3/unittest.py\", line 9, in f",
                "",
                Some(("/p/a.py", 3)),
            ),
            ("see https://example.org:80/x", "", None),
            ("it was 12:30", "", None),
        ] {
            let mut failed = Failed { stack: stack.to_owned(), ..Failed::default() };
            let place = in_text(&mut failed, None, class);
            assert_eq!(place, found.map(|(file, line)| (file.to_owned(), line)), "{stack}");
        }
    }

    #[test]
    fn the_place_that_begins_a_message_is_no_message() {
        let mut failed = Failed { message: "t.cpp:4\nExpected equality".to_owned(), ..Failed::default() };
        assert_eq!(in_text(&mut failed, Some("t.cpp"), ""), Some(("t.cpp".to_owned(), 4)));
        assert_eq!(failed.message, "Expected equality");
    }
}
