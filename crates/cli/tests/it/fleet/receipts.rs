//! Who orders the same later is answered by the earlier run, under the rules for recorded verdicts and no others.

use std::fs;
use std::path::{Path, PathBuf};

use super::queue::Queue;
use super::{CHECKS, Fleet, Worker, has_queue};
use crate::confinement::can_confine;
use crate::support::{Finished, finish};

impl Fleet {
    fn gate(&self, more: &[&str]) -> Finished {
        let arguments = [&["gate", "--fleet", "--label", &self.label, "--format", "json"], more].concat();
        let mut command = self.command(&self.asker, &arguments);
        command.envs(Queue::shared().map(Queue::address));
        finish(command.spawn().unwrap())
    }

    /// Asks the gate, and returns whether a worker ran the checks for it.
    fn ran(&self, more: &[&str]) -> bool {
        let answer = self.gate(more).exits(0).json();
        match answer["basis"].as_str() {
            Some("ran") => true,
            Some("shared") => false,
            _ => panic!("{answer}"),
        }
    }

    /// The receipt of the only order.
    fn receipt(&self) -> PathBuf {
        let mut found = files_below(&self.depot.path().join("depot/receipts"));
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let of_entry = |path: PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
    entries.flat_map(|entry| of_entry(entry.unwrap().path())).collect()
}

/// Answers an order of the fleet, and returns what whoever asks next is to be answered by, without any worker.
fn asked_once(specification: &str) -> Fleet {
    let fleet = Fleet::new(specification);
    fleet.asker.write("a.txt", "text\n");
    let worker = fleet.work();
    assert!(fleet.ran(&[]));
    drop(worker);
    fleet
}

#[test]
fn who_asks_the_same_later_is_answered_by_the_earlier_run_even_if_no_worker_is_left() {
    if !has_queue() {
        return;
    }
    let fleet = asked_once(CHECKS);
    let first = fleet.asker.evidence("T001");
    let answer = fleet.gate(&[]).exits(0).json();
    assert_eq!((answer["basis"].as_str(), answer["tasks"][0]["basis"].as_str()), (Some("shared"), Some("shared")));
    let second = fleet.asker.evidence("T001");
    assert_ne!(first["run.json"], second["run.json"], "the verdict is one of its own");
    assert_eq!(first["fleet-result.dsse.json"], second["fleet-result.dsse.json"]);
    let report = String::from_utf8(second["execution-report.json"].clone()).unwrap();
    assert!(report.contains("answered by an earlier run of the same order: exec-"), "{report}");
    fleet.asker.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    let arguments = ["gate", "--fleet", "--label", &fleet.label];
    let text = finish(fleet.command(&fleet.asker, &arguments).spawn().unwrap()).exits(0).stdout;
    assert!(text.contains("by an earlier run of a worker"), "{text}");
}

#[test]
fn who_asks_for_a_sandbox_asks_another_question() {
    if !can_confine() || !has_queue() {
        return;
    }
    let fleet = asked_once(CHECKS);
    let _worker = fleet.work();
    assert!(!fleet.ran(&[]));
    assert!(fleet.ran(&["--sandbox=require"]));
    assert!(!fleet.ran(&["--sandbox=require"]));
}

#[test]
fn what_must_run_anew_costs_a_run() {
    if !has_queue() {
        return;
    }
    let fleet = asked_once(CHECKS);
    let _worker = fleet.work();
    assert!(!fleet.ran(&[]));
    assert!(fleet.ran(&["--no-reuse"]));
    fleet.run(&[]).exits(0);
    assert!(!fleet.ran(&[]), "a run is reused as well");
    fleet.asker.write("a.txt", "other\n");
    assert!(fleet.ran(&[]));
    assert!(!fleet.ran(&[]));
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    assert!(fleet.ran(&["--max-age", "1s"]));
}

#[test]
fn who_asks_for_parts_is_told_too_why_no_earlier_run_answers() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::new("parallel: true\nchecks:\n  a: echo a\n  b: echo b\n");
    let _worker = fleet.work();
    fleet.run(&[]).exits(0);
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let answer = fleet.gate(&["--parts", "2", "--max-age", "1s"]).exits(0).json();
    assert_eq!(answer["basis"], "ran", "{answer}");
    assert!(answer["notes"].to_string().contains("no earlier run of the same order answers"), "{answer}");
    let report = String::from_utf8(fleet.asker.evidence("T001")["execution-report.json"].clone()).unwrap();
    assert!(report.contains("part 2 of 2") && report.contains("no earlier run"), "{report}");
}

