//! Settings of a run: command line and environment are combined once, so that all of its turns, and later
//! continuations, use the same settings.

use std::path::Path;

use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, ValueEnum};
use referee_engine::error::EngineError;
use referee_engine::repair::{RepairOptions, TakeoverPlace, text};
use referee_model::agent_order::AgentOrder;
use referee_model::depot::DepotAddress;

use crate::args::agent::{Agent, AgentRun};
use crate::args::agent_fleet::AgentFleet;
use crate::args::depot::DepotProject;
use crate::args::gate::GateInvocation;
use crate::args::gate_options::{GateArguments, RunArguments};
use crate::args::key::Signing;
use crate::args::sandbox::Confinement;
use crate::args::{Arguments, CleanRoom, Command, Specification};

/// Arguments that are allowed beside `--resume`.
const BESIDE_RESUME: [&str; 2] = ["resume", "format"];

/// Arguments that are allowed as well where a run is taken over from another machine.
const BESIDE_FROM: [&str; 4] = ["from", "project", "key", "standby"];

/// Replaces arguments by the combined settings.
pub(super) fn settled(arguments: &AgentRun, options: &RepairOptions) -> AgentRun {
    let mut arguments = arguments.clone();
    let asked = &mut arguments.asked;
    asked.specification.files.clone_from(&options.specification.files);
    asked.specification.workspace.clone_from(&options.specification.workspace);
    asked.held_out.clone_from(&options.held_out);
    asked.gate.trusted.clone_from(&options.gate.trusted);
    asked.gate.run.signing.key.clone_from(&options.gate.signing.key);
    if let Some(workers) = &options.agent_workers {
        arguments.workers.depot = Some(workers.depot.to_string());
    }
    arguments
}

/// Writes combined settings as arguments that are complete, independent of the environment in which they are parsed.
pub(super) fn words(arguments: &AgentRun) -> Result<Vec<String>, EngineError> {
    // Each field is listed, so that an added one cannot be forgotten here.
    let AgentRun {
        asked,
        prompt: _,
        max_iterations,
        max_minutes,
        agent_timeout,
        workers,
        retry,
        resume: _,
        from: _,
        standby: _,
        format: _,
        command,
    } = arguments;
    let AgentFleet { label, depot, project: DepotProject { project } } = workers;
    let GateInvocation { specification, gate, no_reuse, held_out } = asked;
    let GateArguments { run: RunArguments { jobs, confinement, clean_room, signing }, trusted } = gate;
    let Specification { files, workspace } = specification;
    let (Confinement { sandbox }, CleanRoom { clean_room, keep_room }) = (confinement, clean_room);
    let Signing { key, key_fd: _ } = signing;
    let mut words = vec!["agent".to_owned(), "run".to_owned()];
    words.push(format!("--max-iterations={max_iterations}"));
    words.push(format!("--max-minutes={max_minutes}"));
    words.push(format!("--agent-timeout={}s", agent_timeout / 1_000));
    words.extend(retry.to_possible_value().map(|value| format!("--retry={}", value.get_name())));
    words.extend(sandbox.to_possible_value().map(|value| format!("--sandbox={}", value.get_name())));
    words.extend(label.iter().map(|label| format!("--agent-label={label}")));
    words.extend(depot.as_ref().map(|depot| format!("--evidence={depot}")));
    words.extend(project.as_ref().map(|project| format!("--project={project}")));
    words.extend(jobs.map(|jobs| format!("--jobs={jobs}")));
    words.extend(trusted.as_ref().map(|trusted| format!("--trusted={trusted}")));
    for (flag, is_set) in [("--clean-room", clean_room), ("--keep-room", keep_room), ("--no-reuse", no_reuse)] {
        words.extend(is_set.then(|| flag.to_owned()));
    }
    for (option, path) in [("--workspace", workspace), ("--key", key), ("--held-out", held_out)] {
        if let Some(path) = path {
            words.push(format!("{option}={}", text(path.as_os_str(), option)?));
        }
    }
    for file in files {
        words.push(text(file.as_os_str(), "the specification's path")?);
    }
    words.push("--".to_owned());
    words.extend(command.iter().cloned());
    Ok(words)
}

