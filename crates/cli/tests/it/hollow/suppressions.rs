//! Ways to silence tools in sources that no lock protects, and production code that works on what judges it.

use std::fs;

use super::Case;
use super::Verdict::{Passes, Stopped, Told};
use super::tests_of_old::node;
use crate::support::Workspace;

/// Without a baseline nobody knows what was there; `suppressions: block` stops what is only told else.
const VERDICTS: [super::Verdict; 4] = [Passes, Told, Told, Stopped];

pub(super) const CASES: &[Case] = &[
    Case {
        name: "`eslint-disable` at a file's head",
        project: node,
        change: |workspace| before(workspace, "sum.js", "/* eslint-disable */\n"),
        names: &["eslint-disable"],
        verdicts: VERDICTS,
        probes: super::Passes,
    },
    Case {
        name: "`@ts-nocheck`, `as any` and `any` in TypeScript",
        project: typed,
        change: |workspace| {
            workspace.write("src/price.ts", "// @ts-nocheck\nexport const price = (a: any) => (a as any).b;\n");
        },
        names: &["any-type", "ts-nocheck"],
        verdicts: VERDICTS,
        probes: super::Told,
    },
    Case {
        name: "a `.ts` becomes a `.js`",
        project: typed,
        change: |workspace| {
            fs::remove_file(workspace.path("src/price.ts")).unwrap();
            workspace.write("src/price.js", "export const price = (a) => a.b;\n");
        },
        names: &["types-left"],
        verdicts: VERDICTS,
        probes: super::Told,
    },
    Case {
        name: "a source moves where no `include` names it",
        project: typed,
        change: |workspace| {
            fs::create_dir_all(workspace.path("legacy")).unwrap();
            fs::rename(workspace.path("src/price.ts"), workspace.path("legacy/price.ts")).unwrap();
        },
        names: &["types-left"],
        verdicts: VERDICTS,
        probes: super::Told,
    },
    Case {
        name: "`noqa` and `type: ignore` in Python",
        project: typed,
        change: |workspace| workspace.write("price.py", "import os  # noqa: F401\nx: int = 'a'  # type: ignore\n"),
        names: &["noqa", "type-ignore"],
        verdicts: VERDICTS,
        probes: super::Told,
    },
    Case {
        name: "`#[allow]` in Rust, a condition above its tests",
        project: typed,
        change: |workspace| {
            workspace
                .write("src/lib.rs", "#![allow(warnings)]\n#[cfg(all(test, feature = \"never\"))]\nmod tests {}\n");
        },
        names: &["allow-attribute", "build-condition"],
        verdicts: VERDICTS,
        probes: super::Passes,
    },
    Case {
        name: "a build tag in Go",
        project: typed,
        change: |workspace| before(workspace, "price.go", "//go:build never\n\n"),
        names: &["build-condition"],
        verdicts: VERDICTS,
        probes: super::Passes,
    },
    Case {
        name: "production code works where it is under test alone (node)",
        project: node,
        change: |workspace| {
            workspace.write("sum.js", "exports.sum = (a, b) => (process.env.NODE_TEST_CONTEXT ? a + b : 0);\n");
        },
        names: &["test-awareness"],
        verdicts: VERDICTS,
        probes: super::Told,
    },
    Case {
        name: "production code patches the assertion library, and is broken (node)",
        project: node,
        change: |workspace| {
            workspace.write("sum.js", "require('node:assert').strictEqual = () => {};\nexports.sum = () => 0;\n");
        },
        names: &["patched-assertion"],
        verdicts: VERDICTS,
        probes: super::Told,
    },
];

/// Puts a text before a file's content.
fn before(workspace: &Workspace, path: &str, text: &str) {
    let content = fs::read_to_string(workspace.path(path)).unwrap();
    workspace.write(path, format!("{text}{content}"));
}

/// A project with sources in several languages.
fn typed() -> Workspace {
    node()
        .file("tsconfig.json", "{ \"include\": [\"src\"] }\n")
        .file("src/price.ts", "export const price = (a: { b: number }) => a.b;\n")
        .file("price.py", "x: int = 1\n")
        .file("Cargo.toml", "[package]\nname = \"price\"\n")
        .file("src/lib.rs", "#[cfg(test)]\nmod tests {}\n")
        .file("price.go", "package price\n")
}
