//! Tests that come with a change and hold nothing of it.

use super::Case;
use super::Verdict::{Passes, Told};
use super::tests_of_old::{node, python};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a broken function comes with a test that asserts nothing of it (node)",
        project: node,
        change: |workspace| {
            workspace.write("twice.js", "exports.twice = (a) => a;\n");
            workspace
                .write("test/twice.test.js", "require('node:test')('twice', () => require('node:assert').ok(true));\n");
        },
        names: &["pass without it"],
        verdicts: [Passes, Passes, Told, Passes],
        probes: super::Told,
    },
    Case {
        name: "a broken function comes with a test that asserts nothing of it (unittest)",
        project: python,
        change: |workspace| {
            workspace.write("doubles.py", "def double(a):\n    return a\n");
            workspace.write(
                "tests/test_doubles.py",
                "import unittest\n\n\nclass Doubles(unittest.TestCase):\n    def test_double(self):\n        self.assertTrue(True)\n",
            );
        },
        names: &["pass without it"],
        verdicts: [Passes, Passes, Told, Passes],
        probes: super::Told,
    },
];