/// Rewrites the settings of a run of another machine for this one.
pub(super) fn moved(
    order: &AgentOrder,
    place: &TakeoverPlace,
    (depot, key): (&DepotAddress, Option<&Path>),
) -> Result<Vec<String>, EngineError> {
    let mut arguments = read(order)?;
    let specification = &mut arguments.asked.specification;
    specification.files = vec![place.specification.clone()];
    specification.workspace = specification.workspace.take().map(|_| place.workspace.clone());
    arguments.asked.gate.run.signing.key = key.map(Path::to_path_buf);
    arguments.workers.depot = Some(depot.to_string());
    arguments.workers.project.project = Some(place.project.clone());
    words(&arguments)
}

/// Parses stored settings, without the environment.
pub(super) fn read(order: &AgentOrder) -> Result<AgentRun, EngineError> {
    let words = std::iter::once("referee").chain(order.arguments.iter().map(String::as_str));
    let parsed = by_words_alone()
        .try_get_matches_from(words)
        .and_then(|matches| Arguments::from_arg_matches(&matches))
        .map_err(|error| EngineError::usage(format!("what was ordered cannot be read any more: {error}")))?;
    match parsed.command {
        Command::Agent(Agent::Run(arguments)) => Ok(*arguments),
        _ => Err(EngineError::usage("what was ordered is not a run of an agent".to_owned())),
    }
}

/// Ensures that no other arguments are given with `--resume`, since they would be ignored.
pub(super) fn resumes_alone(is_taken_over: bool) -> Result<(), EngineError> {
    let command = by_words_alone();
    let run = command.find_subcommand("agent").and_then(|agent| agent.find_subcommand("run"));
    let own: Vec<String> = run
        .into_iter()
        .flat_map(clap::Command::get_arguments)
        .map(|argument| argument.get_id().to_string())
        .filter(|id| !BESIDE_RESUME.contains(&id.as_str()))
        .filter(|id| !is_taken_over || !BESIDE_FROM.contains(&id.as_str()))
        .collect();
    let Ok(matches) = command.try_get_matches_from(std::env::args_os()) else { return Ok(()) };
    let run = matches.subcommand_matches("agent").and_then(|agent| agent.subcommand_matches("run"));
    let typed = |id: &&String| run.and_then(|run| run.value_source(id)) == Some(ValueSource::CommandLine);
    match own.iter().find(typed) {
        None => Ok(()),
        Some(id) => Err(EngineError::usage(format!(
            "--resume goes on with the run as it was ordered: leave out `{}`",
            id.replace('_', "-")
        ))),
    }
}

/// Returns the command line parser without environment variables.
fn by_words_alone() -> clap::Command {
    let no_variable = |argument: clap::Arg| argument.env(Resettable::<clap::builder::OsStr>::Reset);
    Arguments::command().mut_subcommand("agent", |agent| agent.mut_subcommand("run", |run| run.mut_args(no_variable)))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn parsed(words: &[&str]) -> AgentRun {
        match Arguments::try_parse_from(words).unwrap().command {
            Command::Agent(Agent::Run(arguments)) => *arguments,
            _ => unreachable!("words of a run"),
        }
    }

    #[test]
    fn an_order_says_all_that_was_asked_for() {
        let whole = "referee agent run --max-iterations 3 --max-minutes 7 --agent-timeout 2m --retry aggressive --sandbox \
                     --jobs 2 --trusted 0123 --clean-room --keep-room --no-reuse --workspace /w --key agent:ci \
                     --agent-label agents --agent-label linux --evidence s3://bucket/x --project p --held-out /held \
                     /w/referee.yaml -- claude -p --max-minutes";
        for words in [whole, "referee agent run --sandbox=off --max-iterations 1 /w/referee.yaml -- sh"] {
            let asked = parsed(&words.split_whitespace().collect::<Vec<_>>());
            let mut order = AgentOrder::new("run-1".to_owned(), crate::resolve::now());
            order.arguments = super::words(&asked).unwrap();
            assert_eq!(format!("{:?}", read(&order).unwrap()), format!("{asked:?}"));
        }
    }
}
