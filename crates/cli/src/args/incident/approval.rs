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
                                   a command of the planner's own, too
  referee incident approve ID --key ~/approver.pem --sign-only > word.json
  referee incident approve ID --envelope word.json
                                   signed in one place, and handed in at another, within the hour

An approval binds the plan as it is: another plan is not approved. It counts by the key of a person
who is trusted to approve (`referee key trust PUBLIC.pem --name NAME --as approver`). Where nobody
is, a person at a terminal can approve without a key; that is told as self-asserted wherever the
approval is.")]
pub(crate) struct Approve {
    #[command(flatten)]
    pub(crate) root: Root,
    /// The incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Who approves. Default: the name of the key's file, or your user's name.
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Why, or under which condition.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) note: String,
    /// Approve of this command of a planner's own, too, exactly as the plan has it. Can be given several times.
    #[arg(long = "command", value_name = "CMD", allow_hyphen_values = true)]
    pub(crate) commands: Vec<String>,
    /// The approver's key: a file outside the workspace (Ed25519, PKCS#8 PEM, readable by you alone), or `agent:NAME` for a
    /// key of the SSH agent.
    #[arg(long, value_name = "KEY", group = "word")]
    pub(crate) key: Option<PathBuf>,
    /// The approver's key, through this pipe, by the number of its file descriptor.
    #[arg(long, value_name = "N", group = "word")]
    pub(crate) key_fd: Option<u32>,
    /// An approval that was signed elsewhere by `--sign-only`: a file, or `-` for standard input.
    #[arg(long, value_name = "FILE", group = "word", conflicts_with_all = ["by", "note", "commands", "sign_only"])]
    pub(crate) envelope: Option<PathBuf>,
    /// Print the signed approval, and keep nothing.
    #[arg(long, requires = "word")]
    pub(crate) sign_only: bool,
    /// How to print the answer.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident reject ID --reason 'it mends the symptom only'")]
pub(crate) struct Reject {
    #[command(flatten)]
    pub(crate) root: Root,
    /// The incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}
