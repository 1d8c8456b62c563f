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

Only approved incidents can be handed off. The package is written to the queue directory as ID.json
(--queue-dir, else REFEREE_HANDOFF_DIR, else AX_ANTIGRAVITY_HANDOFF_DIR).")]
pub(crate) struct Handoff {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Name of the executor; nobody else can accept it.
    #[arg(long, value_name = "NAME")]
    pub(crate) executor: String,
    /// Queue directory of the executor.
    #[arg(long, value_name = "DIR")]
    pub(crate) queue_dir: Option<PathBuf>,
    /// Replace an existing package of this incident.
    #[arg(long)]
    pub(crate) force: bool,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Recall {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident ack ID --executor antigravity           accept the incident
  referee incident ack ID --result handback.json           return it with a result
  echo '{\"reason\": \"question\", \"description\": \"which API?\"}' | referee incident ack ID --result -

A handback has `reason` (success, error or question), `description`, and for an error `error.code`
and `error.message`. A success is a claim: the incident is resolved only if its plan's checks pass.")]
pub(crate) struct Ack {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Name of the executor.
    #[arg(long, value_name = "NAME", required_unless_present = "result")]
    pub(crate) executor: Option<String>,
    /// Note to record.
    #[arg(long, value_name = "TEXT", default_value = "", conflicts_with = "result")]
    pub(crate) note: String,
    /// Return the incident with this handback; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "executor")]
    pub(crate) result: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
