use std::fs;
use std::os::unix::fs::symlink;

use referee_model::id::WorkspacePath;
use referee_model::time::Timestamp;

use super::*;
use crate::tree::Snapshot;

/// A time long after anything that a test does.
fn later() -> Timestamp {
    Timestamp::from_millisecond(32_503_680_000_000)
}

fn state(outside: &Path) -> State {
    State::open(&outside.join("state")).unwrap()
}

fn subject(task: &TaskId) -> Subject<'_> {
    let (workspace, evidence_root) = (Path::new("/work"), Path::new("/work/evidence"));
    Subject { workspace, evidence_root, specification: "referee.yaml", task }
}

#[test]
fn what_is_no_receipt_is_an_error_and_what_is_not_there_is_none() {
    let outside = tempfile::tempdir().unwrap();
    let state = state(outside.path());
    let task = TaskId::parse("T001").unwrap();
    assert!(find(&state, subject(&task)).unwrap().is_none());
    let path = state.area(Area::Receipts).unwrap().join(subject(&task).name());
    for junk in ["", "{}", "{\"receiptVersion\": \"9.0.0\"}", "[1"] {
        fs::write(&path, junk).unwrap();
        assert!(find(&state, subject(&task)).is_err(), "{junk}");
    }
    let large = usize::try_from(limit::RECEIPT_BYTES).unwrap() + 1;
    fs::write(&path, vec![b' '; large]).unwrap();
    assert!(matches!(find(&state, subject(&task)), Err(LedgerError::TooLarge { .. })));
    fs::remove_file(&path).unwrap();
    symlink("/etc/passwd", &path).unwrap();
    assert!(find(&state, subject(&task)).is_err(), "links are not followed");
}

#[test]
fn each_workspace_specification_and_task_has_a_receipt_of_its_own() {
    let (one, other) = (TaskId::parse("T001").unwrap(), TaskId::parse("T002").unwrap());
    let of = |subject: Subject<'_>| subject.name();
    let all = [
        of(subject(&one)),
        of(subject(&other)),
        of(Subject { specification: "other.yaml", ..subject(&one) }),
        of(Subject { workspace: Path::new("/elsewhere"), ..subject(&one) }),
        of(Subject { evidence_root: Path::new("/work/proof"), ..subject(&one) }),
    ];
    let distinct: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn a_file_is_the_same_by_its_stamp_or_by_its_content_and_by_nothing_else() {
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().join("program");
    fs::write(&path, "one").unwrap();
    let content = hashed(&path).unwrap();
    let by_stamp = known(&path, None).unwrap();
    let by_both = known(&path, Some(content)).unwrap();
    assert!(is_same(&by_stamp, later()) && is_same(&by_both, later()));
    // A file that was changed just before it was recorded may have changed again without a trace.
    let now = Timestamp::from_millisecond(by_stamp.stamp.unwrap().changed.0 * 1_000);
    assert!(!is_same(&by_stamp, now), "its stamp tells nothing yet");
    assert!(is_same(&by_both, now), "its content does");
    assert!(has_changed_since(&by_stamp, now) && !has_changed_since(&by_stamp, later()));

    let beside = outside.path().join("beside");
    fs::write(&beside, "one").unwrap();
    fs::rename(&beside, &path).unwrap();
    assert!(!is_same(&by_stamp, later()), "another file with the same content");
    assert!(is_same(&by_both, later()));
    fs::write(&path, "two").unwrap();
    assert!(!is_same(&by_both, later()));
    fs::remove_file(&path).unwrap();
    assert!(!is_same(&by_both, later()));
    let absent = known(&path, None).unwrap();
    assert!(is_same(&absent, later()));
    symlink("/bin/sh", &path).unwrap();
    assert!(!is_same(&absent, later()) && known(&path, None).is_err(), "a link is not a file");
}

#[test]
fn markers_of_dependencies_are_found_where_checks_run_and_above() {
    let outside = tempfile::tempdir().unwrap();
    let root = outside.path().canonicalize().unwrap();
    let put = |path: &str, text: &str| {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    };
    let directory = WorkspacePath::parse("packages/web").unwrap();
    let taken = || dependencies(&root, [&directory]).unwrap();
    assert!(taken().is_empty());
    put("node_modules/.package-lock.json", "{}");
    put("packages/web/node_modules/.modules.yaml", "a");
    put("packages/api/node_modules/.modules.yaml", "a");
    put(".venv/lib/python3.12/site-packages/left_pad-1.0.dist-info/RECORD", "");
    let first = taken();
    let names: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            ".venv",
            ".venv/lib/python3.12/site-packages",
            "node_modules",
            "node_modules/.package-lock.json",
            "packages/web/node_modules",
            "packages/web/node_modules/.modules.yaml",
        ]
    );
    put(".venv/lib/python3.12/site-packages/left_pad/__init__.py", "");
    assert_eq!(taken(), first, "what is in a package is told by its version");
    put(".venv/lib/python3.12/site-packages/right_pad-1.0.dist-info/RECORD", "");
    assert_ne!(taken(), first);
    put("node_modules/.package-lock.json", "{ }");
    let second = taken();
    put(".env", "A=1");
    assert_ne!(taken(), second);
}

