//! Tests that were there before, and that run no more or look no more.

use std::fs;

use super::Case;
use super::Verdict::{Stopped, Told};
use crate::support::Workspace;

/// Code of `sum.js` that no test of it lets pass.
const BROKEN: &str = "exports.sum = (a, b) => a - b;\n";

/// What is said where a clean room puts the tests back, over code that is broken.
const FAILED: &str = "passed at the trusted baseline, and failed";

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a file of tests is removed, its code is broken (node)",
        project: node,
        change: |workspace| {
            fs::remove_file(workspace.path("test/sum.test.js")).unwrap();
            workspace.write("sum.js", BROKEN);
        },
        names: &["fewer tests", "test/sum.test.js"],
        verdicts: [Told, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "tests are removed from a file, another one is written, its code is broken (node)",
        project: node,
        change: |workspace| {
            workspace.write("test/sum.test.js", "require('node:test')('it loads', () => require('../sum.js'));\n");
            workspace.write("sum.js", BROKEN);
        },
        names: &["fewer tests", "test/sum.test.js"],
        verdicts: [Told, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "a file of tests is renamed to what the runner does not collect, its code is broken (node)",
        project: node,
        change: |workspace| {
            fs::rename(workspace.path("test/sum.test.js"), workspace.path("test/sum.test.js.bak")).unwrap();
            workspace.write("sum.js", BROKEN);
        },
        names: &["fewer tests", "test/sum.test.js is", FAILED],
        verdicts: [Told, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "`test` becomes `test.skip` in a loop, its code is broken (node)",
        project: looped,
        change: |workspace| {
            workspace.write("test/sum.test.js", LOOP.replace("test(`", "test.skip(`"));
            workspace.write("sum.js", BROKEN);
        },
        names: &["fewer tests", "was skipped", "test/sum.test.js"],
        verdicts: [Told, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "rows of a table of tests are removed, their code is broken (node)",
        project: looped,
        change: |workspace| {
            workspace.write("test/sum.test.js", LOOP.replace(", [100, 200, 300]", ""));
            workspace.write("sum.js", "exports.sum = (a, b) => (a > 9 ? 0 : a + b);\n");
        },
        names: &["fewer tests", "is not among the tests that ran", "test/sum.test.js"],
        verdicts: [Told, Stopped, Told, Stopped],
        probes: super::Told,
    },
    Case {
        name: "a method of tests is removed, its code is broken (unittest)",
        project: python,
        change: |workspace| {
            let (kept, _) = SUMS.split_once("    def test_large").unwrap();
            workspace.write("tests/test_sums.py", kept);
            workspace.write("sums.py", "def add(a, b):\n    return 0 if a > 9 else a + b\n");
        },
        names: &["fewer tests", "tests/test_sums.py"],
        verdicts: [Told, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "a file of tests is renamed to what the runner does not collect, its code is broken (unittest)",
        project: python,
        change: |workspace| {
            fs::rename(workspace.path("tests/test_sums.py"), workspace.path("tests/sums_test_.py")).unwrap();
            workspace.write("sums.py", "def add(a, b):\n    return a - b\n");
        },
        names: &["fewer tests", "tests/test_sums.py is", FAILED],
        verdicts: [Told, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
];

/// Tests whose names are computed.
const LOOP: &str = "const test = require('node:test');\nconst assert = require('node:assert');\nconst { sum } = require('../sum.js');\n\
                    for (const [a, b, c] of [[1, 2, 3], [100, 200, 300]]) {\n  test(`adds ${a} and ${b}`, () => {\n    \
                    assert.strictEqual(sum(a, b), c);\n  });\n}\n";

/// The same project with tests in a loop.
fn looped() -> Workspace {
    node().file("test/sum.test.js", LOOP)
}

const SUMS: &str = "import unittest\n\nfrom sums import add\n\n\nclass Sums(unittest.TestCase):\n    def test_small(self):\n        \
                    self.assertEqual(add(1, 2), 3)\n\n    def test_large(self):\n        self.assertEqual(add(100, 200), 300)\n";

/// A project in Python, whose runner names every test.
pub(super) fn python() -> Workspace {
    Workspace::with("checks:\n  unit: python3 -B -m unittest discover -v -s tests -t .\n")
        .file("sums.py", "def add(a, b):\n    return a + b\n")
        .file("last.py", "def last(items):\n    return items[-1]\n")
        .file("tests/__init__.py", "")
        .file("tests/test_sums.py", SUMS)
        .file(
            "tests/test_last.py",
            "import unittest\n\nfrom last import last\n\n\nclass Last(unittest.TestCase):\n    def test_last(self):\n        \
             self.assertEqual(last([1, 2]), 2)\n",
        )
        .file(".gitignore", "evidence/\n__pycache__/\n")
}

/// Two files with tests of two modules, run by Node's own runner.
pub(super) fn node() -> Workspace {
    let test = |name: &str, call: &str| {
        format!(
            "const test = require('node:test');\nconst assert = require('node:assert');\n\
             const {{ {name} }} = require('../{name}.js');\n\
             test('{name} holds', () => assert.strictEqual({call}, 3));\n\
             test('{name} holds again', () => assert.strictEqual({call} + 1, 4));\n"
        )
    };
    Workspace::with("checks:\n  unit: node --test test\n")
        .file("package.json", "{ \"name\": \"sums\", \"version\": \"1.0.0\" }\n")
        .file("sum.js", "exports.sum = (a, b) => a + b;\n")
        .file("last.js", "exports.last = (list) => list[list.length - 1];\n")
        .file("test/sum.test.js", test("sum", "sum(1, 2)"))
        .file("test/last.test.js", test("last", "last([1, 2, 3])"))
        .file(".gitignore", "evidence/\nnode_modules/\n")
}
