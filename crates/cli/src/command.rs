//! One file per command.

use std::any::Any;
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};

use clap::Parser;
use referee_engine::context::Context;
use referee_engine::error::{EngineError, ErrorKind};
use referee_model::exit_code;

use crate::args::hook::Hook;
use crate::args::{Arguments, Command, Evidence};
use crate::complaints;
use crate::output;
use crate::resolve;

mod agent;
mod baseline;
mod check;
mod ci;
mod compare;
pub(crate) mod complete;
mod completions;
mod debt;
mod diagnostics;
mod doctor;
mod endpoint;
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
mod man;
mod mcp;
mod order;
mod parse;
mod person;
mod plan;
mod probe;
mod report;
mod run;
mod schema;
mod sealed_runs;
mod selftest;
mod serve;
mod stage;
mod standby;
mod status;
mod topic;
mod usage;
mod waive;
mod watch;
mod worker;

/// Runs the program and returns its exit code. A panic is an internal error: it never looks like a pass.
pub(crate) fn run(arguments: Vec<OsString>) -> u8 {
    if let Some(host) = hook::asked(&arguments) {
        return hook::run(host, arguments);
    }
    match panic::catch_unwind(AssertUnwindSafe(|| parse_and_dispatch(arguments))) {
        Ok(code) => code,
        Err(panic) => {
            let message = format!("error: internal error, no verdict: {}\n", panic_message(&*panic));
            // If even this cannot be written, only the exit code reports the error.
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
    if let Some(text) = topic::asked(&arguments) {
        return topic::print(text);
    }
    let typed = arguments;
    let arguments = match Arguments::try_parse_from(&typed) {
        Ok(arguments) => arguments,
        Err(error) => match error.kind() {
            clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion => {
                drop(error.print());
                return exit_code::PASSED;
            }
            _ => {
                drop(output::aside(usage::message(&error, &usage::command_of(&typed)).as_bytes()));
                return exit_code::USAGE;
            }
        },
    };
    let context = match resolve::look(&arguments.global) {
        Ok(context) => context,
        Err(problem) => {
            drop(output::aside(format!("error: {}\n", problem.message).as_bytes()));
            return problem.exit_code();
        }
    };
    dispatch(&context, &arguments.command).unwrap_or_else(|problem| {
        drop(tell(&context, &problem, &typed));
        problem.exit_code()
    })
}

fn dispatch(context: &Context, command: &Command) -> Result<u8, EngineError> {
    match command {
        Command::Init(arguments) => init::execute(context, arguments),
        Command::Run(arguments) => run::execute(context, arguments),
        Command::Watch(arguments) => watch::execute(context, arguments),
        Command::Gate(arguments) => gate::execute(context, arguments),
        Command::Hook(arguments) => match &**arguments {
            Hook::Config(arguments) => hook_config::execute(context, arguments),
            Hook::Test(arguments) => hook_test::execute(context, arguments),
            answering => hook::execute(answering),
        },
        Command::Agent(arguments) => agent::execute(context, arguments),
        Command::Ci(arguments) => ci::execute(context, arguments),
        Command::Check(arguments) => check::execute(context, arguments),
        Command::Plan(arguments) => plan::execute(context, arguments),
        Command::Parse(arguments) => parse::execute(context, arguments),
        Command::Baseline(arguments) => baseline::execute(context, arguments),
        Command::Lock(arguments) => lock::execute(context, arguments),
        Command::Probe(arguments) => probe::execute(context, arguments),
        Command::Status(arguments) => status::execute(context, arguments),
        Command::Retest(arguments) => status::retest(context, arguments),
        Command::Waive(arguments) => waive::execute(context, arguments),
        Command::Explain(arguments) => explain::execute(context, arguments),
        Command::Compare(arguments) => compare::execute(context, arguments),
        Command::Report(arguments) => report::execute(context, arguments),
        Command::Incident(command) => incident::execute(context, command),
        Command::Serve(arguments) => serve::execute(context, arguments),
        Command::Worker(arguments) => worker::execute(context, arguments),
        Command::Standby(arguments) => standby::execute(context, arguments),
        Command::Order(arguments) => order::execute(context, arguments),
        Command::Mcp(arguments) => mcp::execute(context, arguments),
        Command::Stage(command) => stage::execute(context, command),
        Command::Handback(arguments) => handback::execute(context, arguments),
        Command::Evidence(Evidence::Verify(arguments)) => evidence::verify(context, arguments),
        Command::Evidence(Evidence::List(arguments)) => evidence::evidence_list::list(context, arguments),
        Command::Evidence(Evidence::Show(arguments)) => evidence::evidence_list::show(context, arguments),
        Command::Evidence(Evidence::Prune(arguments)) => evidence::prune::execute(context, arguments),
        Command::Evidence(Evidence::Push(arguments)) => evidence::depot::push(context, arguments),
        Command::Evidence(Evidence::Pull(arguments)) => evidence::depot::pull(context, arguments),
        Command::Key(arguments) => key::execute(context, arguments),
        Command::Error(arguments) => error::execute(context, arguments),
        Command::Debt(arguments) => debt::execute(context, arguments),
        Command::Diagnostics(arguments) => diagnostics::execute(context, arguments),
        Command::Selftest(arguments) => selftest::execute(context, arguments),
        Command::Enroll(arguments) => enroll::execute(context, arguments),
        Command::Doctor(arguments) => doctor::execute(context, arguments),
        Command::Schema(arguments) => schema::execute(arguments),
        Command::Completions(arguments) => completions::execute(arguments),
        Command::Man(arguments) => man::execute(context, arguments),
    }
}

/// Reports on standard error why there is no answer.
fn tell(context: &Context, problem: &EngineError, typed: &[OsString]) -> std::io::Result<()> {
    let mut text = complaints::rendered(context, &problem.complaints)?;
    let advice = match problem.kind {
        ErrorKind::Usage => &format!("For more information, try '{} --help'.", usage::command_of(typed)),
        ErrorKind::Refused => "Nothing was changed.",
        ErrorKind::Specification => "No check was run: fix the specification.",
        ErrorKind::Evidence => "Without evidence there is no verdict: the task counts as not judged.",
        ErrorKind::Store => "The incident is unchanged: fix the error and retry.",
        ErrorKind::Run => "Only what the run's log records was done: fix the error and retry.",
        ErrorKind::Internal => "There is no verdict: the task counts as not judged.",
    };
    text.extend(format!("error: {}\n{advice}\n", problem.message).into_bytes());
    output::aside(&text)
}
