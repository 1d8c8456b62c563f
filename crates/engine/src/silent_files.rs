//! Test files that passed as a whole and reported no tests of their own, although they are known to declare
//! tests, or contain nothing that could fail.
//!
//! Node's test runner counts a file that exits with 0 as a passed test. That is right for a script with
//! assertions, but not for a test file that was emptied, or that exits before its tests.

use std::collections::BTreeMap;
use std::path::Path;

use referee_ledger::workspace::{self, Looked};
use referee_model::id::ActionId;
use referee_model::plan::{Plan, Work};
use referee_model::report::Ran;
use referee_model::test_file::is_of_tests;
use referee_syntax::program::test_names;

use crate::protection::Baseline;

/// Words in a script that can make it fail.
const FAILS: [&str; 6] = ["assert", "expect", "should", "throw", "exit(1", "exitCode"];

/// Returns the silent files, by their titles in the readings, with the number of tests that each is known to declare.
pub(crate) fn find(plan: &Plan, ran: &BTreeMap<ActionId, Ran>, baseline: Option<&Baseline>) -> BTreeMap<String, u64> {
    let mut silent = BTreeMap::new();
    for (id, ran) in ran {
        let Some(Work::Command(command)) = plan.action(id).map(|action| &action.work) else { continue };
        let directory = plan.workspace.join(command.directory.as_str());
        for title in ran.reading.tests.iter().flat_map(|tests| &tests.cases).filter_map(|case| case.passed_as_file()) {
            if let Some(declared) = voids(&plan.workspace, &directory.join(title), baseline) {
                silent.insert(title.to_owned(), declared);
            }
        }
    }
    silent
}

/// Returns the number of tests that a file is known to declare, none of which was reported. `None`: it is a
/// script that passed.
fn voids(workspace: &Path, file: &Path, baseline: Option<&Baseline>) -> Option<u64> {
    let path = file.strip_prefix(workspace).ok().and_then(Path::to_str);
    let text = path.and_then(|path| match workspace::look(workspace, path) {
        Looked::File(held) => String::from_utf8(held.content?).ok(),
        _ => None,
    });
    let is_named = file.file_name().and_then(|name| name.to_str()).is_some_and(is_of_tests);
    let before = |path: &str| {
        let files = baseline.into_iter().flat_map(Baseline::all).filter_map(|baseline| baseline.lock.file(path));
        files.map(|file| file.tests.len().max(file.passed.len())).max().unwrap_or(0)
    };
    let now = |path: &str| text.as_deref().map_or(0, |text| declared(path, text, is_named));
    let known = path.map_or(0, |path| before(path).max(now(path)));
    let can_fail = || text.as_deref().is_some_and(|text| FAILS.iter().any(|word| text.contains(word)));
    (known > 0 || (is_named && !can_fail())).then_some(known as u64)
}

/// Returns the number of tests that a text declares. In a file without a test file's name, only top-level tests
/// count: it may define tests for others within functions.
fn declared(path: &str, text: &str, is_named: bool) -> usize {
    let outermost = text.lines().filter(|line| is_named || !line.starts_with(char::is_whitespace));
    test_names(path, &outermost.collect::<Vec<_>>().join("\n")).map_or(0, |tests| tests.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests lay out workspaces")]
    fn a_file_that_declares_tests_or_cannot_fail_is_no_test_that_passed() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = directory.path().canonicalize().unwrap();
        for (name, text, expected) in [
            ("a.test.js", "process.exit(0);\ntest('adds', () => {});\n", Some(1)),
            ("b.test.js", "", Some(0)),
            ("c.test.js", "// nothing\n", Some(0)),
            ("d.test.js", "require('assert').ok(1);\n", None),
            ("helper.js", "", None),
            ("suite.js", "module.exports = () => {\n  test('adds', () => {});\n};\n", None),
            ("left.js", "test('adds', () => {});\n", Some(1)),
            ("bytes.test.js", "\u{0}", Some(0)),
        ] {
            std::fs::write(workspace.join(name), text).unwrap();
            assert_eq!(voids(&workspace, &workspace.join(name), None), expected, "{name}");
        }
        assert_eq!(voids(&workspace, &workspace.join("gone.test.js"), None), Some(0));
        assert_eq!(voids(&workspace, Path::new("/elsewhere/a.js"), None), None);
    }
}
