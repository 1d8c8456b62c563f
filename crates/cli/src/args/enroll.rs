//! What is typed to enrol a project.

use std::path::PathBuf;

use clap::Args;

use super::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee enroll                          the project of the nearest referee.yaml
  referee enroll ci/referee.yaml          that of another specification
  referee enroll --held-out ~/secret/held-out.yaml
                                          with checks that agents never see
  referee enroll --trusted 4f2c9e1        protected files are held against this commit, whatever is locked
  referee enroll --list                   all projects that are enrolled, and those that were
  referee enroll --remove                 hooks have no opinion in this project any more

A committed specification enrols its project by itself, at the first event of a hook. An agent's shell enrols and removes nothing.")]
pub(crate) struct Enroll {
    /// The specification. Default: the nearest referee.yaml, from here upwards. With --remove: the project's folder, or any
    /// folder in it; default: this one.
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// A second specification, of checks that agents never see. It lies outside of the project and its repository.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["list", "remove"])]
    pub(crate) held_out: Option<PathBuf>,
    /// Hold what is protected against this commit instead of the lock. Its id is kept, wherever a name goes.
    #[arg(long, value_name = "REF", conflicts_with_all = ["list", "remove"])]
    pub(crate) trusted: Option<String>,
    /// List all projects that are enrolled, and those that were.
    #[arg(long, conflicts_with_all = ["path", "remove"])]
    pub(crate) list: bool,
    /// End the enrolment. What is left says so, to `referee doctor` and in answers of the gate; a specification that is
    /// committed enrols the project again.
    #[arg(long)]
    pub(crate) remove: bool,
    /// Remove without a terminal, in a script of yours.
    #[arg(long, requires = "remove")]
    pub(crate) yes: bool,
    /// How to print it.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
