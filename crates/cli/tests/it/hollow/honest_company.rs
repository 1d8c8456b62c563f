//! Honest changes of what tests load, and of sources: none of them may be blocked.

use super::Case;
use super::Verdict::{Passes, Told};
use super::company::{SAME, helped};
use crate::support::Workspace;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a helper is extended, and a new test uses it (node)",
        project: helped,
        change: |workspace| {
            workspace.write(
                "helpers/same.js",
                format!("{SAME}exports.close = (found, expected) => assert.ok(Math.abs(found - expected) < 1e-9);\n"),
            );
            workspace.write(
                "close.test.js",
                "require('node:test')('close', () => require('./helpers/same').close(require('./sum').sum(0.1, 0.2), 0.3));\n",
            );
        },
        names: &["helpers/same.js"],
        verdicts: [Passes, Told, Told, Told],
        probes: super::Passes,
    },
    Case {
        name: "a helper is rewritten and asserts the same (node)",
        project: helped,
        change: |workspace| {
            workspace.write(
                "helpers/same.js",
                "const assert = require('node:assert');\nconst equal = (found, expected) => {\n  assert.deepStrictEqual(found, expected);\n};\n\
                 exports.same = (found, expected) => equal(found, expected);\n",
            );
        },
        names: &["helpers/same.js"],
        verdicts: [Passes, Told, Told, Passes],
        probes: super::Told,
    },
    Case {
        name: "code and its golden file change together (node)",
        project: helped,
        change: |workspace| {
            workspace.write("data/expected.json", "{ \"sum\": 3, \"twice\": 6 }\n");
            workspace.write("sum.js", "exports.sum = (a, b) => a + b;\nexports.twice = (a) => 2 * a;\n");
        },
        names: &["data/expected.json"],
        verdicts: [Passes, Told, Told, Told],
        probes: super::Told,
    },
    Case {
        name: "a suppression moves to another file, and a sentence names one (node)",
        project: silenced,
        change: |workspace| {
            workspace
                .write("log.js", "// We write no eslint-disable here, nor noqa.\nexports.text = '// @ts-ignore';\n");
            workspace.write(
                "sum.js",
                "exports.sum = (a, b) => a + b;\n// eslint-disable-next-line no-console\nexports.log = (a) => console.log(a);\n",
            );
        },
        names: &["eslint-disable", "ts-ignore", "noqa"],
        verdicts: [Passes, Passes, Passes, Passes],
        probes: super::Told,
    },
    Case {
        name: "production code asserts with node:assert, and code that knew of tests stays (node)",
        project: silenced,
        change: |workspace| {
            workspace.write(
                "sum.js",
                "const assert = require('node:assert');\nexports.sum = (a, b) => {\n  assert.ok(Number.isFinite(a));\n  return a + b;\n};\n",
            );
            workspace
                .write("server.js", "exports.start = 1;\nif (process.env.NODE_ENV !== 'test') exports.port = 80;\n");
        },
        names: &["test-awareness", "patched-assertion", "test-import"],
        verdicts: [Passes, Passes, Passes, Passes],
        probes: super::Passes,
    },
];

fn silenced() -> Workspace {
    helped()
        .file("log.js", "// eslint-disable-next-line no-console\nexports.log = (a) => console.log(a);\n")
        .file("server.js", "if (process.env.NODE_ENV !== 'test') exports.port = 80;\n")
}
