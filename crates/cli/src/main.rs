//! The program: converts command lines of people and hooks to requests, and results to text and an exit code.

mod args;

mod output;

mod terminal;

mod resolve;

mod sources;

mod complaints;

mod follower;

mod input;

mod command;

use std::process::ExitCode;

/// First argument with which this program acts as a wrapper for a command that must not see a terminal.
const SHIM: &str = "__shim";

/// First argument with which scripts of shells ask which words may come next.
const COMPLETE: &str = "__complete";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == SHIM) {
        return referee_exec::run_shim(&arguments[2..]);
    }
    if arguments.get(1).is_some_and(|first| first == COMPLETE) {
        command::complete::answer(&arguments[2..]);
        return ExitCode::SUCCESS;
    }
    ExitCode::from(command::run(arguments))
}
