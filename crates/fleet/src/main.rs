//! The program: reads the environment, and hands it down.

use std::process::ExitCode;

use referee_fleet::access::Access;

fn main() -> ExitCode {
    referee_fleet::main(&Access::read(|name| std::env::var(name).ok()))
}
