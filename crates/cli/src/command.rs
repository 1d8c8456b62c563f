//! One file a command.

use std::any::Any;
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};

use clap::Parser;
use clap::error::ErrorKind;
use referee_wire::exit_code;

use crate::args::hook::Hook;
use crate::args::{Arguments, Command, Evidence};
use crate::complaints;
use crate::error::{Kind, Problem};
use crate::output;
use crate::resolve::{self, World};

mod agent;
mod baseline;
mod check;
mod ci;
mod debt;
mod diagnostics;
mod doctor;
mod enroll;
mod error;
mod evidence;
mod explain;
mod gate;
mod handback;
mod hook;
mod hook_config;
mod hook_test;
mod incident;
mod init;
mod key;
mod lock;
mod parse;
mod person;
mod plan;
mod run;
mod schema;
mod selftest;
mod serve;
mod stage;
mod status;
mod waive;

/// Runs the program and returns its exit code. A panic is an internal error: it never looks like a pass.
pub(crate) fn run(arguments: Vec<OsString>) -> u8 {
    if let Some(host) = hook::asked(&arguments) {
        return hook::run(host, arguments);
    }
    match panic::catch_unwind(AssertUnwindSafe(|| parse_and_dispatch(arguments))) {
        Ok(code) => code,
        Err(panic) => {
            let message = format!("error: Referee itself failed, so nothing is decided: {}\n", panic_message(&*panic));
            // Nothing is left to be done where even this cannot be written; the exit code says it.
            drop(output::aside(message.as_bytes()));
            exit_code::INTERNAL
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

fn parse_and_dispatch(arguments: Vec<OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            drop(error.print());
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => exit_code::PASSED,
                _ => exit_code::USAGE,
            };
        }
    };
    let world = match resolve::look(&arguments.global) {
        Ok(world) => world,
        Err(problem) => {
            drop(output::aside(format!("error: {}\n", problem.message).as_bytes()));
            return problem.exit_code();
        }
    };
    dispatch(&world, &arguments.command).unwrap_or_else(|problem| {
        drop(tell(&world, &problem));
        problem.exit_code()
    })
}

fn dispatch(world: &World, command: &Command) -> Result<u8, Problem> {
    match command {
        Command::Init(arguments) => init::execute(world, arguments),
        Command::Run(arguments) => run::execute(world, arguments),
        Command::Gate(arguments) => gate::execute(world, arguments),
        Command::Hook(arguments) => match &**arguments {
            Hook::Config(arguments) => hook_config::execute(world, arguments),
            Hook::Test(arguments) => hook_test::execute(world, arguments),
            answering => hook::execute(answering),
        },
        Command::Agent(arguments) => agent::execute(world, arguments),
        Command::Ci(arguments) => ci::execute(world, arguments),
        Command::Check(arguments) => check::execute(world, arguments),
        Command::Plan(arguments) => plan::execute(world, arguments),
        Command::Parse(arguments) => parse::execute(world, arguments),
        Command::Baseline(arguments) => baseline::execute(world, arguments),
        Command::Lock(arguments) => lock::execute(world, arguments),
        Command::Status(arguments) => status::execute(world, arguments),
        Command::Retest(arguments) => status::retest(world, arguments),
        Command::Waive(arguments) => waive::execute(world, arguments),
        Command::Explain(arguments) => explain::execute(world, arguments),
        Command::Incident(command) => incident::execute(world, command),
        Command::Serve(arguments) => serve::execute(world, arguments),
        Command::Stage(command) => stage::execute(world, command),
        Command::Handback(arguments) => handback::execute(world, arguments),
        Command::Evidence(Evidence::Verify(arguments)) => evidence::verify(world, arguments),
        Command::Evidence(Evidence::List(arguments)) => evidence::kept::list(world, arguments),
        Command::Evidence(Evidence::Show(arguments)) => evidence::kept::show(world, arguments),
        Command::Evidence(Evidence::Prune(arguments)) => evidence::prune::execute(world, arguments),
        Command::Key(arguments) => key::execute(world, arguments),
        Command::Error(arguments) => error::execute(world, arguments),
        Command::Debt(arguments) => debt::execute(world, arguments),
        Command::Diagnostics(arguments) => diagnostics::execute(world, arguments),
        Command::Selftest(arguments) => selftest::execute(world, arguments),
        Command::Enroll(arguments) => enroll::execute(world, arguments),
        Command::Doctor(arguments) => doctor::execute(world, arguments),
        Command::Schema(arguments) => schema::execute(arguments),
    }
}

/// Tells a person on standard error why there is no answer.
fn tell(world: &World, problem: &Problem) -> std::io::Result<()> {
    let mut text = complaints::rendered(world, &problem.complaints)?;
    let advice = match problem.kind {
        Kind::Usage => "See `referee --help`.",
        Kind::Refused => "Nothing was changed.",
        Kind::Specification => "No check was run: mend the specification.",
        Kind::Evidence => "Without evidence there is no verdict: the task counts as not judged.",
        Kind::Store => "The incident is as it was; mend what is named, and ask again.",
        Kind::Run => "Nothing is done but what the run's log says: mend what is named, and ask again.",
        Kind::Internal => "Nothing is decided: the task counts as not judged.",
    };
    text.extend(format!("error: {}\n{advice}\n", problem.message).into_bytes());
    output::aside(&text)
}
