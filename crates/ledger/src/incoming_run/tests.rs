use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::chain_status::ChainStanding;
use crate::fault::injected::{self, Fault};
use crate::sample::{at, execution, run, task};
use crate::state::State;

/// A machine: an evidence root, and a state directory outside it.
struct Machine {
    ground: TempDir,
    state: State,
}

impl Machine {
    fn new() -> Self {
        let ground = tempfile::tempdir().unwrap();
        let state = State::open(&ground.path().join("state")).unwrap();
        Self { ground, state }
    }

    fn root(&self) -> PathBuf {
        self.ground.path().join("evidence")
    }

    fn store(&self) -> Store {
        Store::open_with(&self.root(), Some(&self.state)).unwrap()
    }

    fn latest(&self) -> PathBuf {
        self.root().join("T001")
    }

    /// Brings a run of another machine here, with the seals of these earlier runs.
    fn receive(&self, from: &Path, earlier: &[PathBuf]) -> IncomingRun {
        let incoming = self.store().receive(&task(), &execution(99)).unwrap();
        copy(from, &IncomingFiles::of_run(incoming.path()).unwrap(), None);
        for run in earlier {
            let name = ExecutionId::parse(run.file_name().unwrap().to_str().unwrap()).unwrap();
            copy(run, &IncomingFiles::of_earlier(incoming.path(), &name).unwrap(), Some(evidence_name::SEAL));
        }
        incoming
    }

    fn publish(&self, from: &Path, earlier: &[PathBuf]) -> Result<IncomingOutcome, LedgerError> {
        self.receive(from, earlier).publish(at(50), "s3://evidence")
    }

    fn standing(&self) -> ChainStanding {
        let status = Store::survey(&self.latest(), &task(), Some(&self.state)).unwrap().unwrap();
        assert!(status.breaks.is_empty(), "{:?}", status.breaks);
        status.standing
    }

    fn history(&self, number: u32) -> PathBuf {
        self.root().join(".history/T001").join(execution(number).as_str())
    }
}

fn copy(from: &Path, to: &IncomingFiles, only: Option<&str>) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if only.is_none_or(|only| only == name) {
            std::io::copy(&mut fs::File::open(entry.path()).unwrap(), &mut to.create(&name).unwrap()).unwrap();
        }
    }
}

#[test]
fn a_machine_that_knows_nothing_goes_on_with_the_chain_that_comes() {
    let (here, there) = (Machine::new(), Machine::new());
    run(&here.store(), 1).unwrap();
    run(&here.store(), 2).unwrap();
    let outcome = there.publish(&here.latest(), &[here.history(1)]).unwrap();
    assert_eq!(outcome, IncomingOutcome::Published { directory: there.latest() });
    assert_eq!(there.standing(), ChainStanding::Head);
    let tombstone = fs::read(there.history(1).join(evidence_name::TOMBSTONE)).unwrap();
    assert!(tombstone::read(&tombstone).unwrap().reason.contains("not fetched: its files are in s3://evidence"));

    run(&there.store(), 3).unwrap();
    assert_eq!(there.standing(), ChainStanding::Head);
    let (seal, _) = crate::sample::seal_of(&there.latest()).unwrap();
    assert_eq!(seal.sequence, Some(3));
    let back = here.publish(&there.latest(), &[]).unwrap();
    assert_eq!(back, IncomingOutcome::Published { directory: here.latest() });
    assert_eq!(here.standing(), ChainStanding::Head);
    let again = here.publish(&there.latest(), &[]).unwrap();
    assert_eq!(again, IncomingOutcome::Present { directory: here.latest() });
}

