//! Checks that the agent never sees: what they come to counts, and nothing else of them is told.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::{Finished, Workspace, finish, git};

/// What stands in everything that is held out.
const NEEDLE: &str = "needle";

/// What the agent sees, and can make pass.
const SEEN: &str = "checks: { there: { file: answer.txt } }\n";

/// A directory outside of the workspace with held-out checks.
struct HeldOut(TempDir);

impl HeldOut {
    fn with(specification: &str) -> Self {
        Self(tempfile::Builder::new().prefix(&format!("{NEEDLE}-")).tempdir().unwrap())
            .file("referee.yaml", specification)
    }

    fn file(self, name: &str, content: &str) -> Self {
        fs::write(self.0.path().join(name), content).unwrap();
        self
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }
}

/// A workspace whose visible checks pass.
fn passing() -> Workspace {
    Workspace::with(SEEN).file("answer.txt", "42\n")
}

fn gate(workspace: &Workspace, held_out: &Path, arguments: &[&str]) -> Finished {
    let path = held_out.to_str().unwrap();
    workspace.referee(&[&["gate", "--held-out", path], arguments].concat())
}

/// All files below a directory, with their names as part of their content.
fn everything(directory: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        all.extend_from_slice(entry.file_name().as_encoded_bytes());
        all.push(b'\n');
        if entry.file_type().unwrap().is_dir() {
            all.extend(everything(&entry.path()));
        } else {
            all.extend(fs::read(entry.path()).unwrap());
        }
    }
    all
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Nothing of what is held out is in what was printed, nor in any file of the workspace.
#[track_caller]
fn tells_nothing(workspace: &Workspace, finished: &Finished) {
    for text in [&finished.stdout, &finished.stderr] {
        assert!(!text.contains(NEEDLE), "{text}");
    }
    assert!(!holds(&everything(&workspace.path("")), NEEDLE), "something was left in the workspace");
}

/// The directory of the held-out evidence of a task.
fn evidence(workspace: &Workspace, task: &str) -> PathBuf {
    let mut roots = fs::read_dir(workspace.state().join("held-out")).unwrap();
    let root = roots.next().unwrap().unwrap().path();
    assert!(roots.next().is_none());
    root.join(task)
}

#[test]
fn what_passes_in_sight_and_out_of_sight_passes() {
    let workspace = passing();
    let held_out = HeldOut::with("title: needle\nchecks: { needle-same: { file: answer.txt, contains: ['42'] } }\n");
    for _ in 0..2 {
        let finished = gate(&workspace, &held_out.path(), &["--format", "json"]).exits(0);
        assert_eq!(finished.json()["decision"], "PASS");
        tells_nothing(&workspace, &finished);
    }
    // By the file's own name it is the same.
    gate(&workspace, &held_out.path().join("referee.yaml"), &[]).exits(0);
}

#[test]
fn held_out_checks_that_fail_are_counted_and_nothing_else_is_told_of_them() {
    let held_out = HeldOut::with(
        "title: needle\ntask: T077\nchecks:\n  needle-file: { file: needle.txt }\n  \
         needle-types: { run: 'cat ${NEEDLE_FILE}; exit 1', role: typecheck }\n  fine: { file: answer.txt }\n",
    );
    let types = held_out.path().join("types.out");
    let text = fs::read_to_string(held_out.path().join("referee.yaml")).unwrap();
    let held_out = held_out
        .file("types.out", "src/needle.ts(1,2): error TS1005: needle expected.\n")
        .file("referee.yaml", &text.replace("${NEEDLE_FILE}", types.to_str().unwrap()));
    let workspace = passing();
    let finished = gate(&workspace, &held_out.path(), &["--format", "json"]).exits(1);
    assert_eq!(finished.json()["decision"], "FAIL");
    assert!(finished.json()["next"].as_str().unwrap().contains("held-out ones fail"), "{}", finished.stdout);
    tells_nothing(&workspace, &finished);
    let finished = gate(&workspace, &held_out.path(), &[]).exits(1);
    tells_nothing(&workspace, &finished);

    // Who can read the state directory finds all of it, sealed like any run.
    let directory = evidence(&workspace, "T077");
    let finished = workspace.referee(&["evidence", "verify", directory.to_str().unwrap()]).exits(1);
    assert!(!finished.stdout.is_empty());
    let report = fs::read(directory.join("execution-report.json")).unwrap();
    assert!(holds(&report, "TS1005") && holds(&report, "needle.txt"));
}

