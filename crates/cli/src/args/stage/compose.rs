//! What is typed to `referee stage compose`.

use std::path::PathBuf;

use clap::Args;

use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
The folder holds wf.yaml, the shared templates that it names, and stages/<id> with the prompts and
schemas of each stage. The run gets the first free number of today (UTC). Everything that is wrong
is told at once, and then nothing is composed.

Exit code: 0 where a run was composed, 1 where the workflow is wrong, 2 where there is no such folder.

Examples:
  referee stage compose examples/explore-specify --output runs
  referee stage compose workflow -o ../runs --workspace .")]
pub(crate) struct Compose {
    /// The workflow's folder, which holds `wf.yaml`.
    #[arg(value_name = "WORKFLOW")]
    pub(crate) workflow: PathBuf,
    /// The folder that the run's folder goes into.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// The folder that specifications of stages are about. Default: this one.
    #[arg(long, value_name = "DIR", env = "REFEREE_WORKSPACE")]
    pub(crate) workspace: Option<PathBuf>,
    /// How to print the answer.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
