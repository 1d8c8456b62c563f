//! What is typed to run in CI.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::gate::Asked;

/// How `referee ci` prints its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CiFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// GitHub workflow commands; the summary and the outputs of the step are written where GITHUB_STEP_SUMMARY and GITHUB_OUTPUT
    /// name files for them.
    Github,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee ci                                 run everything, and compare with evidence/<TASK> as it was checked out
  referee ci --attestation local.intoto.jsonl --local-key ada.pub.pem
                                             compare with signed statements, which Ada must have signed
  referee ci --require-attestation           no pass without an attestation of this very tree
  referee ci --trusted \"$BASE_SHA\" --format github
                                             in a pull request: what is protected is held against its base")]
pub(crate) struct Ci {
    #[command(flatten)]
    pub(crate) asked: Asked,
    /// What came along: the folder of a task's evidence, or of all tasks, or a file of signed statements
    /// (`attestation.intoto.jsonl`). Default: the evidence folder of the specification, as it is before the run.
    #[arg(long, value_name = "PATH")]
    pub(crate) attestation: Option<PathBuf>,
    /// A public key (Ed25519, SPKI PEM) by which it must be signed; may be given several times, and one of them is enough.
    /// Without any your trust store says whose signature it is.
    #[arg(long = "local-key", value_name = "PUBLIC.pem")]
    pub(crate) local_keys: Vec<PathBuf>,
    /// Block where a task comes without an attestation of this very tree and specification.
    #[arg(long)]
    pub(crate) require_attestation: bool,
    /// Also copy the sealed evidence of this run to a folder of DIR named by the task, which must not be there yet.
    #[arg(long, value_name = "DIR")]
    pub(crate) evidence: Option<PathBuf>,
    /// How to print the answer.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = CiFormat::Human)]
    pub(crate) format: CiFormat,
}
