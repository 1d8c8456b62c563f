//! Project frames of a stack, and the file to be changed for a failure.
//!
//! A test states a requirement, so the file to be changed for a failed test is not its own but the file under
//! test: the innermost frame in the project that is not a test. Only [`to_change`] decides where to work.

use std::collections::BTreeSet;
use std::path::Path;

use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::plan::Plan;
use referee_model::reading::TestFailure;
use referee_model::test_file::is_of_tests;

use crate::fingerprint::is_in_project;

/// Number of lines of a stack that are examined.
const LINES: usize = 400;

/// Extensions of files whose frames name no directory, such as `at demo.Calc.div(Calc.java:4)`.
const WITHOUT_DIRECTORY: [&str; 4] = ["java", "kt", "scala", "groovy"];

/// Returns the file to be changed for a failure. None: it is not known, and changes are not confined to any file.
///
/// | what failed                                   | file                                                    |
/// |-----------------------------------------------|---------------------------------------------------------|
/// | a test, and its stack names a file under test | that file                                               |
/// | a test, in a file that is none of tests       | that file                                               |
/// | any other test                                | not known                                               |
/// | anything else                                 | the file of the finding: a linter's finding in a test is fixed in the test |
pub(crate) fn to_change<'a>(
    source: Option<DiagnosticSource>,
    file: Option<&'a str>,
    under_test: Option<&'a str>,
) -> Option<&'a str> {
    match source {
        Some(DiagnosticSource::Test) => under_test.or(file.filter(|file| !is_of_tests(file))),
        _ => file,
    }
}

/// Returns the file under test of a failed test, relative to the workspace: the innermost frame in the project
/// that is not a test.
pub(crate) fn under_test(plan: &Plan, failure: &TestFailure) -> Option<String> {
    let frames = of_project(plan, failure.stack.as_deref().unwrap_or_default());
    let is_outermost_first = is_outermost_first(&frames);
    let is_known = |file: &&String| {
        let has_directory =
            file.contains('/') || !WITHOUT_DIRECTORY.iter().any(|extension| has_extension(file, extension));
        !is_of_tests(file) && has_directory
    };
    let mut candidates = frames.iter().filter(is_known);
    if is_outermost_first { candidates.next_back() } else { candidates.next() }.cloned()
}

/// Returns the files of the project in a stack, without duplicates: at the last occurrence in a Python stack,
/// at the first in any other.
pub(crate) fn of_project(plan: &Plan, stack: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut files: Vec<String> = stack.lines().take(LINES).flat_map(|line| of_line(plan, line)).collect();
    let is_outermost_first = is_outermost_first(&files);
    if is_outermost_first {
        files.reverse();
    }
    files.retain(|file| seen.insert(file.clone()));
    if is_outermost_first {
        files.reverse();
    }
    files
}

/// Returns whether the outermost frame is first: Python prints it so, all others print the innermost first.
fn is_outermost_first(files: &[String]) -> bool {
    files.first().is_some_and(|file| has_extension(file, "py"))
}

fn has_extension(file: &str, extension: &str) -> bool {
    Path::new(file).extension().is_some_and(|end| end == extension)
}

fn of_line(plan: &Plan, line: &str) -> Vec<String> {
    if let Some(file) = of_traceback(line) {
        return own(plan, file).into_iter().collect();
    }
    let words = line.split(|character: char| character.is_whitespace() || "()\"'`<>[],".contains(character));
    words.filter_map(|word| frame(plan, word)).collect()
}

/// Returns the file of a line such as `File "src/a.py", line 12, in add`.
fn of_traceback(line: &str) -> Option<&str> {
    let (file, rest) = line.trim_start().strip_prefix("File \"")?.split_once('"')?;
    rest.starts_with(", line ").then_some(file)
}

/// Returns the file of `src/a.ts:12:5`, if it is the project's.
fn frame(plan: &Plan, word: &str) -> Option<String> {
    let word = word.strip_prefix("file://").unwrap_or(word);
    let (file, place) = word.split_once(':')?;
    let number = place.split(':').next()?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| own(plan, file)).flatten()
}

