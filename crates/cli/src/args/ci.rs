//! What is typed to run in CI.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::gate::GateInvocation;

/// Output format of `referee ci`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CiFormat {
    /// Text for humans.
    Human,
    /// A single JSON document.
    Json,
    /// GitHub workflow commands, a job summary (GITHUB_STEP_SUMMARY) and step outputs (GITHUB_OUTPUT).
    Github,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee ci                                 run all checks, and verify the committed evidence
  referee ci --attestation local.intoto.jsonl --local-key ada.pub.pem
                                             verify statements that Ada must have signed
  referee ci --require-attestation           fail without an attestation of this tree
  referee ci --trusted \"$BASE_SHA\" --format github
                                             compare protected files with a pull request's base")]
pub(crate) struct Ci {
    #[command(flatten)]
    pub(crate) asked: GateInvocation,
    /// Attestations to verify: an evidence directory, or a file of signed statements (attestation.intoto.jsonl) [default:
    /// the evidence directory of the specification].
    #[arg(long, value_name = "PATH")]
    pub(crate) attestation: Option<PathBuf>,
    /// Require that attestations are signed by this public key, Ed25519 in SPKI PEM (can be repeated; one signature is
    /// enough) [default: any trusted key].
    #[arg(long = "local-key", value_name = "PUBLIC.pem")]
    pub(crate) local_keys: Vec<PathBuf>,
    /// Fail if a task has no attestation of this tree and specification.
    #[arg(long)]
    pub(crate) require_attestation: bool,
    /// Copy the sealed evidence of each task to DIR/TASK, which must not exist.
    #[arg(long, value_name = "DIR")]
    pub(crate) evidence: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = CiFormat::Human)]
    pub(crate) format: CiFormat,
}
