//! What is typed to compare two runs.

use clap::Args;

use super::{EvidenceRoot, PlainFormat};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee compare exec-20261121T090524123Z-1f3a9c04
                                           compare an earlier run with the latest of its task
  referee compare base/evidence/T001 evidence/T001
                                           compare two evidence directories
  referee compare evidence/.history/T001/exec-20261121T090524123Z-1f3a9c04 --format json

Findings and tests are the same ones as for a baseline: what moved is no difference. Evidence of both runs is verified against its
seal and judged again; nothing is compared with evidence that does not match. Exits with 0 whatever differs.")]
pub(crate) struct Compare {
    /// Earlier run: an evidence directory, or the id of a run.
    #[arg(value_name = "BEFORE")]
    pub(crate) before: String,
    /// Later run [default: the latest run of the task].
    #[arg(value_name = "AFTER")]
    pub(crate) after: Option<String>,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
    /// Report an action as slower if it took longer by more than this percentage, and by more than half a second.
    #[arg(long, value_name = "PERCENT", default_value_t = 25)]
    pub(crate) slower: u32,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
