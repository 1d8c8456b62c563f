//! Faults of the queue: its server dies, alone or as one of two.

use std::io;
use std::time::Duration;

use super::{Fault, Outcome, begin, end, end_with_evidence, ensure, pass};
use crate::fleet::balancer::balance;
use crate::fleet::server::{Postgres, temporal};
use crate::fleet::stage::{Stage, wait};

pub(super) const FAULTS: fn() -> Vec<Fault> = || {
    vec![
        Fault {
            name: "server-killed",
            what: "kill -9 of Temporal while the check runs, 3 s later a restart",
            expected: "passes, performed once",
            code: 0,
            says: "performed by a worker",
            play: killed,
        },
        Fault {
            name: "server-killed-at-answer",
            what: "kill -9 of Temporal, and the worker answers before the restart",
            expected: "passes, performed once",
            code: 0,
            says: "performed by a worker",
            play: killed_at_answer,
        },
        Fault {
            name: "server-away",
            what: "Temporal is not there when it is asked",
            expected: "no verdict, exit 74",
            code: 74,
            says: "TEMPORAL_ADDRESS",
            play: away,
        },
        Fault {
            name: "one-of-two-killed",
            what: "two Temporal servers on one PostgreSQL behind one address; kill -9 of the one that is used",
            expected: "passes",
            code: 0,
            says: "performed by a worker",
            play: one_of_two_killed,
        },
    ]
};

fn killed(stage: &mut Stage) -> io::Result<Outcome> {
    let (_worker, asker) = begin(stage)?;
    stage.temporal.kill()?;
    pass(Duration::from_secs(3));
    stage.temporal.restart()?;
    stage.touch("go")?;
    let outcome = end_with_evidence(stage, asker)?;
    ensure(stage.count("ran") == 1, "the check ran twice")?;
    Ok(outcome)
}

fn killed_at_answer(stage: &mut Stage) -> io::Result<Outcome> {
    let (worker, asker) = begin(stage)?;
    stage.temporal.kill()?;
    stage.touch("go")?;
    wait("the worker answers", || worker.told().contains("answered"))?;
    stage.temporal.restart()?;
    let outcome = end_with_evidence(stage, asker)?;
    ensure(stage.count("ran") == 1, "the check ran twice")?;
    Ok(outcome)
}

fn away(stage: &mut Stage) -> io::Result<Outcome> {
    stage.specify("checks:\n  speak: echo hello\n")?;
    stage.trust(&["worker-1"])?;
    stage.temporal.kill()?;
    end(stage.ask(&[])?)
}

fn one_of_two_killed(stage: &mut Stage) -> io::Result<Outcome> {
    let Some(database) = Postgres::start(&stage.file("postgres"))? else {
        return Ok(Outcome::Skipped("there is no PostgreSQL in /usr/lib/postgresql"));
    };
    let start = || temporal(&stage.programs.temporal, &stage.file("temporal"), Some(database.port));
    let (mut used, other) = (start()?, start()?);
    // They find each other, and share out what they keep.
    pass(Duration::from_secs(10));
    stage.address = Some(balance(vec![used.port, other.port])?);
    let (_worker, asker) = begin(stage)?;
    used.kill()?;
    pass(Duration::from_secs(3));
    stage.touch("go")?;
    end_with_evidence(stage, asker)
}