#[test]
fn what_was_set_back_and_what_is_of_another_chain_changes_nothing() {
    let (here, there) = (Machine::new(), Machine::new());
    run(&here.store(), 1).unwrap();
    let old = here.ground.path().join("old");
    crate::export::copy(&here.latest(), &old).unwrap();
    run(&here.store(), 2).unwrap();
    assert!(matches!(here.publish(&old, &[]).unwrap(), IncomingOutcome::Behind { head } if head.sequence == 2));
    run(&there.store(), 7).unwrap();
    assert!(matches!(there.publish(&here.latest(), &[here.history(1)]).unwrap(), IncomingOutcome::Diverged { .. }));
    assert_eq!((here.standing(), there.standing()), (ChainStanding::Head, ChainStanding::Head));
    let (seal, _) = crate::sample::seal_of(&there.latest()).unwrap();
    assert_eq!(seal.execution_id, execution(7));
    assert!(!there.history(1).exists());
}

#[test]
fn a_run_that_is_not_as_sealed_is_never_published() {
    let (here, there) = (Machine::new(), Machine::new());
    run(&here.store(), 1).unwrap();
    for (name, bytes) in [("execution-report.json", &b"[]\n"[..]), ("extra.json", b"{}"), ("seal.json", b"{}")] {
        let incoming = there.receive(&here.latest(), &[]);
        fs::write(incoming.run().join(name), bytes).unwrap();
        assert!(incoming.publish(at(50), "s3://evidence").is_err(), "{name}");
        assert!(!there.latest().exists(), "{name}");
    }
    let incoming = there.receive(&here.latest(), &[]);
    fs::remove_file(incoming.run().join("journal.jsonl")).unwrap();
    assert!(incoming.publish(at(50), "s3://evidence").is_err());
    assert!(there.store().unfinished(&task()).unwrap().is_empty());
}

#[test]
fn a_run_that_could_not_be_published_at_any_point_is_published_whole_the_next_time() {
    let here = Machine::new();
    for number in 1..=3 {
        run(&here.store(), number).unwrap();
    }
    let earlier = [here.history(2), here.history(1)];
    let mut refused = 0;
    for place in 0.. {
        let there = Machine::new();
        there.publish(&here.history(1), &[]).unwrap();
        let incoming = there.receive(&here.latest(), &earlier);
        injected::arm(place, Fault::Full);
        let done = incoming.publish(at(50), "s3://evidence");
        let ended_well = injected::disarm();
        let (seal, _) = crate::sample::seal_of(&there.latest()).unwrap();
        let is_published = seal.execution_id == execution(3);
        assert!(is_published || seal.execution_id == execution(1), "full at {place}: {}", seal.execution_id);
        assert!(is_published || done.is_err(), "full at {place}: {done:?}");
        assert_eq!(verify::integrity(&there.latest()).unwrap().findings, [], "full at {place}");

        there.publish(&here.latest(), &earlier).unwrap();
        let (seal, _) = crate::sample::seal_of(&there.latest()).unwrap();
        assert_eq!((seal.execution_id, there.standing()), (execution(3), ChainStanding::Head), "full at {place}");
        run(&there.store(), 4).unwrap();
        assert_eq!(there.standing(), ChainStanding::Head, "full at {place}");
        if ended_well {
            done.unwrap();
            break;
        }
        refused += u32::from(done.is_err());
    }
    assert!(refused > 3, "{refused}");
}

#[test]
fn what_a_killed_process_left_is_no_run_and_goes_when_the_next_one_comes() {
    let (here, there) = (Machine::new(), Machine::new());
    run(&here.store(), 1).unwrap();
    let left = {
        let incoming = there.receive(&here.latest(), &[]);
        let left = incoming.path().with_file_name(".incoming-exec-5");
        fs::create_dir(&left).unwrap();
        fs::write(left.join("half"), "half").unwrap();
        assert!(there.store().unfinished(&task()).unwrap().is_empty());
        left
    };
    let incoming = there.receive(&here.latest(), &[]);
    assert!(!left.exists());
    let live = incoming.path().to_path_buf();
    drop(incoming);
    assert!(!live.exists());
}