/// Returns a file relative to the project. None: it is outside.
fn own(plan: &Plan, file: &str) -> Option<String> {
    let mut workspaces = plan.workspaces().map(|path| path.to_str().unwrap_or_default().trim_end_matches('/'));
    let inside = workspaces.find_map(|workspace| file.strip_prefix(workspace)?.strip_prefix('/'));
    let file = inside.unwrap_or(file).trim_start_matches("./");
    let is_extension = |end: &str| end.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_file = file.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && is_extension(end));
    (is_file && is_in_project(file)).then(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn tested(stack: &str) -> Option<String> {
        under_test(&fixture::plan(Vec::new()), &TestFailure { stack: Some(stack.to_owned()), ..TestFailure::default() })
    }

    #[test]
    fn only_frames_of_the_project_are_files_to_look_at() {
        let plan = fixture::plan(Vec::new());
        let stack = "at add (/project/src/a.ts:12:5)\n at b (src/b.ts:1:1)\n    at src/a.ts:40:1\n\
                     at node:internal/process:95:5\n at /usr/lib/c.js:1:1\n at node_modules/jest/d.js:2:2\n\
                     File \"tests/test_a.py:7\", in x\n 12:30:05 1.5:2 http://localhost:3000/x.y:1";
        assert_eq!(of_project(&plan, stack), ["src/a.ts", "src/b.ts", "tests/test_a.py"]);
        assert_eq!(of_project(&plan, ""), [""; 0]);
    }

    /// In the formats of pytest 9, unittest of Python 3.11, and node 20.
    #[test]
    fn the_file_under_test_is_the_innermost_frame_that_is_no_test() {
        for (stack, file) in [
            ("tests/test_calc.py:8: \napp/calc.py:5: in add\napp/parse.py:2: ValueError", Some("app/parse.py")),
            ("tests/test_calc.py:11: AssertionError", None),
            ("conftest.py:3: in made\ntest_calc.py:4: ", None),
            (
                "File \"/project/tests/test_calc.py\", line 8, in test_adds\nFile \"/project/app/calc.py\", line 5, in add\n\
                 File \"/project/app/parse.py\", line 2, in number\nFile \"/usr/lib/python3.11/json/decoder.py\", line 3, in x",
                Some("app/parse.py"),
            ),
            ("File \"/project/tests/test_calc.py\", line 11, in test_total", None),
            (
                "exports.number (/project/src/parse.js:1:54)\nexports.add (/project/src/calc.js:2:37)\n\
                 TestContext.<anonymous> (/project/test/calc.test.js:4:41)\nTest.run (node:internal/test_runner/test:796:25)",
                Some("src/parse.js"),
            ),
            ("TestContext.<anonymous> (/project/test/calc.test.js:5:30)\nasync Test.run (node:internal/x:1:1)", None),
            ("at demo.Calc.div(Calc.java:4)\nat demo.CalcTest.divides(CalcTest.java:10)", None),
            ("", None),
            (":::\nFile \"\nFile \"x\n(:1:1)", None),
        ] {
            assert_eq!(tested(stack).as_deref(), file, "{stack}");
        }
    }

    #[test]
    fn nobody_is_told_to_change_a_test_because_it_failed() {
        use DiagnosticSource::{Build, Lint, Test};
        for (source, file, under_test, expected) in [
            (Some(Test), Some("test_a.py"), Some("a.py"), Some("a.py")),
            (Some(Test), Some("test_a.py"), None, None),
            (Some(Test), Some("src/lib.rs"), None, Some("src/lib.rs")),
            (Some(Build), Some("a.test.ts"), None, Some("a.test.ts")),
            (Some(Lint), Some("a.ts"), None, Some("a.ts")),
            (None, Some("a.ts"), None, Some("a.ts")),
            (Some(Test), None, None, None),
        ] {
            assert_eq!(to_change(source, file, under_test), expected);
        }
    }
}
