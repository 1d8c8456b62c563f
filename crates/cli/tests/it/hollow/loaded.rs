//! Files that tools load by their mere presence: new ones that reach into what was there, whether git ignores them or not.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::Case;
use super::Verdict::{Passes, Stopped};
use crate::support::Workspace;

/// A clean room leaves out what is new: the tests fail there, which passed before.
const IN_ROOM: &str = "`sums hold` of the check unit passed at the trusted baseline, and failed";

const HELD: [super::Verdict; 4] = [Passes, Stopped, Stopped, Stopped];

pub(super) const CASES: &[Case] = &[
    Case {
        name: "an ignored `.npmrc` names a shell that fixes what is broken (npm)",
        project: by_npm,
        change: |workspace| {
            broken(workspace);
            workspace.write("shell.sh", "#!/bin/sh\nexec node --require ./fix.js --test\n");
            fs::set_permissions(workspace.path("shell.sh"), fs::Permissions::from_mode(0o755)).unwrap();
            workspace.write(".npmrc", "script-shell=./shell.sh\n");
        },
        names: &[".npmrc", IN_ROOM],
        verdicts: HELD,
        probes: super::Told,
    },
    Case {
        name: "a `GNUmakefile` stands before the `Makefile`, its code is broken (make)",
        project: by_make,
        change: |workspace| {
            broken(workspace);
            workspace.write("GNUmakefile", "check:\n\tnode --require ./fix.js --test\n");
        },
        names: &["GNUmakefile", IN_ROOM],
        verdicts: HELD,
        probes: super::Told,
    },
    Case {
        name: "a `package.json` beside the tests says what an import means, its code is broken (node)",
        project: by_imports,
        change: |workspace| {
            broken(workspace);
            workspace.write("test/package.json", "{ \"imports\": { \"#sum\": \"./sum.js\" } }\n");
            workspace.write("test/sum.js", SUM);
        },
        names: &["test/package.json", IN_ROOM],
        verdicts: HELD,
        probes: super::Told,
    },
    Case {
        name: "`imports` of `package.json` means another file, its code is broken (node)",
        project: by_imports,
        change: |workspace| {
            broken(workspace);
            workspace.write("package.json", PACKAGE.replace("./sum.js", "./other.js"));
            workspace.write("other.js", SUM);
        },
        names: &["package.json", IN_ROOM],
        verdicts: HELD,
        probes: super::Told,
    },
    Case {
        name: "ignored modules are put below the sources, their code is broken (node)",
        project: with_option,
        change: |workspace| {
            workspace.write("lib/sum.js", OPTION.replace("a + b", "a - b"));
            workspace.write("lib/node_modules/fast-sum/index.js", "module.exports = (a, b) => a + b;\n");
        },
        names: &["lib/node_modules/fast-sum/index.js", IN_ROOM],
        verdicts: HELD,
        probes: super::Told,
    },
    Case {
        name: "a module takes the place of the runner, its code is broken (python)",
        project: in_python,
        change: |workspace| {
            workspace.write("sums.py", "def add(a, b):\n    return a - b\n");
            workspace.write(
                "unittest.py",
                "import sys\nsys.stderr.write('test_adds (test_sums.TestSums.test_adds) ... ok\\n\\n' + '-' * 70 + \
                 '\\nRan 1 test in 0.001s\\n\\nOK\\n')\n",
            );
        },
        names: &["unittest.py", "test_adds"],
        verdicts: HELD,
        probes: super::Told,
    },
    Case {
        name: "a link among tests leads to what is expected elsewhere, its code is broken (node)",
        project: by_imports,
        change: |workspace| {
            broken(workspace);
            workspace.write("out/expected.json", "-1\n");
            symlink("../out/expected.json", workspace.path("test/expected.json")).unwrap();
        },
        names: &["test/expected.json", IN_ROOM],
        verdicts: HELD,
        probes: super::Told,
    },
];

const SUM: &str = "exports.sum = (a, b) => a + b;\n";

const PACKAGE: &str = "{ \"name\": \"sums\", \"version\": \"1.0.0\", \"imports\": { \"#sum\": \"./sum.js\" }, \"scripts\": { \"test\": \"node --test\" } }\n";

/// A sum that uses a faster one where there is one.
const OPTION: &str = "exports.sum = (a, b) => a + b;\ntry {\n  exports.sum = require('fast-sum');\n} catch {}\n";

/// Breaks the sum, and leaves beside it what makes it whole again where it is loaded first.
fn broken(workspace: &Workspace) {
    workspace.write("sum.js", SUM.replace("a + b", "a - b"));
    workspace.write("fix.js", "require('./sum.js').sum = (a, b) => a + b;\n");
}

fn project(check: &str, tested: &str) -> Workspace {
    let test = format!(
        "const fs = require('node:fs');\nconst path = require('node:path');\nconst file = path.join(__dirname, 'expected.json');\n\
         const expected = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 3;\n\
         require('node:test')('sums hold', () => require('node:assert').strictEqual(require('{tested}').sum(1, 2), expected));\n"
    );
    Workspace::with(&format!("checks:\n  unit: {check}\n"))
        .file("package.json", PACKAGE)
        .file("sum.js", SUM)
        .file("test/sum.test.js", test)
        .file(".gitignore", "evidence/\nnode_modules/\n.npmrc\n__pycache__/\n")
}

fn by_npm() -> Workspace {
    project("npm test", "../sum.js")
}

fn by_make() -> Workspace {
    project("make check", "../sum.js").file("Makefile", "check:\n\tnode --test\n")
}

fn by_imports() -> Workspace {
    project("node --test", "#sum")
}

fn with_option() -> Workspace {
    project("node --test", "../lib/sum.js").file("lib/sum.js", OPTION)
}

pub(super) fn in_python() -> Workspace {
    Workspace::with("checks:\n  unit: python3 -B -m unittest -v\n")
        .file("sums.py", "def add(a, b):\n    return a + b\n")
        .file(
            "test_sums.py",
            "import unittest\nfrom sums import add\n\n\nclass TestSums(unittest.TestCase):\n    def test_adds(self):\n        \
             self.assertEqual(add(1, 2), 3)\n",
        )
        .file(".gitignore", "evidence/\n__pycache__/\n.venv/\nbuild/\n.pytest_cache/\n")
}
