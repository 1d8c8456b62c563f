//! Explains why a test's declaration is gone although the set of tests is no weaker; such tests are only reported.
//!
//! | the declaration is gone, and                                               | fate                                |
//! |----------------------------------------------------------------------------|-------------------------------------|
//! | a new one has the same body                                                | reworded                            |
//! | new code in the file makes the same calls with all the values, and asserts | computed: a loop, a table, subtests |
//! | everything that it used of the workspace is gone ([`super::subject`])      | dropped                             |
//! | none of these, or the edit switches tests off as well                      | not explained                       |

use std::collections::{BTreeMap, BTreeSet};

use referee_judge::suppressions;
use referee_model::run_context::protection::TestFate;
use referee_syntax::program::{Declaration, Line, Source, asserts, calls};

use super::subject::Subjects;

/// Calls that declare a test or a part of one. They need not be called by the new code.
const DECLARING: [&str; 13] = [
    "it",
    "test",
    "specify",
    "describe",
    "suite",
    "Run",
    "subTest",
    "parametrize",
    "each",
    "forEach",
    "case",
    "func",
    "function",
];

/// Keywords that look like a call.
const CONTROL: [&str; 6] = ["if", "for", "while", "switch", "catch", "return"];

/// Explains why tests of a file are gone, as far as possible: title → fate. `now` is `None` if the file is gone.
pub(super) fn explain(
    path: &str,
    gone: &[&String],
    before: &str,
    now: Option<&str>,
    subjects: &mut Subjects<'_>,
) -> BTreeMap<String, TestFate> {
    let mut fates = BTreeMap::new();
    let Some(then) = Source::of(path, before) else { return fates };
    let switches_off = |now: &&str| suppressions::added(before, now, path).iter().any(|mark| mark.kind.is_of_tests());
    if now.as_ref().is_some_and(switches_off) {
        return fates;
    }
    let there = now.and_then(|now| Source::of(path, now));
    let titles = then.titles();
    let mut fresh: Vec<&Declaration> =
        there.iter().flat_map(|now| &now.tests).filter(|test| !titles.contains(test.title.as_str())).collect();
    let new = there.as_ref().map(|now| New::of(now, &titles));
    for title in gone {
        let Some(test) = then.tests.iter().find(|test| test.title == **title) else { continue };
        if let Some(at) = fresh.iter().position(|other| other.body == test.body) {
            fates.insert((*title).clone(), TestFate::Reworded { title: fresh.remove(at).title.clone() });
        } else if new.as_ref().is_some_and(|new| new.does_all_of(&then.lines[test.lines.clone()], title)) {
            fates.insert((*title).clone(), TestFate::Computed);
        } else if subjects.are_gone(path, &then, test) {
            fates.insert((*title).clone(), TestFate::Dropped);
        }
    }
    fates
}

/// Describes the fate of a test.
pub(super) fn said(title: &str, fate: &TestFate) -> String {
    match fate {
        TestFate::Reworded { title: now } => format!("test `{title}`, which is `{now}` now"),
        TestFate::Computed => format!("test `{title}`, which a loop, a table or subtests stand for now"),
        TestFate::Dropped => format!("test `{title}`, with what it tested"),
        TestFate::Stays => format!("test `{title}`"),
    }
}

/// New code in a test file.
struct New {
    does: Does,
    declares: bool,
}

/// The calls and the values of some lines, and whether they assert.
#[derive(Default)]
struct Does {
    calls: BTreeSet<String>,
    values: BTreeSet<String>,
    asserts: bool,
}

impl New {
    fn of(now: &Source, known: &BTreeSet<&str>) -> Self {
        let lines = now.without(known);
        let declares = lines.iter().flat_map(|line| calls(&line.code)).any(|(name, _)| DECLARING.contains(&name))
            || now.tests.iter().any(|test| !known.contains(test.title.as_str()));
        Self { does: Does::of(lines), declares }
    }

