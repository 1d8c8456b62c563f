//! The shim as the tests run it.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The first two words are this program and `__shim`.
    referee_exec::run_shim(std::env::args_os().skip(2))
}
