//! What is typed to lock what the gate rests on.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{PlainFormat, Specification};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  referee lock                          take down what protects the nearest referee.yaml, as it is now
  referee lock --dry-run                what would a new lock accept?
  referee lock check                    is everything still as it is locked?
  referee lock check --from main        is it as at this commit, lock or no lock?
  referee lock explain                  what is protected, and why
  referee lock explain package.json     why this file is, what differs, and how to go on
  referee lock accept a.test.js 'adds'  this file and this test may differ; everything else stays as it is locked
  referee lock accept 'package.json#/scripts/test' fewer-tests:unit
  referee lock forget parts/old         this folder was locked, and is gone for good

Where something differs from the lock that there is, it is listed, and a person is asked; a script says `--yes`. In a shell of an
agent that is refused.

The lock lies in the workspace as referee.lock, to be committed; what counts is kept in the user's state folder."
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
    /// Take down what is protected as it is now, and accept it: the default.
    Write(LockWrite),
    /// Accept single differences from the lock, and nothing else. A person types it, at a terminal.
    Accept(LockAccept),
    /// Say what differs from the lock. Exits with 0 where nothing does that blocks, with 3 where something does or nothing
    /// is locked.
    Check(LockCheck),
    /// Say why files are protected, how, and what to do where they differ.
    Explain(LockExplain),
    /// Forget the lock of a folder that is gone for good. A person types it, at a terminal.
    Forget(LockForget),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LockAccept {
    /// What may differ, as reports print it: a path, `PATH#POINTER`, the name of a test that passed, `fewer-tests:CHECK`.
    #[arg(value_name = "NAME", required = true)]
    pub(crate) names: Vec<String>,
    /// The specifications that were locked. Default: the nearest referee.yaml, from here upwards.
    #[arg(long = "specification", value_name = "FILE", env = "REFEREE_SPECIFICATION")]
    pub(crate) files: Vec<PathBuf>,
    /// Sign the lock with this approver's key: a file outside the workspace, or `agent:NAME`. That needs no terminal.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LockForget {
    /// The folder that was locked.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Forget a lock that an approver signed, by the key of one.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
    /// Forget it without a terminal, in a script of yours.
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
    /// Sign the lock with this approver's key: a file outside the workspace, or `agent:NAME`. It is then believed wherever
    /// that key is trusted to approve.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
    /// Accept what differs from the lock that there is, without asking. In a shell of an agent it is refused all the same.
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Say what the lock would accept, and write nothing.
    #[arg(long, conflicts_with_all = ["yes", "key"])]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LockCheck {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Compare with this commit instead of the lock: by its own files, and by its own specification.
    #[arg(long, value_name = "REF")]
    pub(crate) from: Option<String>,
    /// How to print what differs.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct LockExplain {
    /// A file, relative to the workspace. Default: all that are protected.
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// Explain by this commit instead of the lock.
    #[arg(long, value_name = "REF")]
    pub(crate) from: Option<String>,
    /// How to print it.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
