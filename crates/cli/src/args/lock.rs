//! What is typed to lock what the gate rests on.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{PlainFormat, Specification};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  referee lock                          write referee.lock for the nearest referee.yaml
  referee lock --dry-run                show what a new lock would accept
  referee lock check                    list differences from the lock
  referee lock check --from main        list differences from a commit
  referee lock explain                  list protected files and why
  referee lock explain package.json     explain one file and its differences
  referee lock accept a.test.js 'adds'  accept changes of one file and one test
  referee lock accept 'package.json#/scripts/test' fewer-tests:unit
  referee lock forget parts/old         remove the lock of a deleted directory

Differences from an existing lock are listed and must be confirmed (or use --yes). In an agent's shell, this is refused.

Commit referee.lock. The authoritative copy is kept in the user's state directory."
)]
pub(crate) struct Lock {
    #[command(flatten)]
    pub(crate) options: LockOptions,
    #[command(subcommand)]
    pub(crate) command: Option<LockCommand>,
}

impl Lock {
    /// Returns the command; without a word it is to write.
    pub(crate) fn command(&self) -> LockCommand {
        let specification = Specification { files: Vec::new(), workspace: None };
        let write = || LockCommand::Write(LockWrite { specification, options: self.options.clone() });
        self.command.clone().unwrap_or_else(write)
    }
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum LockCommand {
    /// Write referee.lock from the current files (default).
    Write(LockWrite),
    /// Accept single differences from the lock (at a terminal, or with an approver's key).
    Accept(LockAccept),
    /// List differences from the lock.
    ///
    /// Exits with 0 if nothing blocks, with 3 if something does or there is no lock.
    Check(LockCheck),
    /// Explain why files are protected, and what to do if they differ.
    Explain(LockExplain),
    /// Remove the lock of a deleted directory.
    Forget(LockForget),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LockAccept {
    /// Differences to accept, as reports print them: a path, `PATH#POINTER`, a test name, or `fewer-tests:CHECK`.
    #[arg(value_name = "NAME", required = true)]
    pub(crate) names: Vec<String>,
    /// Locked specification (can be repeated) [default: the nearest referee.yaml in this directory or a parent].
    #[arg(long = "specification", value_name = "FILE", env = "REFEREE_SPECIFICATION")]
    pub(crate) files: Vec<PathBuf>,
    /// Sign the lock with this approver's key, a file or `agent:NAME`; no terminal is needed then.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LockForget {
    /// Directory that was locked.
    #[arg(value_name = "DIR")]
    pub(crate) locked: PathBuf,
    /// Key of an approver, for a lock that an approver signed.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
    /// Do not ask for confirmation (refused in an agent's shell).
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LockWrite {
    #[command(flatten)]
    pub(crate) specification: Specification,
    #[command(flatten)]
    pub(crate) options: LockOptions,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LockOptions {
    /// Sign the lock with this approver's key, a file or `agent:NAME`; it is valid wherever that key is trusted.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
    /// Do not ask for confirmation (refused in an agent's shell).
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Show what would change without writing the lock.
    #[arg(long, conflicts_with_all = ["yes", "key"])]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LockCheck {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Compare with this commit instead of the lock.
    #[arg(long, value_name = "REF")]
    pub(crate) from: Option<String>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LockExplain {
    /// Path relative to the workspace [default: all protected files].
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// Explain by this commit instead of the lock.
    #[arg(long, value_name = "REF")]
    pub(crate) from: Option<String>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
