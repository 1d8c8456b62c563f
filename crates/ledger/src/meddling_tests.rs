//! Another process changes a run in progress: an action of the run itself, or an unrelated one. Files that the
//! run did not write are neither read nor sealed, and no other directory is published as the task's latest run.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};

use referee_model::record::{Log, Stream};

use crate::error::LedgerError;
use crate::evidence::{Evidence, LogFile};
use crate::fault::injected::{self, Fault};
use crate::publication::Published;
use crate::sample::{self, at, execution, plan_digest, seal_of, task};
use crate::staging::Staging;
use crate::store::Store;
use crate::verify;

const LOG: &str = "STEP.1-sample.log";

/// Returns a run that is over and not published, with a log of these bytes and one document.
fn over(store: &Store, number: u32, output: &[u8]) -> (Staging, Log) {
    let mut staging = sample::begin(store, number).unwrap();
    sample::start(&mut staging, number).unwrap();
    let mut capture = staging.capture(LOG).unwrap();
    capture.append(Stream::Stdout, output).unwrap();
    let log = capture.finish().unwrap();
    staging.put("report.json", b"{\"decision\":\"FAIL\"}").unwrap();
    sample::finish(&mut staging, number).unwrap();
    (staging, log)
}

fn store() -> (tempfile::TempDir, Store) {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path()).unwrap();
    (root, store)
}

fn publish(staging: Staging, number: u32) -> Result<Published, LedgerError> {
    staging.publish(plan_digest(), at(number + 1))
}

