//! What is typed to `referee stage compose`.

use std::path::PathBuf;

use clap::Args;

use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
The directory contains wf.yaml, the shared templates it names, and stages/<id> with the prompts and
schemas of each stage. The run gets the first free number of the day (UTC). All errors are reported
at once; nothing is created if there are any.

Exit codes:
  0 run created · 1 workflow invalid · 2 directory not found

Examples:
  referee stage compose examples/explore-specify --output runs
  referee stage compose workflow -o ../runs --workspace .")]
pub(crate) struct Compose {
    /// Directory of the workflow, with its wf.yaml.
    #[arg(value_name = "WORKFLOW")]
    pub(crate) workflow: PathBuf,
    /// Directory to create the run in.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Workspace of the stages' specifications [default: the current directory].
    #[arg(long, value_name = "DIR", env = "REFEREE_WORKSPACE")]
    pub(crate) workspace: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
