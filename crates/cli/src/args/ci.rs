//! What is typed to run in CI.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::DepotProject;
use super::depot::RunDepot;
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

/// Where the evidence goes besides its directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EvidenceTarget {
    /// A directory, with one of each task in it.
    Directory(PathBuf),
    /// A depot, by its URL.
    Depot(String),
}

impl EvidenceTarget {
    fn of(text: OsString) -> Self {
        match text.into_string() {
            Ok(url) if url.starts_with("s3://") || url.starts_with("file://") => Self::Depot(url),
            Ok(path) => Self::Directory(path.into()),
            Err(path) => Self::Directory(path.into()),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee ci                                 run all checks, and verify the committed evidence
  referee ci --attestation local.intoto.jsonl --local-key ada.pub.pem
                                             verify statements that Ada must have signed
  referee ci --require-attestation           fail without an attestation of this tree
  referee ci --trusted \"$BASE_SHA\" --format github
                                             compare protected files with a pull request's base
  referee ci --evidence s3://evidence        push the evidence of this run to a depot")]
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
    /// Copy the sealed evidence of each task to DIR/TASK, which must not exist, or push it to a depot:
    /// `s3://BUCKET/PREFIX` or `file:///DIR`.
    #[arg(long, value_name = "DIR|URL", value_parser = OsStringValueParser::new().map(EvidenceTarget::of))]
    pub(crate) evidence: Option<EvidenceTarget>,
    #[command(flatten)]
    pub(crate) project: DepotProject,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = CiFormat::Human)]
    pub(crate) format: CiFormat,
}

impl Ci {
    /// Returns the directory that evidence is copied to.
    pub(crate) fn copies_to(&self) -> Option<&PathBuf> {
        match &self.evidence {
            Some(EvidenceTarget::Directory(directory)) => Some(directory),
            Some(EvidenceTarget::Depot(_)) | None => None,
        }
    }

    /// Returns the depot that evidence is pushed to.
    pub(crate) fn depot(&self) -> RunDepot {
        let depot = match &self.evidence {
            Some(EvidenceTarget::Depot(url)) => Some(url.clone()),
            Some(EvidenceTarget::Directory(_)) | None => None,
        };
        RunDepot { depot, project: self.project.clone() }
    }
}