fn text(log: &LogFile) -> String {
    let mut text = String::new();
    log.stream(Stream::Stdout).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// Creates the sealed directory of a run that never happened, and returns its path.
fn forge(root: &Path, number: u32) -> PathBuf {
    let elsewhere = root.join("forge");
    let (staging, _) = over(&Store::open(&elsewhere).unwrap(), number, b"forged\n");
    publish(staging, number).unwrap().directory
}

/// Returns whether the content of a directory was forged.
fn is_forged(directory: &Path) -> bool {
    fs::read(directory.join(LOG)).is_ok_and(|log| log == b"forged\n")
}

#[test]
fn a_directory_that_is_swapped_during_the_run_is_neither_read_nor_published() {
    let (root, store) = store();
    sample::run(&store, 1).unwrap();
    let (staging, log) = over(&store, 2, b"true\n");
    let place = staging.path().to_path_buf();
    fs::rename(&place, root.path().join("away")).unwrap();
    fs::rename(forge(root.path(), 2), &place).unwrap();

    let file = staging.log(&log);
    file.check().unwrap();
    assert_eq!(text(&file), "true\n");
    drop(file);
    let error = publish(staging, 2).unwrap_err();
    assert!(matches!(error, LedgerError::Meddled { .. }), "{error}");

    let unfinished = store.unfinished(&task()).unwrap();
    assert_eq!((unfinished[0].execution.clone(), unfinished[0].live), (execution(2), false));
    store.recover(&task()).unwrap();
    assert_eq!(seal_of(&root.path().join("T001")).unwrap().0.execution_id, execution(1));
    assert!(is_forged(&root.path().join(".history/T001/unknown-run")), "it is kept, under no name of a run");
}

#[test]
fn a_directory_that_is_swapped_and_a_run_that_ends_early_leave_an_unfinished_run() {
    let (root, store) = store();
    let staging = sample::begin(&store, 1).unwrap();
    fs::rename(staging.path(), root.path().join("away")).unwrap();
    fs::rename(forge(root.path(), 1), staging.path()).unwrap();
    drop(staging);
    assert_eq!(store.unfinished(&task()).unwrap().len(), 1);
    store.recover(&task()).unwrap();
    assert_eq!(store.sealed(&task()), None);
}

#[test]
fn an_evidence_root_that_is_swapped_is_told() {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("evidence");
    let (staging, _) = over(&Store::open(&root).unwrap(), 1, b"true\n");
    fs::rename(&root, outer.path().join("away")).unwrap();
    fs::create_dir(&root).unwrap();
    assert!(matches!(publish(staging, 1), Err(LedgerError::Meddled { path, .. }) if path == root));
}

#[test]
fn a_directory_that_is_swapped_at_any_place_never_stands_in_the_tasks_place() {
    for (exchange, former) in [(true, true), (true, false), (false, true), (false, false)] {
        injected::let_exchange_work(exchange);
        let mut refused = 0;
        for place in 0.. {
            let (root, store) = store();
            if former {
                sample::run(&store, 1).unwrap();
            }
            let (forged, staged) = (forge(root.path(), 2), root.path().join(".staging/T001/exec-2"));
            let away = root.path().join("away");
            injected::meanwhile(place, move || {
                if fs::rename(&staged, away).is_ok() {
                    fs::rename(forged, staged).unwrap();
                }
            });
            let published = sample::run(&store, 2);
            let over = injected::nobody_meanwhile();
            let told = format!("place {place}, exchange {exchange}, former {former}: {published:?}");
            assert!(!is_forged(&root.path().join("T001")), "{told}");
            if let Ok(published) = &published {
                assert_eq!(verify::integrity(&published.directory).unwrap().findings, [], "{told}");
            } else {
                refused += 1;
                assert_eq!(store.unfinished(&task()).unwrap().len(), 1, "{told}");
            }
            store.recover(&task()).unwrap();
            assert!(!is_forged(&root.path().join("T001")), "{told}");
            if over {
                assert!(published.is_ok(), "{told}");
                break;
            }
        }
        assert!(refused > 10, "only {refused} places were refused");
    }
    injected::let_exchange_work(true);
}

/// Changes a file as another process would.
type Tampering<'a> = &'a dyn Fn(&Path);

fn append(path: &Path, bytes: &[u8]) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

/// Overwrites bytes in the middle; the size stays the same.
fn overwrite(path: &Path, offset: u64, bytes: &[u8]) {
    OpenOptions::new().write(true).open(path).unwrap().write_all_at(bytes, offset).unwrap();
}

#[test]
fn a_log_that_was_changed_is_told_before_and_after_it_is_read() {
    let rows: [(&str, Tampering); 5] = [
        ("has 2 bytes; 5 were written", &|path| fs::write(path, "tr").unwrap()),
        ("has 9 bytes; 5 were written", &|path| append(path, b"lie\n")),
        ("has another content than was written", &|path| overwrite(path, 0, b"l")),
        ("was removed", &|path| fs::remove_file(path).unwrap()),
        ("was replaced by what is not a file", &|path| {
            fs::rename(path, path.with_extension("true")).unwrap();
            symlink(path.with_extension("true"), path).unwrap();
        }),
    ];
    for (expected, operation) in rows {
        let (_root, store) = store();
        let (staging, log) = over(&store, 1, b"true\n");
        let evidence = Evidence::open(staging.path()).unwrap();
        evidence.log(&log).check().unwrap();
        operation(&staging.path().join(LOG));
        for (file, is_read) in [(staging.log(&log), false), (evidence.log(&log), false), (staging.log(&log), true)] {
            if is_read {
                let read = |stream| file.stream(stream).and_then(|mut bytes| bytes.read_to_end(&mut Vec::new()));
                // What cannot be read is told by the check.
                Stream::ALL.map(read).into_iter().for_each(drop);
            }
            let error = file.check().unwrap_err();
            assert!(matches!(error, LedgerError::Meddled { .. }), "{error}");
            assert!(error.to_string().contains(&format!("`{LOG}` {expected}")), "{error}");
        }
    }
    let (_root, store) = store();
    let (staging, log) = over(&store, 1, b"true\n");
    let file = staging.log(&log);
    assert_eq!(text(&file), "true\n");
    file.check().unwrap();
    append(&staging.path().join(LOG), b"lie\n");
    assert!(matches!(file.check(), Err(LedgerError::Meddled { .. })), "the size is looked at again");
    let elsewhere = Log { file: "../log".to_owned(), ..log };
    assert!(matches!(staging.log(&elsewhere).check(), Err(LedgerError::Name { .. })));
}

#[test]
fn a_file_that_was_changed_before_the_seal_is_not_sealed() {
    let large = vec![b'a'; 5 * 1024 * 1024];
    let rows: [(&str, &str, &[u8], Tampering); 8] = [
        ("report.json", "has another content", b"", &|path| overwrite(path, 13, b"PASS")),
        ("report.json", "has 20 bytes; 19 were written", b"", &|path| append(path, b"\n")),
        ("report.json", "was removed or replaced", b"", &|path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        }),
        (LOG, "has another content", b"true\n", &|path| overwrite(path, 0, b"l")),
        (LOG, "was touched after it was written", &large, &|path| overwrite(path, 9, b"b")),
        (LOG, "was touched after it was written", &large, &|path| {
            let bytes = fs::read(path).unwrap();
            fs::remove_file(path).unwrap();
            fs::write(path, bytes).unwrap();
        }),
        ("journal.jsonl", "bytes; ", b"", &|path| append(path, b"{}\n")),
        ("journal.jsonl", "has another content", b"", &|path| overwrite(path, 1, b" ")),
    ];
    for (name, expected, output, operation) in rows {
        let (_root, store) = store();
        let (staging, _) = over(&store, 1, output);
        operation(&staging.path().join(name));
        let error = publish(staging, 1).unwrap_err();
        assert!(matches!(error, LedgerError::Meddled { .. }), "{error}");
        let error = error.to_string();
        assert!(error.contains(&format!("`{name}`")) && error.contains(expected), "{error}");
        assert_eq!(store.sealed(&task()), None);
    }
}

