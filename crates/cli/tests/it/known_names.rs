//! Tests that a lock knows by name, told by real runners: one that vanishes without its text saying so, and one that failed.

use std::fs;

use crate::support::{Workspace, git};

/// A project whose runner names its tests, with two ways to lose one of them.
struct Project {
    files: &'static [(&'static str, &'static str)],
    /// What is replaced in which file, and what the answer says of it.
    losses: &'static [(&'static str, &'static str, &'static str, &'static str)],
}

const GO: Project = Project {
    files: &[
        ("referee.yaml", "checks:\n  unit: go test -count=1 -v ./...\n"),
        ("go.mod", "module sums\n\ngo 1.22\n"),
        ("sums.go", "package sums\n\nfunc Sum(a, b int) int {\n\treturn a + b\n}\n"),
        (
            "sums_test.go",
            "package sums\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tfor _, name := range []string{\"small\", \"large\"} {\n\t\t\
             t.Run(name, func(t *testing.T) {\n\t\t\tif Sum(1, 2) != 3 {\n\t\t\t\tt.Fatal(\"no\")\n\t\t\t}\n\t\t})\n\t}\n}\n\nfunc TestOther(t *testing.T) {\n\t\
             if Sum(2, 2) != 4 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n",
        ),
        (".gitignore", "evidence/\n"),
    ],
    losses: &[
        ("sums_test.go", ", \"large\"", "", "`TestSum > large`"),
        (
            "sums_test.go",
            "func TestOther(t *testing.T) {\n\tif Sum(2, 2) != 4 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n",
            "",
            "sums_test.go",
        ),
    ],
};

const RUST: Project = Project {
    files: &[
        ("referee.yaml", "checks:\n  unit: cargo test --offline\n"),
        (
            "Cargo.toml",
            "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lib]\ndoctest = false\n",
        ),
        ("src/lib.rs", "pub fn sum(a: i32, b: i32) -> i32 {\n    a + b\n}\n"),
        (
            "tests/sums.rs",
            "use sums::sum;\n\n#[test]\nfn small() {\n    assert_eq!(sum(1, 2), 3);\n}\n\n#[cfg(not(windows))]\nmod more {\n    use super::*;\n\n    \
             #[test]\n    fn large() {\n        assert_eq!(sum(100, 200), 300);\n    }\n}\n",
        ),
        (".gitignore", "evidence/\ntarget/\n"),
    ],
    losses: &[
        ("tests/sums.rs", "cfg(not(windows))", "cfg(windows)", "`more > large`"),
        ("tests/sums.rs", "#[test]\nfn small", "#[allow(dead_code)]\nfn small", "tests/sums.rs"),
    ],
};

const NODE: Project = Project {
    files: &[
        ("referee.yaml", "checks:\n  unit: node --test --test-reporter=spec test\n"),
        ("package.json", "{ \"name\": \"sums\" }\n"),
        ("sum.js", "exports.sum = (a, b) => a + b;\n"),
        (
            "test/sum.test.js",
            "const test = require('node:test');\nconst { equal } = require('node:assert');\nconst { sum } = require('../sum.js');\n\n\
             const large = true;\ntest('small', () => equal(sum(1, 2), 3));\nif (large) {\n  test('large', () => equal(sum(100, 200), 300));\n}\n",
        ),
        (".gitignore", "evidence/\n"),
    ],
    losses: &[
        ("test/sum.test.js", "large = true", "large = false", "`large`"),
        ("test/sum.test.js", "test('small', () => equal(sum(1, 2), 3));\n", "", "test/sum.test.js"),
    ],
};

impl Project {
    fn locked(&self) -> Workspace {
        let workspace = Workspace::new();
        for (path, text) in self.files {
            workspace.write(path, text);
        }
        let directory = workspace.path("");
        git(&directory, &["init", "-q"]);
        workspace.referee(&["run", "-q"]).exits(0);
        workspace.referee(&["lock"]).exits(0);
        workspace.referee(&["run", "-q"]).exits(0);
        workspace
    }

    #[track_caller]
    fn holds(&self) {
        let workspace = self.locked();
        for (file, from, to, part) in self.losses {
            let before = fs::read_to_string(workspace.path(file)).unwrap();
            assert!(before.contains(from), "{from}");
            workspace.write(file, before.replace(from, to));
            let finished = workspace.referee(&["run"]).exits(3);
            let told = finished.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(told.contains(part) && told.contains("referee lock accept"), "{part}: {told}");
            workspace.write(file, before);
        }
        workspace.referee(&["run", "-q"]).exits(0);
    }
}

#[test]
fn tests_of_node_are_known_by_name() {
    NODE.holds();
}

#[test]
fn tests_of_go_are_known_by_name() {
    GO.holds();
}

#[test]
fn tests_of_cargo_are_known_by_name() {
    RUST.holds();
}
