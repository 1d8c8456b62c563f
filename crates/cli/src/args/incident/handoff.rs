//! What is typed to `referee incident handoff`, `recall` and `ack`.

use std::path::PathBuf;

use clap::Args;

use super::Root;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident handoff ID --executor antigravity
  referee incident handoff ID --executor antigravity --queue-dir /srv/queue

Nothing is handed off that is not approved. The queue is --queue-dir, else REFEREE_HANDOFF_DIR, else
AX_ANTIGRAVITY_HANDOFF_DIR; the package lies in it as ID.json.")]
pub(crate) struct Handoff {
    #[command(flatten)]
    pub(crate) root: Root,
    /// The incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Who is to carry it out: nobody else can take it.
    #[arg(long, value_name = "NAME")]
    pub(crate) executor: String,
    /// The folder that the executor takes packages from.
    #[arg(long, value_name = "DIR")]
    pub(crate) queue_dir: Option<PathBuf>,
    /// Replace another package of this incident in the queue.
    #[arg(long)]
    pub(crate) force: bool,
    /// How to print the package.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Recall {
    #[command(flatten)]
    pub(crate) root: Root,
    /// The incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident ack ID --executor antigravity           take it
  referee incident ack ID --result handback.json           hand it back
  echo '{\"reason\": \"question\", \"description\": \"which API?\"}' | referee incident ack ID --result -

A handback has `reason` (success, error or question), `description`, and for an error `error.code`
and `error.message`. A success is a claim: the incident is resolved by its plan's checks, when they
pass, and by nothing else.")]
pub(crate) struct Ack {
    #[command(flatten)]
    pub(crate) root: Root,
    /// The incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Who takes it: whom it was handed to.
    #[arg(long, value_name = "NAME", required_unless_present = "result")]
    pub(crate) executor: Option<String>,
    /// A word about it.
    #[arg(long, value_name = "TEXT", default_value = "", conflicts_with = "result")]
    pub(crate) note: String,
    /// Hand it back with this result: a file, or `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "executor")]
    pub(crate) result: Option<PathBuf>,
    /// How to print what becomes of it.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
