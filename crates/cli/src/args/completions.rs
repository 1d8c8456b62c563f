//! What is typed to complete commands in a shell.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(referee completions bash)             in ~/.bashrc
  source <(referee completions zsh)              in ~/.zshrc, after compinit
  referee completions fish | source              in ~/.config/fish/config.fish
  referee completions powershell | Out-String | Invoke-Expression
                                                 in $PROFILE
  eval (referee completions elvish | slurp)      in ~/.config/elvish/rc.elv

Commands and options are completed, and what the project at hand has names for: tasks, checks, incidents, runs and topics.
Completing runs no check and writes nothing.")]
pub(crate) struct Completions {
    /// Shell to print the script for.
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Shell whose command lines are completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// Bash, 4.4 or newer.
    Bash,
    /// Z shell.
    Zsh,
    /// Fish.
    Fish,
    /// PowerShell, 7.3 or newer.
    Powershell,
    /// Elvish.
    Elvish,
}
