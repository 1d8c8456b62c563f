//! The tests of a change, run with the rest of the change taken back: they must fail, or the answer says that they do not hold it.

use std::fs;

use serde_json::Value;

use crate::support::{Finished, Workspace, git};

const SUM: &str = "exports.sum = (a, b) => a + b;\n";
const SUM_TEST: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
     const { sum } = require('../sum.js');\ntest('adds', () => assert.strictEqual(sum(1, 2), 3));\n";
const TWICE: &str = "exports.twice = (a) => 2 * a;\n";
const GOOD: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
     test('doubles', () => assert.strictEqual(require('../twice.js').twice(2), 4));\n";
const HOLLOW: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
     test('doubles', () => assert.ok(true));\n";

/// What is said of tests that pass without their change.
const TOLD: &str = "the tests of this change pass without it";
/// What is said where nobody knows.
const UNASKED: &str = "could not be asked";

/// A project of which everything is committed, and that commit.
pub(crate) struct Project {
    pub(crate) workspace: Workspace,
    commit: String,
}

impl Project {
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let workspace = files.iter().fold(Workspace::new(), |workspace, (path, text)| workspace.file(path, text));
        workspace.write(".gitignore", "evidence/\n__pycache__/\n");
        let directory = workspace.path("");
        git(&directory, &["init", "-q"]);
        let project = Self { workspace, commit: String::new() };
        let commit = project.commit("before");
        Self { commit, ..project }
    }

    fn node(said: &str) -> Self {
        let specification = format!("{said}checks:\n  unit: node --test test/\n");
        Self::of(&[("referee.yaml", &specification), ("sum.js", SUM), ("test/sum.test.js", SUM_TEST)])
    }

    pub(crate) fn commit(&self, message: &str) -> String {
        let directory = self.workspace.path("");
        git(&directory, &["add", "-A"]);
        git(&directory, &["commit", "-q", "-m", message]);
        git(&directory, &["rev-parse", "HEAD"])
    }

    fn gate(&self, more: &[&str]) -> Finished {
        self.workspace.referee(&[&["gate", "--trusted", &self.commit], more].concat())
    }

    /// What was found, as the header of the run holds it.
    fn probe(&self) -> Value {
        let run: Value = serde_json::from_slice(&self.workspace.evidence("T001")["run.json"]).unwrap();
        run["circumstances"]["probe"].clone()
    }

    /// The trees of the runs that were made, with what each came to.
    fn runs(&self) -> Vec<String> {
        let probe = self.probe();
        let runs = probe["runs"].as_array().cloned().unwrap_or_default().into_iter();
        runs.map(|run| format!("{} {}", run["tree"].as_str().unwrap(), run["result"]["kind"].as_str().unwrap()))
            .collect()
    }

    #[track_caller]
    pub(crate) fn replays(&self, code: i32) {
        self.workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(code);
    }
}

#[test]
fn tests_that_fail_without_the_change_hold_it() {
    let project = Project::node("probe: block\n");
    project.workspace.write("twice.js", TWICE);
    project.workspace.write("test/twice.test.js", GOOD);
    let told = project.gate(&[]).exits(0).told();
    assert!(!told.contains("(probe)"), "{told}");
    assert_eq!(project.probe()["tests"], serde_json::json!(["test/twice.test.js"]));
    // The new module is not there: the test fails, and that holds the change.
    assert!(project.runs().starts_with(&["taken-back failed".to_owned()]), "{:?}", project.runs());
    project.replays(0);
    assert!(project.gate(&[]).exits(0).told().contains("recorded"), "an unchanged tree is not asked again");
}

#[test]
fn tests_that_assert_nothing_are_told_and_block_where_the_specification_says_so() {
    for (said, code) in [("", 0), ("probe: report\n", 0), ("probe: block\n", 3), ("probe: off\n", 0)] {
        let project = Project::node(said);
        project.workspace.write("twice.js", TWICE);
        project.workspace.write("test/twice.test.js", HOLLOW);
        let told = project.gate(&[]).exits(code).told();
        assert_eq!(told.contains(TOLD) && told.contains("test/twice.test.js"), said != "probe: off\n", "{said}{told}");
        if said == "probe: off\n" {
            assert_eq!(project.probe(), Value::Null);
            continue;
        }
        assert_eq!(project.runs(), ["taken-back passed", "taken-back passed", "broken failed"]);
        let reasons = project.workspace.report("T001")["executionSummary"]["reasons"].to_string();
        assert!(reasons.contains(TOLD), "{reasons}");
        project.replays(i32::from(code != 0));
        if code == 0 {
            let again = project.gate(&[]).exits(0).told();
            assert!(again.contains("recorded") && again.contains(TOLD), "{again}");
            for arguments in [&["ci", "--trusted"][..], &["gate", "--format", "json", "--trusted"]] {
                let answered = project.workspace.referee(&[arguments, &[&project.commit]].concat()).exits(0);
                assert!(answered.told().contains(TOLD), "{arguments:?}: {}", answered.told());
            }
        }
    }
}