#[test]
fn large_and_small_files_that_nobody_touched_are_sealed() {
    let (_root, store) = store();
    let (staging, _) = over(&store, 1, &vec![b'a'; 5 * 1024 * 1024]);
    let directory = publish(staging, 1).unwrap().directory;
    assert_eq!(verify::integrity(&directory).unwrap().findings, []);
}

#[test]
fn a_run_that_started_earlier_does_not_replace_one_that_started_later() {
    let (root, store) = store();
    let (earlier, _) = over(&store, 1, b"1\n");
    let later = sample::run(&store, 2).unwrap();
    let published = publish(earlier, 1).unwrap();
    assert_eq!((later.superseded_by, &published.superseded_by), (None, &Some(execution(2))));
    assert_eq!(published.directory, root.path().join(".history/T001/exec-1"));
    assert_eq!(verify::integrity(&published.directory).unwrap().findings, []);
    let (seal, digest) = seal_of(&published.directory).unwrap();
    assert_eq!((seal.previous_seal, digest), (Some(later.seal_digest), published.seal_digest));
    assert_eq!(seal_of(&root.path().join("T001")).unwrap().0.execution_id, execution(2));
    assert_eq!(store.unfinished(&task()).unwrap(), []);

    let next = sample::run(&store, 3).unwrap();
    assert_eq!(seal_of(&next.directory).unwrap().0.previous_seal, Some(later.seal_digest));
}

#[test]
fn a_run_whose_start_cannot_be_told_or_believed_is_not_later() {
    let rows: [(u32, Tampering); 5] = [
        (1, &|_| {}),
        (100_000, &|_| {}),
        (2, &|directory| fs::write(directory.join("journal.jsonl"), "junk\n").unwrap()),
        (2, &|directory| fs::remove_file(directory.join("journal.jsonl")).unwrap()),
        (2, &|directory| fs::remove_file(directory.join("seal.json")).unwrap()),
    ];
    for (second, operation) in rows {
        let (root, store) = store();
        let (staging, _) = over(&store, 1, b"1\n");
        let mut standing = sample::begin(&store, 7).unwrap();
        let started = referee_model::event::EventKind::RunStarted {
            execution: execution(7),
            task: task(),
            title: String::new(),
            actions: 0,
        };
        standing.append(at(second), started).unwrap();
        sample::finish(&mut standing, second).unwrap();
        operation(&publish(standing, second).unwrap().directory);
        let published = publish(staging, 1).unwrap();
        assert_eq!((published.superseded_by, published.directory), (None, root.path().join("T001")), "{second}");
    }
}

#[test]
fn a_full_disk_at_any_place_leaves_the_later_run_standing_and_loses_no_earlier_one() {
    for place in 0.. {
        let (root, store) = store();
        let (earlier, _) = over(&store, 1, b"1\n");
        sample::run(&store, 2).unwrap();
        injected::arm(place, Fault::Full);
        let published = publish(earlier, 1);
        let ended_well = injected::disarm();
        assert_eq!(published.is_ok(), ended_well, "place {place}: {published:?}");
        store.recover(&task()).unwrap();
        assert_eq!(seal_of(&root.path().join("T001")).unwrap().0.execution_id, execution(2), "place {place}");
        let history: Vec<_> = fs::read_dir(root.path().join(".history/T001"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(history, ["exec-1"], "place {place}");
        assert_eq!(store.unfinished(&task()).unwrap(), [], "place {place}");
        if ended_well {
            assert!(place > 5, "only {place} places were passed");
            break;
        }
    }
}
