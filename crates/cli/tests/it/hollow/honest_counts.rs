//! Honest changes of how many tests there are, and of files that are no tests to the runner.

use super::Case;
use super::Verdict::Passes;
use super::tests_of_old::node;
use crate::support::Workspace;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "two tests become four (node)",
        project: node,
        change: |workspace| {
            let text = std::fs::read_to_string(workspace.path("test/last.test.js")).unwrap();
            let more = "test('of one', () => assert.strictEqual(last([3]), 3));\n\
                        test('of none', () => assert.strictEqual(last([]), undefined));\n";
            workspace.write("test/more.test.js", format!("{text}{more}"));
        },
        names: &["test/more.test.js"],
        verdicts: [Passes, Passes, Passes, Passes],
        probes: super::Passes,
    },
    Case {
        name: "a plain script that asserts is among the tests, and code beside it changes (node)",
        project: script,
        change: |workspace| workspace.write("last.js", "exports.last = (list) => list.at(-1);\n"),
        names: &["passed-as-file", "reported no test"],
        verdicts: [Passes, Passes, Passes, Passes],
        probes: super::Told,
    },
    Case {
        name: "a plain script that asserts is added (node)",
        project: node,
        change: |workspace| workspace.write("test/plain.test.js", SCRIPT),
        names: &["passed-as-file", "reported no test"],
        verdicts: [Passes, Passes, Passes, Passes],
        probes: super::Passes,
    },
];

const SCRIPT: &str = "require('node:assert').strictEqual(require('../sum.js').sum(1, 2), 3);\n";

fn script() -> Workspace {
    node().file("test/plain.test.js", SCRIPT)
}