#[test]
fn an_agent_that_fails_in_sight_learns_nothing_of_what_is_out_of_sight() {
    let workspace = Workspace::with(SEEN);
    for specification in ["checks: { needle-file: { file: needle.txt } }\n", "junk needle: [\n"] {
        let held_out = HeldOut::with(specification);
        let finished = gate(&workspace, &held_out.path(), &["--format", "json"]).exits(1);
        assert_eq!(finished.json()["decision"], "FAIL");
        assert!(!finished.stdout.contains("held-out"), "{}", finished.stdout);
        tells_nothing(&workspace, &finished);
        assert!(!workspace.state().join("held-out").exists(), "they ran");
    }
}

#[test]
fn held_out_checks_that_cannot_be_loaded_block() {
    let of = HeldOut::with;
    let emptied = of("");
    fs::remove_file(emptied.path().join("referee.yaml")).unwrap();
    let several = of(SEEN);
    fs::create_dir(several.path().join("b")).unwrap();
    fs::write(several.path().join("b/referee.yaml"), SEEN).unwrap();
    let kept = [
        of("junk needle: [\n"),
        of("checks: {}\n"),
        of("checks: { needle: { file: ../needle/elsewhere.txt } }\n"),
        of("\0\u{1}needle"),
        of(SEEN).file("referee.json", "{}"),
        emptied,
        several,
    ];
    let missing = kept[0].path().join("nothing-here.yaml");
    for place in kept.iter().map(HeldOut::path).chain([missing]) {
        let workspace = passing();
        let finished = gate(&workspace, &place, &["--format", "json"]).exits(3);
        assert_eq!(finished.json()["decision"], "BLOCKED", "{}", place.display());
        assert!(finished.json()["next"].as_str().unwrap().contains("could not be judged"), "{}", finished.stdout);
        tells_nothing(&workspace, &finished);
    }
}

#[test]
fn held_out_checks_in_reach_of_the_agent_are_refused_before_anything_runs() {
    let workspace = passing();
    workspace.write("hidden/referee.yaml", SEEN);
    workspace.write("evidence/kept/referee.yaml", SEEN);
    let held_out = HeldOut::with(SEEN);
    let link = workspace.path("link");
    symlink(held_out.path(), &link).unwrap();
    let above = workspace.path("").parent().unwrap().to_path_buf();
    let places =
        [workspace.path("hidden"), workspace.path("evidence/kept"), link.join("referee.yaml"), held_out.path(), above];
    for place in places {
        let finished = gate(&workspace, &place, &[]).exits(2);
        assert!(finished.stderr.contains("in the agent's reach"), "{}: {}", place.display(), finished.stderr);
        assert!(finished.stdout.is_empty());
        assert!(!workspace.path("evidence/T001").exists());
    }
    fs::remove_file(link).unwrap();
    gate(&workspace, &held_out.path(), &[]).exits(0);
    // The same by a way round.
    let round = workspace.path("..").join(held_out.path().file_name().unwrap());
    gate(&workspace, &round, &[]).exits(0);
}

#[test]
fn held_out_checks_in_the_same_repository_are_refused() {
    let repository = Workspace::new().file("held/referee.yaml", SEEN).file("work/answer.txt", "42\n");
    repository.write("work/referee.yaml", SEEN);
    fs::create_dir(repository.path(".git")).unwrap();
    let held = repository.path("held");
    let arguments = ["-C", "work", "gate", "--held-out", held.to_str().unwrap()];
    let finished = repository.referee(&arguments).exits(2);
    assert!(finished.stderr.contains("in the repository"), "{}", finished.stderr);
}

