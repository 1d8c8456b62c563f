//! The program that asks databases, for the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    referee_database::main()
}
