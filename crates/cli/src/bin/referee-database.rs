//! Asks databases for actions of type `DATABASE_QUERY`: one request on standard input, one answer on standard output,
//! both JSON. It is a separate program, so that drivers and SQLite run as commands do: confined, bounded in time, and
//! apart from the process that judges.

use std::process::ExitCode;

fn main() -> ExitCode {
    referee_database::main()
}
