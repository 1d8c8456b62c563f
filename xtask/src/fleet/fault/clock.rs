//! Faults of clocks: one machine is a day before or behind the others.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::{Fault, Outcome, begin, end, end_with_evidence, ensure, pass};
use crate::fleet::stage::{Stage, wait};

pub(super) const FAULTS: fn() -> Vec<Fault> = || {
    vec![
        Fault {
            name: "worker-clock-ahead",
            what: "the clock of the worker is a day ahead",
            expected: "passes, verified",
            code: 0,
            says: "performed by a worker",
            play: |stage| worker(stage, "+1d"),
        },
        Fault {
            name: "worker-clock-behind",
            what: "the clock of the worker is a day behind",
            expected: "passes, verified",
            code: 0,
            says: "performed by a worker",
            play: |stage| worker(stage, "-1d"),
        },
        Fault {
            name: "asker-clock-ahead",
            what: "the clock of whoever asks is a day ahead, and the worker is busy",
            expected: "passes, and no worker is missed",
            code: 0,
            says: "performed by a worker",
            play: |stage| asker(stage, "+1d"),
        },
        Fault {
            name: "asker-clock-behind",
            what: "the clock of whoever asks is a day behind, and the worker is busy",
            expected: "passes, and no worker is missed",
            code: 0,
            says: "performed by a worker",
            play: |stage| asker(stage, "-1d"),
        },
    ]
};

const MISSING: Outcome = Outcome::Skipped("there is no libfaketime (apt-get install faketime)");

/// Returns the variables that set the clock of a program apart.
fn clock(offset: &str) -> Option<[(&str, &str); 3]> {
    const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
    // Time that passes is not changed: only what the clock shows.
    let variables = [("LD_PRELOAD", LIBRARY), ("FAKETIME", offset), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")];
    Path::new(LIBRARY).exists().then_some(variables)
}

fn worker(stage: &mut Stage, offset: &str) -> io::Result<Outcome> {
    let Some(clock) = clock(offset) else { return Ok(MISSING) };
    stage.specify("checks:\n  speak: date\n")?;
    stage.trust(&["worker-1"])?;
    let _worker = stage.worker("worker-1", &clock)?;
    end_with_evidence(stage, stage.ask(&[])?)
}

/// Another order takes the only job of the worker, so that this one waits long enough to look for workers.
fn asker(stage: &mut Stage, offset: &str) -> io::Result<Outcome> {
    let Some(clock) = clock(offset) else { return Ok(MISSING) };
    let (_worker, mut first) = begin(stage)?;
    stage.copy_asker("second")?;
    fs::write(stage.file("second/more.txt"), "another tree\n")?;
    let second = stage.ask_in("second", &clock)?;
    wait("the order is in the queue", || second.told().contains("in the queue"))?;
    pass(Duration::from_secs(6));
    let is_missed = second.told().contains("none with these labels");
    stage.touch("go")?;
    ensure(first.wait()?.success(), "the first run does not pass")?;
    let outcome = end(second)?;
    ensure(!is_missed, "a worker that is there is missed")?;
    Ok(outcome)
}
