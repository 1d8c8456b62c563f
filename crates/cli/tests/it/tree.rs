//! The inputs of a run, before and after: what changes under the checks, or after them, is seen.

use std::fs;
use std::process::{Command, Stdio};

use crate::support::{Finished, Workspace, git};

/// A repository with this specification, a source and a test, all committed.
fn repository(specification: &str) -> Workspace {
    let workspace = Workspace::with(specification)
        .file("src/quote.js", "exports.quote = 1\n")
        .file("tests/quote.test.js", "// test\n")
        .file(".gitignore", "evidence/\n*.log\n");
    git(&workspace.path(""), &["init", "-q"]);
    git(&workspace.path(""), &["add", "."]);
    git(&workspace.path(""), &["commit", "-qm", "start"]);
    workspace
}

/// What was printed, however the lines were broken.
fn told(finished: &Finished) -> String {
    finished.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn tree(workspace: &Workspace) -> serde_json::Value {
    let run: serde_json::Value =
        serde_json::from_slice(&fs::read(workspace.path("evidence/T001/run.json")).unwrap()).unwrap();
    run["circumstances"]["tree"].clone()
}

#[test]
fn a_run_that_changes_nothing_records_one_state_and_stays_fresh() {
    let workspace = repository("checks:\n  one: { argv: [\"true\"] }\n");
    workspace.referee(&["run", "-q"]).exits(0);
    let seen = tree(&workspace);
    assert_eq!(seen["before"], seen["after"]);
    assert_eq!((&seen["before"]["files"], &seen["changeCount"]), (&4.into(), &0.into()));
    let verified = workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh", "--replay"]).exits(0);
    assert!(told(&verified).contains("all 4 inputs are as the run left them"), "{}", verified.stdout);
    // The same inputs elsewhere are the same, wherever the evidence lies.
    let copy = Workspace::new();
    for name in ["referee.yaml", "src/quote.js", "tests/quote.test.js", ".gitignore"] {
        copy.write(name, fs::read(workspace.path(name)).unwrap());
    }
    let elsewhere = copy.path("");
    let arguments = ["evidence", "verify", "evidence/T001", "--fresh", "--workspace", elsewhere.to_str().unwrap()];
    workspace.referee(&arguments).exits(0);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh", "--workspace", "nowhere"]).exits(2);
}

/// The step that writes starts with a sleep: a change within a tick of the file system's clock after a step's
/// end is attributed to that step.
#[test]
fn a_source_that_changes_after_its_check_voids_that_check_and_is_named() {
    let checks =
        "checks:\n  unit: { argv: [\"true\"] }\n  sneak: \"sleep 0.1; echo '// weaker' >> tests/quote.test.js\"\n";
    let workspace = repository(checks);
    let run = workspace.referee(&["run"]).exits(3);
    assert!(
        told(&run).contains("sneak rewrote tests/quote.test.js after unit had looked at it (1 step void)"),
        "{}",
        run.stdout
    );
    let report = workspace.report("T001");
    assert_eq!(report["executionSummary"]["decision"], "BLOCKED");
    assert!(report["error"].as_str().unwrap().contains("after unit"), "{:#}", report["error"]);
    let seen = tree(&workspace);
    assert_eq!(seen["changes"][0]["path"], "tests/quote.test.js");
    assert_eq!(seen["changes"][0]["kind"], "modified");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn a_test_that_is_removed_meanwhile_voids_what_ran_before() {
    let workspace = repository("checks:\n  unit: { argv: [\"true\"] }\n  sneak: sleep 0.1; rm tests/quote.test.js\n");
    let run = workspace.referee(&["run"]).exits(3);
    assert!(told(&run).contains("sneak removed tests/quote.test.js after unit had looked"), "{}", run.stdout);
}

#[test]
fn a_formatter_voids_only_what_ran_before_it() {
    let workspace = repository("checks:\n  format: \"echo '// formatted' >> src/quote.js\"\n");
    workspace.referee(&["run", "-q"]).exits(0);
    assert_eq!(tree(&workspace)["changes"][0]["path"], "src/quote.js");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh"]).exits(0);
}

#[test]
fn declared_outputs_may_be_written_and_are_shown_in_the_plan() {
    let checks = "checks:\n  unit: { argv: [\"true\"] }\n  build: mkdir -p dist && date +%N > dist/out.js\n";
    let workspace = repository(&format!("{checks}outputs: [dist, \"coverage/**\"]\n"));
    workspace.write("dist/out.js", "tracked\n");
    git(&workspace.path(""), &["add", "-f", "dist"]);
    workspace.referee(&["run", "-q"]).exits(0);
    assert_eq!(tree(&workspace)["changeCount"], 0);
    let plan = workspace.referee(&["plan"]).exits(0);
    assert!(told(&plan).contains("dist, coverage/**"), "{}", plan.stdout);
    // The same without the word is blocked, and told how to fix it.
    workspace.write("referee.yaml", checks);
    let run = workspace.referee(&["run"]).exits(3);
    assert!(told(&run).contains("dist/out.js") && told(&run).contains("`outputs`"), "{}", run.stdout);
}

#[test]
fn outputs_that_would_leave_nothing_to_look_at_are_refused() {
    for (output, says) in [
        ("\"**\"", "every file"),
        ("../x", "is outside the workspace"),
        ("/tmp", "relative pattern"),
        ("\"a[\"", "pattern"),
    ] {
        let workspace =
            Workspace::with(&format!("checks:\n  one: {argv}\noutputs: [{output}]\n", argv = "{ argv: [\"true\"] }"));
        let refused = workspace.referee(&["check"]).exits(3);
        let told = format!("{}{}", refused.stdout, refused.stderr);
        assert!(told.contains(says), "{output}: {told}");
    }
}

#[test]
fn a_file_that_changes_after_the_run_makes_the_evidence_stale_and_is_named() {
    let workspace = repository("checks:\n  unit: { argv: [\"true\"] }\n");
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.write("src/quote.js", "exports.quote = 2\n");
    workspace.write("src/new.js", "");
    workspace.write("ignored.log", "");
    for _ in 0..2 {
        let stale = workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh"]).exits(3);
        let named = "left them: src/quote.js (modified), src/new.js (added); run again";
        assert!(told(&stale).contains(named), "{}", stale.stdout);
    }
    // Without being asked nothing is said of the tree.
    workspace.referee(&["evidence", "verify", "evidence/T001"]).exits(0);
    // Whoever lost the state still knows that it is stale.
    fs::remove_dir_all(workspace.state().join("trees")).unwrap();
    let stale = workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh"]).exits(3);
    assert!(told(&stale).contains("4 files then, 5 now"), "{}", stale.stdout);
    fs::remove_file(workspace.path("src/new.js")).unwrap();
    workspace.write("src/quote.js", "exports.quote = 1\n");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh"]).exits(0);
}

#[test]
fn a_file_that_tools_load_by_themselves_and_that_appears_meanwhile_is_told() {
    let workspace = repository("checks:\n  sneak: touch conftest.py notes.txt\n");
    workspace.referee(&["run", "-q"]).exits(0);
    let notices = workspace.report("T001")["notices"].to_string();
    assert!(notices.contains("conftest.py (added)") && !notices.contains("notes.txt"), "{notices}");
}

#[test]
fn an_index_that_cannot_be_read_is_told_and_the_run_goes_on() {
    let workspace = repository("checks:\n  one: { argv: [\"true\"] }\n");
    git(&workspace.path(""), &["update-index", "--split-index"]);
    workspace.referee(&["run", "-q"]).exits(0);
    assert!(workspace.report("T001")["notices"].to_string().contains("split index"));
    assert_eq!(tree(&workspace)["before"]["files"], 4);
}

#[test]
fn git_is_never_started() {
    let workspace = repository("checks:\n  one: { argv: [\"true\"] }\n");
    let config =
        "[core]\n\tfsmonitor = touch \"$PWD/owned\"\n\tpager = touch owned\n[filter \"x\"]\n\tclean = touch owned\n";
    let path = workspace.path(".git/config");
    fs::write(&path, fs::read_to_string(&path).unwrap() + config).unwrap();
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh"]).exits(0);
    assert!(!workspace.path("owned").exists());
}

#[test]
fn several_checks_over_inputs_that_cannot_be_read_are_blocked_at_once_and_the_file_is_named() {
    let workspace = Workspace::with("checks:\n  one: test -e a\n  two: test -e a\n").file("a", "1");
    fs::File::create(workspace.path("huge.bin")).unwrap().set_len(1 << 40).unwrap();
    let began = std::time::Instant::now();
    let finished = workspace.referee(&["run"]).exits(3);
    assert!(began.elapsed().as_secs() < 20, "its size is looked at before it is read");
    let told = told(&finished);
    assert!(told.contains("huge.bin") && told.contains("`outputs`"), "{told}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    // A clean room does not copy it either.
    workspace.referee(&["run", "--clean-room"]).exits(5);

    workspace.write("referee.yaml", "checks:\n  one: test -e a\n");
    let finished = workspace.referee(&["run"]).exits(0);
    assert!(self::told(&finished).contains("huge.bin"), "one check has nothing to differ from: it is told");
    workspace.write("referee.yaml", "checks:\n  one: test -e a\n  two: test -e a\noutputs: [huge.bin]\n");
    workspace.referee(&["run"]).exits(0);
}

/// Writes to a mapped file whenever it is asked to; by the second time its page is dirty, and no time of the file changes.
const MAPPED: &str = "
import mmap, sys
file = open('a.txt', 'r+b')
memory = mmap.mmap(file.fileno(), 0)
for line in sys.stdin:
    memory[:4] = line.strip().encode()
    print('written', flush=True)
";

#[test]
fn a_write_that_leaves_no_time_makes_evidence_stale_and_no_recorded_pass_is_told() {
    use std::io::{BufRead, BufReader, Write};
    let workspace = Workspace::with("checks: {good: grep -q good a.txt}\n").file("a.txt", "good\n");
    let mut child = Command::new("python3")
        .args(["-c", MAPPED])
        .current_dir(workspace.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut write = |text: &str| {
        writeln!(stdin, "{text}").unwrap();
        stdout.read_line(&mut String::new()).unwrap();
    };
    write("evil");
    workspace.referee(&["run", "-q"]).exits(6);
    write("good");
    workspace.referee(&["run", "-q"]).exits(0);
    let passed = tree(&workspace)["after"]["digest"].clone();
    write("evil");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh"]).exits(3);
    let answer = workspace.referee(&["gate", "--format", "json"]).exits(6).json();
    assert_eq!((&answer["basis"], &answer["decision"]), (&"ran".into(), &"FAIL".into()), "{answer:#}");
    assert_ne!(tree(&workspace)["after"]["digest"], passed);
    drop(stdin);
    child.wait().unwrap();
}
