//! Faults of the storage: it is away, or gives something else than was put in it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Fault, Outcome, begin, end, end_with_evidence, ensure};
use crate::fleet::server;
use crate::fleet::stage::{Process, Stage, wait};

pub(super) const FAULTS: fn() -> Vec<Fault> = || {
    vec![
        Fault {
            name: "storage-away",
            what: "the storage is not there when it is asked",
            expected: "no verdict, exit 74",
            code: 74,
            says: "depot",
            play: away,
        },
        Fault {
            name: "storage-away-for-worker",
            what: "kill -9 of the storage while the check runs, restart after the worker could not store",
            expected: "passes, performed again",
            code: 0,
            says: "performed by a worker",
            play: away_for_worker,
        },
        Fault {
            name: "storage-away-for-answer",
            what: "kill -9 of the storage after the worker answered",
            expected: "no verdict, exit 74",
            code: 74,
            says: "depot",
            play: |stage| with_answer(stage, |stage, _| stage.storage.kill()),
        },
        Fault {
            name: "object-truncated",
            what: "objects of the run lack their last byte",
            expected: "no verdict, exit 74",
            code: 74,
            says: "depot",
            play: |stage| with_answer(stage, |_, objects| lie(objects, |content| content.truncate(content.len() - 1))),
        },
        Fault {
            name: "object-changed",
            what: "objects of the run have another content of the same size",
            expected: "no verdict, exit 74",
            code: 74,
            says: "depot",
            play: |stage| with_answer(stage, |_, objects| lie(objects, |content| content[0] ^= 1)),
        },
        Fault {
            name: "object-old",
            what: "objects of the run are those of the run before",
            expected: "no verdict, exit 74",
            code: 74,
            says: "depot",
            play: old,
        },
        Fault {
            name: "tree-lost",
            what: "the sources are gone before the worker fetches them",
            expected: "not performed, BLOCKED, exit 5",
            code: 5,
            says: "BLOCKED",
            play: tree_lost,
        },
        Fault {
            name: "tree-changed",
            what: "the sources are others when the worker fetches them",
            expected: "not performed, BLOCKED, exit 5",
            code: 5,
            says: "BLOCKED",
            play: tree_changed,
        },
    ]
};

/// Below this are the objects of the fleet, by their digests.
const CONTENT: &str = "team/blobs";

fn away(stage: &mut Stage) -> io::Result<Outcome> {
    stage.specify("checks:\n  speak: echo hello\n")?;
    let _worker = stage.trusted_worker("worker-1")?;
    stage.storage.kill()?;
    end(stage.ask(&[])?)
}

fn away_for_worker(stage: &mut Stage) -> io::Result<Outcome> {
    let (worker, asker) = begin(stage)?;
    stage.storage.kill()?;
    stage.touch("go")?;
    wait("the worker cannot store", || worker.told().contains("lost: "))?;
    stage.storage.restart()?;
    end_with_evidence(stage, asker)
}

/// Has something done to the objects of a run after the worker answered, and before whoever asked reads the answer.
fn with_answer(stage: &mut Stage, change: impl Fn(&mut Stage, &[PathBuf]) -> io::Result<()>) -> io::Result<Outcome> {
    let (worker, asker) = begin(stage)?;
    let new = hold(stage, &worker, &asker)?;
    change(stage, &new)?;
    asker.signal("CONT")?;
    end(asker)
}

/// Stops whoever asked, lets the check end, and returns the objects that the worker stored before it answered.
pub(super) fn hold(stage: &Stage, worker: &Process, asker: &Process) -> io::Result<Vec<PathBuf>> {
    let answers = || worker.told().matches(": answered").count();
    let (before, answers_before) = (objects(stage), answers());
    asker.signal("STOP")?;
    stage.touch("go")?;
    wait("the worker answers", || answers_before < answers())?;
    Ok(objects(stage).difference(&before).cloned().collect())
}

fn objects(stage: &Stage) -> BTreeSet<PathBuf> {
    server::objects(&stage.storage, CONTENT).into_iter().collect()
}

pub(super) fn lie(objects: &[PathBuf], change: impl Fn(&mut Vec<u8>)) -> io::Result<()> {
    for object in objects {
        let mut content = fs::read(object)?;
        if !content.is_empty() {
            change(&mut content);
            fs::write(object, content)?;
        }
    }
    Ok(())
}

/// A second run gets what the first one stored: seals in place of seals, and logs in place of logs.
fn old(stage: &mut Stage) -> io::Result<Outcome> {
    let (worker, asker) = begin(stage)?;
    let first = hold(stage, &worker, &asker)?;
    asker.signal("CONT")?;
    ensure(matches!(end(asker)?, Outcome::Ended { code: Some(0), .. }), "the first run does not pass")?;
    fs::remove_file(stage.file("go"))?;
    let asker = stage.ask(&[])?;
    wait("the check runs again", || stage.count("ran") == 2)?;
    let mut replaced = 0;
    for object in hold(stage, &worker, &asker)? {
        if let Some(old) = first.iter().find(|old| head(old) == head(&object)) {
            fs::copy(old, object)?;
            replaced += 1;
        }
    }
    ensure(0 < replaced, "no object of the second run is like one of the first")?;
    asker.signal("CONT")?;
    end(asker)
}

/// Returns the first bytes of a file, which tell what kind of document it is.
fn head(path: &Path) -> Vec<u8> {
    let mut content = fs::read(path).unwrap_or_default();
    content.truncate(16);
    content
}

/// Puts an order in the queue, has something done to the sources in the storage, and starts a worker.
fn with_sources(stage: &mut Stage, change: impl Fn(&[PathBuf]) -> io::Result<()>) -> io::Result<(Process, Process)> {
    stage.specify("checks:\n  speak: echo hello\n")?;
    stage.trust(&["worker-1"])?;
    let asker = stage.ask(&[])?;
    wait("the order is in the queue", || asker.told().contains("in the queue"))?;
    change(&server::objects(&stage.storage, CONTENT))?;
    Ok((stage.worker("worker-1", &[])?, asker))
}

fn tree_lost(stage: &mut Stage) -> io::Result<Outcome> {
    let (_worker, asker) = with_sources(stage, |objects| objects.iter().try_for_each(fs::remove_file))?;
    end(asker)
}

fn tree_changed(stage: &mut Stage) -> io::Result<Outcome> {
    let (_worker, asker) = with_sources(stage, |objects| lie(objects, |content| content[0] ^= 1))?;
    end(asker)
}
