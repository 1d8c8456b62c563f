//! The program: reads the environment, and hands it down.

use std::process::ExitCode;

fn main() -> ExitCode {
    referee_fleet::main(std::env::args_os().skip(1), |name| std::env::var(name).ok())
}
