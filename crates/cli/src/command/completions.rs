//! `referee completions`: prints the script that completes commands in a shell.

use referee_engine::error::EngineError;
use referee_model::exit_code;

use crate::args::completions::{Completions, Shell};
use crate::output;

/// Prints the script of a shell. It asks [`super::complete`] at each key.
pub(super) fn execute(arguments: &Completions) -> Result<u8, EngineError> {
    output::answer(script(arguments.shell).as_bytes())?;
    Ok(exit_code::PASSED)
}

fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("completions/referee.bash"),
        Shell::Zsh => include_str!("completions/referee.zsh"),
        Shell::Fish => include_str!("completions/referee.fish"),
        Shell::Powershell => include_str!("completions/referee.ps1"),
        Shell::Elvish => include_str!("completions/referee.elv"),
    }
}
