//! What was typed for evidence in depots: `referee evidence push` and `pull`, `--evidence` of other commands.

use std::path::PathBuf;

use clap::Args;
use referee_model::id::{ExecutionId, ProjectName, TaskId};
use referee_syntax::size;

use super::{EvidenceRoot, task_id};

/// Project in a depot.
#[derive(Debug, Clone, Args)]
pub(crate) struct DepotProject {
    /// Name of the project in the depot [default: name of the directory that holds the evidence].
    #[arg(long, value_name = "NAME", env = "REFEREE_PROJECT", value_parser = project_name)]
    pub(crate) project: Option<ProjectName>,
}

/// Where a run is stored besides its directory.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Depot Options")]
pub(crate) struct RunDepot {
    /// Push the evidence to this depot once it is sealed: `s3://BUCKET/PREFIX`, or a directory.
    #[arg(long = "evidence", value_name = "URL")]
    pub(crate) depot: Option<String>,
    #[command(flatten)]
    pub(crate) project: DepotProject,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee evidence push --to s3://evidence           push the latest run of each task
  referee evidence push evidence/T001 --to s3://evidence/team-a
  referee evidence push --to /mnt/depot              push to a directory

Credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; AWS_SESSION_TOKEN, AWS_REGION and
AWS_ENDPOINT_URL if needed.")]
pub(crate) struct Push {
    /// Evidence directories, or ids of runs [default: the latest run of each task].
    #[arg(value_name = "DIR|EXECUTION")]
    pub(crate) runs: Vec<String>,
    /// Depot to push to: `s3://BUCKET/PREFIX`, or a directory.
    #[arg(long, value_name = "URL", env = "REFEREE_DEPOT")]
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) project: DepotProject,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee evidence pull --from s3://evidence         pull the newest run of each task
  referee evidence pull T001 --from s3://evidence --key ci.pub.pem
                                                     also require a signature by this key
  referee evidence pull T001 --from s3://evidence --out T001
                                                     copy the run to a new directory
  referee evidence pull T001 --from s3://evidence --run exec-20261121T090524123Z-1f3a9c04 --out old")]
pub(crate) struct Pull {
    /// Only this task.
    #[arg(value_name = "TASK", value_parser = task_id)]
    pub(crate) task: Option<TaskId>,
    /// Depot to pull from: `s3://BUCKET/PREFIX`, or a directory.
    #[arg(long, value_name = "URL", env = "REFEREE_DEPOT")]
    pub(crate) from: String,
    /// Copy the run to a new directory instead of publishing it.
    #[arg(long, value_name = "DIR", requires = "task")]
    pub(crate) out: Option<PathBuf>,
    /// Copy this run instead of the newest.
    #[arg(long, value_name = "EXECUTION", requires = "out", value_parser = execution_id)]
    pub(crate) run: Option<ExecutionId>,
    /// Require a signature by this public key, Ed25519 in SPKI PEM (can be repeated; one signature is enough).
    #[arg(long = "key", value_name = "PUBLIC.pem")]
    pub(crate) keys: Vec<PathBuf>,
    /// Accept runs that no trusted key signed.
    #[arg(long, conflicts_with = "keys")]
    pub(crate) unsigned: bool,
    /// Refuse runs whose files are larger together, before any is pulled.
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = size_in_bytes)]
    pub(crate) max_bytes: u64,
    #[command(flatten)]
    pub(crate) project: DepotProject,
    #[command(flatten)]
    pub(crate) root: EvidenceRoot,
}

fn project_name(text: &str) -> Result<ProjectName, String> {
    ProjectName::parse(text).map_err(|error| error.to_string())
}

fn size_in_bytes(text: &str) -> Result<u64, String> {
    size::parse(text).ok_or_else(|| "a number with a unit, such as 500MB or 16GiB, is needed".to_owned())
}

fn execution_id(text: &str) -> Result<ExecutionId, String> {
    ExecutionId::parse(text).map_err(|error| error.to_string())
}
