//! Tests that an edit switched off: `describe.skip`, `t.Skip()`, `pytestmark`, `.only` on other tests.
//!
//! | added mark                                   | switches off                                          |
//! |----------------------------------------------|-------------------------------------------------------|
//! | selects tests to run alone (`.only`, `fit`)  | all others; with Mocha and Playwright in other files, too |
//! | above or at a group of tests                 | the tests of the group                                |
//! | in the body of a test                        | that test                                             |
//! | in a hook that runs before each test         | all tests of the file                                 |
//! | outside of any function                      | all tests of the file, or of the class around it      |
//! | in a new test, or in a helper                | no existing test                                      |

use std::collections::BTreeSet;

use referee_judge::suppressions;
use referee_model::run_context::protection::Suppression;
use referee_model::run_context::suppression::SuppressionKind;
use referee_syntax::program::{test_names, tests_at};

/// Describes which existing tests an edit switched off, and where. `None` if it switched off none.
pub(super) fn off(path: &str, before: &str, now: &str) -> Option<String> {
    let there = test_names(path, before).filter(|tests| !tests.is_empty())?;
    let added = suppressions::added(before, now, path);
    if let Some(mark) = added.iter().find(|mark| mark.kind == SuppressionKind::FocusedTest) {
        return Some(format!("tests are switched off: {}", alone(mark)));
    }
    let lines: Vec<&str> = now.lines().collect();
    let mut names = BTreeSet::new();
    let mut first = None;
    for mark in added.iter().filter(|mark| mark.kind.is_of_tests()) {
        let at = usize::try_from(mark.line).unwrap_or(usize::MAX).saturating_sub(1);
        let known: Vec<String> = tests_at(path, &lines, at).into_iter().filter(|name| there.contains(name)).collect();
        if !known.is_empty() {
            first = first.or(Some(mark));
            names.extend(known);
        }
    }
    let names: Vec<&String> = names.iter().collect();
    first.map(|mark| {
        let many = super::compare::tests_are(names.len());
        format!("{many} switched off: {} (line {}: `{}`)", super::listed_names(&names), mark.line, mark.text)
    })
}

/// Describes the mark in a new file that selects some tests to run alone. `None` if there is none.
pub(super) fn focus(path: &str, now: &str) -> Option<String> {
    let added = suppressions::added("", now, path);
    added.iter().find(|mark| mark.kind == SuppressionKind::FocusedTest).map(alone)
}

