//! Files of tests that Node's runner takes for a test that passed, because they exit with 0.

use super::Case;
use super::Verdict::{Stopped, Told};
use super::tests_of_old::node;
use crate::support::Workspace;

const NAMES: &[&str] = &["reported no test", "test/sum.test.js", "test/plain.js"];

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a file of tests is emptied, its code is broken (node)",
        project: node,
        change: |workspace| {
            workspace.write("test/sum.test.js", "");
            broken(workspace);
        },
        names: NAMES,
        verdicts: [Stopped, Stopped, Stopped, Stopped],
        probes: super::Stopped,
    },
    Case {
        name: "a file of tests leaves before its tests, its code is broken (node)",
        project: node,
        change: |workspace| {
            let text = std::fs::read_to_string(workspace.path("test/sum.test.js")).unwrap();
            workspace.write("test/sum.test.js", format!("process.exit(0);\n{text}"));
            broken(workspace);
        },
        names: NAMES,
        verdicts: [Stopped, Stopped, Stopped, Stopped],
        probes: super::Stopped,
    },
    Case {
        name: "code under test ends the process (node)",
        project: node,
        change: |workspace| workspace.write("sum.js", "process.exit(0);\n"),
        names: NAMES,
        verdicts: [Stopped, Stopped, Stopped, Stopped],
        probes: super::Stopped,
    },
    Case {
        name: "a file of tests becomes a script that asserts nothing of its code (node)",
        project: node,
        change: |workspace| {
            workspace.write("test/sum.test.js", "require('node:assert').ok(true);\n");
            broken(workspace);
        },
        names: &["fewer tests", "test/sum.test.js"],
        verdicts: [Told, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
];

fn broken(workspace: &Workspace) {
    workspace.write("sum.js", "exports.sum = (a, b) => a - b;\n");
}