#[test]
fn a_run_that_failed_by_its_checks_answers_and_one_that_need_not_come_out_so_again_does_not() {
    if !has_queue() {
        return;
    }
    let fails = "checks:\n  none: { file: missing.txt }\n";
    for (specification, code, basis) in [
        (fails, 1, "shared"),
        (
            "checks:\n  flaky: { run: \"test -f mark || { touch mark; exit 1; }\", retries: 2 }\noutputs: [mark]\n",
            0,
            "ran",
        ),
        ("checks:\n  look: { file: \"*.txt\" }\n", 0, "ran"),
        ("checks:\n  outside: \"cat /etc/passwd >&2\"\n", 0, "ran"),
        ("checks:\n  change: \"echo more > b.txt\"\n", 0, "ran"),
    ] {
        let fleet = Fleet::new(specification);
        fleet.asker.write("a.txt", "text\n");
        let _worker = fleet.work();
        fleet.gate(&[]).exits(code);
        let again = fleet.gate(&[]).exits(code).json();
        assert_eq!(again["basis"], basis, "{specification}: {again}");
        let is_told = again["notes"].to_string().contains("no earlier run of the same order answers");
        assert_eq!(is_told, basis == "ran", "{again}");
    }
}

#[test]
fn a_receipt_that_cannot_be_believed_costs_a_run_and_nothing_else() {
    if !has_queue() {
        return;
    }
    let fleet = asked_once(CHECKS);
    let _worker = fleet.work();
    let genuine = fs::read_to_string(fleet.receipt()).unwrap();
    let forged = genuine.replacen("\"sig\":\"", "\"sig\":\"AAAA", 1);
    let huge = "x".repeat(200_000);
    for receipt in [forged.as_str(), &genuine[..genuine.len() / 2], "", "junk", "{}", &huge] {
        fs::write(fleet.receipt(), receipt).unwrap();
        let answer = fleet.gate(&[]).exits(0).json();
        assert_eq!(answer["basis"], "ran", "{answer}");
        assert!(!fleet.ran(&[]), "the worker has put a new one");
    }
    // That of another order.
    let first = fleet.receipt();
    fleet.asker.write("a.txt", "other\n");
    assert!(fleet.ran(&[]));
    let found = files_below(&fleet.depot.path().join("depot/receipts"));
    let second = found.into_iter().find(|path| *path != first).unwrap();
    fs::copy(&first, &second).unwrap();
    assert!(fleet.ran(&[]));
    // Files that it rests on.
    let logs = files_below(&fleet.depot.path().join("depot/blobs"));
    let log = logs.into_iter().find(|path| fs::read(path).unwrap() == b"hello\n").unwrap();
    fs::remove_file(&log).unwrap();
    assert!(fleet.ran(&[]));
    fs::write(&log, "jello\n").unwrap();
    let answer = fleet.gate(&[]);
    assert!(!answer.stdout.contains("PASS"), "what the worker stored is not what it sealed: {answer:?}");
}

#[test]
fn the_receipt_of_a_worker_that_is_not_trusted_is_not_taken() {
    if !has_queue() {
        return;
    }
    let fleet = asked_once(CHECKS);
    let other = fleet.key("other.pem");
    fleet.worker.referee(&["key", "new", "--out", &other]).exits(0);
    let arguments = ["worker", "--label", &fleet.label, "--key", &other];
    let mut command = fleet.command(&fleet.worker, &arguments);
    command.envs(Queue::shared().map(Queue::address));
    let stranger = Worker(command.spawn().unwrap());
    fleet.gate(&["--no-reuse"]).exits(74);
    drop(stranger);
    let _worker = fleet.work();
    let answer = fleet.gate(&[]).exits(0).json();
    assert_eq!(answer["basis"], "ran", "{answer}");
    assert!(answer["notes"].to_string().contains("cannot be trusted"), "{answer}");
    let trusted = fleet.asker.referee(&["key", "list"]).exits(0).stdout;
    assert!(trusted.contains("worker 1"), "{trusted}");
}

#[test]
fn a_depot_that_is_away_gives_no_verdict_and_prune_takes_what_answers_nobody() {
    if !has_queue() {
        return;
    }
    let fleet = asked_once(CHECKS);
    let prune = |more: &[&str]| {
        let url = fleet.url();
        let arguments = [&["evidence", "prune", "--keep", "0", "--from", &url], more].concat();
        finish(fleet.command(&fleet.asker, &arguments).spawn().unwrap()).exits(0).stdout
    };
    let kept = prune(&[]);
    assert!(!kept.contains("receipt"), "{kept}");
    assert!(!fleet.ran(&[]));
    let logs = files_below(&fleet.depot.path().join("depot/blobs"));
    fs::remove_file(logs.into_iter().find(|path| fs::read(path).unwrap() == b"hello\n").unwrap()).unwrap();
    let would = prune(&["--dry-run"]);
    assert!(would.contains("1 receipts") && fleet.receipt().is_file(), "{would}");
    let did = prune(&[]);
    assert!(did.contains("1 receipts"), "{did}");
    assert!(files_below(&fleet.depot.path().join("depot/receipts")).is_empty());
    let away = format!("file://{}", fleet.asker.path("away").display());
    let lost = fleet.gate(&["--evidence", &away]).exits(74);
    assert!(!lost.stdout.contains("PASS"), "{lost:?}");
}
