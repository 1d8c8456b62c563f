//! Whose evidence is meant.

use std::path::PathBuf;

use clap::Args;

/// Evidence directory.
#[derive(Debug, Args)]
pub(crate) struct EvidenceRoot {
    /// Evidence directory of all tasks [default: that of the nearest specification].
    #[arg(long = "evidence", value_name = "DIR")]
    pub(crate) evidence: Option<PathBuf>,
}
