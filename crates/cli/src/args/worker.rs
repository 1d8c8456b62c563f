//! What is typed to start a worker.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use referee_model::id::WorkerLabel;

use super::jobs;
use super::sandbox::Confinement;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  referee worker --label linux                      perform orders for the label linux
  referee worker --label linux --label gpu --jobs 4
                                                    perform up to four orders at once
  referee worker --label linux --key ~/worker.pem   sign with this key
  referee worker --label linux --signed             perform orders of trusted keys alone
  referee worker --label agents --agents            run agents for trusted keys, too

The queue is that of TEMPORAL_ADDRESS; credentials are those of the depot, and TEMPORAL_API_KEY or
TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH. Whoever asks for runs trusts the
worker's key with `referee key trust KEY.pub.pem --name NAME --as worker`.

SIGTERM stops the worker: orders that it performs are given to another one."
)]
pub(crate) struct Worker {
    #[command(subcommand)]
    pub(crate) command: Option<WorkerCommand>,
    /// Label for what this machine has or can reach: lower-case letters, digits and `-` (can be repeated).
    #[arg(long, value_name = "LABEL", required = true, value_parser = worker_label)]
    pub(crate) label: Vec<WorkerLabel>,
    /// Number of orders to perform at once.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = jobs)]
    pub(crate) jobs: NonZeroUsize,
    /// Sign runs with this private key, or `agent:NAME` for a key of the SSH agent [env: REFEREE_KEY] [default: key.pem in
    /// the configuration directory].
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub(crate) key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) orders: Orders,
}

/// Which orders a worker performs.
#[derive(Debug, Clone, Args)]
pub(crate) struct Orders {
    /// Perform only orders that somebody signed whose key this machine trusts as a runner.
    #[arg(long)]
    pub(crate) signed: bool,
    /// Also run agents, with the variables of this worker, for orders that such a key signed.
    #[arg(long)]
    pub(crate) agents: bool,
    #[command(flatten)]
    pub(crate) confinement: Confinement,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkerCommand {
    /// Perform the order on standard input.
    #[command(hide = true)]
    Perform(Perform),
}

#[derive(Debug, Args)]
pub(crate) struct Perform {
    /// Private key to sign with.
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub(crate) key: PathBuf,
    #[command(flatten)]
    pub(crate) orders: Orders,
}

pub(crate) fn worker_label(text: &str) -> Result<WorkerLabel, String> {
    WorkerLabel::parse(text).map_err(|error| error.to_string())
}
