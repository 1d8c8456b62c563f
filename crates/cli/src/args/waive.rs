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
  referee waive list                       list all waivers
  referee waive show waiver-0123456789abcdef
  referee waive revoke waiver-0123456789abcdef

A waiver is valid only if the key that signed it is trusted as an approver. Reports list it until it expires.")]
pub(crate) struct Waive {
    #[command(subcommand)]
    pub(crate) command: Option<WaiveCommand>,
    #[command(flatten)]
    pub(crate) given: Given,
}

/// A new waiver.
#[derive(Debug, Args)]
pub(crate) struct Given {
    /// Waive this step, by id or name.
    #[arg(long, value_name = "STEP")]
    pub(crate) action: Option<String>,
    /// Only in this task.
    #[arg(long, value_name = "TASK", value_parser = task_id, requires = "action")]
    pub(crate) task: Option<TaskId>,
    /// Waive findings of this rule, such as eslint:no-console.
    #[arg(long, value_name = "TOOL:RULE")]
    pub(crate) rule: Option<String>,
    /// Waive drift of this protected file and suppressions in it.
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// Waive a weakening of the specification.
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) weakening: Option<String>,
    /// Reason, at least 10 characters.
    #[arg(long, value_name = "TEXT", required = true)]
    pub(crate) reason: Option<String>,
    /// Expiry: a duration such as 12h, 3d or 2w, or a date (at most 90 days).
    #[arg(long, value_name = "DATE|DURATION", required = true)]
    pub(crate) until: Option<String>,
    /// Name of the approver [default: name of the key file].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Private key of the approver, Ed25519 in PKCS#8 PEM, outside of the workspace.
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) project: Project,
}

/// Project of the waivers.
#[derive(Debug, Args)]
pub(crate) struct Project {
    /// Specification [default: the nearest referee.yaml in this directory or a parent].
    #[arg(long = "specification", value_name = "FILE")]
    pub(crate) specification: Option<PathBuf>,
    /// Override the workspace directory.
    #[arg(long, value_name = "DIR", env = "REFEREE_WORKSPACE")]
    pub(crate) workspace: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WaiveCommand {
    /// List the waivers of the project.
    List(WaiveList),
    /// Show a waiver.
    Show(WaiveOne),
    /// Remove a waiver.
    Revoke(WaiveOne),
}

#[derive(Debug, Args)]
pub(crate) struct WaiveList {
    #[command(flatten)]
    pub(crate) project: Project,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct WaiveOne {
    /// Id of the waiver.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) project: Project,
}
