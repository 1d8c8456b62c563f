//! Programs that this one starts.

use std::io;
use std::process::Command;

/// Runs a program, and fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> io::Result<()> {
    let status = command.status().map_err(|error| named(command, &error.to_string()))?;
    if status.success() { Ok(()) } else { Err(named(command, &status.to_string())) }
}

/// Runs a program, and returns what it prints to standard output.
pub(crate) fn output(command: &mut Command) -> io::Result<String> {
    let output = command.output().map_err(|error| named(command, &error.to_string()))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(named(command, &format!("{}: {}", output.status, told.trim())));
    }
    String::from_utf8(output.stdout).map_err(|_| named(command, "it prints what is not UTF-8"))
}

fn named(command: &Command, problem: &str) -> io::Error {
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    let line: Vec<String> =
        [command.get_program().to_string_lossy().into_owned()].into_iter().chain(arguments).collect();
    io::Error::other(format!("`{}`: {problem}", line.join(" ")))
}
