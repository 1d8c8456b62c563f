//! Honest changes of tests: none of them may be blocked.

use std::fs;

use super::Case;
use super::Verdict::{Passes, Told};
use super::tests_of_old::{node, python};

/// How a file of tests of the project begins.
const HEAD: &str = "const test = require('node:test');\nconst assert = require('node:assert');\nconst { sum } = require('../sum.js');\n";

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a title is reworded (node)",
        project: node,
        change: |workspace| {
            let text = fs::read_to_string(workspace.path("test/sum.test.js")).unwrap();
            workspace.write("test/sum.test.js", text.replace("sum holds again", "a sum and one more"));
        },
        names: &["which is `a sum and one more` now"],
        verdicts: [Passes, Told, Told, Passes],
        probes: super::Passes,
    },
    Case {
        name: "tests become a loop (node)",
        project: node,
        change: |workspace| {
            workspace.write(
                "test/sum.test.js",
                format!(
                    "{HEAD}for (const [more, wanted] of [[0, 3], [1, 4]]) {{\n  test(`sum and ${{more}}`, () => {{\n    \
                     assert.strictEqual(sum(1, 2) + more, wanted);\n  }});\n}}\n"
                ),
            );
        },
        names: &["which a loop, a table or subtests stand for now"],
        verdicts: [Passes, Told, Told, Passes],
        probes: super::Passes,
    },
    Case {
        name: "tests become subtests (node)",
        project: node,
        change: |workspace| {
            workspace.write(
                "test/sum.test.js",
                format!(
                    "{HEAD}test('sums', async (t) => {{\n  await t.test('of two', () => assert.strictEqual(sum(1, 2), 3));\n  \
                     await t.test('and one', () => assert.strictEqual(sum(1, 2) + 1, 4));\n}});\n"
                ),
            );
        },
        names: &["which a loop, a table or subtests stand for now"],
        verdicts: [Passes, Told, Told, Passes],
        probes: super::Passes,
    },
    Case {
        name: "a feature is removed with its tests (node)",
        project: node,
        change: |workspace| {
            fs::remove_file(workspace.path("sum.js")).unwrap();
            fs::remove_file(workspace.path("test/sum.test.js")).unwrap();
        },
        names: &["fewer tests", "with what it tested"],
        verdicts: [Told, Told, Told, Told],
        probes: super::Told,
    },
    Case {
        name: "a feature is removed with its tests (unittest)",
        project: python,
        change: |workspace| {
            fs::remove_file(workspace.path("sums.py")).unwrap();
            fs::remove_file(workspace.path("tests/test_sums.py")).unwrap();
        },
        names: &["fewer tests", "with what it tested"],
        verdicts: [Told, Told, Told, Told],
        probes: super::Told,
    },
    Case {
        name: "a file of tests is split in two (node)",
        project: node,
        change: |workspace| {
            fs::remove_file(workspace.path("test/sum.test.js")).unwrap();
            workspace.write(
                "test/one.test.js",
                format!("{HEAD}test('sum holds', () => assert.strictEqual(sum(1, 2), 3));\n"),
            );
            workspace.write(
                "test/two.test.js",
                format!("{HEAD}test('sum holds again', () => assert.strictEqual(sum(1, 2) + 1, 4));\n"),
            );
        },
        names: &["other files declare its tests"],
        verdicts: [Passes, Told, Told, Passes],
        probes: super::Passes,
    },
    Case {
        name: "a file of tests is moved (unittest)",
        project: python,
        change: |workspace| {
            fs::rename(workspace.path("tests/test_sums.py"), workspace.path("tests/test_adding.py")).unwrap();
        },
        names: &["moved to tests/test_adding.py"],
        verdicts: [Passes, Told, Told, Passes],
        probes: super::Passes,
    },
];
