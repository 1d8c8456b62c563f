//! The shim for the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The first two arguments are this program and `__shim`.
    referee_exec::run_shim(std::env::args_os().skip(2))
}
