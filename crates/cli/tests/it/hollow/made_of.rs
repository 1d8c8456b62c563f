//! What a check is made of: recipes, scripts behind scripts, what configurations load.

use super::Case;
use super::Verdict::{Passes, Stopped, Told};
use crate::support::Workspace;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "the recipe of a Makefile becomes `true` (make)",
        project: made,
        change: |workspace| broken(workspace, "Makefile", &MAKEFILE.replace("\t$(RUN) -m unittest -v", "\ttrue")),
        names: &["Makefile"],
        verdicts: [Passes, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "a variable of a Makefile that a recipe uses becomes `true` (make)",
        project: made,
        change: |workspace| broken(workspace, "Makefile", &MAKEFILE.replace("RUN = python3 -B", "RUN = true")),
        names: &["Makefile"],
        verdicts: [Passes, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "a script behind a script of npm becomes empty (npm)",
        project: scripted,
        change: |workspace| broken(workspace, "ci/run.sh", "true\n"),
        names: &["ci/run.sh", "test_adds"],
        verdicts: [Passes, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "a script that a script sources looks away (npm, sh)",
        project: scripted,
        change: |workspace| broken(workspace, "ci/lib.sh", "run() { true; }\n"),
        names: &["ci/lib.sh", "test_adds"],
        verdicts: [Passes, Stopped, Stopped, Stopped],
        probes: super::Told,
    },
    Case {
        name: "a `pretest` is added (npm)",
        project: scripted,
        change: |workspace| {
            broken(workspace, "package.json", &PACKAGE.replace("{ \"test\"", "{ \"pretest\": \"true\", \"test\""));
            workspace.write("sums.py", GOOD);
        },
        names: &["package.json#/scripts/pretest"],
        verdicts: [Passes, Stopped, Stopped, Stopped],
        probes: super::Passes,
    },
    Case {
        name: "`addopts` of pyproject.toml deselects what fails",
        project: configured,
        change: |workspace| {
            workspace.write("pyproject.toml", PYPROJECT.replace("'-q'", "'-q -k nothing'"));
            workspace.write("sums.py", GOOD);
        },
        names: &["pyproject.toml#/tool/pytest"],
        verdicts: [Passes, Stopped, Stopped, Stopped],
        probes: super::Passes,
    },
    Case {
        name: "a file that mocha's configuration requires patches what asserts",
        project: configured,
        change: |workspace| workspace.write("support/first.js", "require('node:assert').strictEqual = () => {};\n"),
        names: &["support/first.js"],
        // A clean room brings back what was locked.
        verdicts: [Passes, Stopped, Stopped, Passes],
        probes: super::Passes,
    },
];

pub(super) const HONEST: &[Case] = &[
    Case {
        name: "a target and a comment are added to a Makefile (make)",
        project: made,
        change: |workspace| {
            workspace.write("Makefile", format!("# how it is built\n{MAKEFILE}\nclean:\n\trm -rf out\n"));
        },
        names: &["Makefile"],
        verdicts: [Passes, Told, Told, Told],
        probes: super::Passes,
    },
    Case {
        name: "a script and a dependency are added, and a formatter goes over package.json (npm)",
        project: scripted,
        change: |workspace| {
            workspace.write(
                "package.json",
                "{\n  \"dependencies\": {},\n  \"name\": \"sums\",\n  \"scripts\": {\n    \"start\": \"node .\",\n    \
                 \"test\": \"sh ci/run.sh\"\n  }\n}\n",
            );
        },
        names: &["package.json"],
        verdicts: [Passes, Passes, Passes, Passes],
        probes: super::Passes,
    },
    Case {
        name: "a dependency is added to pyproject.toml",
        project: configured,
        change: |workspace| {
            workspace.write("pyproject.toml", format!("[project]\nname = 'sums'\nversion = '1'\n{PYPROJECT}"));
        },
        names: &["pyproject.toml"],
        verdicts: [Passes, Told, Told, Told],
        probes: super::Passes,
    },
];

const GOOD: &str = "def add(a, b):\n    return a + b\n";
const BROKEN: &str = "def add(a, b):\n    return a - b\n";
const TESTS: &str = "import unittest\nfrom sums import add\n\n\nclass TestSums(unittest.TestCase):\n    \
                     def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n";
const MAKEFILE: &str = "RUN = python3 -B\n.PHONY: test\ntest:\n\t$(RUN) -m unittest -v\n";
const PACKAGE: &str = "{ \"name\": \"sums\", \"scripts\": { \"test\": \"sh ci/run.sh\" } }\n";
const PYPROJECT: &str = "[tool.pytest.ini_options]\naddopts = '-q'\n";

/// Makes a file look away, and breaks the code.
fn broken(workspace: &Workspace, path: &str, text: &str) {
    workspace.write(path, text);
    workspace.write("sums.py", BROKEN);
}

/// The exit code decides: what is looked at is which files a check is made of, not what the runner says.
fn project(line: &str) -> Workspace {
    let check = format!("checks:\n  unit: {{ run: {line}, exitCodeOnly: true }}\n");
    Workspace::with(&check)
        .file("sums.py", GOOD)
        .file("test_sums.py", TESTS)
        .file(".gitignore", "evidence/\n__pycache__/\nnode_modules/\n")
}

fn made() -> Workspace {
    project("make -s test").file("Makefile", MAKEFILE)
}

fn scripted() -> Workspace {
    project("npm test")
        .file("package.json", PACKAGE)
        .file("ci/run.sh", ". ./ci/lib.sh\nrun\n")
        .file("ci/lib.sh", "run() { python3 -B -m unittest -v; }\n")
}

fn configured() -> Workspace {
    project("python3 -B -m unittest -v")
        .file("pyproject.toml", PYPROJECT)
        .file("package.json", "{ \"name\": \"sums\" }\n")
        .file(".mocharc.json", "{ \"require\": [\"./support/first.js\"] }\n")
        .file("support/first.js", "")
}
