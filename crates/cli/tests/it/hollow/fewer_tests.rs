//! Tests that run no more, in a file that stays.

use super::Case;
use super::Verdict::{Passes, Stopped, Told};
use super::tests_of_old::node;
use crate::support::Workspace;

const FEWER: &[&str] = &["fewer tests", "test/sum.test.js"];

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a loop of tests runs over less, its code is broken (node)",
        project: looped,
        change: |workspace| {
            workspace.write("cases.json", "[[1, 2, 3]]\n");
            workspace.write("sum.js", "exports.sum = () => 3;\n");
        },
        names: FEWER,
        verdicts: [Told, Stopped, Passes, Stopped],
        probes: super::Told,
    },
    Case {
        name: "tests are declared where code under test allows it, its code is broken (node)",
        project: looped,
        change: |workspace| workspace.write("sum.js", "exports.sum = undefined;\n"),
        names: FEWER,
        verdicts: [Told, Stopped, Passes, Stopped],
        probes: super::Told,
    },
];

/// Tests that are made from data, where there is something to test.
fn looped() -> Workspace {
    node().file("cases.json", "[[1, 2, 3], [2, 2, 4], [5, 5, 10]]\n").file(
        "test/sum.test.js",
        "const test = require('node:test');\nconst assert = require('node:assert');\n\
         const { sum } = require('../sum.js');\n\
         test('there are cases', () => assert.ok(require('../cases.json').length > 0));\n\
         if (sum) {\n  for (const [a, b, c] of require('../cases.json')) {\n    \
         const name = 'sum ' + a + ' ' + b;\n    test(name, () => assert.strictEqual(sum(a, b), c));\n  }\n}\n",
    )
}
