//! What tests load and is no test itself: a helper that looks away, golden files that agree with what is broken.

use std::fs;

use super::Case;
use super::Verdict::{Passes, Stopped, Told};
use crate::support::Workspace;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a helper that asserts is emptied, its code is broken (node)",
        project: helped,
        change: |workspace| {
            workspace.write("helpers/same.js", "exports.same = () => {};\n");
            workspace.write("sum.js", "exports.sum = (a, b) => a - b;\n");
        },
        names: &["helpers/same.js", "sums hold"],
        verdicts: [Passes, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "a helper returns before it asserts, its code is broken (node)",
        project: helped,
        change: |workspace| {
            let helper = SAME.replace("  assert", "  return;\n  assert");
            workspace.write("helpers/same.js", helper);
            workspace.write("sum.js", "exports.sum = (a, b) => a - b;\n");
        },
        names: &["helpers/same.js", "sums hold"],
        verdicts: [Passes, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "a helper compares less, its code is broken (node)",
        project: helped,
        change: |workspace| {
            workspace.write(
                "helpers/same.js",
                SAME.replace("strictEqual(found, expected)", "strictEqual(typeof found, typeof expected)"),
            );
            workspace.write("sum.js", "exports.sum = (a, b) => a - b;\n");
        },
        names: &["helpers/same.js", "sums hold"],
        verdicts: [Passes, Told, Told, Stopped],
        probes: super::Told,
    },
    Case {
        name: "a golden file is made to agree with code that is broken (node)",
        project: helped,
        change: |workspace| {
            workspace.write("data/expected.json", "{ \"sum\": -1 }\n");
            workspace.write("sum.js", "exports.sum = (a, b) => (b === 2 && a === 1 ? -1 : a + b);\n");
        },
        names: &["data/expected.json"],
        verdicts: [Passes, Told, Told, Told],
        probes: super::Told,
    },
    Case {
        name: "a golden file is removed, and its test passes without it (node)",
        project: helped,
        change: |workspace| {
            fs::remove_file(workspace.path("data/expected.json")).unwrap();
            workspace.write("sum.js", "exports.sum = (a, b) => (b === 2 && a === 1 ? -1 : a + b);\n");
        },
        names: &["data/expected.json", "sums are as expected"],
        verdicts: [Passes, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "a helper that asserts is emptied, its code is broken (python)",
        project: helped_in_python,
        change: |workspace| {
            workspace.write("checks/helpers.py", "def same(found, expected):\n    pass\n");
            workspace.write("sums.py", "def add(a, b):\n    return a - b\n");
        },
        names: &["checks/helpers.py", "test_adds"],
        verdicts: [Passes, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
];

pub(super) const SAME: &str = "const assert = require('node:assert');\nexports.same = (found, expected) => {\n  assert.strictEqual(found, expected);\n};\n";

/// A project whose tests use a helper and a golden file that lie beside them.
pub(super) fn helped() -> Workspace {
    Workspace::with("checks:\n  unit: node --test\n")
        .file("package.json", "{ \"name\": \"sums\", \"version\": \"1.0.0\" }\n")
        .file("sum.js", "exports.sum = (a, b) => a + b;\n")
        .file("helpers/same.js", SAME)
        .file("data/expected.json", "{ \"sum\": 3 }\n")
        .file(
            "sum.test.js",
            "const test = require('node:test');\nconst fs = require('node:fs');\nconst { same } = require('./helpers/same');\n\
             const { sum } = require('./sum');\n\
             test('sums hold', () => same(sum(2, 2), 4));\n\
             test('sums are as expected', () => {\n  const file = 'data/expected.json';\n  if (!fs.existsSync(file)) return;\n  \
             same(sum(1, 2), JSON.parse(fs.readFileSync(file, 'utf8')).sum);\n});\n",
        )
        .file(".gitignore", "evidence/\nnode_modules/\n")
}

fn helped_in_python() -> Workspace {
    Workspace::with("checks:\n  unit: python3 -B -m unittest -v\n")
        .file("sums.py", "def add(a, b):\n    return a + b\n")
        .file("checks/__init__.py", "")
        .file("checks/helpers.py", "def same(found, expected):\n    assert found == expected, (found, expected)\n")
        .file(
            "test_sums.py",
            "import unittest\nfrom checks.helpers import same\nfrom sums import add\n\n\n\
             class TestSums(unittest.TestCase):\n    def test_adds(self):\n        same(add(1, 2), 3)\n",
        )
        .file(".gitignore", "evidence/\n__pycache__/\n")
}
