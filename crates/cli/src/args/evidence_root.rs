//! Whose evidence is meant.

use std::path::PathBuf;

use clap::Args;

/// What every command takes that looks into the folder of all evidence.
#[derive(Debug, Args)]
pub(crate) struct EvidenceRoot {
    /// The folder of all evidence; without it that of the nearest specification, from here upwards.
    #[arg(long = "evidence", value_name = "DIR")]
    pub(crate) evidence: Option<PathBuf>,
}
