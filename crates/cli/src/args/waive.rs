//! What is typed to give, list, show and revoke waivers.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};
use referee_model::id::TaskId;

use super::{PlainFormat, task_id};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    group(ArgGroup::new("scope").required(true).args(["action", "rule", "file", "weakening"])),
    after_help = "\
Examples:
  referee waive --action unit --reason 'the sandbox has no database until Monday' --until 3d --key ~/approver.pem
  referee waive --rule eslint:no-console --reason 'removed with the logger in T014' --until 2026-12-31 --key ~/approver.pem
  referee waive --file tests/test_quotes.py --reason 'the test asserted a wrong total' --until 1d --key ~/approver.pem
  referee waive list                       what is waived, and what is refused
  referee waive show waiver-0123456789abcdef
  referee waive revoke waiver-0123456789abcdef

A waiver lifts nothing unless the key that signed it is trusted to approve. It is told in every report while it lasts.")]
pub(crate) struct Waive {
    #[command(subcommand)]
    pub(crate) command: Option<WaiveCommand>,
    #[command(flatten)]
    pub(crate) given: Given,
}

/// A waiver that is to be given.
#[derive(Debug, Args)]
pub(crate) struct Given {
    /// Let this step not block, by id or name.
    #[arg(long, value_name = "STEP")]
    pub(crate) action: Option<String>,
    /// Only in this task. Default: in every one.
    #[arg(long, value_name = "TASK", value_parser = task_id, requires = "action")]
    pub(crate) task: Option<TaskId>,
    /// Let the findings of this rule of a tool not block, such as eslint:no-console.
    #[arg(long, value_name = "TOOL:RULE")]
    pub(crate) rule: Option<String>,
    /// Let the drift of this protected file, and the suppressions in it, not block.
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// Let the specification ask for less of this.
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) weakening: Option<String>,
    /// Why; at least 10 characters.
    #[arg(long, value_name = "TEXT", required = true)]
    pub(crate) reason: Option<String>,
    /// How long: a time such as 12h, 3d or 2w, or a date, the end of which is meant. At most 90 days.
    #[arg(long, value_name = "DATE|DURATION", required = true)]
    pub(crate) until: Option<String>,
    /// Who gives it. Default: the name of the key's file.
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// The approver's key: Ed25519 in PKCS#8 PEM, in a file outside the workspace.
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) project: Project,
}

/// The project whose waivers are meant.
#[derive(Debug, Args)]
pub(crate) struct Project {
    /// The specification. Default: the nearest referee.yaml, from here upwards.
    #[arg(long = "specification", value_name = "FILE")]
    pub(crate) specification: Option<PathBuf>,
    /// The workspace, whatever the specification says.
    #[arg(long, value_name = "DIR", env = "REFEREE_WORKSPACE")]
    pub(crate) workspace: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WaiveCommand {
    /// List the waivers of the project, believed or not.
    List(WaiveList),
    /// Show one waiver, with all that it says.
    Show(WaiveOne),
    /// Remove a waiver: from the next run on it lifts nothing.
    Revoke(WaiveOne),
}

#[derive(Debug, Args)]
pub(crate) struct WaiveList {
    #[command(flatten)]
    pub(crate) project: Project,
    /// How to print them.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct WaiveOne {
    /// Its id.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) project: Project,
}