    /// Whether the new code does everything that a test did.
    fn does_all_of(&self, test: &[Line], title: &str) -> bool {
        let then = Does::of(test);
        let is_known = |call: &&String| DECLARING.contains(&call.as_str()) || call.as_str() == title;
        self.declares
            && (self.does.asserts || !then.asserts)
            && then.calls.iter().filter(|call| !is_known(call)).all(|call| self.does.calls.contains(call))
            && then.values.iter().filter(|value| *value != title).all(|value| self.does.values.contains(value))
    }
}

impl Does {
    fn of<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Self {
        let mut does = Self::default();
        for line in lines {
            let called = calls(&line.code).map(|(name, _)| name).filter(|name| !CONTROL.contains(name));
            does.calls.extend(called.map(str::to_owned));
            // A sentence is more often a failure message than a compared value.
            let is_value = |text: &&String| !text.is_empty() && !text.contains(char::is_whitespace);
            does.values.extend(line.texts.iter().filter(is_value).cloned());
            does.values.extend(numbers(&line.code));
            does.asserts |= asserts(line.code.trim());
        }
        does
    }
}

/// Returns the numbers in a line of code.
fn numbers(code: &str) -> impl Iterator<Item = String> {
    let word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '.');
    code.split(move |character: char| !word(character))
        .filter(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .map(|number| number.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use referee_ledger::workspace::Looked;

    use super::*;

    const JS: &str = "const { sum } = require('../sum.js');\ntest('adds small', () => {\n  equal(sum(1, 2), 3);\n});\ntest('adds big', () => {\n  equal(sum(100, 200), 300);\n});\n";
    const PYTHON: &str = "from sums import add\n\ndef test_small():\n    assert add(1, 2) == 3\n\ndef test_big():\n    assert add(100, 200) == 300\n";
    const GO: &str = "package sums\n\nfunc TestSmall(t *testing.T) {\n\tif got := Sum(1, 2); got != 3 {\n\t\tt.Errorf(\"Sum(1, 2) = %d\", got)\n\t}\n}\n\nfunc TestBig(t *testing.T) {\n\tif got := Sum(100, 200); got != 300 {\n\t\tt.Errorf(\"Sum(100, 200) = %d\", got)\n\t}\n}\n";

    /// Returns the fates of tests of a file whose subject still exists.
    fn fates(path: &str, gone: &[&str], before: &str, now: &str) -> Vec<Option<TestFate>> {
        let names: Vec<String> = gone.iter().map(|name| (*name).to_owned()).collect();
        let then = || BTreeSet::from(["sum.js".to_owned(), "sums.py".to_owned(), "sums.go".to_owned()]);
        let text = |path: &str| match path {
            "sum.js" => Some("exports.sum = 1;\n"),
            "sums.py" => Some("def add(): pass\n"),
            "sums.go" => Some("func Sum(a, b int) int {\n"),
            _ => None,
        };
        let look = |path: &str| {
            let held = |text: &str| referee_ledger::workspace::WorkspaceFile::of(text.as_bytes().to_vec());
            text(path).map_or(Looked::Missing, |text| Looked::File(held(text)))
        };
        let listed: Vec<_> =
            then().into_iter().map(|path| referee_ledger::workspace::Listed { path, ignored: false }).collect();
        let mut subjects = Subjects::new(&then, &listed, &look);
        let found = explain(path, &names.iter().collect::<Vec<_>>(), before, Some(now), &mut subjects);
        names.iter().map(|name| found.get(name).cloned()).collect()
    }

    #[test]
    fn a_title_that_was_reworded_is_another_one_of_the_same_body() {
        let reworded = |now: &str| vec![Some(TestFate::Reworded { title: now.to_owned() })];
        assert_eq!(
            fates("a.test.js", &["adds small"], JS, &JS.replace("adds small", "sums of small numbers")),
            reworded("sums of small numbers")
        );
        assert_eq!(
            fates("test_a.py", &["test_big"], PYTHON, &PYTHON.replace("test_big", "test_large")),
            reworded("test_large")
        );
        assert_eq!(fates("a_test.go", &["TestBig"], GO, &GO.replace("TestBig", "TestLarge")), reworded("TestLarge"));
        for (from, to) in [("(1, 2), 3)", "(1, 2), 4)"), ("  equal(sum(1, 2), 3);\n", "")] {
            let now = JS.replace("adds small", "sums").replace(from, to);
            assert_eq!(fates("a.test.js", &["adds small"], JS, &now), [None], "{now}");
        }
        let skipped = JS.replace("adds small", "sums").replace("test('adds big", "test.skip('adds big");
        assert_eq!(fates("a.test.js", &["adds small", "adds big"], JS, &skipped), [None, None]);
    }

    #[test]
    fn tests_may_become_a_loop_a_table_or_subtests_that_assert_the_same() {
        let js = "const { sum } = require('../sum.js');\nfor (const [a, b, c] of [[1, 2, 3], [100, 200, 300]]) {\n  test(`adds ${a}`, () => {\n    equal(sum(a, b), c);\n  });\n}\n";
        let subtests = "const { sum } = require('../sum.js');\ntest('sums', async (t) => {\n  await t.test('adds small', () => {\n    equal(sum(1, 2), 3);\n  });\n  await t.test('adds big', () => equal(sum(100, 200), 300));\n});\n";
        let python = "from sums import add\n\n@pytest.mark.parametrize('a,b,c', [\n    (1, 2, 3),\n    (100, 200, 300),\n])\ndef test_add(a, b, c):\n    assert add(a, b) == c\n";
        let go = "package sums\n\nfunc TestSum(t *testing.T) {\n\tfor _, c := range []struct{ a, b, want int }{{1, 2, 3}, {100, 200, 300}} {\n\t\tt.Run(\"sum\", func(t *testing.T) {\n\t\t\tif got := Sum(c.a, c.b); got != c.want {\n\t\t\t\tt.Errorf(\"Sum = %d\", got)\n\t\t\t}\n\t\t})\n\t}\n}\n";
        let all = [Some(TestFate::Computed), Some(TestFate::Computed)];
        for (path, gone, before, now) in [
            ("a.test.js", ["adds small", "adds big"], JS, js),
            ("a.test.js", ["adds small", "adds big"], JS, subtests),
            ("test_a.py", ["test_small", "test_big"], PYTHON, python),
            ("a_test.go", ["TestSmall", "TestBig"], GO, go),
        ] {
            assert_eq!(fates(path, &gone, before, now), all, "{now}");
            let lost = now
                .replace(", [100, 200, 300]", "")
                .replace(", {100, 200, 300}", "")
                .replace("    (100, 200, 300),\n", "");
            let lost = lost.replace("  await t.test('adds big', () => equal(sum(100, 200), 300));\n", "");
            assert_ne!(lost, now);
            assert_eq!(fates(path, &gone, before, &lost), [all[0].clone(), None], "{lost}");
        }
        for (from, to) in [("equal(sum(a, b), c);", ""), ("sum(a, b)", "a + b"), ("test(`adds", "test.skip(`adds")] {
            let now = js.replace(from, to);
            assert_eq!(fates("a.test.js", &["adds small", "adds big"], JS, &now), [None, None], "{now}");
        }
    }

    #[test]
    fn a_test_that_vanishes_while_its_subject_stands_is_not_explained() {
        let (first, _) = JS.split_once("test('adds big'").unwrap();
        assert_eq!(fates("a.test.js", &["adds big"], JS, first), [None]);
        let (first, _) = PYTHON.split_once("def test_big").unwrap();
        assert_eq!(fates("test_a.py", &["test_big"], PYTHON, first), [None]);
        let (first, _) = GO.split_once("func TestBig").unwrap();
        assert_eq!(fates("a_test.go", &["TestBig"], GO, first), [None]);
        for junk in ["", "\u{0}{{{((('", "test('x'"] {
            assert_eq!(fates("a.test.js", &["adds big"], JS, junk), [None], "{junk}");
            assert_eq!(fates("a.test.js", &["adds big"], junk, JS), [None], "{junk}");
        }
    }
}
