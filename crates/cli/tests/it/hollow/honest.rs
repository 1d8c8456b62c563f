//! Honest changes: none of them may be blocked.

use super::Case;
use super::Verdict::Passes;
use super::tests_of_old::node;

pub(super) const CASES: &[Case] = &[Case {
    name: "a function and its test are added (node)",
    project: node,
    change: |workspace| {
        workspace.write("twice.js", "exports.twice = (a) => 2 * a;\n");
        workspace.write(
            "test/twice.test.js",
            "require('node:test')('twice', () => require('node:assert').strictEqual(require('../twice.js').twice(2), 4));\n",
        );
    },
    names: &["twice.js"],
    verdicts: [Passes, Passes, Passes, Passes],
    probes: super::Passes,
}];