#[test]
fn each_run_of_a_probe_is_sealed_and_named_by_its_digest() {
    let project = Project::node("");
    project.workspace.write("twice.js", TWICE);
    project.workspace.write("test/twice.test.js", HOLLOW);
    project.gate(&[]).exits(0);
    let probe = project.probe();
    let last = probe["runs"].as_array().unwrap().last().unwrap();
    let roots = fs::read_dir(project.workspace.state().join("probes")).unwrap();
    let root = roots.map(|entry| entry.unwrap().path()).next().unwrap();
    let directory = root.join("T001");
    let report = fs::read(directory.join("execution-report.json")).unwrap();
    assert_eq!(last["report"], referee_model::id::Digest::of(&report).to_string());
    assert!(String::from_utf8_lossy(&report).contains(last["execution"].as_str().unwrap()));
    // It failed, and its evidence is whole.
    project.workspace.referee(&["evidence", "verify", directory.to_str().unwrap(), "--replay"]).exits(1);
    assert_eq!(
        fs::read_dir(project.workspace.state().join("rooms"))
            .unwrap()
            .filter(|it| it.as_ref().unwrap().path().is_dir())
            .count(),
        0
    );
}

#[test]
fn nothing_is_asked_of_a_change_of_tests_or_sources_or_documents_alone() {
    type Change = fn(&Workspace);
    let rows: [(&str, Change); 6] = [
        ("a refactoring", |it| it.write("sum.js", "const sum = (a, b) => b + a;\nexports.sum = sum;\n")),
        ("tests alone", |it| it.write("test/more.test.js", HOLLOW)),
        ("tests and a document", |it| {
            it.write("test/more.test.js", HOLLOW);
            it.write("README.md", "# Sums\n");
        }),
        ("tests and a comment", |it| {
            it.write("test/more.test.js", HOLLOW);
            it.write("sum.js", format!("// Adds.\n{SUM}"));
        }),
        ("a comment in tests, and sources", |it| {
            it.write("test/sum.test.js", format!("// Sums.\n{SUM_TEST}"));
            it.write("sum.js", "exports.sum = (a, b) => b + a;\n");
        }),
        ("nothing", |_| {}),
    ];
    for (what, change) in rows {
        let project = Project::node("probe: block\n");
        change(&project.workspace);
        let told = project.gate(&[]).exits(0).told();
        assert_eq!((project.probe(), told.contains("(probe)")), (Value::Null, false), "{what}: {told}");
    }
}

#[test]
fn what_changed_on_the_trusted_branch_meanwhile_is_no_part_of_the_change() {
    let mut project = Project::node("probe: block\n");
    let directory = project.workspace.path("");
    let started = git(&directory, &["rev-parse", "HEAD"]);
    // Others edit the tests on the trusted branch.
    project.workspace.write("test/sum.test.js", SUM_TEST.replace("sum(1, 2), 3", "sum(2, 2), 4"));
    project.commit = project.commit("others");
    git(&directory, &["checkout", "-q", "-b", "work", &started]);
    project.workspace.write("sum.js", "exports.sum = (a, b) => b + a;\n");
    let told = project.gate(&[]).told();
    assert!(!told.contains(TOLD), "{told}");
    assert_eq!(project.probe(), Value::Null);
}

#[test]
fn checks_that_look_at_another_tree_than_the_clean_room_convict_nobody() {
    let project = Project::node("probe: block\n");
    let directory = project.workspace.path("");
    let line = format!("probe: block\nchecks:\n  unit: cd {} && node --test test/\n", directory.display());
    project.workspace.write("referee.yaml", line);
    let project = Project { commit: project.commit("elsewhere"), ..project };
    project.workspace.write("twice.js", TWICE);
    project.workspace.write("test/twice.test.js", GOOD);
    let told = project.gate(&[]).exits(0).told();
    assert!(told.contains(UNASKED) && told.contains("at another tree"), "{told}");
    project.replays(0);
}

