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
  referee incident archive ID --result resolved --reason 'mended by hand' --note-file note.md")]
pub(crate) struct Archive {
    #[command(flatten)]
    pub(crate) root: Root,
    /// The incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// How it ended. Only an incident that is worked at can be resolved; any open one can be left to a person.
    #[arg(long, value_enum, value_name = "RESULT")]
    pub(crate) result: Ended,
    /// Why, in a sentence.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// A file with more: it becomes resolution_note.md.
    #[arg(long, value_name = "FILE")]
    pub(crate) note_file: Option<PathBuf>,
    /// As what to print where it lies now.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// How work at an incident ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ended {
    /// It is over.
    Resolved,
    /// It is left to a person.
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
    /// The incident.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Why, in a sentence.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// As what to print how it stands now.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
