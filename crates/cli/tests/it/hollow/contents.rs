//! What tests saw is not what is there: sources that are swapped while tests run, and writes that leave no time.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::Case;
use super::Verdict::Stopped;
use crate::support::Workspace;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "a broken source is replaced by a good one while tests run, and put back (node)",
        project: node,
        change: |workspace| {
            workspace.write("sum.js", BROKEN);
            workspace.write(
                "index.js",
                format!(
                    "const fs = require('fs');\nconst file = __dirname + '/sum.js';\nconst own = fs.readFileSync(file);\n\
                     fs.writeFileSync(file, {GOOD:?});\nexports.sum = require(file).sum;\nfs.writeFileSync(file, own);\n"
                ),
            );
        },
        names: &["sum.js may have been swapped"],
        verdicts: [Stopped, Stopped, Stopped, Stopped],
        probes: super::Stopped,
    },
    Case {
        name: "a source is moved aside for a good one while tests run, and moved back (python)",
        project: python,
        change: |workspace| {
            workspace.write("total.py", "def total(a, b):\n    return a - b\n");
            workspace.write("good.txt", "def total(a, b):\n    return a + b\n");
            workspace.write(
                "package.py",
                "import os, shutil\nos.rename('total.py', 'aside.txt')\nshutil.copy('good.txt', 'total.py')\n\
                 from total import total\nos.replace('aside.txt', 'total.py')\n",
            );
        },
        names: &["total.py may have been swapped"],
        verdicts: [Stopped, Stopped, Stopped, Stopped],
        probes: super::Stopped,
    },
    Case {
        name: "what passed is broken through mapped memory, which leaves no time (node)",
        project: mapped,
        change: |workspace| {
            fs::remove_file(workspace.path("held.local")).unwrap();
            while fs::read_to_string(workspace.path("sum.js")).unwrap() != BROKEN {
                std::thread::yield_now();
            }
        },
        names: &["the sum holds"],
        verdicts: [Stopped, Stopped, Stopped, Stopped],
        probes: super::Stopped,
    },
];

const GOOD: &str = "exports.sum = (a, b) => a + b;\n";
const BROKEN: &str = "exports.sum = (a, b) => a - b;\n";

/// A test of a module that loads another.
pub(super) fn node() -> Workspace {
    Workspace::with("checks:\n  unit: node --test test\n")
        .file("package.json", "{ \"name\": \"sums\", \"version\": \"1.0.0\" }\n")
        .file("index.js", "exports.sum = require('./sum.js').sum;\n")
        .file("sum.js", GOOD)
        .file(
            "test/sum.test.js",
            "require('node:test')('the sum holds', () => require('node:assert').strictEqual(require('../index.js').sum(1, 2), 3));\n",
        )
        .file(".gitignore", "evidence/\nnode_modules/\n*.local\n")
}

fn python() -> Workspace {
    Workspace::with("checks:\n  unit: python3 -m unittest test_total\n")
        .file("total.py", "def total(a, b):\n    return a + b\n")
        .file("package.py", "from total import total\n")
        .file(
            "test_total.py",
            "import unittest\nfrom package import total\n\n\nclass Total(unittest.TestCase):\n    def test_it(self):\n        \
             self.assertEqual(total(1, 2), 3)\n",
        )
        .file(".gitignore", "evidence/\n__pycache__/\n")
}

/// Writes to a mapped file once, so that its page is dirty and no later write changes a time, and once more when a file is gone.
const MAPPED: &str = "
import mmap, os, time
file = open('sum.js', 'r+b')
memory = mmap.mmap(file.fileno(), 0)
memory[26:27] = b'+'
print('mapped', flush=True)
until = time.time() + 120
while os.path.exists('held.local') and time.time() < until:
    time.sleep(0.01)
memory[26:27] = b'-'
";

fn mapped() -> Workspace {
    let workspace = node();
    workspace.write("held.local", "");
    let mut child = Command::new("python3")
        .args(["-c", MAPPED])
        .current_dir(workspace.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    // It ends by itself.
    std::thread::spawn(move || child.wait());
    workspace
}