#[test]
fn a_project_that_does_not_run_in_a_clean_room_is_told_so() {
    let project = Project::of(&[
        ("referee.yaml", "probe: block\nchecks:\n  unit: node --test test/\n"),
        ("sum.js", "exports.sum = (a, b) => require('adder')(a, b);\n"),
        ("test/sum.test.js", SUM_TEST),
    ]);
    project.workspace.write(".gitignore", "evidence/\nnode_modules/\n");
    project.workspace.write("node_modules/adder/index.js", "module.exports = (a, b) => a + b;\n");
    let project = Project { commit: project.commit("ignored"), ..project };
    project.workspace.write("twice.js", "exports.twice = (a) => require('adder')(a, a);\n");
    project.workspace.write("test/twice.test.js", GOOD);
    let told = project.gate(&[]).exits(0).told();
    assert!(told.contains(UNASKED) && told.contains("do not pass in a clean room"), "{told}");
    assert_eq!(project.runs(), ["taken-back failed", "candidate failed"]);
    // With the set-up that a clean room needs it is asked.
    project.workspace.write(
        "referee.yaml",
        "probe: block\nsetup: 'mkdir -p node_modules/adder && echo \"module.exports = (a, b) => a + b\" > node_modules/adder/index.js'\n\
         checks:\n  unit: node --test test/\n",
    );
    let project = Project { commit: project.commit("set up, and all else"), ..project };
    project.workspace.write("thrice.js", "exports.thrice = (a) => require('adder')(a, a) + a;\n");
    project.workspace.write("test/thrice.test.js", HOLLOW);
    let told = project.gate(&[]).exits(3).told();
    assert!(told.contains(TOLD), "{told}");
}

#[test]
fn a_clean_room_asks_as_the_workspace_does() {
    let project = Project::node("probe: block\n");
    project.workspace.write("twice.js", TWICE);
    project.workspace.write("test/twice.test.js", GOOD);
    project.gate(&["--clean-room"]).exits(0);
    assert_eq!(project.runs(), ["taken-back failed"]);
    project.workspace.write("test/twice.test.js", HOLLOW);
    let told = project.gate(&["--clean-room"]).exits(3).told();
    assert!(told.contains(TOLD), "{told}");
    project.replays(1);
}

#[test]
fn a_test_that_hangs_without_the_change_convicts_nobody() {
    let project = Project::node("probe: block\ntimeout: 5s\n");
    project.workspace.write("twice.js", TWICE);
    project.workspace.write(
        "test/twice.test.js",
        "const there = require('node:fs').existsSync('twice.js');\nif (!there) setInterval(() => {}, 1000);\n\
         require('node:test')('doubles', () => require('node:assert').ok(true));\n",
    );
    let told = project.gate(&[]).exits(0).told();
    assert!(told.contains(UNASKED) && told.contains("limit of time"), "{told}");
}

#[test]
fn modules_and_packages_of_other_languages_are_asked_as_well() {
    let python = Project::of(&[
        ("referee.yaml", "probe: block\nchecks:\n  unit: python3 -m unittest discover -s tests -t .\n"),
        ("sums.py", "def add(a, b):\n    return a + b\n"),
        ("tests/__init__.py", ""),
        (
            "tests/test_sums.py",
            "import unittest\nfrom sums import add\n\n\nclass Sums(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
        ),
    ]);
    python.workspace.write("doubles.py", "def double(a):\n    return 2 * a\n");
    let test = |import: &str, body: &str| {
        format!(
            "import unittest\n{import}\n\nclass Doubles(unittest.TestCase):\n    def test_double(self):\n        {body}\n"
        )
    };
    python
        .workspace
        .write("tests/test_doubles.py", test("from doubles import double\n", "self.assertEqual(double(2), 4)"));
    let told = python.gate(&[]).exits(0).told();
    assert!(!told.contains("(probe)"), "{told} {:?}", python.runs());
    python.workspace.write("tests/test_doubles.py", test("", "self.assertTrue(True)"));
    let told = python.gate(&[]).exits(3).told();
    assert!(told.contains(TOLD), "{told} {:?}", python.runs());

    let go = Project::of(&[
        ("referee.yaml", "probe: block\nchecks:\n  unit: go test ./...\n"),
        ("go.mod", "module example.com/sums\n\ngo 1.20\n"),
        ("sums.go", "package sums\n\nfunc Add(a, b int) int { return a + b }\n"),
        (
            "sums_test.go",
            "package sums\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n",
        ),
    ]);
    go.workspace.write("twice.go", "package sums\n\nfunc Twice(a int) int { return 2 * a }\n");
    go.workspace.write(
        "twice_test.go",
        "package sums\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n",
    );
    let told = go.gate(&[]).exits(0).told();
    // It cannot be built without the change: that holds it.
    assert!(!told.contains("(probe)"), "{told} {:?}", go.runs());
    assert_eq!(go.runs(), ["taken-back failed", "candidate passed"]);
    go.workspace.write("twice_test.go", "package sums\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {}\n");
    let told = go.gate(&[]).exits(3).told();
    assert!(told.contains(TOLD), "{told} {:?}", go.runs());
}
