//! What is typed to `referee incident archive` and `reopen`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use referee_model::incident::status::Closing;

use super::Root;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident archive ID --result escalated --reason 'needs the vendor'
  referee incident archive ID --result resolved --reason 'fixed by hand' --note-file note.md")]
pub(crate) struct Archive {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Result: only an incident in progress can be resolved; any open one can be escalated.
    #[arg(long, value_enum, value_name = "RESULT")]
    pub(crate) result: Ended,
    /// Reason.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// File to keep as resolution_note.md.
    #[arg(long, value_name = "FILE")]
    pub(crate) note_file: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// Result of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ended {
    /// The failure is fixed.
    Resolved,
    /// A person has to decide.
    Escalated,
}

impl From<Ended> for Closing {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Resolved => Self::Resolved,
            Ended::Escalated => Self::Escalated,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Reopen {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Reason.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
