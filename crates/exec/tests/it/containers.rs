//! Commands of docker and podman: a program of the test's own that plays them, and podman itself.

mod played;
mod real;

use std::fs;

use referee_model::plan::{Action, Container, ContainerOperation, ContainerProgram, Invocation, Phase, Work};

use crate::world::{Fixture, RunLog, command};

/// Adds an action that runs this command of docker or podman, whichever is there.
fn container<'world>(world: &'world mut Fixture, phase: Phase, line: &[&str], detached: bool) -> &'world mut Action {
    let operation = ContainerOperation::parse(line[0]).unwrap();
    let container = Container {
        program: ContainerProgram::Any,
        global_options: Vec::new(),
        operation,
        arguments: line[1..].iter().map(|word| (*word).to_owned()).collect(),
        detached,
    };
    world.add(phase, Work::Command(command(Invocation::Container(Box::new(container)))))
}

/// Has the programs of a directory found before all others.
fn prefer(world: &mut Fixture, directory: &str) {
    let path = format!("{directory}:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin");
    world.host.environment = vec![("PATH".into(), path.into())];
}

/// Returns the messages of an action's notices.
fn messages(log: &RunLog, action: &str) -> Vec<String> {
    log.record(action).notices.iter().map(|notice| notice.message.clone()).collect()
}

fn lines(path: &str) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}
