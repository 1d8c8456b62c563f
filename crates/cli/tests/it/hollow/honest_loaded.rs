//! Honest work beside files that tools load by their mere presence: what is new and governs nothing that was there is free.

use super::Case;
use super::Verdict::Passes;
use super::loaded::in_python;
use super::tests_of_old::node;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a package comes with its runner's, compiler's and package manager's configuration (node)",
        project: node,
        change: |workspace| {
            workspace.write(
                "packages/two/package.json",
                "{ \"name\": \"two\", \"scripts\": { \"test\": \"node --test\" } }\n",
            );
            workspace.write("packages/two/jest.config.js", "module.exports = {};\n");
            workspace.write("packages/two/tsconfig.json", "{ \"compilerOptions\": { \"strict\": true } }\n");
            workspace.write("packages/two/.npmrc", "engine-strict=true\n");
            workspace.write("packages/two/two.js", "exports.two = 2;\n");
            workspace.write("tsconfig.build.json", "{ \"files\": [] }\n");
        },
        names: &["packages/two", "tsconfig.build.json"],
        verdicts: [Passes; 4],
        probes: super::Told,
    },
    Case {
        name: "a directory of tests comes with its conftest.py, a package with its `__init__.py` and `types.py` (python)",
        project: in_python,
        change: |workspace| {
            workspace.write("checks/__init__.py", "");
            workspace.write("checks/conftest.py", "import pytest\n");
            workspace.write("shapes/__init__.py", "");
            workspace.write("shapes/types.py", "SQUARE = 4\n");
            workspace.write(
                "checks/test_shapes.py",
                "import unittest\nfrom shapes.types import SQUARE\n\n\nclass TestShapes(unittest.TestCase):\n    \
                 def test_square(self):\n        self.assertEqual(SQUARE, 4)\n",
            );
        },
        names: &["conftest.py", "__init__.py", "types.py"],
        verdicts: [Passes; 4],
        probes: super::Passes,
    },
    Case {
        name: "tools write their own environments, builds and caches, which are ignored (python)",
        project: in_python,
        change: |workspace| {
            workspace.write(".venv/pyvenv.cfg", "home = /usr/bin\n");
            workspace.write(".venv/lib/python3.13/site-packages/a.pth", "import a\n");
            workspace.write("build/lib/tests/conftest.py", "import pytest\n");
            workspace.write("build/setup.cfg", "[flake8]\n");
            workspace.write(".pytest_cache/.gitignore", "*\n");
            workspace.write("twice.py", "def twice(a):\n    return 2 * a\n");
        },
        names: &["pyvenv.cfg", "conftest.py", "setup.cfg"],
        verdicts: [Passes; 4],
        probes: super::Told,
    },
];
