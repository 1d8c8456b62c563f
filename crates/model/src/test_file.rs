//! Recognizes test files by their paths, using the common conventions of the languages. A test defines what must
//! hold, so a failed test never leads to advice to change its file.

/// Names of test directories.
const DIRECTORIES: [&str; 7] = ["test", "tests", "spec", "specs", "__tests__", "e2e", "cypress"];

/// Parts of file names that mark test files.
const PARTS: [&str; 9] = [".test.", ".spec.", "_test.", "_tests.", "_spec.", "-test.", "-spec.", ".cy.", ".e2e."];

/// Endings of the name up to the first dot that mark files with a test class.
const CLASSES: [&str; 3] = ["Test", "Tests", "Spec"];

/// Returns whether a path, with forward slashes, is that of a test file.
pub fn is_of_tests(path: &str) -> bool {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_begun = |rest: &str| rest.starts_with(['.', '-', '_']) || rest.starts_with("s.");
    PARTS.iter().any(|part| name.contains(part))
        || name.strip_prefix("test").is_some_and(is_begun)
        || name.split_once('.').is_some_and(|(stem, _)| CLASSES.iter().any(|end| stem.ends_with(end)))
        || name == "conftest.py"
        || directories.split('/').any(|directory| DIRECTORIES.contains(&directory))
}

/// Returns whether a test runner that collects one file by its name also collects the other, as far as names
/// show: both have the same extension, and the other is marked as a test by its name if the first one is, else by
/// a directory.
pub fn is_collected_as(file: &str, other: &str) -> bool {
    let parts = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        (is_of_tests(name), name.rsplit_once('.').map_or("", |(_, ending)| ending).to_owned())
    };
    let ((is_marked, ending), (is_other_marked, other_ending)) = (parts(file), parts(other));
    let is_found = if is_marked { is_other_marked } else { is_of_tests(other) || !is_of_tests(file) };
    ending == other_ending && is_found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_no_runner_collects_is_not_the_one_that_was_moved() {
        for (file, other, is_collected) in [
            ("a.test.js", "b/a.test.js", true),
            ("a.test.js", "a.spec.js", true),
            ("test/a.test.js", "test/a.test.js.bak", false),
            ("test/a.test.js", "test/a.helper.js", false),
            ("tests/test_a.py", "tests/a_test_.py", false),
            ("tests/test_a.py", "tests/unit/test_b.py", true),
            ("tests/a.rs", "tests/b.rs", true),
            ("tests/a.rs", "src/b.rs", false),
            ("a_test.go", "a.go", false),
            ("checks/a.js", "checks/b.js", true),
        ] {
            assert_eq!(is_collected_as(file, other), is_collected, "{file} {other}");
        }
    }

    #[test]
    fn files_of_tests_are_known_by_their_names() {
        for tests in [
            "test_app.py",
            "a/test_b.py",
            "tests.py",
            "conftest.py",
            "b_test.go",
            "src/a.test.ts",
            "a.spec.tsx",
            "test.js",
            "tests/a.rs",
            "src/parse/tests.rs",
            "src/test/java/A.java",
            "spec/a_spec.rb",
            "AppTest.java",
            "CalcSpec.scala",
            "web/__tests__/a.js",
            "cypress/login.ts",
        ] {
            assert!(is_of_tests(tests), "{tests}");
        }
        for other in [
            "app.py",
            "src/latest.ts",
            "contest/a.py",
            "src/testing.rs",
            "attest.go",
            "src/inspect.ts",
            "src/lib.rs",
            "testable.py",
            "Latest.java",
            "test",
            "",
        ] {
            assert!(!is_of_tests(other), "{other}");
        }
    }
}