#[test]
fn what_python_runs_as_it_starts_counts_by_its_content() {
    let outside = tempfile::tempdir().unwrap();
    let packages = outside.path().join("venv/lib/python3.12/site-packages");
    fs::create_dir_all(&packages).unwrap();
    let directory = WorkspacePath::parse("src").unwrap();
    let taken = || dependencies(outside.path(), [&directory]).unwrap();
    for name in ["left.pth", "sitecustomize.py"] {
        fs::write(packages.join(name), "one").unwrap();
        let first = taken();
        assert_eq!(taken(), first);
        fs::write(packages.join(name), "two").unwrap();
        assert_ne!(taken(), first, "{name}");
    }
}

#[test]
fn more_directories_than_are_looked_at_are_an_error() {
    let outside = tempfile::tempdir().unwrap();
    let directories: Vec<_> = (0..70).map(|number| WorkspacePath::parse(&format!("f{number}")).unwrap()).collect();
    assert!(dependencies(outside.path(), directories.iter().take(60)).is_ok());
    assert!(dependencies(outside.path(), &directories).unwrap_err().to_string().contains("directories"));
}

#[test]
fn what_links_lead_to_is_told_by_its_content_where_it_is_no_input() {
    use crate::tree::{Cache, Exclusions, list};
    let outside = tempfile::tempdir().unwrap();
    let (workspace, data) = (outside.path().join("work"), outside.path().join("data"));
    fs::create_dir_all(workspace.join("src")).unwrap();
    fs::write(workspace.join("src/a"), "a").unwrap();
    symlink("src", workspace.join("inside")).unwrap();
    symlink(&data, workspace.join("out")).unwrap();
    let taken = || {
        let listing = list(&workspace, &Exclusions::new(&workspace, &[], &[]).unwrap()).unwrap();
        links(&workspace, &Snapshot::take(&listing, &mut Cache::open(None, &workspace))).unwrap()
    };
    let absent = taken().unwrap();
    assert_eq!(absent.keys().collect::<Vec<_>>(), ["out"]);
    fs::write(&data, "one").unwrap();
    let one = taken().unwrap();
    assert_ne!(one, absent);
    fs::write(&data, "two").unwrap();
    assert_ne!(taken().unwrap(), one);
    fs::remove_file(&data).unwrap();
    fs::create_dir(&data).unwrap();
    assert_eq!(taken(), None, "a directory");
}

#[test]
fn a_turn_is_had_by_one_and_given_on_when_it_is_over() {
    let outside = tempfile::tempdir().unwrap();
    let state = state(outside.path());
    let workspace = Path::new("/work");
    let never = &mut || false;
    let first = take_turn(&state, workspace, never).unwrap().unwrap();
    assert!(!first.waited);
    assert!(take_turn(&state, workspace, never).unwrap().is_none());
    assert!(take_turn(&state, Path::new("/other"), never).unwrap().is_some());
    let mut held = Some(first);
    let mut asked = 0;
    let second = take_turn(&state, workspace, &mut || {
        asked += 1;
        drop(held.take());
        true
    });
    assert!(second.unwrap().unwrap().waited && asked == 1);
}

#[test]
fn without_a_head_nothing_is_the_latest() {
    let outside = tempfile::tempdir().unwrap();
    let state = state(outside.path());
    let task = TaskId::parse("T001").unwrap();
    let root = outside.path().join("evidence");
    assert!(matches!(latest(&root, &task, &state).unwrap(), Latest::Doubtful(_)));
    fs::create_dir_all(root.join("T001")).unwrap();
    fs::write(root.join("T001/seal.json"), "{}").unwrap();
    assert!(matches!(latest(&root, &task, &state).unwrap(), Latest::Doubtful(_)));
}
