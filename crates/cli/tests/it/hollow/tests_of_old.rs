//! Tests that were there before, and that run no more or look no more.

use std::fs;

use super::Case;
use super::Verdict::{Stopped, Told};
use crate::support::Workspace;

pub(super) const CASES: &[Case] = &[Case {
    name: "a file of tests is removed, its code is broken (node)",
    project: node,
    change: |workspace| {
        fs::remove_file(workspace.path("test/sum.test.js")).unwrap();
        workspace.write("sum.js", "exports.sum = (a, b) => a - b;\n");
    },
    names: &["fewer tests", "test/sum.test.js"],
    verdicts: [Told, Stopped, Stopped, Stopped],
}];

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