fn alone(mark: &Suppression) -> String {
    format!("line {} lets some tests run alone, and no others: `{}`", mark.line, mark.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_were_there_and_are_switched_off_are_named() {
        let go = "func TestA(t *testing.T) {\n\tadd(t)\n}\n\nfunc TestB(t *testing.T) {\n\tadd(t)\n}\n";
        let py = "import pytest\n\nclass TestA:\n    def test_a(self):\n        assert f()\n\ndef test_b():\n    assert f()\n";
        let js = "describe('x', () => {\n  it('a', () => {\n    f();\n  });\n});\ndescribe('y', () => {\n  it('b', f);\n});\n";
        let java = "class ATest {\n  @Test\n  void adds() {\n    f();\n  }\n}\n";
        let cpp = "TEST(Quotes, Adds) {\n  EXPECT_TRUE(f());\n}\n";
        let cs = "class A {\n    [Fact]\n    public void Adds() {}\n}\n";
        let rb = "describe 'x' do\n  it 'adds' do\n    f\n  end\nend\n";
        for (path, before, from, to, names) in [
            ("a_test.go", go, "B(t *testing.T) {\n", "B(t *testing.T) {\n\tt.Skip(\"later\")\n", "`TestB`"),
            (
                "a_test.go",
                go,
                "A(t *testing.T) {\n",
                "A(t *testing.T) {\n\tif testing.Short() {\n\t\tt.SkipNow()\n\t}\n",
                "`TestA`",
            ),
            (
                "test_a.py",
                py,
                "import pytest\n",
                "import pytest\npytestmark = pytest.mark.skip\n",
                "`test_a`, `test_b`",
            ),
            (
                "test_a.py",
                py,
                "import pytest\n",
                "import pytest\nif True:\n    pytest.skip('x', allow_module_level=True)\n",
                "`test_a`, `test_b`",
            ),
            ("test_a.py", py, "class TestA:", "@pytest.mark.skip\nclass TestA:", "`test_a`"),
            ("test_a.py", py, "class TestA:", "class TestA:\n    pytestmark = pytest.mark.skip", "`test_a`"),
            ("test_a.py", py, "def test_b():\n", "def test_b():\n    pytest.skip()\n", "`test_b`"),
            ("test_a.py", py, "def test_b():\n", "@pytest.mark.xfail\ndef test_b():\n", "`test_b`"),
            ("test_a.py", py, "def test_b():\n    assert f()", "def test_b(): pytest.skip('x')", "`test_b`"),
            ("a.test.js", js, "describe('x'", "describe.skip('x'", "`a`"),
            ("a.test.js", js, "describe('y'", "xdescribe('y'", "`b`"),
            ("a.test.js", js, "    f();", "    this.skip();", "`a`"),
            (
                "a.test.js",
                js,
                "describe('y', () => {\n",
                "describe('y', () => {\n  before(function () {\n    this.skip();\n  });\n",
                "`a`, `b`",
            ),
            ("ATest.java", java, "class", "@Disabled\nclass", "`adds`"),
            ("ATest.java", java, "    f();", "    Assumptions.assumeTrue(false);\n    f();", "`adds`"),
            ("a_test.cpp", cpp, "  EXPECT_TRUE(f());", "  GTEST_SKIP();", "`Quotes.Adds`"),
            ("a_test.cs", cs, "class", "[Ignore]\nclass", "`Adds`"),
            ("a_spec.rb", rb, "    f\n", "    skip 'later'\n    f\n", "`adds`"),
        ] {
            assert!(before.contains(from), "{path}: {from}");
            let now = before.replacen(from, to, 1);
            let said = off(path, before, &now).unwrap_or_default();
            assert!(said.contains(&format!("switched off: {names} (line ")), "{path}: {to}: {said}");
            assert_eq!(off(path, &now, &now), None, "{path}: it was so");
            assert_eq!(off(path, &now, before), None, "{path}: it is on again");
        }
    }

    #[test]
    fn what_runs_alone_switches_all_others_off() {
        let before = "it('a', f);\nit('b', f);\n";
        for (from, to) in
            [("it('a'", "it.only('a'"), ("it('a'", "fit('a'"), ("it('a', f)", "it('a', { only: true }, f)")]
        {
            let said = off("a.test.js", before, &before.replace(from, to)).unwrap_or_default();
            assert!(said.starts_with("tests are switched off: line 1 lets some tests run alone"), "{to}: {said}");
        }
        assert!(focus("b.test.js", "describe.only.each([1])('x', f);\n").is_some());
        assert_eq!(focus("b.test.js", "it('x', f);\n// it.only('y')\n"), None);
    }

    #[test]
    fn what_is_new_or_a_helper_switches_nothing_off_that_was_there() {
        let py = "def test_a():\n    assert f()\n";
        let js = "it('a', f);\n";
        let go = "func TestA(t *testing.T) {\n\tadd(t)\n}\n";
        for (path, before, now) in [
            ("test_a.py", py, format!("{py}\n@pytest.mark.skipif(True, reason='x')\ndef test_new():\n    pass\n")),
            ("test_a.py", py, format!("{py}def test_new(): pytest.skip('todo')\n")),
            ("test_a.py", py, format!("def needs_docker(): pytest.skip('x')\n\n{py}")),
            ("test_a.py", py, format!("def needs_docker():\n    if not docker():\n        pytest.skip('x')\n\n{py}")),
            ("a.test.js", js, format!("{js}it.todo('later');\ndescribe.skip('new', () => {{\n  it('c', f);\n}});\n")),
            (
                "a_test.go",
                go,
                format!(
                    "{go}func needs(t *testing.T) {{\n\tt.Skip()\n}}\n\nfunc TestNew(t *testing.T) {{\n\tt.Skip()\n}}\n"
                ),
            ),
            ("notes.md", "it('a')", "it.only('a')".to_owned()),
        ] {
            assert_eq!(off(path, before, &now), None, "{path}: {now}");
        }
    }
}
