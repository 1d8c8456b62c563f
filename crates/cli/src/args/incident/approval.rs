//! What is typed to `referee incident approve` and `reject`.

use std::path::PathBuf;

use clap::Args;

use super::Root;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident approve ID --key ~/approver.pem
  referee incident approve ID --key agent:ada --by Ada --note 'after the release'
  referee incident approve ID --key ~/approver.pem --command 'make smoke'
                                   also approve a command of the planner
  referee incident approve ID --key ~/approver.pem --sign-only > approval.json
  referee incident approve ID --envelope approval.json
                                   sign on one machine, submit on another within an hour

An approval is valid for the current plan only, and must be signed with the key of a trusted approver
(`referee key trust PUBLIC.pem --name NAME --as approver`). If there is none, a person at a terminal
can approve without a key; the approval is then marked as self-asserted.")]
pub(crate) struct Approve {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Name of the approver [default: name of the key file, or your user name].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Note to record with the approval.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) note: String,
    /// Also approve this command of the planner, exactly as in the plan (can be repeated).
    #[arg(long = "command", value_name = "CMD", allow_hyphen_values = true)]
    pub(crate) commands: Vec<String>,
    /// Private key of the approver: a file outside of the workspace (Ed25519, PKCS#8 PEM), or `agent:NAME` for a key of the
    /// SSH agent.
    #[arg(long, value_name = "KEY", group = "word")]
    pub(crate) key: Option<PathBuf>,
    /// Read the approver's private key from this file descriptor.
    #[arg(long, value_name = "N", group = "word")]
    pub(crate) key_fd: Option<u32>,
    /// Use an approval signed elsewhere with --sign-only; `-` is standard input.
    #[arg(long, value_name = "FILE", group = "word", conflicts_with_all = ["by", "note", "commands", "sign_only"])]
    pub(crate) envelope: Option<PathBuf>,
    /// Print the signed approval without recording it.
    #[arg(long, requires = "word")]
    pub(crate) sign_only: bool,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident reject ID --reason 'it fixes the symptom only'")]
pub(crate) struct Reject {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Reason.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}