#[test]
fn held_out_checks_need_a_state_directory() {
    let held_out = HeldOut::with(SEEN);
    let workspace = passing();
    let mut command = workspace.command(&["gate", "--held-out", held_out.path().to_str().unwrap()]);
    command.env_remove("REFEREE_STATE_DIR").env_remove("XDG_STATE_HOME").env_remove("HOME");
    let finished = finish(command.spawn().unwrap()).exits(2);
    assert!(finished.stderr.contains("REFEREE_STATE_DIR"), "{}", finished.stderr);
    assert!(!workspace.path("evidence").exists());
}

#[test]
fn what_held_out_checks_change_of_the_workspace_is_noticed() {
    let writes = HeldOut::with("checks: { needle: 'echo 43 > answer.txt' }\n");
    let workspace = passing();
    let finished = gate(&workspace, &writes.path(), &["--format", "json"]).exits(4);
    assert_eq!(finished.json()["decision"], "BLOCKED");
    tells_nothing(&workspace, &finished);

    // What is an output of the checks in sight may be written by these, too; and a new file is none that was judged.
    let workspace = Workspace::with(&format!("{SEEN}outputs: [made]\n")).file("answer.txt", "42\n");
    workspace.write("made/a.txt", "a\n");
    let writes = HeldOut::with("checks: { needle: 'echo b > made/a.txt; echo c > new.txt' }\n");
    gate(&workspace, &writes.path(), &[]).exits(0);
}

#[test]
fn held_out_checks_run_in_the_clean_room_of_the_others() {
    let workspace = passing();
    git(&workspace.path(""), &["init", "-q"]);
    git(&workspace.path(""), &["add", "-A"]);
    let held_out = HeldOut::with("checks: { needle: 'cat answer.txt && echo needle > needle-left.txt' }\n");
    let finished = gate(&workspace, &held_out.path(), &["--clean-room", "--format", "json"]).exits(0);
    assert_eq!(finished.json()["decision"], "PASS");
    tells_nothing(&workspace, &finished);
}

#[test]
fn no_recorded_verdict_speaks_for_held_out_checks() {
    let held_out = HeldOut::with("").file("h.sh", "exit 0\n");
    let script = held_out.path().join("h.sh");
    let specification = format!("checks: {{ needle: 'sh {}' }}\n", script.display());
    let held_out = held_out.file("referee.yaml", &specification);
    let workspace = passing();
    gate(&workspace, &held_out.path(), &[]).exits(0);
    fs::write(script, "exit 1\n").unwrap();
    let finished = gate(&workspace, &held_out.path(), &["--format", "json"]);
    assert_eq!(finished.json()["decision"], "FAIL", "{}", finished.stdout);
    assert_eq!(finished.json()["basis"], "recorded", "what can be seen did not change");
}

#[test]
fn the_held_out_checks_that_a_project_is_enrolled_with_count_whatever_else_is_named() {
    let workspace = passing();
    let (hard, soft) = (HeldOut::with("checks: { needle: exit 1 }\n"), HeldOut::with(SEEN));
    let enrolled = hard.path().join("referee.yaml");
    workspace.referee(&["enroll", "--held-out", enrolled.to_str().unwrap()]).exits(0);
    let typed = gate(&workspace, &soft.path(), &["--format", "json"]);
    let mut command = workspace.command(&["gate", "--format", "json"]);
    let by_variable = finish(command.env("REFEREE_HELD_OUT", soft.path()).spawn().unwrap());
    for finished in [typed, by_variable] {
        assert_eq!(finished.json()["decision"], "FAIL", "{}", finished.stdout);
        assert!(finished.json()["notes"].to_string().contains("were passed over"), "{}", finished.stdout);
        tells_nothing(&workspace, &finished);
    }
    // The same by its name is no other.
    let same = gate(&workspace, &enrolled, &["--format", "json"]);
    assert_eq!(
        (&same.json()["decision"], same.json()["notes"].to_string().contains("passed over")),
        (&"FAIL".into(), false)
    );
}
