//! What is typed to enrol a project.

use std::path::PathBuf;

use clap::Args;

use super::PlainFormat;
use super::depot::DepotProject;
use super::fleet::FleetWorkers;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee enroll                          enroll the project of the nearest referee.yaml
  referee enroll ci/referee.yaml          enroll with another specification
  referee enroll --held-out ~/secret/held-out.yaml
                                          add checks that agents never see
  referee enroll --trusted 4f2c9e1        compare protected files with this commit
  referee enroll --fleet --label linux --evidence s3://evidence
                                          have the checks of hooks run by workers
  referee enroll --list                   list enrolled projects
  referee enroll --remove                 remove the enrollment of this project

A committed specification enrolls its project at the first hook event. In an agent's shell, enroll is refused.")]
pub(crate) struct Enroll {
    /// Specification [default: the nearest referee.yaml in this directory or a parent]; with --remove the project's
    /// directory.
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// Second specification with checks that agents never see, outside of the repository.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["list", "remove"])]
    pub(crate) held_out: Option<PathBuf>,
    /// Compare protected files with this commit instead of the lock; the commit id is stored.
    #[arg(long, value_name = "REF", conflicts_with_all = ["list", "remove"])]
    pub(crate) trusted: Option<String>,
    /// List current and former enrollments.
    #[arg(long, conflicts_with_all = ["path", "remove"])]
    pub(crate) list: bool,
    /// Remove the enrollment; a committed specification enrolls the project again.
    #[arg(long)]
    pub(crate) remove: bool,
    /// Do not ask for confirmation (refused in an agent's shell).
    #[arg(long, requires = "remove")]
    pub(crate) yes: bool,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
    /// Have the checks that hooks ask for run on other machines, by workers that this one trusts; files go through the depot
    /// of `--evidence` or REFEREE_DEPOT.
    #[arg(long, conflicts_with_all = ["list", "remove", "held_out"], help_heading = "Fleet Options")]
    pub(crate) fleet: bool,
    #[command(flatten)]
    pub(crate) workers: FleetWorkers,
    /// Depot through which files go: `s3://BUCKET/PREFIX`, or a directory.
    #[arg(long = "evidence", value_name = "URL", requires = "fleet")]
    pub(crate) depot: Option<String>,
    #[command(flatten)]
    pub(crate) project: DepotProject,
}
